"""The coordinates of a sparse table: a centred matrix that is never made.

With X the values that are held, scaled, and c the centres of the columns, the coordinates are
A = X - 1c'. Products with A are products with X, less what the centres make of it; in products with
a matrix K of which all rows sum to 0, centres do not show at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..table import SparseTable
from .sparse_products import SparseProducts, scaled_columns, shifts, sparse_factors

#: Numbers of a product that are made at a time.
BLOCK_VALUES = 2**21


class SparseCoordinates:
    """The coordinates of the columns of a sparse table that vary.

    It answers what is asked of an array of coordinates: its shape, ``A[:, columns]`` (an array)
    and ``rows @ A``.

    Parameters
    ----------
    table : SparseTable
    weights : ndarray, optional
        A factor for the coordinates of each column of the table.
    n_jobs : int, optional
        Threads for the products of all rows; the result does not depend on it.
    """

    __array_ufunc__ = None  # so that products with arrays from the left come here

    def __init__(
        self, table: SparseTable, weights: np.ndarray | None = None, n_jobs: int | None = None
    ) -> None:
        varies = table.varies
        part = table if varies.all() else table.take(columns=varies)
        assert isinstance(part, SparseTable)
        factors = sparse_factors(part, 1.0 / np.sqrt(table.n_columns))
        if weights is not None:
            factors = factors * weights[varies]
        self._columns = scaled_columns(part, factors)
        self._centre = (part.moments.mean - shifts(part)) * factors
        self._n_jobs = n_jobs

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and coordinates."""
        return self._columns.shape

    def __getitem__(self, key: tuple[slice, Any]) -> np.ndarray:
        return self._columns[key].toarray(order="F") - self._centre[key[1]]

    def __rmatmul__(self, rows: np.ndarray) -> np.ndarray:
        return (self._columns.T @ rows.T).T - np.multiply.outer(rows.sum(axis=-1), self._centre)

    def products(self) -> np.ndarray:
        """A A', the inner products of the rows."""
        return SparseProducts(self._columns, self._n_jobs).centred()

    def squared_lengths(self) -> np.ndarray:
        """The squared length of each coordinate."""
        squares = self._columns.multiply(self._columns).sum(axis=0)
        return np.asarray(squares).ravel() - self.shape[0] * self._centre**2

    def quadratic_forms(self, kernel: np.ndarray) -> np.ndarray:
        """a'Ka of each coordinate a, for a symmetric kernel of which all rows sum to 0."""
        forms = np.empty(self.shape[1])
        step = max(1, BLOCK_VALUES // self.shape[0])
        for first in range(0, self.shape[1], step):
            part = self._columns[:, first : first + step]
            images = part.T @ kernel
            forms[first : first + step] = np.asarray(part.T.multiply(images).sum(axis=1)).ravel()
        return forms

    def triangle(self) -> np.ndarray:
        """A square matrix R with R'R = A'A, for tables with more rows than coordinates."""
        inner = (self._columns.T @ self._columns).toarray()
        inner -= self.shape[0] * np.outer(self._centre, self._centre)
        return root_of(inner)


def root_of(inner: np.ndarray) -> np.ndarray:
    """R with R'R = `inner`, a symmetric matrix without negative eigenvalues but for rounding."""
    lengths, axes = np.linalg.eigh(inner)
    return np.sqrt(np.maximum(lengths, 0.0))[:, None] * axes.T
