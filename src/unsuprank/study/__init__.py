"""The study of the paper, resumable: data, jobs, store, tables, figures, one page."""
