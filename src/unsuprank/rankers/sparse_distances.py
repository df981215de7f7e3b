"""How far sparse rows are from each other: from all rows at once, or pair by pair.

Distances from all rows follow from products of sparse rows, which lose digits to cancellation where
rows are near. `slack` says how far off they may be; pairs are then measured one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy import sparse

from .._parallel import in_batches
from .centred_matrix import ROW_BLOCK, CentredMatrix

#: Values of both ends of pairs that are compared in one go.
PIECE = 2**20
#: Distances below this share of the squared norms have lost digits to cancellation.
CANCELLATION = 1e-5


class SquaredDistances:
    """Squared Euclidean distances, which no shift of the rows changes."""

    def __init__(self, X: CentredMatrix) -> None:
        self._X = X.unshifted()

    @cached_property
    def _squares(self) -> np.ndarray:
        return self._X.row_squares()

    @property
    def slack(self) -> np.ndarray:
        """What two distances of each row may be off, together."""
        return _rounding(self._X.by_rows) * (self._squares + self._squares.max())

    def with_all(self, rows: slice) -> np.ndarray:
        """Distances of some rows from all rows."""
        return self._squares[rows, None] + self._squares - 2.0 * self._X.row_products(rows)

    def of_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows `a` and `b`, without cancellation."""
        return _over_pairs(self._X.by_rows, a, b, lambda x, y: (x - y).power(2).sum(axis=1))

    def of_all_pairs(self, dtype: type, n_jobs: int | None = None) -> np.ndarray:
        """All distances, to full relative precision before they are rounded."""
        m = len(self._X)
        found: np.ndarray = np.empty((m, m), dtype=dtype)

        def some(first: int, last: int) -> np.ndarray:
            rows = self._X.row_products(slice(first, last))
            lost = to_distances(rows, self._squares, first)
            found[first:last] = rows
            return lost

        step = max(1, ROW_BLOCK // max(1, m))
        pairs = list(in_batches(some, m, n_jobs=n_jobs, batch_size=step))
        for left, right in (lost.T for lost in pairs if len(lost)):
            found[left, right] = found[right, left] = self.of_pairs(left, right)
        return found


class CosineDistances:
    """One minus the cosine of the angle between two rows."""

    def __init__(self, X: CentredMatrix) -> None:
        self._X = X
        norms = np.sqrt(np.maximum(X.row_squares(), 0.0))
        self._norms = np.where(norms > 0, norms, 1.0)
        self._with_shift = X.held @ X.shift
        self._shift_square = X.shift @ X.shift

    @property
    def slack(self) -> np.ndarray:
        """What two distances of each row may be off, together."""
        largest = self._X.unshifted().row_squares().max() + self._shift_square
        return _rounding(self._X.by_rows) * largest / (self._norms * self._norms.min())

    def with_all(self, rows: slice) -> np.ndarray:
        """Distances of some rows from all rows."""
        return 1.0 - self._X.row_products(rows) / self._norms[rows, None] / self._norms

    def of_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows `a` and `b`."""
        products = _over_pairs(self._X.by_rows, a, b, lambda x, y: x.multiply(y).sum(axis=1))
        products += self._shift_square - self._with_shift[a] - self._with_shift[b]
        return 1.0 - products / (self._norms[a] * self._norms[b])


def to_distances(rows: np.ndarray, norms: np.ndarray, first: int) -> np.ndarray:
    """Write squared distances over inner products of the rows from `first` on with all rows.

    Returns the pairs of rows, the first before the second, whose distances have lost digits.
    """
    own = np.arange(first, first + len(rows))
    sums = np.add.outer(norms[own], norms)
    np.subtract(sums, 2.0 * rows, out=rows)
    rows[own - first, own] = 0.0
    return np.argwhere(np.triu(rows < sums * CANCELLATION, first + 1)) + [first, 0]


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
