"""Everything the page says, computed; nothing here knows of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import procrustes

from .. import describe
from .._parallel import one_blas_thread
from .._progress import progress
from ..describe.fitted import read_for
from ..describe.plane import MAX_ROWS
from ..describe.refits import effort
from ..evaluation.prediction_curve import (
    N_RANDOM,
    PredictionCurve,
    no_curve_because,
    prediction_curve,
)
from ..ranker import Ranker
from ..table import Table

#: Columns that the page calls the top, at most; and bars, one for each leading column.
TOP, N_BARS = 16, 30
#: Leading columns among which neighbours are looked for, groups are formed, and rows are shown.
N_NEIGHBOURS, N_GROUPED, N_HEAT = 1000, 50, 50
#: Groups of rows that are explained one by one, the largest at most, and columns for each.
N_CLUSTERS, N_APART = 20, 5
#: Folds of the error curve, and the numbers of rows that it may be measured on.
MAX_FOLDS, MIN_FOLDS, CURVE_ROWS = 10, 3, (1000, 500, 250)
#: Work that the fits of the curve may come to, in units of `effort`, and that of judging orders.
FIT_WORK, JUDGE_WORK = 4_000_000, 6e9


@dataclass(frozen=True)
class PageFacts:
    """What there is to show about a ranking of a table."""

    ranker: Ranker
    table: Table
    #: Of the refits and samples.
    seed: int
    scores: np.ndarray
    order: np.ndarray
    summary: describe.ColumnSummary
    repeated: list[tuple[int, int]]
    structure: describe.ColumnStructure
    stability: describe.RankStability
    representatives: describe.Representatives
    neighbours: describe.ColumnNeighbours
    groups: describe.ColumnGroups
    heat: describe.HeatMap
    #: The rows that the planes show.
    plane_rows: np.ndarray
    plane_of_all: describe.PrincipalPlane
    plane_of_top: describe.PrincipalPlane
    curve: PredictionCurve | None
    #: A label per row, if there are labels, and what sets rows of one label apart from others.
    labels: np.ndarray | None
    clusters: describe.ClusterExplanation | None

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
    def numeric(self) -> np.ndarray:
        """The numeric columns."""
        return np.flatnonzero(self.table.n_values == 0)

    @property
    def spreads_differ(self) -> bool:
        """Whether numeric columns have different spreads; they do not once standardised."""
        spread = self.summary.spread[self.numeric]
        known = spread[spread > 0]
        return bool(len(known)) and float(known.max()) > 1.001 * float(known.min())

    @property
    def bars(self) -> np.ndarray:
        """The columns that have a bar each, best first."""
        return self.order[:N_BARS]

    @property
    def margins(self) -> np.ndarray:
        """Half of the 95% intervals of the scores of `bars` over the trees; 0 where not known."""
        error = getattr(self.ranker, "scores_sem_", None)
        if error is None or not self.stability.drawn:
            return np.zeros(len(self.bars))
        return 1.96 * error[self.bars]

    @property
    def all_equal(self) -> bool:
        """Whether the scores tell no column from another."""
        return bool(self.scores.min() == self.scores.max())

    @property
    def knee(self) -> int:
        """The rank where the falling scores bend."""
        return describe.knee(self.scores)

    @property
    def shown_clusters(self) -> list[describe.ClusterContrast]:
        """The groups of rows that are explained one by one, in the order of their labels."""
        if self.clusters is None:
            return []
        found = list(self.clusters.per_cluster.values())
        least = sorted((contrast.size for contrast in found), reverse=True)[:N_CLUSTERS][-1]
        return [contrast for contrast in found if contrast.size >= least][:N_CLUSTERS]

    @property
    def plane_agreement(self) -> float | None:
        """Share of the one plane's variation that the other has, turned and scaled onto it.

        None if there is nothing to compare: one of the two has no extent, or both have the same
        columns.
        """
        planes = self.plane_of_all, self.plane_of_top
        if self.top == self.n_columns or not all(plane.share for plane in planes):
            return None
        return 1.0 - float(procrustes(*(plane.coordinates for plane in planes))[2])


def gather(
    ranker: Ranker, X: Any, seed: int | None = None, labels: Sequence[str] | None = None
) -> PageFacts:
    """Compute everything, with a step of progress for each part."""
    table = read_for(ranker, X)
    labelled = None if labels is None else np.asarray(labels, dtype=object)
    if seed is None:  # that of the ranker, if it is a number
        own = ranker.get_params().get("random_state")
        seed = own if isinstance(own, int) else 0
    order, top = ranker.order_, min(TOP, (table.n_columns + 1) // 2)
    rows = table.sample_rows(MAX_ROWS, seed)
    parts = {
        "summary": lambda: describe.summarise_columns(table),
        "repeated": lambda: describe.repeated_columns(table),
        "structure": lambda: describe.find_structure(table),
        "stability": lambda: describe.measure_stability(ranker, table, top, seed),
        "representatives": lambda: describe.find_representatives(table, seed),
        "neighbours": lambda: describe.find_neighbours(table, order[:N_NEIGHBOURS]),
        "groups": lambda: describe.find_groups(table, order[:N_GROUPED]),
        "heat": lambda: describe.heat_map(table, order[:N_HEAT], seed),
        "plane_of_all": lambda: describe.principal_plane(table, rows=rows),
        "plane_of_top": lambda: describe.principal_plane(table, order[:top], rows),
        "curve": lambda: _curve(ranker, table, seed),
        "clusters": lambda: _clusters(table, labelled),
    }
    found: dict[str, Any] = {}
    # Threads of BLAS wait busily for one another, which costs more than they save here.
    with one_blas_thread(), progress("preparing the report", len(parts)) as bar:
        for name, compute in parts.items():
            found[name] = compute()
            bar.advance()
    found |= {"scores": ranker.scores_, "order": order, "plane_rows": rows, "labels": labelled}
    return PageFacts(ranker, table, seed, **found)


def _clusters(table: Table, labels: np.ndarray | None) -> describe.ClusterExplanation | None:
    if labels is None:
        return None
    try:
        named = [None if label == "" else label for label in labels.tolist()]
        return describe.explain_clusters(table, named)
    except ValueError:  # all labels are the same, or hardly two are
        return None


def _curve(ranker: Ranker, table: Table, seed: int) -> PredictionCurve | None:
    if no_curve_because(table):
        return None
    n_rows, n_folds = curve_plan(ranker, table)
    return prediction_curve(
        table.take(rows=table.sample_rows(n_rows, seed)),
        ranker,
        cv=n_folds,
        seed=seed,
        n_jobs=ranker.get_params().get("n_jobs"),
    )


def curve_plan(ranker: Ranker, table: Table) -> tuple[int, int]:
    """Rows and folds of the error curve: as many as come to a fixed amount of work."""
    # Names are compared pair by pair, and numbers multiplied in blocks.
    weight = table.n_columns + 60 * int((table.n_values > 0).sum()) + 30
    for n_rows in (table.n_rows, *(n for n in CURVE_ROWS if n < table.n_rows)):
        n_folds = int(FIT_WORK / effort(ranker, table, n_rows))
        judging = n_rows**2 * weight * (1 + N_RANDOM)
        if n_folds >= MIN_FOLDS and judging <= JUDGE_WORK:
            break
    return n_rows, min(n_rows, MAX_FOLDS, max(MIN_FOLDS, n_folds))
