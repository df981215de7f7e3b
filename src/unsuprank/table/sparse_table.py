"""Tables of which most values are zero, and only the others are held.

Columns are numbers, without missing values. The values stay in the form and the precision that
they came in, by rows or by columns; the other form is made when it is first asked for. Sums over
the values are sums over those that are not zero, and what needs all values of a column gets them
for a block of columns at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .dense_table import Moments, Table, as_indices, keeps_all
from .schema import Schema

#: Values that are looked at in one go.
VALUES_AT_A_TIME = 2**20
#: What is said where some of the columns shall be nominal.
NUMBERS_ONLY = (
    "Columns of a sparse table are numbers; to rank nominal ones, pass a DataFrame or an array."
)


class SparseTable(Table):
    """A table that holds the values that are not zero.

    Parameters
    ----------
    matrix : csr_array or csc_array of float32 or float64
        Checked by :func:`checked_matrix`; it is not copied.
    schema : Schema
        Names of the columns; all of them are numeric.
    """

    is_sparse: ClassVar[bool] = True

    matrix: sparse.csr_array | sparse.csc_array

    def __init__(self, matrix: sparse.csr_array | sparse.csc_array, schema: Schema) -> None:
        # The way around a frozen dataclass; there is no dense matrix that could be its first field.
        self.__dict__.update(matrix=matrix, schema=schema)

    def __repr__(self) -> str:
        return f"SparseTable({self.matrix!r})"

    @property
    def values(self) -> np.ndarray:
        raise TypeError(
            "This needs all values at once, and the table is sparse; keep the columns or rows of "
            "interest, or pass X.toarray() if that fits into memory."
        )

    @property
    def n_rows(self) -> int:
        return self.matrix.shape[0]

    @cached_property
    def by_columns(self) -> sparse.csc_array:
        """The values that are not zero, column after column."""
        return self.matrix.tocsc()

    @cached_property
    def by_rows(self) -> sparse.csr_array:
        """The values that are not zero, row after row."""
        return self.matrix.tocsr()

    def column(self, j: int) -> np.ndarray:
        held = self.by_columns
        values = np.zeros(self.n_rows)
        values[held.indices[held.indptr[j] : held.indptr[j + 1]]] = self.held_values(j)
        return values

    def held_values(self, j: int) -> np.ndarray:
        """The values of a column that are not zero."""
        held = self.by_columns
        return held.data[held.indptr[j] : held.indptr[j + 1]]

    def block(self, first: int, last: int) -> np.ndarray:
        return self.by_columns[:, first:last].astype(np.float64).toarray(order="F")

    def take(self, rows: Any = None, columns: Any = None) -> Table:
        """Part of the table; see :meth:`Table.take`. What is left may still be sparse."""
        if rows is None and keeps_all(columns):
            return self
        matrix, schema = self.matrix, self.schema
        if rows is not None:
            matrix = self.by_rows[as_indices(rows)]
        if columns is not None:
            picked = as_indices(columns)
            matrix = (self.by_columns if rows is None else matrix)[:, picked]
            schema = schema.take(picked)
        return SparseTable(matrix, schema)

    def dense(self) -> Table:
        """The same table with all of its values."""
        return Table(self.block(0, self.n_columns), self.schema)

    @cached_property
    def moments(self) -> Moments:
        """What three looks at the values tell of each column."""
        low, high = self._extremes()
        # Powers of two keep sums of squares in range and round nothing.
        exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
        unit = np.ldexp(1.0, np.clip(exponent, -1020, 1020))
        mean = self._sums(lambda x, j: x / unit[j]) / max(self.n_rows, 1)
        squares = self._sums(lambda x, j: np.square(x / unit[j] - mean[j]))
        squares += (self.n_rows - self.n_held) * mean**2
        spread = np.where(low < high, np.sqrt(squares / max(self.n_rows, 1)) * unit, 0.0)
        return Moments(low, high, mean * unit, spread)

    def _extremes(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.zeros((2, self.n_columns))
        full = self.n_held == self.n_rows  # nothing is left out, so that zero need not be a value
        low[full], high[full] = np.inf, -np.inf
        for columns, values in self.pieces():
            np.minimum.at(low, columns, values)
            np.maximum.at(high, columns, values)
        return low, high

    def _sums(self, term: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Sums over each column of a function of the values that are held, and of their column."""
        total = np.zeros(self.n_columns)
        for columns, values in self.pieces():
            total += np.bincount(columns, term(values, columns), self.n_columns)
        return total

    @cached_property
    def n_held(self) -> np.ndarray:
        """How many values of each column are held."""
        if self.matrix.format == "csc":
            return np.diff(self.matrix.indptr)
        return np.bincount(self.matrix.indices, minlength=self.n_columns)

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Column and value, in double precision, of all values that are held, some at a time."""
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        for first in range(0, len(data), VALUES_AT_A_TIME):
            last = min(first + VALUES_AT_A_TIME, len(data))
            if self.matrix.format == "csr":
                columns = indices[first:last]
            else:
                columns = np.searchsorted(indptr, np.arange(first, last), side="right") - 1
            yield columns, data[first:last].astype(np.float64, copy=False)

    @property
    def missing(self) -> np.ndarray:
        return np.zeros(self.n_columns, dtype=bool)

    @property
    def varies(self) -> np.ndarray:
        return self.moments.low < self.moments.high

    @property
    def infinite(self) -> np.ndarray:
        return np.zeros(self.n_columns, dtype=bool)


def checked_matrix(X: Any) -> sparse.csr_array | sparse.csc_array:
    """`X` by rows or by columns, as floating-point numbers in their order; `X` stays as it is.

    What does not fit together is refused, before any compiled code follows an index that leads
    out of an array. Values that are held twice are added up, as SciPy does.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected a 2D sparse matrix, got one of {X.ndim} dimension.")
    if X.dtype.kind not in "buif":
        raise ValueError(f"Complex data not supported: the sparse matrix holds {X.dtype}.")
    try:
        matrix = _as_compressed(X)
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"The sparse matrix is malformed: {error}.") from None
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if not np.isfinite(matrix.data).all():
        what = "NaN" if np.isnan(matrix.data).any() else "infinity"
        raise ValueError(
            f"Input X contains {what}, which a sparse table cannot hold; replace it by a number."
        )
    return matrix


