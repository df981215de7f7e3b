"""unsuprank: which columns matter when there are no labels?

Everything is imported on first use, so that the package itself, and what asks for little of it such
as ``unsuprank --version``, loads in no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__
from ._views import VIEWS

if TYPE_CHECKING:
    from .describe import explain_clusters, why
    from .ranker import MethodCard, Ranker
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
        urelief_path,
    )
    from .rankers.intrinsic_dimension import intrinsic_dimension

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
    # questions to a table: what sets known clusters apart, and why a column has its rank
    "explain_clusters",
    "why",
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

_MODULES = ("describe", "evaluation", "io", "plot", "registry", "report", "sc", "study")
#: Where names are that are not in the room of the rankers.
_ROOMS = {
    "MethodCard": ".ranker",
    "Ranker": ".ranker",
    "explain_clusters": ".describe",
    "why": ".describe",
}


def __getattr__(name: str) -> Any:
    """Import a module or a class when it is asked for."""
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        return getattr(import_module(_ROOMS.get(name, ".rankers"), __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


def _write_report(ranker: Ranker, X: Any, path: Any, **options: Any) -> None:
    from .report import write_report

    write_report(ranker, X, path, **options)


def _show_in_notebook(ranker: Ranker) -> str:
    from .describe.frames import top_of_ranking

    return top_of_ranking(ranker)


def _put_into_frame(ranker: Ranker) -> Any:
    from .describe.frames import ranking_frame

    return ranking_frame(ranker)


VIEWS.update(report=_write_report, html=_show_in_notebook, frame=_put_into_frame)
