"""What is known about columns and rankings; plots, report and command line consume it."""
