"""The methods by name: what each is, when to use it, what it accepts and what it costs.

The command line, the report and the documentation all speak of methods through this list,
so that they say the same thing. A class that this installation lacks is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .ranker import Ranker

DEFAULT = "genie3"


@dataclass(frozen=True)
class Method:
    """A ranking method as people know it."""

    name: str
    class_name: str
    what: str
    when: str
    cost: str
    #: What a high score means, in words for someone who has never heard of the method.
    meaning: str
    #: Whether the units of a column make a difference to its score.
    scale_free: bool = True
    #: Time of a fit in those of genie3 with 100 trees, roughly.
    effort: float = 1.0
    #: Parameters that make this method of its class.
    params: dict[str, Any] = field(default_factory=dict)
    #: The method whose ranker this one wraps.
    wraps: str | None = None

    @property
    def ranker(self) -> type[Ranker] | None:
        import unsuprank

        return getattr(unsuprank, self.class_name, None)

    @property
    def accepts(self) -> str:
        """Kinds of input, in words."""
        cls = self.ranker
        kinds = ["numbers"]
        if cls is not None and cls.accepts_nominal and not self.params.get("polish"):
            kinds.append("nominal")
        if cls is not None and cls.accepts_missing:
            kinds.append("missing values")
        return ", ".join(kinds)


_FOREST = "rows x trees, after one pass over the table; seconds for 20,000 columns"
_KNOWN = (
    Method(
        "genie3",
        "Genie3",
        "How much each column helps a forest of clustering trees to make rows alike",
        "The first thing to try: mixed columns, missing values, many columns",
        _FOREST,
        "splitting the rows by this column makes them more alike in all other columns, so the "
        "column tells much about the table as a whole",
    ),
    Method(
        "random-forest",
        "RandomForestScore",
        "How much worse the clustering trees get when a column is shuffled",
        "When a column should count only for what it predicts on rows left aside",
        "up to three times that of genie3",
        "shuffling this column makes predictions of all columns worse on rows that were left aside",
    ),
    Method(
        "symbolic",
        "SymbolicScore",
        "How often and how high up the clustering trees test a column",
        "A quick look; coarser than genie3",
        _FOREST,
        "the trees ask about this column often and early",
    ),
    Method(
        "urelief",
        "URelief",
        "Whether a column tells near rows from far ones (Relief without labels)",
        "Structure that shows in the distances between rows; mixed columns, missing values",
        "rows x rows x columns",
        "rows that are far apart in the table differ in this column more than near rows do",
    ),
    Method(
        "laplacian",
        "LaplacianScore",
        "Whether a column varies smoothly over the graph of nearest neighbours",
        "Clusters of numeric data; a well-known baseline",
        "rows x rows x columns for the graph, then rows x columns",
        "the column changes little between neighbouring rows and much between distant ones",
    ),
    Method(
        "spec",
        "SPEC",
        "Whether a column agrees with the spectrum of the neighbour graph",
        "Like laplacian; a well-known baseline",
        "rows x rows x columns",
        "the column follows the slow, large-scale structure of the neighbour graph",
    ),
    Method(
        "mcfs",
        "MCFS",
        "Columns from which sparse regressions recover the clusters of the graph",
        "When numeric data have several clusters",
        "a few eigenvectors and a sparse regression for each",
        "a regression on few columns needs this one to recover a cluster structure",
        effort=2.0,
    ),
    Method(
        "ndfs",
        "NDFS",
        "Cluster labels and sparse coefficients learned together",
        "When numeric data have clusters and time is no concern",
        "iterations of the smaller of rows and columns, cubed",
        "this column carries much weight in predicting the clusters that were found",
        effort=50.0,
    ),
    Method(
        "agnos-s",
        "AgnoSS",
        "Weights of the inputs of a small auto-encoder",
        "Non-linear relations among numeric columns; answers differ between seeds",
        "epochs x rows x columns; the slowest here",
        "the auto-encoder needs this column to rebuild the table",
        effort=30.0,
    ),
    Method(
        "css",
        "GreedyCSS",
        "Columns that together explain most of the others, one after the other",
        "A small set of columns without repetition",
        "rows x columns for each column picked",
        "given the columns ranked before it, this one explains most of what is left",
    ),
    Method(
        "css-knn",
        "GreedyCSS",
        "The same, with the top columns then swapped for what predicts all by nearest neighbours",
        "A small set of numeric columns from which all others can be read off similar rows",
        "a few times that of css",
        "given the columns ranked before it, this one explains most of what is left; the top "
        "ones were swapped until rows alike in them were most alike in all columns",
        scale_free=False,
        effort=3.0,
        params={"polish": "knn"},
    ),
    Method(
        "diversified",
        "Diversified",
        "genie3, with near-copies of better columns moved down",
        "When the top of another ranking repeats itself",
        "that of genie3 and one pass over the table for each of 256 columns",
        "the column ranks high for genie3 and is no near-copy of one that ranks higher",
        effort=2.0,
        wraps="genie3",
    ),
    Method(
        "variance",
        "VarianceRanker",
        "The variance of each column, in its own units: a control",
        "To see whether a method does more than find spread",
        "one pass over the table",
        "the values of the column are spread widely, in the units it came in",
        scale_free=False,
    ),
    Method(
        "random",
        "RandomRanker",
        "Chance: a control that any method should beat",
        "To see whether a method beats chance",
        "nothing",
        "nothing at all: the order is drawn by chance",
    ),
)


def available() -> list[Method]:
    """The methods of this installation, the recommended ones first."""
    return [method for method in _KNOWN if method.ranker is not None]


def find(name: str) -> Method:
    """The method called `name`; an error that lists the names if there is none."""
    wanted = name.strip().lower().replace("_", "-")
    for method in available():
        if wanted in (method.name, method.class_name.lower()):
            return method
    names = ", ".join(method.name for method in available())
    raise ValueError(f"{name!r} is not a method of this installation; choose one of {names}.")


def method_of(ranker: Ranker) -> Method | None:
    """The entry of a ranker, if it is one of the list."""
    of_class = [m for m in _KNOWN if m.class_name == type(ranker).__name__]
    set_params = ranker.get_params(deep=False)
    special = [m for m in of_class if m.params and m.params.items() <= set_params.items()]
    return next(iter(special or of_class), None)


def make(
    name: str,
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
    nominal: Iterable[bool] | None = None,
    **params: Any,
) -> Ranker:
    """A ranker by name, given those of the parameters that it knows."""
    method = find(name)
    cls = method.ranker
    assert cls is not None  # find() only knows installed methods
    offered = {"random_state": seed, "n_jobs": n_jobs, "nominal_features": nominal, **params}
    known = inspect.signature(cls).parameters
    chosen = {k: v for k, v in offered.items() if k in known and v is not None}
    if method.wraps is not None:
        chosen["ranker"] = make(method.wraps, seed=seed, n_jobs=n_jobs, nominal=nominal, **params)
    return cls(**chosen, **method.params)
