"""unsuprank: which columns matter when there are no labels?"""

from .base import Ranker
from .baselines import RandomRanker, VarianceRanker
from .forest import (
    Genie3,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    RandomForestScore,
    SymbolicScore,
)
from .relief import URelief, urelief_path

__all__ = [
    # the paper's
    "Genie3",
    "RandomForestScore",
    "SymbolicScore",
    "URelief",
    "urelief_path",
    # controls
    "RandomRanker",
    "VarianceRanker",
    # the model itself
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    # for those who write one
    "Ranker",
]
