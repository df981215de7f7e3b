"""How far sparse rows are from each other: from all rows at once, or pair by pair.

Distances from all rows follow from products of sparse matrices, which round differently from sums
over pairs. They serve to find the few rows that may be near, and `slack` says how far off they may
be; pairs are then measured one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy import sparse

from .sparse_rows import SparseRows

#: Values of both ends of pairs that are compared in one go.
PIECE = 2**20


class SquaredDistances:
    """Squared Euclidean distances, which no shift of the rows changes."""

    def __init__(self, X: SparseRows) -> None:
        self._X = X.unshifted()

    @cached_property
    def _squares(self) -> np.ndarray:
        return self._X.row_squares()

    @property
    def slack(self) -> np.ndarray:
        """What two distances of each row may be off, together."""
        return _rounding(self._X.matrix) * (self._squares + self._squares.max())

    def with_all(self, rows: np.ndarray) -> np.ndarray:
        """Distances of some rows from all rows."""
        return self._squares[rows, None] + self._squares - 2.0 * (self._X[rows] @ self._X.T)

    def of_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows `a` and `b`, without cancellation."""
        return _over_pairs(self._X.matrix, a, b, lambda x, y: (x - y).power(2).sum(axis=1))


class CosineDistances:
    """One minus the cosine of the angle between two rows."""

    def __init__(self, X: SparseRows) -> None:
        self._X = X
        norms = np.sqrt(np.maximum(X.row_squares(), 0.0))
        self._norms = np.where(norms > 0, norms, 1.0)
        self._with_shift = X.matrix @ X.shift
        self._shift_square = X.shift @ X.shift

    @property
    def slack(self) -> np.ndarray:
        """What two distances of each row may be off, together."""
        largest = self._X.matrix.power(2).sum(axis=1).max() + self._shift_square
        return _rounding(self._X.matrix) * largest / (self._norms * self._norms.min())

    def with_all(self, rows: np.ndarray) -> np.ndarray:
        """Distances of some rows from all rows."""
        return 1.0 - (self._X[rows] @ self._X.T) / self._norms[rows, None] / self._norms

    def of_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows `a` and `b`."""
        products = _over_pairs(self._X.matrix, a, b, lambda x, y: x.multiply(y).sum(axis=1))
        products += self._shift_square - self._with_shift[a] - self._with_shift[b]
        return 1.0 - products / (self._norms[a] * self._norms[b])


def _rounding(matrix: sparse.csr_array) -> float:
    """Relative error of a sum over the values of two rows, with room to spare."""
    return 8.0 * np.finfo(float).eps * (int(np.diff(matrix.indptr).max(initial=0)) + 8)


def _over_pairs(
    matrix: sparse.csr_array, a: np.ndarray, b: np.ndarray, measure: Callable
) -> np.ndarray:
    """A measure of both ends of every pair, in blocks."""
    block = max(1, PIECE * matrix.shape[0] // max(1, 2 * matrix.nnz))
    found = np.zeros(len(a))
    for first in range(0, len(a), block):
        part = slice(first, first + block)
        found[part] = measure(matrix[a[part]], matrix[b[part]])
    return found
