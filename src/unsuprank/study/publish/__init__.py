"""What is made of the results: tables, figures, verdicts and one page."""
