"""How far rows are from each other: from all rows at once, or pair by pair.

Distances from all rows follow from products of rows, which lose digits to cancellation where rows
are near. `slack` says how far off they may be; pairs are then measured one by one.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np

from .._parallel import in_batches
from .centred_matrix import ROW_BLOCK, ColumnMatrix

#: Distances below this share of the squared norms have lost digits to cancellation.
CANCELLATION = 1e-5


class SquaredDistances:
    """Squared Euclidean distances, which no shift of the rows changes."""

    def __init__(self, X: ColumnMatrix) -> None:
        self._near_0 = X.unshifted()
        #: Measured pair by pair, without cancellation.
        self.of_pairs = X.pair_distances

    @cached_property
    def _squares(self) -> np.ndarray:
        return self._near_0.row_squares()

    @cached_property
    def slack(self) -> float:
        """What two distances may be off, together."""
        return 2.0 * self._near_0.rounding()

    def with_all(self, rows: slice, first: int = 0) -> np.ndarray:
        """Distances of some rows from all rows from `first` on."""
        distances = self._near_0.row_products(rows, first)
        distances *= -2.0
        distances += self._squares[rows, None]
        distances += self._squares[first:]
        return distances

    def of_all_pairs(self, dtype: type, n_jobs: int | None = None) -> np.ndarray:
        """All distances, to full relative precision before they are rounded."""
        m = len(self._squares)
        found: np.ndarray = np.empty((m, m), dtype=dtype)

        def some(first: int, last: int) -> np.ndarray:
            rows = self._near_0.row_products(slice(first, last))
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

    def __init__(self, X: ColumnMatrix) -> None:
        self._X = X
        norms = np.sqrt(np.maximum(X.row_squares(), 0.0))
        self._norms = np.where(norms > 0, norms, 1.0)

    @cached_property
    def slack(self) -> float:
        """What two distances may be off, together."""
        return self._X.rounding() / self._norms.min() ** 2

    def with_all(self, rows: slice, first: int = 0) -> np.ndarray:
        """Distances of some rows from all rows from `first` on."""
        products = self._X.row_products(rows, first)
        return 1.0 - products / self._norms[rows, None] / self._norms[first:]

    def of_pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances between the rows `a` and `b`."""
        return 1.0 - self._X.pair_products(a, b) / (self._norms[a] * self._norms[b])


RowDistances: TypeAlias = SquaredDistances | CosineDistances


def to_distances(rows: np.ndarray, norms: np.ndarray, first: int) -> np.ndarray:
    """Write squared distances over inner products of the rows from `first` on with all rows.

    Returns the pairs of rows, the first before the second, whose distances have lost digits.
    """
    own = np.arange(first, first + len(rows))
    sums = np.add.outer(norms[own], norms)
    np.subtract(sums, 2.0 * rows, out=rows)
    rows[own - first, own] = 0.0
    return np.argwhere(np.triu(rows < sums * CANCELLATION, first + 1)) + [first, 0]
