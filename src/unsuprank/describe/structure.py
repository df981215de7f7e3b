"""What is alike in a table: features with features, rows with rows.

The association of two columns is the absolute correlation of numbers, and its natural
extension to nominal columns in the clustering space: the Frobenius norm of the product of
their coordinates, relative to that of each with itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.linalg import eigh
from scipy.spatial.distance import squareform

from ..rankers.clustering_space import embed, embedding_widths, gram
from ..table import Schema, Table

#: Columns with at least this association speak of the same thing.
STRONG = 0.7
#: Rows that pictures show at most.
MAX_ROWS_HEAT = 200
MAX_ROWS_EMBEDDING = 1000
_BLOCK = 2000


def take(table: Table, columns: np.ndarray | None = None, rows: np.ndarray | None = None) -> Table:
    """Part of a table."""
    values = table.values if rows is None else table.values[rows]
    schema = table.schema
    if columns is not None:
        values = values[:, columns]
        names = None if schema.names is None else tuple(schema.names[j] for j in columns)
        schema = Schema(names, tuple(schema.categories[j] for j in columns))
    return Table(np.asfortranarray(values), schema)


def associations(table: Table, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Association of every column of `first` with every column of `second`."""
    a, widths_a = _coordinates(table, first)
    b, widths_b = _coordinates(table, second)
    squares = (a.T @ b).astype(np.float64) ** 2
    sums = _sum_blocks(_sum_blocks(squares, widths_a, 0), widths_b, 1)
    norms = np.outer(_self_norms(a, widths_a), _self_norms(b, widths_b))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(norms > 0, np.minimum(np.sqrt(sums / norms), 1.0), 0.0)


def _coordinates(table: Table, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    part = take(table, columns)
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
class Neighbours:
    """The nearest of the leading features, for every feature."""

    nearest: np.ndarray
    association: np.ndarray
    #: How many of the leading features are strongly associated with each.
    n_strong: np.ndarray


def find_neighbours(table: Table, leading: np.ndarray, k: int = 4) -> Neighbours:
    n = table.n_columns
    k = min(k, len(leading) - 1)
    nearest = np.zeros((n, k), dtype=np.int64)
    strength = np.zeros((n, k))
    n_strong = np.zeros(n, dtype=np.int64)
    for start in range(0, n, _BLOCK):
        columns = np.arange(start, min(start + _BLOCK, n))
        found = associations(table, columns, leading)
        found[columns[:, None] == leading[None, :]] = -1.0
        n_strong[columns] = (found >= STRONG).sum(axis=1)
        if k:
            best = np.argpartition(-found, k - 1, axis=1)[:, :k]
            value = np.take_along_axis(found, best, axis=1)
            sorted_ = np.argsort(-value, axis=1, kind="stable")
            nearest[columns] = leading[np.take_along_axis(best, sorted_, axis=1)]
            strength[columns] = np.take_along_axis(value, sorted_, axis=1)
    return Neighbours(nearest, strength, n_strong)


@dataclass(frozen=True)
class Groups:
    """Leading features in clustered order, their associations, and the groups they form."""

    columns: np.ndarray
    matrix: np.ndarray
    groups: list[list[int]]


def find_groups(table: Table, leading: np.ndarray) -> Groups:
    """Cluster the leading features; a group's first member is its best-ranked feature."""
    matrix = associations(table, leading, leading)
    np.fill_diagonal(matrix, 1.0)
    matrix = (matrix + matrix.T) / 2
    if len(leading) < 2:
        return Groups(leading, matrix, [leading.tolist()])
    tree = linkage(squareform(1.0 - matrix, checks=False), "average")
    order = leaves_list(tree)
    label = fcluster(tree, 1.0 - STRONG, "distance")
    members: dict[int, list[int]] = {}
    for column, group in zip(leading.tolist(), label.tolist(), strict=True):
        members.setdefault(group, []).append(column)
    return Groups(leading[order], matrix[np.ix_(order, order)], list(members.values()))


@dataclass(frozen=True)
class HeatMap:
    rows: np.ndarray
    columns: np.ndarray
    #: Standardised values, rows x columns, cut at three standard deviations; NaN is missing.
    values: np.ndarray


def heat_map(table: Table, leading: np.ndarray, seed: int) -> HeatMap:
    rows = sample_rows(table.n_rows, MAX_ROWS_HEAT, seed)
    values = table.values[np.ix_(rows, leading)]
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    scale = np.maximum(np.abs(np.where(known, values, 0)).max(axis=0), 1e-300)
    filled = np.where(known, values / scale, 0)
    centred = np.where(known, filled - filled.sum(axis=0) / count, 0)
    spread = np.sqrt((centred**2).sum(axis=0) / count)
    z = np.clip(centred / np.where(spread > 1e-12, spread, 1), -3, 3)
    row_order, column_order = _leaves(z), _leaves(z.T)
    z[~known] = np.nan
    return HeatMap(rows[row_order], leading[column_order], z[np.ix_(row_order, column_order)])


def _leaves(values: np.ndarray) -> np.ndarray:
    if len(values) < 3:
        return np.arange(len(values))
    return leaves_list(linkage(values, "average"))


def sample_rows(n_rows: int, most: int, seed: int) -> np.ndarray:
    """At most `most` rows, in order."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, most, replace=False))


def principal_plane(
    table: Table, columns: np.ndarray | None, rows: np.ndarray
) -> tuple[np.ndarray, float]:
    """Two principal coordinates of the rows, and the share of the variance they hold."""
    part = take(table, columns, rows)
    upper = gram(part)
    full = upper + np.triu(upper, 1).T
    m = len(full)
    first = max(0, m - 2)
    values, vectors = eigh(full, subset_by_index=[first, m - 1])
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1]
    # The sign of an eigenvector is arbitrary; the same picture twice needs one.
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    total = max(float(np.trace(full)), 1e-300)
    return vectors * np.sqrt(values), float(values.sum() / total)
