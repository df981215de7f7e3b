"""Everything the page says, computed; nothing here knows of HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import describe
from .._progress import progress
from ..describe import (
    ColumnGroups,
    ColumnNeighbours,
    ColumnSummary,
    HeatMap,
    PrincipalPlane,
    RankStability,
)
from ..describe.fitted import read_for
from ..describe.plane import MAX_ROWS
from ..evaluation.prediction_curve import PredictionCurve, no_curve_because, prediction_curve
from ..ranker import Ranker
from ..table import Table

#: Columns that the page calls the top, at most.
TOP = 16
#: Leading columns among which neighbours are looked for, groups are formed, and rows are shown.
N_NEIGHBOURS, N_GROUPED, N_HEAT = 1000, 100, 50
#: Values (rows x columns) up to which the error curve has ten folds and ten random orders.
FULL_CURVE = 500_000


@dataclass(frozen=True)
class PageFacts:
    """What there is to show about a ranking of a table."""

    ranker: Ranker
    table: Table
    #: Of the refits and samples.
    seed: int
    scores: np.ndarray
    order: np.ndarray
    summary: ColumnSummary
    repeated: list[tuple[int, int]]
    stability: RankStability
    #: Scores of shuffled tables, best first.
    null: np.ndarray
    neighbours: ColumnNeighbours
    groups: ColumnGroups
    heat: HeatMap
    #: The rows that the planes show.
    plane_rows: np.ndarray
    plane_of_all: PrincipalPlane
    plane_of_top: PrincipalPlane
    curve: PredictionCurve | None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.table.names

    @property
    def n_columns(self) -> int:
        """How many columns were ranked."""
        return self.table.n_columns

    @property
    def top(self) -> int:
        """How many columns the page calls the top."""
        return self.stability.top

    @property
    def knee(self) -> int:
        """The rank where the falling scores bend."""
        return describe.knee(self.scores)

    @property
    def chance_level(self) -> float:
        """The score that one in twenty shuffled columns exceeds."""
        return float(np.quantile(self.null, 0.95))


def gather(ranker: Ranker, X: Any, seed: int | None = None) -> PageFacts:
    """Compute everything, with a step of progress for each part."""
    table = read_for(ranker, X)
    seed = _own_seed(ranker) if seed is None else seed
    order, top = ranker.order_, min(TOP, table.n_columns)
    rows = table.sample_rows(MAX_ROWS, seed)
    parts = {
        "summary": lambda: describe.summarise_columns(table),
        "repeated": lambda: describe.repeated_columns(table),
        "stability": lambda: describe.measure_stability(ranker, table, top, seed),
        "null": lambda: describe.null_scores(ranker, table, seed),
        "neighbours": lambda: describe.find_neighbours(table, order[:N_NEIGHBOURS]),
        "groups": lambda: describe.find_groups(table, order[:N_GROUPED]),
        "heat": lambda: describe.heat_map(table, order[:N_HEAT], seed),
        "plane_of_all": lambda: describe.principal_plane(table, rows=rows),
        "plane_of_top": lambda: describe.principal_plane(table, order[:top], rows),
        "curve": lambda: _curve(ranker, table, seed),
    }
    found: dict[str, Any] = {}
    with progress("preparing the report", len(parts)) as bar:
        for name, compute in parts.items():
            found[name] = compute()
            bar.advance()
    return PageFacts(
        ranker, table, seed, scores=ranker.scores_, order=order, plane_rows=rows, **found
    )


def _own_seed(ranker: Ranker) -> int:
    """The seed of the ranker, if it is a number."""
    seed = ranker.get_params().get("random_state")
    return seed if isinstance(seed, int) else 0


def _curve(ranker: Ranker, table: Table, seed: int) -> PredictionCurve | None:
    if no_curve_because(table):
        return None
    cv, n_random = (10, 10) if table.n_rows * table.n_columns <= FULL_CURVE else (3, 4)
    return prediction_curve(
        table,
        ranker,
        cv=min(cv, table.n_rows),
        n_random=n_random,
        seed=seed,
        n_jobs=ranker.get_params().get("n_jobs"),
    )
