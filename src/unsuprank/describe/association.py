"""Which columns are alike.

The association of two columns is the absolute correlation of numbers, and its natural
extension to nominal columns in the clustering space: the Frobenius norm of the product of
their coordinates, relative to that of each with itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rankers.clustering_space import embed, embedding_widths
from ..table import Table, read_table

#: Columns with at least this association speak of the same thing.
STRONG = 0.7
_BLOCK = 2000


def associations(X: Any, first: Any = None, second: Any = None) -> np.ndarray:
    """Measure how much columns have to do with one another, from 0 to 1.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    first, second : indices of columns, optional
        All columns by default.

    Returns
    -------
    ndarray of shape (n_first, n_second)
        The absolute correlation for two columns of numbers; 0 for constant columns.

    Examples
    --------
    >>> from unsuprank.describe import associations
    >>> associations([[1, -2, 1], [2, -4, 1], [3, -6, 3]], [0], [1, 2]).round(3)
    array([[1.   , 0.866]])
    """
    table = read_table(X)
    a, widths_a = _coordinates(table, first)
    b, widths_b = _coordinates(table, second)
    squares = (a.T @ b).astype(np.float64) ** 2
    sums = _sum_blocks(_sum_blocks(squares, widths_a, 0), widths_b, 1)
    norms = np.outer(_self_norms(a, widths_a), _self_norms(b, widths_b))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(norms > 0, np.minimum(np.sqrt(sums / norms), 1.0), 0.0)


def _coordinates(table: Table, columns: Any) -> tuple[np.ndarray, np.ndarray]:
    part = table.take(columns=columns)
    return embed(part).astype(np.float32), embedding_widths(part)


def _sum_blocks(values: np.ndarray, widths: np.ndarray, axis: int) -> np.ndarray:
    """Sums over consecutive blocks of the given widths; empty blocks are 0."""
    if (widths == 1).all():
        return values
    shape = list(values.shape)
    shape[axis] = len(widths)
    out = np.zeros(shape)
    filled = np.flatnonzero(widths)
    if len(filled):
        starts = (np.cumsum(widths) - widths)[filled]
        index = (filled, slice(None)) if axis == 0 else (slice(None), filled)
        out[index] = np.add.reduceat(values, starts, axis=axis)
    return out


def _self_norms(z: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Frobenius norm of each column's coordinates times themselves."""
    ends = np.cumsum(widths)
    norms = np.zeros(len(widths))
    for j, (end, width) in enumerate(zip(ends, widths, strict=True)):
        block = z[:, end - width : end].astype(np.float64)
        norms[j] = np.sqrt(((block.T @ block) ** 2).sum()) if width else 0.0
    return norms


@dataclass(frozen=True)
class ColumnNeighbours:
    """The most like of the leading columns, for every column.

    Attributes
    ----------
    nearest : ndarray of int, shape (n_columns, k)
        Column indices, the strongest association first.
    association : ndarray of shape (n_columns, k)
    n_strong : ndarray of int, shape (n_columns,)
        How many of the leading columns are strongly associated with each.
    """

    nearest: np.ndarray
    association: np.ndarray
    n_strong: np.ndarray


def find_neighbours(X: Any, leading: Any, k: int = 4) -> ColumnNeighbours:
    """Find for every column the leading columns that are most like it.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    leading : indices of columns
        Such as the first thousand of a ranking.
    k : int, default=4
        Neighbours of each column; fewer if there are not so many others.

    Examples
    --------
    >>> from unsuprank.describe import find_neighbours
    >>> X = [[1, 1, 2], [2, 5, 3], [3, 1, 4], [4, 5, 6]]
    >>> find_neighbours(X, [0, 1, 2], k=1).nearest[:, 0]
    array([2, 0, 0])
    """
    table, leading = read_table(X), np.asarray(leading)
    k = min(k, len(leading) - 1)
    nearest = np.zeros((table.n_columns, k), dtype=np.int64)
    strength = np.zeros((table.n_columns, k))
    n_strong = np.zeros(table.n_columns, dtype=np.int64)
    for start in range(0, table.n_columns, _BLOCK):
        columns = np.arange(start, min(start + _BLOCK, table.n_columns))
        found = associations(table, columns, leading)
        found[columns[:, None] == leading[None, :]] = -1.0
        n_strong[columns] = (found >= STRONG).sum(axis=1)
        best = _largest(found, k)
        nearest[columns] = leading[best]
        strength[columns] = np.take_along_axis(found, best, axis=1)
    return ColumnNeighbours(nearest, strength, n_strong)


def _largest(values: np.ndarray, k: int) -> np.ndarray:
    """Positions of the `k` largest values of each row, the largest first."""
    if k == 0:
        return np.zeros((len(values), 0), dtype=np.int64)
    best = np.argpartition(-values, k - 1, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(values, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)
