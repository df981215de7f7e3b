"""unsuprank: which columns matter when there are no labels?"""

from typing import Any

from ._version import __version__
from .ranker import VIEWS, MethodCard, Ranker
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
    "MethodCard",
    "Ranker",
    "__version__",
]

_LAZY = ("describe", "evaluation", "io", "plot", "registry", "report", "sc", "study")


def __getattr__(name: str):
    """Import what not everyone needs on first use, so that the package itself loads fast."""
    if name in _LAZY:
        from importlib import import_module

        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_report(ranker: Ranker, X: Any, path: Any, **options: Any) -> None:
    from .report import write_report

    write_report(ranker, X, path, **options)


def _show_in_notebook(ranker: Ranker) -> str:
    from .describe.notebook import top_of_ranking

    return top_of_ranking(ranker)


VIEWS.update(report=_write_report, html=_show_in_notebook)
