"""Rows in the plane that shows most of them.

Principal axes of the clustering space: columns of numbers are standardised, nominal ones are
indicators of their values, all columns weigh the same, and a missing value is at the centre of
its column. The axes follow from products of rows or from products of coordinates, whichever
are fewer: both have the same eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from ..rankers.coordinates import Coordinates
from ..table import read_table

#: Rows that a picture shows at most.
MAX_ROWS = 1000
#: Up to this many products a side, all eigenvalues are found on the way to two.
FEW_PRODUCTS = 200


@dataclass(frozen=True)
class PrincipalPlane:
    """Rows in two dimensions.

    Attributes
    ----------
    coordinates : ndarray of shape (n_rows, 2)
        The first axis holds most of the variance; zeros where there is nothing to show.
    share : float
        Of the variance that the plane holds, from 0 to 1; 0 if nothing varies.
    """

    coordinates: np.ndarray
    share: float


def principal_plane(X: Any, columns: Any = None, rows: Any = None) -> PrincipalPlane:
    """Compute two principal coordinates of rows, and the share of the variance they hold.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    columns, rows : indices or boolean mask, optional
        All by default. Columns are standardised over these rows.

    Examples
    --------
    >>> from unsuprank.describe import principal_plane
    >>> round(principal_plane([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0], [3.0, 6.0, 0.0]]).share, 9)
    1.0
    """
    part = read_table(X).take(rows, columns)
    coordinates = np.zeros((part.n_rows, 2))
    if not part.varies.any():
        return PrincipalPlane(coordinates, 0.0)
    Z: Any = Coordinates(part, "all rows", way="rows", n_jobs=1).matrix
    few_rows = Z.shape[0] <= Z.shape[1]
    products = Z.all_row_products() if few_rows else Z.all_column_products()
    values, vectors = _largest_two(products)
    found = vectors * np.sqrt(values) if few_rows else Z @ vectors
    found *= np.sqrt(part.varies.mean())  # columns that do not vary weigh as much as the others
    # The sign of an axis is arbitrary; the same picture twice needs one.
    found *= np.sign(found[np.abs(found).argmax(axis=0), np.arange(len(values))])
    coordinates[:, : len(values)] = found
    return PrincipalPlane(coordinates, min(1.0, float(values.sum() / np.trace(products))))


def _largest_two(products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two largest eigenvalues, or the only one, and their vectors; the largest first."""
    n = len(products)
    if n <= FEW_PRODUCTS:
        values, vectors = eigh(products, subset_by_index=[max(0, n - 2), n - 1])
    else:  # the start is fixed, for the same picture twice
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = eigsh(products, k=2, v0=start)
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
