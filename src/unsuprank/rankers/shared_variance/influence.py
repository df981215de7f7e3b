"""Rows that make most of what columns share.

What column j shares with the others is a sum over the rows, z'Kz = sum_i z_i (Kz)_i. A header that
was read as data, a line of totals or a few rows with gross errors can make up most of it for many
columns at once. Such rows are far from all others, so only rows with a large K_ii are looked at.
"""

from __future__ import annotations

import warnings

import numpy as np

from ...table import Table
from ..centred_matrix import ColumnMatrix
from .sides import Side

#: How many times the median K_ii is far away, ...
FAR = 6.0
#: ... and how many rows, as a share of all, can be called a handful.
MOST_ROWS, MOST_SHARE = 8, 0.05
#: The part of what a column shares that they have to make up, and the share of columns.
PART, COLUMNS, LEAST_COLUMNS = 0.5, 0.1, 3


def influential_rows(side: Side, log_p: np.ndarray) -> np.ndarray:
    """A handful of rows that carry at least half of what many columns share beyond chance.

    `log_p` is what the line view tells of the columns of this side.
    """
    coordinates = side.coordinates
    columns = np.flatnonzero(side.numeric & (np.nan_to_num(log_p) < np.log(0.01)))
    least = max(LEAST_COLUMNS, COLUMNS * side.numeric.sum())
    in_memory = isinstance(coordinates.rows, Table)
    if not in_memory or coordinates.rows_used != "all rows" or len(columns) < least:
        return np.zeros(0, dtype=int)
    numbers = side.matrix_of(np.flatnonzero(side.numeric))
    far = _far_rows(numbers.row_squares())
    if not len(far):
        return far
    shares = _shares(side, numbers, far)[:, np.isin(np.flatnonzero(side.numeric), columns)]
    many = (np.cumsum(shares, axis=0) > PART).sum(axis=1) >= least
    return far[: int(np.argmax(many)) + 1] if many.any() else far[:0]


def _far_rows(squares: np.ndarray) -> np.ndarray:
    """Rows that are far from the others, the farthest first."""
    most = min(MOST_ROWS, int(MOST_SHARE * len(squares)))
    order = np.argsort(-squares, kind="stable")[:most]
    return order[squares[order] > FAR * np.median(squares)]


def _shares(side: Side, Z: ColumnMatrix, rows: np.ndarray) -> np.ndarray:
    """The part of z'Lz that each row makes up for each number, L being K without zz'."""
    some = np.asarray(Z[rows])
    squares = Z.column_squares()
    products = ((Z @ some.T).T @ Z - some * squares) * some
    total = side.found.shared.products[side.places[side.numeric]] - squares**2
    return products / np.where(total > 0.0, total, np.inf)


def warn_of(rows: np.ndarray) -> None:
    """Say which rows carry the scores."""
    named = ", ".join(f"{i:,}" for i in np.sort(rows).tolist())
    what = f"row {named} makes" if len(rows) == 1 else f"rows {named} make"
    warnings.warn(
        f"{what} up most of what many columns share (rows count from 0); a header, a line of "
        "totals or gross errors? Columns are judged without, but for explained_ and chance_.",
        stacklevel=5,
    )
