"""Rows and columns as a map of colours, like beside like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from ..table import read_table
from .summary import known_moments

#: Rows that the map shows at most.
MAX_ROWS = 200
#: Standard deviations from the mean beyond which all values look the same.
CUT = 3.0


@dataclass(frozen=True)
class HeatMap:
    """Standardised values, clustered both ways.

    Attributes
    ----------
    rows, columns : ndarray of int
        Indices into the table, in the order shown.
    values : ndarray of shape (n_rows, n_columns)
        Standard deviations from the mean of the rows shown, cut at three; NaN is missing.
    """

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


def heat_map(X: Any, leading: Any, seed: int = 0) -> HeatMap:
    """Standardise and cluster some columns and a sample of at most 200 rows.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    leading : indices of columns
    seed : int, default=0
        Of the sample.

    Examples
    --------
    >>> from unsuprank.describe import heat_map
    >>> heat_map([[0.0, 1.0], [2.0, 1.0]], [0]).values
    array([[-1.],
           [ 1.]])
    """
    table, leading = read_table(X), np.asarray(leading)
    rows = table.sample_rows(MAX_ROWS, seed)
    values = table.take(rows, leading).values
    _, _, mean, spread = known_moments(values)
    # Halves, so that the difference of large numbers cannot overflow.
    z = (values / 2 - mean / 2) / np.where(spread > 0, spread, 1.0) * 2
    z = np.clip(z, -CUT, CUT)
    filled = np.nan_to_num(z)
    row_order, column_order = _leaves(filled), _leaves(filled.T)
    return HeatMap(rows[row_order], leading[column_order], z[np.ix_(row_order, column_order)])


def _leaves(values: np.ndarray) -> np.ndarray:
    """The order in which a hierarchical clustering puts like rows beside like."""
    if len(values) < 3:
        return np.arange(len(values))
    return leaves_list(linkage(values, "average"))
