"""unsuprank: which columns matter when there are no labels?"""

from .ranker import Ranker
from .rankers import (
    MCFS,
    NDFS,
    SPEC,
    AgnoSS,
    Diversified,
    Genie3,
    GreedyCSS,
    LaplacianScore,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    RandomForestScore,
    RandomRanker,
    SharedVariance,
    SymbolicScore,
    URelief,
    VarianceRanker,
    intrinsic_dimension,
    urelief_path,
)

__all__ = [
    # the paper's
    "Genie3",
    "RandomForestScore",
    "SymbolicScore",
    "URelief",
    "urelief_path",
    # its baselines
    "LaplacianScore",
    "SPEC",
    "MCFS",
    "NDFS",
    "AgnoSS",
    "intrinsic_dimension",
    # beyond it: relevance against chance, and rankings that know redundancy
    "SharedVariance",
    "GreedyCSS",
    "Diversified",
    # controls
    "RandomRanker",
    "VarianceRanker",
    # the model itself
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    # for those who write one
    "Ranker",
]
__version__ = "0.1.0"

_LAZY = ("evaluation", "io", "plot", "registry", "sc", "study")


def __getattr__(name: str):
    """Import what not everyone needs on first use, so that the package itself loads fast."""
    if name in _LAZY:
        from importlib import import_module

        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
