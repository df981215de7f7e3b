"""The data sets of the study: which there are, where they come from, how they are read."""
