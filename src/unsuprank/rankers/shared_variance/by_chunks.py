"""The sums by way of G = Z'Z where rows come some at a time: from disk, or from a sparse table.

All that :mod:`.by_coordinates` finds are sums over rows, once means and spreads are known; these
take a pass of their own. Names of more values than are made coordinates do not come here, see
:mod:`..large_tables`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..._parallel import one_blas_thread
from ..._progress import progress
from ...column_totals import ColumnTotals, column_totals
from ...row_source import RowSource, chunk_rows
from ...table import Table
from .by_coordinates import RowSums
from .columns import Names
from .sums import Found, found


@dataclass(frozen=True)
class ChunkSums:
    """Sums over all rows of the coordinates of the columns that vary."""

    totals: ColumnTotals
    #: Which columns vary, and how many coordinates each of these has.
    varies: np.ndarray
    widths: np.ndarray
    sums: RowSums

    def found(self) -> Found:
        """The sums in the form that all ways to them have."""
        names, weights, first = {}, np.ones(self.widths.sum()), 0
        for k, j in enumerate(np.flatnonzero(self.varies).tolist()):
            if j in self.totals.counts:
                names[k] = _names(self.totals.counts[j], 1.0 / len(self.widths))
                own = weights[first : first + self.widths[k]]
                own[:] = 0.0
                own[names[k].present] = 1.0 / (names[k].factor * names[k].counts)
            first += self.widths[k]
        rows = self.sums.of_columns(weights)
        return found(self.sums.of_all(rows[1].sum()), rows, names)


def _names(counts: np.ndarray, square_of_scale: float) -> Names:
    """A nominal column of which only counts are known, not the name of each row."""
    present = np.flatnonzero(counts)
    some, known = counts[present].astype(np.float64), int(counts.sum())
    gini = 1.0 - np.sum((some / known) ** 2)
    nothing = np.broadcast_to(0, known)  # it has a length, and takes no memory
    return Names(nothing, present, nothing, some, square_of_scale / gini)


def sums_by_chunks(rows: Table | RowSource, n_jobs: int, verbose: int = 0) -> ChunkSums:
    """Two passes over the rows: means and spreads, then products."""
    totals = column_totals(rows, verbose)
    varies = totals.varies
    widths = np.array(
        [len(totals.counts.get(j, [0])) for j in np.flatnonzero(varies).tolist()], dtype=np.int32
    )
    sums = RowSums(widths, 1)
    work = partial(span_sums, totals=totals, widths=widths)
    with progress("products of columns", rows.n_rows, verbose) as bar:
        for part in rows.over_chunks(work, span_rows(rows.n_columns, widths), bar, n_jobs):
            sums.add_sums(part)
    return ChunkSums(totals, varies, widths, sums)


def span_rows(n_columns: int, widths: np.ndarray) -> int:
    """Rows whose products are summed up before they are added to those of others.

    They are as many chunks as it takes for two rows a coordinate: products, which may have a way to
    go before they are added, then take no more space than the values that they are made of.
    """
    step = chunk_rows(n_columns)
    return step * max(1, -(-2 * int(widths.sum()) // step))


def span_sums(span: Table, totals: ColumnTotals, widths: np.ndarray) -> RowSums:
    """The sums over some rows; the same to the last bit whoever works on others meanwhile."""
    sums = RowSums(widths, 1)
    with one_blas_thread():
        for chunk in span.chunks(chunk_rows(span.n_columns)):
            Z = chunk_coordinates(chunk, totals)
            sums.add(Z, np.einsum("ij,ij->i", Z, Z))
    return sums


def chunk_coordinates(chunk: Table, totals: ColumnTotals) -> np.ndarray:
    """Coordinates of some rows of a larger table, in the columns that vary there."""
    varies = np.flatnonzero(totals.varies)
    scale = 1.0 / np.sqrt(max(len(varies), 1))
    values = chunk.block(0, chunk.n_columns)
    if not totals.counts:
        Z = values[:, varies] - totals.mean[varies]
        Z *= scale / totals.spread[varies]
        return np.nan_to_num(Z, copy=False) if chunk.missing.any() else Z
    parts = []
    for j in varies.tolist():
        column = values[:, [j]]
        if j in totals.counts:
            shares = totals.counts[j] / totals.counts[j].sum()
            parts.append((column == np.arange(len(shares))) - shares)
        else:
            parts.append(column - totals.mean[j])
        parts[-1] *= scale / totals.spread[j]
        parts[-1][np.isnan(column[:, 0])] = 0.0
    return np.asfortranarray(np.hstack(parts)) if parts else np.empty((chunk.n_rows, 0))