def _as_compressed(X: Any) -> sparse.csr_array | sparse.csc_array:
    """CSR or CSC that shares what it can with `X`, with every index in range."""
    if X.format == "coo":
        X = sparse.coo_array((X.data, (X.row, X.col)), shape=X.shape)  # which looks at every index
    if X.format == "bsr":
        check_pointers(X)
    if X.format == "dia":
        # Those that pass through the matrix; their arrays are compared when it is made.
        inside = (X.offsets > -X.shape[0]) & (X.offsets < X.shape[1])
        X = sparse.dia_array((X.data[inside], X.offsets[inside]), shape=X.shape)
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    kind = sparse.csr_array if X.format == "csr" else sparse.csc_array
    matrix = kind((X.data, X.indices, X.indptr), shape=X.shape)
    check_pointers(matrix)
    if max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max:  # all that scikit-learn takes
        short = (part.astype(np.int32, copy=False) for part in (matrix.indices, matrix.indptr))
        matrix = kind((matrix.data, *short), shape=matrix.shape)
    return matrix


def check_pointers(matrix: Any) -> None:
    """Refuse a compressed matrix whose indices lead anywhere but into it."""
    # SciPy looks at the order of pointers only if the last one says that there are values. They are
    # compared, because the difference of two may not be a number that is held.
    if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
        raise ValueError("its pointers do not ascend")
    matrix.check_format(full_check=True)
