"""What the study computes: the paper's figures, recipes, and the cells of its tables."""
