"""The study of the paper, resumable: data, cells, store, tables, figures, one page."""
