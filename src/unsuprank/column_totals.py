"""Means and spreads of all columns of a table, from one pass over its rows.

Chunks of rows, of a size that depends on the number of columns only, are summed up by themselves
and put together in order: the same numbers to the last bit, wherever the rows come from and however
many threads there are. Of chunks a and b, with shares p and q of the known values,

    mean = mean_a + q (mean_b - mean_a)
    spread^2 = p spread_a^2 + q spread_b^2 + p q (mean_b - mean_a)^2

in which nothing large is subtracted from something large. The spread of a nominal column is the
root of its Gini index, from exact counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _kernels
from ._progress import progress
from .row_source import RowSource, chunk_rows
from .table import SparseTable, Table, gini_index

#: Values beyond this are halved some times before they are added up.
LARGE = 2.0**960


@dataclass(frozen=True)
class ColumnTotals:
    """What is known of each column of some rows."""

    #: Values that are not missing.
    known: np.ndarray
    #: Means of numbers; 0 for nominal columns.
    mean: np.ndarray
    #: Standard deviations; of nominal columns, square roots of the Gini index.
    spread: np.ndarray
    #: How often each value of a nominal column occurs, for each of these columns.
    counts: dict[int, np.ndarray]

    @property
    def varies(self) -> np.ndarray:
        """Whether each column has at least two different known values."""
        return self.spread > 0.0

    def plus(self, other: ColumnTotals) -> ColumnTotals:
        """The totals of these rows and others."""
        known = self.known + other.known
        share = np.divide(other.known, known, out=np.zeros(len(known)), where=known > 0)
        step = np.where(self.known > 0, other.mean - self.mean, other.mean)
        apart = np.where((self.known > 0) & (other.known > 0), np.abs(step), 0.0)
        mean = np.where(self.known > 0, self.mean + share * step, other.mean)
        counts = {j: count + other.counts[j] for j, count in self.counts.items()}
        spread = _root_mean_square(
            (1.0 - share, share, share * (1.0 - share)), (self.spread, other.spread, apart)
        )
        return ColumnTotals(known, mean, _nominal_spreads(spread, counts), counts)


def _root_mean_square(weights: tuple, values: tuple) -> np.ndarray:
    """The root of a weighted sum of squares, without squares that overflow or vanish."""
    largest = np.maximum.reduce(values)
    unit = np.where(largest > 0.0, largest, 1.0)
    total = sum(w * (v / unit) ** 2 for w, v in zip(weights, values, strict=True))
    return unit * np.sqrt(total)


def _nominal_spreads(spread: np.ndarray, counts: dict[int, np.ndarray]) -> np.ndarray:
    for j, count in counts.items():
        spread[j] = np.sqrt(max(gini_index(count), 0.0)) if (count > 0).sum() > 1 else 0.0
    return spread


def column_totals(rows: Table | RowSource, verbose: int = 0) -> ColumnTotals:
    """The totals of a table or of a source of rows, from one pass."""
    total: ColumnTotals | None = None
    step = chunk_rows(rows.n_columns)
    with progress("means and spreads", rows.n_rows, verbose) as bar:
        for found in rows.over_chunks(chunk_totals, step, bar):
            total = found if total is None else total.plus(found)
    if total is None:
        raise ValueError("X has no rows.")
    return total


def chunk_totals(table: Table) -> ColumnTotals:
    """The totals of a table in memory."""
    if isinstance(table, SparseTable):
        known = np.full(table.n_columns, table.n_rows)
        return ColumnTotals(known, table.moments.mean, table.moments.spread, {})
    scales = _kernels.embedding_scales(table.values, table.n_values, 1.0)
    spread = np.divide(1.0, scales, out=np.zeros(len(scales)), where=scales > 0.0)
    known = np.full(table.n_columns, table.n_rows)
    if table.missing.any():
        known[table.missing] -= np.isnan(table.values[:, table.missing]).sum(axis=0)
    nominal = table.n_values > 0
    mean = np.where(nominal, 0.0, _means(table, known, constant=scales == 0.0))
    counts = {j: _counts(table, j) for j in np.flatnonzero(nominal).tolist()}
    return ColumnTotals(known, mean, _nominal_spreads(spread, counts), counts)


def _means(table: Table, known: np.ndarray, constant: np.ndarray) -> np.ndarray:
    values = table.values
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.nansum(values, axis=0) if table.missing.any() else values.sum(axis=0)
    means = sums / np.maximum(known, 1)
    large = np.flatnonzero(~np.isfinite(sums))
    means[large] = np.nanmean(values[:, large] / LARGE, axis=0) * LARGE
    # The mean of equal numbers is that number, not one that rounding has made of it.
    for j in np.flatnonzero(constant & (known > 0)).tolist():
        column = values[:, j]
        means[j] = column[np.argmin(np.isnan(column))]
    return means


def _counts(table: Table, j: int) -> np.ndarray:
    codes = table.column(j)
    codes = codes[~np.isnan(codes)].astype(np.intp)
    return np.bincount(codes, minlength=int(table.n_values[j]))
