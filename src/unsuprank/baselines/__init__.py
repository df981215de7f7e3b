"""The methods that the paper compares to, and two controls."""

from .controls import RandomRanker, VarianceRanker

__all__ = ["RandomRanker", "VarianceRanker"]
