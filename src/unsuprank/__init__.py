"""unsuprank: which columns matter when there are no labels?"""

from .base import Ranker
from .baselines import RandomRanker, VarianceRanker

__all__ = ["RandomRanker", "Ranker", "VarianceRanker"]
__version__ = "0.1.0"
