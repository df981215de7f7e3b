"""Sums over the rows of coordinates: inner products of columns, and what moments need besides.

Rows come in spans of a size that depends on the number of columns only. Each span is summed up by
itself, on a thread or by a worker with one thread for its matrix products, and the sums of spans
are added up in order. So they are the same to the last bit wherever rows come from and however many
threads there are, and no thread waits for another one within a product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ... import _kernels
from ..._parallel import one_blas_thread
from ..._progress import progress
from ...column_totals import ColumnTotals
from ...row_source import RowSource, chunk_rows
from ...table import Table

#: Rows that are weighted at a time.
WEIGHTED_ROWS = 4096


class RowSums:
    """Sums over the rows of coordinates Z, where K = ZZ'.

    Parameters
    ----------
    widths : ndarray
        Coordinates of each column.
    """

    def __init__(self, widths: np.ndarray) -> None:
        width = int(widths.sum())
        self.widths = widths
        #: Z'Z, Z' diag(K) Z, and Z' times the diagonal of K.
        self.G, self.weighted = np.zeros((2, width, width))
        self.along = np.zeros(width)
        #: See :func:`diagonal_sums`.
        self.of_columns = np.zeros((7, len(widths)))
        #: Sums of the first, second and third powers of K_ii.
        self.powers = np.zeros(3)

    def add(self, Z: np.ndarray, diagonal: np.ndarray) -> None:
        """Add rows, of which `diagonal` are the squared lengths."""
        self.G += Z.T @ Z
        self.weighted += _weighted_gram(Z, diagonal)
        self.along += Z.T @ diagonal
        self.of_columns += diagonal_sums(Z, self.widths, diagonal)
        self.powers += [np.sum(diagonal**p) for p in (1, 2, 3)]

    def add_sums(self, others: RowSums) -> None:
        """Add the sums over other rows."""
        self.G += others.G
        self.weighted += others.weighted
        self.along += others.along
        self.of_columns += others.of_columns
        self.powers += others.powers

    @cached_property
    def GG(self) -> np.ndarray:
        """The square of Z'Z, once all rows are added."""
        return self.G @ self.G.T


@dataclass(frozen=True)
class Embedding:
    """Makes the coordinates of some rows of a table, given what is known of all of its rows."""

    totals: ColumnTotals
    #: Categorical columns of more values have no coordinates, only squared lengths.
    many_values: int

    @cached_property
    def varies(self) -> np.ndarray:
        """Indices of the columns that vary."""
        return np.flatnonzero(self.totals.varies)

    @cached_property
    def grouped(self) -> list[int]:
        """Columns of too many values to have coordinates."""
        counts = self.totals.counts
        return [j for j in self.varies.tolist() if len(counts.get(j, ())) > self.many_values]

    @cached_property
    def embedded(self) -> np.ndarray:
        """Columns that have coordinates."""
        return np.setdiff1d(self.varies, self.grouped)

    @cached_property
    def widths(self) -> np.ndarray:
        """The number of coordinates of each column that has some."""
        counts = self.totals.counts
        return np.array([len(counts.get(j, [0])) for j in self.embedded.tolist()], dtype=np.int32)

    @property
    def scale(self) -> float:
        """The length of a column of coordinates, over the root of the number of rows."""
        return 1.0 / np.sqrt(max(len(self.varies), 1))

    def coordinates(self, rows: Table) -> np.ndarray:
        """Coordinates of some rows; missing values are at 0."""
        totals = self.totals
        values = rows.block(0, rows.n_columns)
        if not totals.counts:
            Z = values[:, self.embedded] - totals.mean[self.embedded]
            Z *= self.scale / totals.spread[self.embedded]
            return np.nan_to_num(Z, copy=False) if rows.missing.any() else Z
        parts = []
        for j in self.embedded.tolist():
            column = values[:, [j]]
            if j in totals.counts:
                shares = totals.counts[j] / totals.counts[j].sum()
                parts.append((column == np.arange(len(shares))) - shares)
            else:
                parts.append(column - totals.mean[j])
            parts[-1] *= self.scale / totals.spread[j]
            parts[-1][np.isnan(column[:, 0])] = 0.0
        return np.asfortranarray(np.hstack(parts)) if parts else np.empty((rows.n_rows, 0))

    def squared_lengths(self, rows: Table, Z: np.ndarray) -> np.ndarray:
        """Squared lengths of rows, of which `Z` are the coordinates."""
        lengths = np.einsum("ij,ij->i", Z, Z)
        for j in self.grouped:
            codes, counts = rows.column(j), self.totals.counts[j]
            known = ~np.isnan(codes)
            shares = counts / counts.sum()
            of_value = (self.scale / self.totals.spread[j]) ** 2 * (
                1.0 - 2.0 * shares + shares @ shares
            )
            lengths[known] += of_value[codes[known].astype(np.intp)]
        return lengths


def sums_over_rows(
    rows: Table | RowSource, embedding: Embedding, n_jobs: int, verbose: int = 0
) -> RowSums:
    """One pass over all rows."""
    sums = RowSums(embedding.widths)
    span = span_rows(rows.n_columns, sums.widths)
    # Threads of BLAS that are let go between two spans would wake up, and wait in a spin.
    with one_blas_thread(), progress("products of columns", rows.n_rows, verbose) as bar:
        for part in rows.over_chunks(partial(span_sums, embedding=embedding), span, bar, n_jobs):
            sums.add_sums(part)
    return sums


def span_rows(n_columns: int, widths: np.ndarray) -> int:
    """Rows whose products are summed up before they are added to those of others.

    They are as many chunks as it takes for two rows a coordinate: products, which may have a way to
    go before they are added, then take no more space than the values that they are made of.
    """
    step = chunk_rows(n_columns)
    return step * max(1, -(-2 * int(widths.sum()) // step))


def span_sums(span: Table, embedding: Embedding) -> RowSums:
    """The sums over some rows; the same to the last bit whoever works on others meanwhile."""
    sums = RowSums(embedding.widths)
    with one_blas_thread():
        for chunk in span.chunks(chunk_rows(span.n_columns)):
            Z = embedding.coordinates(chunk)
            sums.add(Z, embedding.squared_lengths(chunk, Z))
    return sums


def diagonal_sums(Z: np.ndarray, widths: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """For columns with coordinates `Z`: sums over squared lengths h_i and over powers of z_i.

    With k the `diagonal`, the rows are the sums of h k, h k^2, h^2 k, h, z^3, h^2 and h^3; z^3 is
    for columns of one coordinate.
    """
    Z = np.asfortranarray(Z)
    return _kernels.diagonal_sums(Z, widths, diagonal).reshape(-1, 7).T


def _weighted_gram(Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Z' diag(weights) Z, a block of rows at a time.

    It is for the skewness only, which needs no more than single precision.
    """
    total = np.zeros((Z.shape[1], Z.shape[1]))
    roots = np.sqrt(weights).astype(np.float32)
    for first in range(0, len(Z), WEIGHTED_ROWS):
        part = Z[first : first + WEIGHTED_ROWS].T.astype(np.float32)
        part *= roots[first : first + WEIGHTED_ROWS]
        total += part @ part.T
    return total
