"""Matrices of columns that are scored, and of rows that are compared, dense or sparse.

Rankers ask a :class:`ColumnMatrix` for products, norms and parts, and need not know which of two
kinds they have. That class holds all values. A :class:`CentredMatrix` has the centred and scaled
columns of a sparse table, and is never written out.

Centred columns have no zeros left. So they are kept as a sparse matrix M and what is taken off each
of its columns, A = M - 1s', and products take the shift s into account:

    A v  =  M v - (s'v) 1.

Digits cancel in that where a mean is large beside the spread of its column. In a column with a
zero, among m rows, it is at most sqrt(m) times the spread. Columns without any zero gain nothing by
being sparse: a number near their mean is taken off what is held. Distances of rows do not depend on
the shift, and are those of the rows of M.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from .. import _kernels
from .._parallel import in_batches, one_blas_thread
from ..table import SparseTable, Table
from .scaling import about_means, centred, largest_sizes, range_unit

#: Products of rows, and numbers of products with columns, that are made at a time.
ROW_BLOCK = 2**17
COLUMN_BLOCK = 2**20
#: Columns whose products with all columns are one piece of work.
GRAM_COLUMNS = 128
#: Values that are compared at a time along pairs of rows: they stay in the processor's cache.
PAIR_VALUES = 2**16


@dataclass(frozen=True)
class ColumnMatrix:
    """A matrix of which all values are held.

    It has as much of the ways of a NumPy matrix as rankers need, and sums over rows and columns.
    """

    #: What is held of the values.
    held: Any

    #: NumPy leaves products with this to it.
    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.held.shape

    @property
    def n_held(self) -> int:
        """How many values are held."""
        return self.held.size

    def __len__(self) -> int:
        return self.held.shape[0]

    def __getitem__(self, key: Any) -> ColumnMatrix:
        """Some rows, or ``[:, columns]``."""
        return ColumnMatrix(self.held[key])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.held, dtype, copy=copy)

    def __truediv__(self, unit: np.ndarray | float) -> ColumnMatrix:
        """The same with columns divided by those of `unit`."""
        return ColumnMatrix(self.held / unit)

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return self.held @ other

    def __rmatmul__(self, other: np.ndarray) -> np.ndarray:
        return other @ self.held

    @cached_property
    def by_rows(self) -> Any:
        """What is held, row after row."""
        return np.ascontiguousarray(self.held)

    def row_products(self, rows: slice, first: int = 0) -> np.ndarray:
        """Products of neighbouring rows with all rows from `first` on."""
        return self.held[rows] @ self.held[first:].T

    def all_row_products(self, n_jobs: int | None = None) -> np.ndarray:
        """Products of all pairs of rows, on threads if asked for."""
        # The sum of those over two halves of the columns.
        cuts = (0, self.shape[1] // 2, self.shape[1])

        def half(first: int, last: int) -> np.ndarray:
            part = self.held[:, cuts[first] : cuts[last]]
            return part @ part.T

        with one_blas_thread():
            one, other = in_batches(half, 2, n_jobs=n_jobs, batch_size=1)
        return np.add(one, other, out=one)

    def all_column_products(self) -> np.ndarray:
        """Products of all pairs of columns."""
        return self.held.T @ self.held

    def gram_squares(self, n_jobs: int | None = None) -> np.ndarray:
        """The diagonal of (A'A)^2, without A'A: what every column shares with all columns."""

        def some(first: int, last: int) -> np.ndarray:
            return np.square(self.held[:, first:last].T @ self.held).sum(axis=1)

        with one_blas_thread():
            parts = in_batches(some, self.shape[1], n_jobs=n_jobs, batch_size=GRAM_COLUMNS)
            return np.concatenate([np.empty(0), *parts])

    def row_squares(self) -> np.ndarray:
        """Squared norms of the rows."""
        return np.einsum("ij,ij->i", self.held, self.held)

    def column_squares(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Sums of the squares of every column, weighted by row if there are weights."""
        return self.column_products(self.held) if weights is None else weights @ self.held**2

    def column_products(self, other: np.ndarray) -> np.ndarray:
        """Products of every column with that of a dense matrix."""
        return np.einsum("ij,ij->j", self.held, other)

    def quadratic_forms(
        self, kernel: np.ndarray | sparse.csr_array, n_jobs: int | None = None
    ) -> np.ndarray:
        """a'Ka of every column a, some columns at a time."""

        def some(first: int, last: int) -> np.ndarray:
            part = self[:, first:last]
            # Sparse kernels leave no products to others.
            values = np.asarray(part) if sparse.issparse(kernel) else part
            with one_blas_thread():
                return part.column_products(kernel @ values)

        step = max(1, COLUMN_BLOCK // max(1, len(self)))
        parts = in_batches(some, self.shape[1], n_jobs=n_jobs, batch_size=step)
        return np.concatenate([np.empty(0), *parts])

    def pair_products(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Products of the rows `a` and `b`, pair by pair."""
        return self._over_pairs(a, b, lambda x, y: np.einsum("ij,ij->i", x, y))

    def pair_distances(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Squared distances of the rows `a` and `b`, pair by pair, without cancellation."""
        return self._over_pairs(a, b, _squared_differences)

    def _over_pairs(self, a: np.ndarray, b: np.ndarray, measure: Callable) -> np.ndarray:
        """A measure of what is held of both rows of every pair, in blocks."""
        step = max(1, PAIR_VALUES * len(self) // max(1, self.n_held))
        parts = (slice(k, k + step) for k in range(0, len(a), step))
        rows = self.by_rows
        return np.concatenate([np.empty(0), *(measure(rows[a[k]], rows[b[k]]) for k in parts)])

    def rounding(self) -> float:
        """How far rounding may take the product of two rows, with room to spare."""
        return _rounding(self.shape[1]) * self.row_squares().max()

    def unshifted(self) -> ColumnMatrix:
        """Rows as far from each other as these, with means near 0."""
        held = self.by_rows
        return ColumnMatrix(held - near_means(held.mean(axis=0), held.std(axis=0)))

    def largest(self) -> float:
        """The largest absolute value that is held."""
        return float(np.abs(self.held).max(initial=0.0))

    def within_range(self) -> tuple[ColumnMatrix, float]:
        """The same and 1, or over u and u for a power of two u that keeps squares in range."""
        unit = range_unit(self.largest())
        return (self, unit) if unit == 1.0 else (self / unit, unit)


@dataclass(frozen=True)
class CentredMatrix(ColumnMatrix):
    """The matrix ``held - shift``; `held` is sparse, by rows or by columns."""

    held: sparse.csr_array | sparse.csc_array
    shift: np.ndarray

    @classmethod
    def of(cls, table: SparseTable, centre: np.ndarray, factors: np.ndarray) -> CentredMatrix:
        """The values of a table minus those of `centre`, times those of `factors`, per column."""
        near = near_means(table.moments.mean, table.moments.spread)
        taken = np.where(table.n_held == table.n_rows, near, 0.0)
        values = np.empty(len(table.matrix.data))
        first = 0
        for columns, some in table.pieces():
            last = first + len(some)
            values[first:last] = (some - taken[columns]) * factors[columns]
            first = last
        return cls(_with_values(table.matrix, values), (centre - taken) * factors)

    @cached_property
    def by_rows(self) -> sparse.csr_array:
        return self.held.tocsr()

    @cached_property
    def by_columns(self) -> sparse.csc_array:
        """What is held, column after column."""
        return self.held.tocsc()

    def __getitem__(self, key: Any) -> CentredMatrix:
        if not isinstance(key, tuple):
            return CentredMatrix(self.by_rows[key], self.shift)
        return CentredMatrix(self.by_columns[:, key[1]], self.shift[key[1]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.held.toarray(order="F") - self.shift

    def __truediv__(self, unit: np.ndarray | float) -> CentredMatrix:
        unit = np.broadcast_to(unit, self.shape[1])
        held = self.by_rows
        return CentredMatrix(_with_values(held, held.data / unit[held.indices]), self.shift / unit)

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return self.held @ other - self.shift @ other

    def __rmatmul__(self, other: np.ndarray) -> np.ndarray:
        return (self.held.T @ other.T).T - np.multiply.outer(other.sum(axis=-1), self.shift)

    @property
    def n_held(self) -> int:
        return self.held.nnz

    def row_products(self, rows: slice, first: int = 0) -> np.ndarray:
        # Those of all rows with all rows are symmetric to the last bit.
        products = np.empty((rows.stop - rows.start, len(self)))
        _kernels.sparse_products(*self._lines, rows.start, rows.stop, products)
        if self.shift.any():
            products -= np.add.outer(self._excess[rows], self._excess)
        return products[:, first:]

    def rounding(self) -> float:
        held = self.by_rows.power(2).sum(axis=1).max() + self.shift @ self.shift
        return _rounding(int(np.diff(self.by_rows.indptr).max(initial=0))) * float(held)

    def pair_products(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        plain = self._over_pairs(a, b, lambda x, y: x.multiply(y).sum(axis=1))
        return plain - self._excess[a] - self._excess[b]

    def pair_distances(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self._over_pairs(a, b, lambda x, y: (x - y).power(2).sum(axis=1))

    @cached_property
    def _excess(self) -> np.ndarray:
        """What the shift adds to the products of each row, half of that of both together."""
        return self.held @ self.shift - 0.5 * (self.shift @ self.shift)

    def all_row_products(self, n_jobs: int | None = None) -> np.ndarray:
        products = np.empty((len(self), len(self)))

        def some(first: int, last: int) -> None:
            products[first:last] = self.row_products(slice(first, last))

        step = max(1, ROW_BLOCK // max(1, len(self)))
        for _ in in_batches(some, len(self), n_jobs=n_jobs, batch_size=step):
            pass
        return products

    @cached_property
    def _lines(self) -> tuple[_kernels.SparseLines, _kernels.SparseLines]:
        return sparse_lines(self.by_rows), sparse_lines(self.by_columns)

    def all_column_products(self) -> np.ndarray:
        products = (self.held.T @ self.held).toarray()
        sums = self.held.sum(axis=0) - 0.5 * len(self) * self.shift
        for row, of_row, shift in zip(products, sums, self.shift, strict=True):
            row -= of_row * self.shift + shift * sums
        return products

    def beside(self, other: CentredMatrix) -> CentredMatrix:
        """The columns of this matrix, and then those of another."""
        held = sparse.hstack([self.held, other.held], format="csr")
        return CentredMatrix(held, np.concatenate([self.shift, other.shift]))

    def row_squares(self) -> np.ndarray:
        plain = self.held.power(2).sum(axis=1)
        return plain - 2.0 * (self.held @ self.shift) + self.shift @ self.shift

    def column_squares(self, weights: np.ndarray | None = None) -> np.ndarray:
        weights = np.ones(len(self)) if weights is None else weights
        plain = weights @ self.held.power(2) - 2.0 * self.shift * (weights @ self.held)
        return plain + np.square(self.shift) * weights.sum()

    def column_products(self, other: np.ndarray) -> np.ndarray:
        plain = self.held.multiply(other).sum(axis=0)
        return plain - self.shift * other.sum(axis=0)

    def gram_squares(self, n_jobs: int | None = None) -> np.ndarray:
        # The cost is that of the pairs of values that are held in the same row.
        rows, columns = self._lines
        n = self.shape[1]
        excess = self.held.sum(axis=0) - 0.5 * len(self) * self.shift

        def some(first: int, last: int) -> np.ndarray:
            sums = np.zeros(n)
            _kernels.add_gram_squares(rows, columns, self.shift, excess, first, last, sums)
            return sums

        parts = in_batches(some, n, n_jobs=n_jobs, batch_size=GRAM_COLUMNS)
        return sum(parts, np.zeros(n))

    def diagonal_sums(self, weights: np.ndarray) -> np.ndarray:
        """For columns z and row weights k: sums of z^2 k, z^2 k^2, z^4 k, z^2, z^3, z^4 and z^6.

        What is not held has the value -shift, and the weights that are left to it.
        """
        sums = np.empty((7, self.shape[1]))
        of_weights = np.stack([np.ones(len(self)), weights, weights**2])
        terms = ((2, 1), (2, 2), (4, 1), (2, 0), (3, 0), (4, 0), (6, 0))
        step = max(1, COLUMN_BLOCK * self.shape[1] // max(1, self.held.nnz))
        for first in range(0, self.shape[1], step):
            part = self[:, first : first + step]
            held, shift = part.by_columns, part.shift
            values = held.data - np.repeat(shift, np.diff(held.indptr))
            ones = _with_values(held, np.ones(len(values)))
            left = of_weights.sum(axis=1)[:, None] - of_weights @ ones
            for row, (power, k) in zip(sums, terms, strict=True):
                of_held = of_weights[k] @ _with_values(held, values**power)
                row[first : first + step] = of_held + (-shift) ** power * left[k]
        return sums

    def unshifted(self) -> CentredMatrix:
        return CentredMatrix(self.held, np.zeros(self.shape[1]))

    def largest(self) -> float:
        return float(np.abs(self.held.data).max(initial=0.0))


def raw_columns(table: Table) -> ColumnMatrix:
    """The columns of a table as they come."""
    if isinstance(table, SparseTable):
        return CentredMatrix.of(table, np.zeros(table.n_columns), np.ones(table.n_columns))
    return ColumnMatrix(table.values)


def columns_about_means(table: Table) -> tuple[ColumnMatrix, np.ndarray]:
    """Centred columns over powers of two near their sizes, and these; constant ones are 0."""
    if isinstance(table, SparseTable):
        moments = table.moments
        size = largest_sizes(np.array([moments.low, moments.high]))
        return CentredMatrix.of(table, moments.mean, table.varies / size), size
    Z, size = about_means(table.values)
    return ColumnMatrix(Z), size


def centred_columns(table: Table, length: float = 1.0) -> tuple[ColumnMatrix, np.ndarray]:
    """Centred columns of a given Euclidean norm, and the norms they had; constant ones are 0."""
    if isinstance(table, SparseTable):
        root = np.sqrt(table.n_rows)
        factors = spread_factors(table, length / root)
        return CentredMatrix.of(table, table.moments.mean, factors), table.moments.spread * root
    Z, norms = centred(table.values, length)
    return ColumnMatrix(Z), norms


def spread_factors(table: SparseTable, spread: float) -> np.ndarray:
    """What columns are multiplied by to have a given standard deviation; 0 for constant ones."""
    now = table.moments.spread
    with np.errstate(over="ignore"):
        factors = np.where(now > 0.0, spread / np.where(now > 0.0, now, 1.0), 0.0)
    return np.minimum(factors, np.finfo(float).max)


def _squared_differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    apart = x - y
    return np.einsum("ij,ij->i", apart, apart)


def near_means(means: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """The means, rounded as little as keeps whole numbers whole: their differences stay exact."""
    unit = np.ldexp(1.0, np.frexp(np.where(spreads > 0.0, spreads, 1.0))[1] - 1)
    return np.rint(means / unit) * unit


def _rounding(n_terms: int) -> float:
    """Relative error of a sum over the values of two rows."""
    return 8.0 * np.finfo(float).eps * (n_terms + 8)


def _with_values(matrix: Any, values: np.ndarray) -> Any:
    """Other values in the places of those of `matrix`."""
    return type(matrix)((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def sparse_lines(matrix: sparse.csr_array | sparse.csc_array) -> _kernels.SparseLines:
    """A sparse matrix as kernels hold it: by rows or by columns, as it is."""
    others = matrix.shape[1 if matrix.format == "csr" else 0]
    return _kernels.SparseLines(matrix.indptr, matrix.indices, matrix.data, others)
