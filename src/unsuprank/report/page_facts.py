"""Everything the page says, computed; nothing here knows of HTML."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from .._progress import progress
from ..describe.rank_stability import Stability, measure_stability
from ..describe.structure import (
    MAX_ROWS_EMBEDDING,
    Groups,
    HeatMap,
    Neighbours,
    find_groups,
    find_neighbours,
    heat_map,
    principal_plane,
    sample_rows,
)
from ..io.score_table import column_summary
from ..ranker import Ranker
from ..table import Table
from .curve import Curve, measured_curve, no_curve_because

BINS = 12
#: Values (rows x columns) up to which the error curve has ten folds and ten random orders.
FULL_CURVE = 500_000


@dataclass(frozen=True)
class Facts:
    """What there is to show about a ranking of a table."""

    table: Table
    names: list[str]
    scores: np.ndarray
    order: np.ndarray
    summary: dict[str, np.ndarray]
    stability: Stability
    curve: Curve | None
    neighbours: Neighbours
    groups: Groups
    heat: HeatMap
    planes: list[tuple[np.ndarray, float]]
    plane_rows: np.ndarray
    histograms: np.ndarray
    low: np.ndarray
    high: np.ndarray
    duplicates: list[tuple[int, int]]

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def ranking(self) -> np.ndarray:
        ranking = np.empty(len(self.order), dtype=np.int64)
        ranking[self.order] = np.arange(1, len(self.order) + 1)
        return ranking

    @property
    def knee(self) -> int:
        """Rank where the falling scores bend most: farthest below the chord from end to end."""
        s = self.scores[self.order]
        span = s[0] - s[-1]
        if len(s) < 3 or span <= 0:
            return len(s)
        x = np.linspace(0, 1, len(s))
        return int(np.argmax((1 - x) - (s - s[-1]) / span)) + 1


def gather(ranker: Ranker, table: Table, names: list[str], top: int, seed: int) -> Facts:
    """Compute everything, with a step of progress for each part."""
    order = ranker.order_
    rows = sample_rows(table.n_rows, MAX_ROWS_EMBEDDING, seed)
    stability = measure_stability(ranker, table, top, seed)
    with progress("preparing the report", 5) as bar:
        neighbours = find_neighbours(table, order[:1000])
        bar.advance()
        groups = find_groups(table, order[:100])
        heat = heat_map(table, order[:50], seed)
        bar.advance()
        planes = [
            principal_plane(table, None, rows),
            principal_plane(table, order[:top], rows),
        ]
        bar.advance()
        histograms, low, high = _histograms(table)
        bar.advance()
        curve = None if no_curve_because(table) else _curve(ranker, table, seed)
        bar.advance()
    return Facts(
        table, names, ranker.scores_, order, column_summary(table), stability, curve, neighbours,
        groups, heat, planes, rows, histograms, low, high, _duplicates(table),
    )  # fmt: skip


def _curve(ranker: Ranker, table: Table, seed: int) -> Curve:
    cv, n_random = (10, 10) if table.values.size <= FULL_CURVE else (3, 4)
    return measured_curve(
        table,
        ranker,
        cv=min(cv, table.n_rows),
        n_random=n_random,
        seed=seed,
        n_jobs=ranker.get_params().get("n_jobs"),
    )


def _histograms(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts in equal bins from the smallest to the largest value of each column."""
    values = table.values
    known = ~np.isnan(values)
    low = np.where(known, values, np.inf).min(axis=0)
    high = np.where(known, values, -np.inf).max(axis=0)
    none = ~known.any(axis=0)
    low[none], high[none] = 0.0, 0.0
    half_span = high / 2 - low / 2  # halves, so that the difference cannot overflow
    counts = np.zeros((values.shape[1], BINS), dtype=np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        place = (values / 2 - low / 2) / np.where(half_span > 0, half_span, 1.0)
    bins = np.where(known, np.minimum(np.nan_to_num(place) * BINS, BINS - 1), 0).astype(int)
    for b in range(BINS):
        counts[:, b] = ((bins == b) & known).sum(axis=0)
    return counts, low, high


def _duplicates(table: Table) -> list[tuple[int, int]]:
    """Pairs of a column and an earlier one with the same values; constant columns aside."""
    seen: dict[bytes, int] = {}
    found = []
    values = np.asfortranarray(table.values)
    varies = np.nanmax(np.where(np.isnan(values), -np.inf, values), axis=0) > np.nanmin(
        np.where(np.isnan(values), np.inf, values), axis=0
    )
    for j in np.flatnonzero(varies).tolist():
        digest = hashlib.blake2b(values[:, j].tobytes(), digest_size=16).digest()
        if digest in seen:
            found.append((j, seen[digest]))
        else:
            seen[digest] = j
    return found
