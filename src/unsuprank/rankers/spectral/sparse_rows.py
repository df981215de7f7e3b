"""Rows of a sparse table with columns centred and scaled, of which no zero is ever written out.

Centred columns of a sparse table have no zeros left. So they are kept as a sparse matrix and what
is taken off each of its columns, ``matrix - shift``, and products take the shift into account:

    (A - 1 s') v  =  A v - (s' v) 1.

Digits cancel in that where a mean is large beside the spread of its column. In a column with a
zero, among m rows, it is at most sqrt(m) times the spread; columns without any zero gain nothing by
being sparse, and are centred as they stand.

:class:`SparseRows` has as much of the ways of a NumPy matrix as the spectral rankers need, so that
what they compute is written down once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from ...table import SparseTable
from ..scaling import range_unit

#: Values that are scaled in one go.
PIECE = 2**20


@dataclass(frozen=True)
class SparseRows:
    """The matrix ``matrix - shift``, rows of it at a time if need be."""

    matrix: sparse.csr_array
    shift: np.ndarray

    #: NumPy leaves products with this to it.
    __array_ufunc__ = None

    @classmethod
    def of(cls, table: SparseTable, centre: np.ndarray, unit: np.ndarray) -> SparseRows:
        """The values of a table minus those of `centre`, over those of `unit`, per column."""
        held = table.by_rows
        full = _without_zeros(held)
        taken = np.where(full, centre, 0.0)
        data = np.empty(len(held.data))
        for first in range(0, len(data), PIECE):
            part = slice(first, first + PIECE)
            columns = held.indices[part]
            data[part] = (held.data[part] - taken[columns]) / unit[columns]
        return cls(_with_data(held, data), np.where(full, 0.0, centre) / unit)

    @classmethod
    def standardised(cls, table: SparseTable, length: float) -> SparseRows:
        """Centred columns of a given Euclidean norm; constant ones are 0."""
        unit = table.moments.spread * (np.sqrt(table.n_rows) / length)
        return cls.of(table, table.moments.mean, np.where(unit > 0, unit, np.inf))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.matrix.shape

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def __getitem__(self, rows: Any) -> SparseRows:
        return SparseRows(self.matrix[rows], self.shift)

    def columns(self, wanted: np.ndarray) -> SparseRows:
        """Some columns."""
        return SparseRows(self.matrix[:, wanted], self.shift[wanted])

    def __truediv__(self, unit: np.ndarray | float) -> SparseRows:
        """The same with columns divided by those of `unit`."""
        unit = np.broadcast_to(unit, self.shape[1])
        matrix = _with_data(self.matrix, self.matrix.data / unit[self.matrix.indices])
        return SparseRows(matrix, self.shift / unit)

    @property
    def T(self) -> SparseColumns:
        """The transposed matrix."""
        return SparseColumns(self)

    def __matmul__(self, other: np.ndarray | SparseColumns) -> np.ndarray:
        if isinstance(other, SparseColumns):
            return self._row_products(other.rows)
        return self.matrix @ other - self.shift @ other

    def __rmatmul__(self, other: np.ndarray) -> np.ndarray:
        return (self.matrix.T @ other.T).T - np.multiply.outer(other.sum(axis=-1), self.shift)

    def _row_products(self, other: SparseRows) -> np.ndarray:
        products = (self.matrix @ other.matrix.T).toarray()
        if self.shift.any():
            products -= (self.matrix @ self.shift)[:, None]
            products -= other.matrix @ self.shift - self.shift @ self.shift
        return products

    def row_squares(self) -> np.ndarray:
        """Squared norms of the rows."""
        plain = self.matrix.power(2).sum(axis=1)
        return plain - 2.0 * (self.matrix @ self.shift) + self.shift @ self.shift

    def column_products(self, other: np.ndarray) -> np.ndarray:
        """Products of every column with that of a dense matrix."""
        plain = self.matrix.multiply(other).sum(axis=0)
        return plain - self.shift * other.sum(axis=0)

    def column_squares(self, weights: np.ndarray) -> np.ndarray:
        """Sums of the squares of every column, weighted by row."""
        plain = weights @ self.matrix.power(2) - 2.0 * self.shift * (weights @ self.matrix)
        return plain + np.square(self.shift) * weights.sum()

    def unshifted(self) -> SparseRows:
        """Rows as far from each other as these, without shift and with means near 0."""
        mean = np.where(_without_zeros(self.matrix), self.matrix.sum(axis=0) / len(self), 0.0)
        matrix = self.matrix
        if mean.any():
            matrix = _with_data(matrix, matrix.data - mean[matrix.indices])
        return SparseRows(matrix, np.zeros(self.shape[1]))

    def within_range(self) -> tuple[SparseRows, float]:
        """The same and 1, or over u and u for a power of two u that keeps squares in range."""
        unit = range_unit(float(np.abs(self.matrix.data).max(initial=0.0)))
        return (self, unit) if unit == 1.0 else (self / unit, unit)


def _with_data(matrix: sparse.csr_array, data: np.ndarray) -> sparse.csr_array:
    """Other values in the places of those of `matrix`."""
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _without_zeros(matrix: sparse.csr_array) -> np.ndarray:
    """Which columns hold a value in every row."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1]) == matrix.shape[0]


@dataclass(frozen=True)
class SparseColumns:
    """The transposed matrix of some rows."""

    rows: SparseRows

    def __matmul__(self, other: np.ndarray | SparseRows) -> np.ndarray:
        if isinstance(other, SparseRows):
            return self._column_products()
        return (other.T @ self.rows).T

    def _column_products(self) -> np.ndarray:
        """Products of all pairs of columns."""
        matrix, shift = self.rows.matrix, self.rows.shift
        products = (matrix.T @ matrix).toarray()
        sums = matrix.sum(axis=0) - 0.5 * len(self.rows) * shift
        for row, of_row, by_shift in zip(products, sums, shift, strict=True):
            row -= of_row * shift + by_shift * sums
        return products


#: Rows that graphs compare and columns that are scored.
Rows: TypeAlias = np.ndarray | SparseRows


def column_products(f: Rows, other: np.ndarray) -> np.ndarray:
    """Products of every column of `f` with that of a dense matrix."""
    if isinstance(f, SparseRows):
        return f.column_products(other)
    return np.einsum("ij,ij->j", f, other)


def column_squares(f: Rows, weights: np.ndarray) -> np.ndarray:
    """Sums of the squares of every column of `f`, weighted by row."""
    return f.column_squares(weights) if isinstance(f, SparseRows) else weights @ np.square(f)
