"""Inner products of the rows of a sparse table in the clustering space.

Coordinates are x / sd(x), on a common scale. They are not centred, since that would leave nothing
at zero: centring moves all rows by the same vector, which no distance sees, and inner products are
centred afterwards. The one exception are columns without a zero, where centring costs nothing and
a large mean would cost digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scipy import sparse

from .. import _kernels
from .._parallel import in_batches
from ..table import SparseTable

T = TypeVar("T")

#: Distances below this share of the squared norms have lost digits to cancellation.
CANCELLATION = 1e-5
#: Products that are made at a time.
BLOCK_VALUES = 2**17
#: Pairs of rows that are subtracted at a time.
PAIRS = 4096


def sparse_factors(table: SparseTable, scale: float) -> np.ndarray:
    """The factor between the values and the coordinates of each column; 0 for constant ones."""
    spread = table.moments.spread
    with np.errstate(over="ignore"):
        factors = np.where(spread > 0.0, scale / np.where(spread > 0.0, spread, 1.0), 0.0)
    return np.minimum(factors, np.finfo(float).max)


class SparseProducts:
    """Inner products of the rows of a sparse table, and their squared distances.

    Parameters
    ----------
    columns : csc_array of float64
        Coordinates of the rows; see `scaled_columns`.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    """

    def __init__(self, columns: sparse.csc_array, n_jobs: int | None = None) -> None:
        self._n_rows, n_columns = columns.shape
        self._by_rows = columns.tocsr()
        self._rows = _lines(self._by_rows, n_columns)
        self._columns = _lines(columns, self._n_rows)
        self._n_jobs = n_jobs

    @classmethod
    def of(
        cls, table: SparseTable, n_jobs: int | None = None, weights: np.ndarray | None = None
    ) -> SparseProducts:
        """Products in the clustering space, with a factor for each column if there are weights."""
        factors = sparse_factors(table, 1.0 / np.sqrt(table.n_columns))
        return cls(scaled_columns(table, factors if weights is None else factors * weights), n_jobs)

    def block(self, first: int, last: int) -> np.ndarray:
        """Products of rows ``first .. last - 1`` with all rows, from a common origin."""
        products = np.empty((last - first, self._n_rows))
        _kernels.sparse_products(self._rows, self._columns, first, last, products)
        return products

    def centred(self) -> np.ndarray:
        """All products, from the centre of the rows."""
        products = np.empty((self._n_rows, self._n_rows))

        def some(first: int, last: int) -> None:
            products[first:last] = self.block(first, last)

        self._run(some)
        means = products.mean(axis=1)
        products -= means[:, None]
        products -= means - means.mean()
        return products

    def distances(self, dtype: type) -> np.ndarray:
        """Squared distances of the rows, to full relative precision before they are rounded."""
        norms = np.asarray(self._by_rows.multiply(self._by_rows).sum(axis=1)).ravel()
        found: np.ndarray = np.empty((self._n_rows, self._n_rows), dtype=dtype)

        def some(first: int, last: int) -> np.ndarray:
            rows = self.block(first, last)
            lost = to_distances(rows, norms, first)
            found[first:last] = rows
            return lost

        for left, right in (pairs.T for pairs in self._run(some) if len(pairs)):
            found[left, right] = found[right, left] = self._differences(left, right)
        return found

    def _differences(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Squared distances of pairs of rows, by their differences."""
        squares = np.empty(len(left))
        for first in range(0, len(left), PAIRS):
            pairs = slice(first, first + PAIRS)
            difference = self._by_rows[left[pairs]] - self._by_rows[right[pairs]]
            squares[pairs] = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
        return squares

    def _run(self, work: Callable[[int, int], T]) -> list[T]:
        """Do something for some rows at a time, all rows in all."""
        size = max(1, BLOCK_VALUES // max(1, self._n_rows))
        return list(in_batches(work, self._n_rows, n_jobs=self._n_jobs, batch_size=size))


def to_distances(rows: np.ndarray, norms: np.ndarray, first: int) -> np.ndarray:
    """Write squared distances over inner products of the rows from `first` on with all rows.

    Returns the pairs of rows, the first before the second, whose distances have lost digits.
    """
    own = np.arange(first, first + len(rows))
    sums = np.add.outer(norms[own], norms)
    np.subtract(sums, 2.0 * rows, out=rows)
    rows[own - first, own] = 0.0
    return np.argwhere(np.triu(rows < sums * CANCELLATION, first + 1)) + [first, 0]


def mirrored(matrix: np.ndarray, block: int = 256) -> np.ndarray:
    """The matrix with its upper triangle in place of the lower one, block by block."""
    for start in range(0, len(matrix), block):
        stop = start + block
        square = matrix[start:stop, start:stop]
        square[:] = np.triu(square) + np.triu(square, 1).T
        matrix[stop:, start:stop] = matrix[start:stop, stop:].T
    return matrix


def shifts(table: SparseTable) -> np.ndarray:
    """What is subtracted from the values of each column: the mean if none is zero, or nothing."""
    return np.where(np.diff(table.by_columns.indptr) == table.n_rows, table.moments.mean, 0.0)


def scaled_columns(table: SparseTable, factors: np.ndarray) -> sparse.csc_array:
    """The values, shifted and multiplied by the factor of their column."""
    held = table.by_columns
    counts = np.diff(held.indptr)
    values = (held.data - np.repeat(shifts(table), counts)) * np.repeat(factors, counts)
    return sparse.csc_array((values, held.indices, held.indptr), shape=held.shape)


def _lines(matrix: sparse.csr_array | sparse.csc_array, others: int) -> _kernels.SparseLines:
    return _kernels.SparseLines(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
        others,
    )
