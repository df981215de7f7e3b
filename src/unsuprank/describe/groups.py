"""Groups of columns that say much the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from .association import STRONG, associations


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
