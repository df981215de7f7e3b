"""What the study computes: the paper's figures, recipes, and the jobs of its tables."""
