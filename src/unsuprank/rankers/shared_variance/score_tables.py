"""Tables of normal scores and of curves, which columns show beside their values.

The normal scores of a column are the quantiles of a normal law at its ranks: they follow it where
it goes up, and no outlier counts for more than its rank. Its curve is the same of their absolute
values, freed of the scores themselves: it is large at both ends of the column and small in its
middle, as a square is. All columns without ties have the same scores in some order, so that what
two of them share by chance follows nearly a normal law however far in the tail.

Nominal columns stay as they are: their indicators are lines and curves at once. A sparse table
stays sparse, as zeros have one score.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from ...table import SparseTable, Table

#: Curves of less variance than this are what rounding leaves of a column with two values.
FLAT = 1e-9
#: Columns that are put in order at a time.
BLOCK_VALUES = 2**22


def score_tables(table: Table) -> tuple[Table, Table]:
    """The normal scores and the curves of all columns; see the prose of the module."""
    return _of_sparse(table) if isinstance(table, SparseTable) else _of_dense(table)


def scores_of_values(values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normal scores and curves of different numbers, in order, that occur so often."""
    scores = ndtri(_middles(counts))
    size, place = np.unique(np.round(np.abs(scores), 12), return_inverse=True)
    curves = ndtri(_middles(np.bincount(place, counts, len(size))))[place]
    shares = counts / counts.sum()
    curves = curves - shares @ curves
    freed = scores - shares @ scores
    length = shares @ freed**2
    if length > 0.0:
        curves -= (shares @ (curves * freed)) / length * freed
    flat = shares @ curves**2 < FLAT or len(values) < 3
    return scores, np.zeros(len(values)) if flat else curves


def _middles(counts: np.ndarray) -> np.ndarray:
    """The middle of the ranks of each value, as a share of all."""
    return (np.cumsum(counts) - 0.5 * counts) / counts.sum()


def _of_dense(table: Table) -> tuple[Table, Table]:
    scores, curves = (np.array(table.values, dtype=np.float64, order="F") for _ in range(2))
    numeric = np.flatnonzero(table.n_values == 0)
    step = max(1, BLOCK_VALUES // max(table.n_rows, 1))
    alike = scores_of_values(np.arange(table.n_rows), np.ones(table.n_rows))
    for first in range(0, len(numeric), step):
        columns = numeric[first : first + step]
        part = table.values[:, columns].T
        order = np.argsort(part, axis=1)
        ordered = np.take_along_axis(part, order, axis=1)
        for found, of_rank in zip((scores, curves), alike, strict=True):
            np.put_along_axis(part, order, of_rank[None], axis=1)
            found[:, columns] = part.T
        # Neither equal values nor NaN, at the end, are in ascending order.
        for j in columns[~(ordered[:, 1:] > ordered[:, :-1]).all(axis=1)].tolist():
            scores[:, j], curves[:, j] = _of_column(table.column(j))
    return replace(table, values=scores), replace(table, values=curves)


def _of_column(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of a column with equal or missing values."""
    known = ~np.isnan(column)
    found = np.full((2, len(column)), np.nan)
    if known.any():
        values, place, counts = np.unique(column[known], return_inverse=True, return_counts=True)
        found[:, known] = np.stack(scores_of_values(values, counts))[:, place]
    return found[0], found[1]


def _of_sparse(table: SparseTable) -> tuple[Table, Table]:
    held = table.by_columns
    found = np.zeros((2, len(held.data)))
    for first, last in zip(held.indptr[:-1].tolist(), held.indptr[1:].tolist(), strict=True):
        if last - first == table.n_rows:
            found[:, first:last] = _of_column(held.data[first:last])
            continue
        column = np.append(held.data[first:last], 0.0)
        values, place, counts = np.unique(column, return_inverse=True, return_counts=True)
        counts[place[-1]] += table.n_rows - (last - first) - 1  # the zeros that are not held
        both = np.stack(scores_of_values(values, counts))[:, place]
        found[:, first:last] = both[:, :-1] - both[:, -1:]
    scores, curves = (
        SparseTable(sparse.csc_array((data, held.indices, held.indptr), held.shape), table.schema)
        for data in found
    )
    return scores, curves
