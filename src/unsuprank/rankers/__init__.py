"""The rankers, a room for each family; every one of them is exported here."""

from .agnos import AgnoSS
from .controls import RandomRanker, VarianceRanker
from .forest import (
    Genie3,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    RandomForestScore,
    SymbolicScore,
)
from .intrinsic_dimension import intrinsic_dimension
from .relief import URelief, urelief_path
from .shared_variance import SharedVariance
from .spectral import MCFS, NDFS, SPEC, LaplacianScore
from .subset import Diversified, GreedyCSS

__all__ = [
    "AgnoSS",
    "Diversified",
    "Genie3",
    "GreedyCSS",
    "LaplacianScore",
    "MCFS",
    "NDFS",
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    "RandomForestScore",
    "RandomRanker",
    "SPEC",
    "SharedVariance",
    "SymbolicScore",
    "URelief",
    "VarianceRanker",
    "intrinsic_dimension",
    "urelief_path",
]
