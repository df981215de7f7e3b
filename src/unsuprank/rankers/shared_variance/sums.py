"""The sums that both ways to the moments have to find, and those that they find alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..coordinates import Coordinates
from .columns import CategoricalColumn, Powers
from .shuffles import Sums


@dataclass(frozen=True)
class ColumnSums:
    """One number per column: sums over its products H, its projection P and the table's K."""

    #: tr PK, tr HK
    projected: np.ndarray
    products: np.ndarray
    #: sum h_i K_ii, sum h_i K_ii^2, sum h_i^2 K_ii
    h_k: np.ndarray
    h_kk: np.ndarray
    hh_k: np.ndarray


@dataclass(frozen=True)
class TableSums:
    """All sums over a table and over each of its columns."""

    #: Sums over K; those of cubes may be NaN, for unknown.
    whole: Sums
    shared: ColumnSums
    #: Of the numeric columns; without meaning for nominal ones.
    powers: Powers
    #: The nominal columns.
    names: dict[int, CategoricalColumn]


def categorical_columns(coordinates: Coordinates, scale: float) -> dict[int, CategoricalColumn]:
    """The nominal columns, by their place among those that vary, on the scale of coordinates."""
    found = {}
    for k, j in enumerate(np.flatnonzero(coordinates.varies).tolist()):
        if coordinates.rows.schema.categories[j] is None:
            continue
        if coordinates.grouped[k]:
            found[k] = CategoricalColumn.of(coordinates.table.column(k), scale)
        else:
            found[k] = CategoricalColumn.of_counts(coordinates.totals.counts[j], scale)
    return found


def projection_weights(
    widths: np.ndarray, names: dict[int, CategoricalColumn], columns: np.ndarray
) -> np.ndarray:
    """w of each coordinate, so that a nominal column's P = sum w z z'; 1 for numbers.

    `columns` says which columns, of those that `names` counts, have coordinates: `widths` of them.
    """
    weights = np.ones(widths.sum())
    places, ends = np.cumsum(columns) - 1, np.cumsum(widths)
    for j, column in names.items():
        if columns[j]:
            own = weights[ends[places[j]] - widths[places[j]] : ends[places[j]]]
            own[:] = 0.0
            own[column.present] = 1.0 / (column.factor * column.counts)
    return weights


def category_diagonal_sums(names: CategoricalColumn, diagonal: np.ndarray) -> np.ndarray:
    """`diagonal_sums` of a nominal column; the powers, which are for numbers, are 1."""
    h, k = names.lengths, diagonal[names.rows]
    return np.array([h @ k, h @ k**2, h**2 @ k, *np.ones(4)])


def mixed_triangles(common: Any, squares: Any, trace: Any, own: Sums) -> Any:
    """About 3 tr KKH + 3 tr KHH, for a K that H is no part of, from tr KH, |K|^2 and tr K.

    KK is taken to be a multiple of K, or of H where that gives more, and HH to be a multiple of H.
    Both are right on average over the orders of H, and always if H and K have rank one.
    """
    common = np.maximum(common, 0.0)
    typical = squares / np.where(trace > 0.0, trace, 1.0)
    size = np.where(own.trace > 0.0, own.trace, 1.0)
    return 3 * common * (np.maximum(typical, common / size) + own.squares / size)


def traces(quadratic: np.ndarray, widths: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The first two rows of `ColumnSums` from z'Kz of each coordinate z.

    For numbers the first is not divided by z'z yet.
    """
    stacked = np.stack([weights * quadratic, quadratic])
    if len(widths) == len(quadratic):
        return stacked
    return np.add.reduceat(stacked, np.cumsum(widths) - widths, axis=1)


def table_sums(whole: Sums, rows: np.ndarray, names: dict[int, CategoricalColumn]) -> TableSums:
    """Put together the rows of `traces` and `diagonal_sums`."""
    powers = Powers(*rows[5:])
    numeric = np.ones(rows.shape[1], dtype=bool)
    numeric[list(names)] = False
    rows[0, numeric] /= powers.z2[numeric]
    return TableSums(whole, ColumnSums(*rows[:5]), powers, names)
