"""Which columns are alike, beyond what columns of their kind share by chance, and groups of these.

A column spans a part of the space of rows: a number one direction, k categories k - 1. With P
and Q the projections onto what two columns span, tr PQ is the squared correlation of two numbers,
the share of a number's variance that lies between categories, and for two nominal columns
chi-squared over the number of rows. Columns of many categories share much of it whatever they
hold: over all orders of the rows the mean of tr PQ is tr P tr Q / (n - 1). So that much is taken
away, and the rest is related to what it would be if the two columns said the same:

    association^2 = (tr PQ - tr P tr Q / (n - 1)) / (sqrt(tr P tr Q) - tr P tr Q / (n - 1)),

which is 0 on average for unrelated columns, 1 for copies, and for two numbers the squared
correlation corrected for the number of rows. Where it is negative the association is 0. It is
also 0 for a column with a value of its own in every row, since all such columns are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from ..rankers.clustering_space import embed
from ..table import Table, read_table

#: Columns with at least this association speak of the same thing.
STRONG = 0.7
_BLOCK = 2000
#: What is left to share, relative to all, below which nothing is.
_NOTHING = 1e-9


def associations(X: Any, first: Any = None, second: Any = None) -> np.ndarray:
    """Measure how much more columns have to do with one another than by chance, from 0 to 1.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    first, second : indices of columns, optional
        All columns by default.

    Returns
    -------
    ndarray of shape (n_first, n_second)
        Nearly the absolute correlation for two columns of numbers; 0 for constant columns.

    Examples
    --------
    >>> from unsuprank.describe import associations
    >>> associations([[1, -2, 1], [2, -4, 1], [3, -6, 3]], [0], [1, 2]).round(3)
    array([[1.   , 0.707]])
    """
    table = read_table(X)
    a, b = (Spans.of(table.take(columns=columns)) for columns in (first, second))
    ranks = np.outer(a.ranks, b.ranks)
    by_chance = ranks / max(1, table.n_rows - 1)
    most = np.sqrt(ranks)
    beyond, room = a.shared_with(b) - by_chance, most - by_chance
    squared = np.divide(beyond, room, out=np.zeros(room.shape), where=room > _NOTHING * most)
    return np.sqrt(np.clip(squared, 0.0, 1.0))


@dataclass(frozen=True)
class Spans:
    """What columns span, as vectors x with signs s, so that the projection is the sum of s x x'.

    A number is one vector of length 1. A nominal column is one vector per category, the same for
    all rows of it, less the vector that is the same for all rows that are known.
    """

    #: The columns that are numbers, and their vectors.
    numeric: np.ndarray
    numbers: np.ndarray
    #: The other columns, their vectors, and the sum with signs over the vectors of each column.
    nominal: np.ndarray
    categories: sparse.csr_array
    sums: sparse.csr_array
    #: Dimensions that each column spans.
    ranks: np.ndarray

    @classmethod
    def of(cls, table: Table) -> Spans:
        """The spans of all columns of a table."""
        numeric, nominal = np.flatnonzero(table.n_values == 0), np.flatnonzero(table.n_values)
        numbers = np.zeros((table.n_rows, len(numeric)))
        varies = table.varies & (table.n_values == 0)
        if varies.any():
            vectors = embed(table.take(columns=varies))
            numbers[:, table.varies[numeric]] = vectors / np.linalg.norm(vectors, axis=0)
        parts = [_category_vectors(table.column(j)) for j in nominal.tolist()]
        widths = np.array([part.shape[1] for part in parts], dtype=int)
        signs = np.ones(widths.sum())
        signs[np.cumsum(widths) - 1] = -1.0
        owners = np.repeat(np.arange(len(parts)), widths)
        sums = sparse.csr_array((signs, (owners, np.arange(len(signs)))), (len(parts), len(signs)))
        ranks = table.varies.astype(float)
        ranks[nominal] = np.maximum(0, widths - 2)
        none = sparse.csr_array((table.n_rows, 0))
        categories = sparse.hstack([none, *parts], format="csr")
        return cls(numeric, numbers, nominal, categories, sums, ranks)

    def shared_with(self, other: Spans) -> np.ndarray:
        """tr PQ of every column with every other one."""
        shared = np.zeros((len(self.ranks), len(other.ranks)))
        across, back = self.categories.T @ other.numbers, other.categories.T @ self.numbers
        products = (self.categories.T @ other.categories).power(2)
        for mine, theirs, found in (
            (self.numeric, other.numeric, np.square(self.numbers.T @ other.numbers)),
            (self.nominal, other.numeric, self.sums @ np.square(across)),
            (self.numeric, other.nominal, (other.sums @ np.square(back)).T),
            (self.nominal, other.nominal, self.sums @ products @ other.sums.T.toarray()),
        ):
            shared[np.ix_(mine, theirs)] = found
        return shared


def _category_vectors(codes: np.ndarray) -> sparse.csr_array:
    """A vector of length 1 for every category that occurs, and one for all of them together."""
    rows = np.flatnonzero(~np.isnan(codes))
    _, places, counts = np.unique(codes[rows], return_inverse=True, return_counts=True)
    values = np.append(1.0 / np.sqrt(counts[places]), np.full(len(rows), len(rows) ** -0.5))
    at = np.append(rows, rows), np.append(places, np.full(len(rows), len(counts)))
    return sparse.csr_array((values, at), shape=(len(codes), len(counts) + 1))


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


@dataclass(frozen=True)
class ColumnGroups:
    """Columns that stand for one another.

    Attributes
    ----------
    columns : ndarray of int
        The columns that were grouped, like beside like.
    matrix : ndarray
        Their associations, in that order.
    groups : list of list of int
        The members of each group as they were given; the first stands for the others.
    """

    columns: np.ndarray
    matrix: np.ndarray
    groups: list[list[int]]


def find_groups(X: Any, leading: Any) -> ColumnGroups:
    """Cluster columns by their associations: average linkage, cut at a strong association.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    leading : indices of columns
        Best first, so that the best of a group comes to stand for it.

    Examples
    --------
    >>> from unsuprank.describe import find_groups
    >>> find_groups([[1, 1, 2], [2, 5, 3], [3, 1, 4], [4, 5, 6]], [2, 1, 0]).groups
    [[2, 0], [1]]
    """
    leading = np.asarray(leading)
    matrix = associations(X, leading, leading)
    np.fill_diagonal(matrix, 1.0)
    matrix = (matrix + matrix.T) / 2
    if len(leading) < 2:
        return ColumnGroups(leading, matrix, [leading.tolist()])
    tree = linkage(squareform(1.0 - matrix, checks=False), "average")
    order = leaves_list(tree)
    members: dict[int, list[int]] = {}
    for column, group in zip(leading, fcluster(tree, 1.0 - STRONG, "distance"), strict=True):
        members.setdefault(int(group), []).append(int(column))
    return ColumnGroups(leading[order], matrix[np.ix_(order, order)], list(members.values()))
