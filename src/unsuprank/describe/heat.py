"""Rows and columns as a map of colours, like beside like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from ..rankers.clustering_space import embed
from ..table import Table, read_table
from .association import find_groups

#: Rows that the map shows at most.
MAX_ROWS = 200
#: Standard deviations from the mean beyond which all values look the same.
CUT = 3.0
#: Values of a nominal column with a place of their own; all others share the last one.
N_KINDS = 7


@dataclass(frozen=True)
class HeatMap:
    """Standardised numbers and categories, clustered both ways.

    Attributes
    ----------
    rows, columns : ndarray of int
        Indices into the table, in the order shown.
    values : ndarray of shape (n_rows, n_columns)
        Numbers: standard deviations from the mean of the rows shown, cut at three. Nominal columns:
        0 for the most common value, 1 for the next, up to 7 for all others. NaN is missing.
    nominal : ndarray of bool, shape (n_columns,)
        Which of the columns shown are nominal.
    """

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    nominal: np.ndarray


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
    part = table.take(rows, leading)
    columns = find_groups(part, np.arange(len(leading))).columns
    order = _leaves(embed(part))
    values = np.column_stack([_shown(part, j) for j in columns])
    nominal = table.n_values[leading[columns]] > 0
    return HeatMap(rows[order], leading[columns], values[order], nominal)


def _shown(table: Table, j: int) -> np.ndarray:
    """One column as the map shows it."""
    values = table.column(j)
    if table.n_values[j]:
        return kinds(values)
    z = embed(table, j, j + 1).sum(axis=1) * np.sqrt(table.n_columns)  # constants have none
    return np.where(np.isnan(values), np.nan, np.clip(z, -CUT, CUT))


def kinds(codes: np.ndarray) -> np.ndarray:
    """Codes by how common they are: 0 for the most common, 7 for all that are not among seven."""
    known = ~np.isnan(codes)
    present, places, counts = np.unique(codes[known], return_inverse=True, return_counts=True)
    place = np.empty(len(present))
    place[np.argsort(-counts, kind="stable")] = np.arange(len(present))
    found = np.full(len(codes), np.nan)
    found[known] = np.minimum(place, N_KINDS)[places]
    return found


def _leaves(values: np.ndarray) -> np.ndarray:
    """The order in which a hierarchical clustering puts like rows beside like."""
    if len(values) < 3 or not values.shape[1]:
        return np.arange(len(values))
    return leaves_list(linkage(values, "average"))
