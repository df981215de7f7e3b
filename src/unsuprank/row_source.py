"""Tables whose rows are read when they are asked for.

A table on disk may be larger than memory. All that is asked of it is the shape, names and kinds of
its columns, some of its rows (:meth:`RowSource.take`) and all of them in turn, a bounded number at
a time (:meth:`RowSource.chunks`); either gives a :class:`~unsuprank.table.Table`, as small as what
was asked for. A table in memory answers the same questions, so that whoever works on samples of
rows need not know where they come from, and gets the same numbers from everywhere.

Here are arrays: ``np.memmap``, HDF5 and Zarr arrays, the matrix of an AnnData that is open with
``backed="r"``, and anything else with a shape whose rows can be sliced. Files have their sources
in :mod:`unsuprank.io`.
"""

from __future__ import annotations

import mmap
import sys
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from .table import (
    ChunkedRows,
    ColumnChoice,
    Schema,
    SparseTable,
    Table,
    check_pointers,
    checked_matrix,
    find_categories,
    read_table,
)

#: Rows this many bytes apart are read with what is between them: a call takes as long.
GAP_BYTES = 2**16
#: Rows that are taken from a mapped file before its pages are let go.
MAPPED_ROWS = 64
#: Cells that are read at a time where all rows are looked at.
CHUNK_CELLS = 2**20


def chunk_rows(n_columns: int) -> int:
    """How many rows are looked at at a time; sums then do not depend on where rows come from."""
    return max(1, CHUNK_CELLS // max(n_columns, 1))


class RowSource(ChunkedRows):
    """A table whose rows are read when they are asked for; see the module's prose."""

    n_rows: int = 0
    #: Whether some rows can be read without most of the others: if not, whoever wants many
    #: samples should take them together.
    random_access: bool = False
    #: Bytes of the values that are not zero, if only these are stored.
    held_bytes: int | None = None

    @abstractmethod
    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""

    def prefetch(self, rows: np.ndarray) -> PrefetchedRows:
        """A source that has these rows in memory, under the indices that they have here."""
        return PrefetchedRows(self.n_rows, rows, self.take(rows))

    def select(self, names: Collection[str]) -> RowSource:
        """The same rows with some of the columns, in their order."""
        return SomeColumns(self, np.array([name in names for name in self.names], dtype=bool))


class SomeColumns(RowSource):
    """Some of the columns of a source."""

    def __init__(self, source: RowSource, columns: np.ndarray) -> None:
        self.source, self.columns = source, np.flatnonzero(columns)
        self.n_rows, self.random_access = source.n_rows, source.random_access
        self.held_bytes = source.held_bytes
        self.schema = source.schema.take(self.columns)

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""
        return self.source.take(rows).take(columns=self.columns)

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        for chunk in self.source.chunks(n_rows):
            yield chunk.take(columns=self.columns)


class ArrayRows(RowSource):
    """The rows of an array on disk.

    Parameters
    ----------
    array : object with a two-dimensional ``shape``, a ``dtype`` and row slicing
        For instance ``np.memmap``, ``h5py.Dataset``, ``zarr.Array``, or a sparse matrix of a backed
        AnnData.
    names : sequence of str, optional
        Names of the columns.
    nominal_features : names, indices or boolean mask of nominal columns, optional
        Their values are collected in a pass over the array.
    """

    def __init__(
        self,
        array: Any,
        names: Sequence[str] | None = None,
        nominal_features: ColumnChoice = None,
    ) -> None:
        if len(array.shape) != 2:
            raise ValueError(f"X must have rows and columns, got an array of shape {array.shape}.")
        if getattr(array, "format", None) == "csc":
            raise ValueError(
                "X is stored by columns (CSC), and its rows cannot be read one by one; store it as "
                "CSR, or read it into memory: X.to_memory()."
            )
        self.array = array
        self.n_rows = int(array.shape[0])
        self.random_access = isinstance(array, np.ndarray)
        self.held_bytes = _held_bytes(array)
        self.schema = self._find_schema(names, nominal_features)

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""
        rows = np.asarray(rows)
        if isinstance(self.array, np.ndarray):
            return as_table(self._mapped(rows), self.schema)
        if not len(rows):
            return as_table(_plain(self.array[0:0]), self.schema)
        gap = max(1, GAP_BYTES // (self.n_columns * self.array.dtype.itemsize))
        # Rows near each other are read together, but no more than a chunk.
        apart = (np.diff(rows) > gap) | (np.diff(rows // chunk_rows(self.n_columns)) > 0)
        runs = np.split(rows, np.flatnonzero(apart) + 1)
        parts = [_plain(self.array[int(run[0]) : int(run[-1]) + 1])[run - run[0]] for run in runs]
        stack = sparse.vstack if sparse.issparse(parts[0]) else np.concatenate
        return as_table(stack(parts), self.schema)

    def _mapped(self, rows: np.ndarray) -> np.ndarray:
        """Rows of a mapped file, a few at a time: around each of them, many pages come along."""
        picked = np.empty((len(rows), self.n_columns), self.array.dtype)
        for first in range(0, len(rows), MAPPED_ROWS):
            picked[first : first + MAPPED_ROWS] = self.array[rows[first : first + MAPPED_ROWS]]
            _release(self.array)
        return picked

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        for first in range(0, self.n_rows, n_rows):
            chunk = as_table(_plain(self.array[first : first + n_rows]), self.schema)
            _release(self.array)
            yield chunk

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "array": _FileArray.of(self.array)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        array = state["array"]
        self.__dict__.update(state, array=array.open() if isinstance(array, _FileArray) else array)

    def _find_schema(self, names: Sequence[str] | None, nominal: ColumnChoice) -> Schema:
        n = int(self.array.shape[1])
        if names is not None and len(names) != n:
            raise ValueError(f"X has {n:,} columns, and {len(names):,} names are given for them.")
        schema = Schema.of_array(self.array.dtype, n, names, nominal)
        unknown = schema.without_values
        if not unknown.any():
            return schema
        step, columns = chunk_rows(n), np.flatnonzero(unknown)
        parts = (_plain(self.array[a : a + step]) for a in range(0, self.n_rows, step))
        found = all_categories(categories_in(part, columns) for part in parts)
        return schema.with_nominal(unknown, found)


@dataclass(frozen=True)
class _FileArray:
    """Where an array is on disk: another process opens it there instead of being sent its rows."""

    path: str
    #: The name of an HDF5 dataset, or of a sparse matrix; empty for a mapped file.
    name: str = ""
    dtype: Any = None
    offset: int = 0
    shape: tuple[int, ...] = ()

    @classmethod
    def of(cls, array: Any) -> Any:
        """The place of an array, if it is a whole mapped file or a dataset; else the array."""
        whole = isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap)
        if whole and array.filename and array.flags.c_contiguous:
            return cls(str(array.filename), "", array.dtype, array.offset, array.shape)
        stored = getattr(array, "group", array)
        if hasattr(stored, "file") and hasattr(stored, "name"):
            return cls(stored.file.filename, stored.name)
        return array

    def open(self) -> Any:
        """The array, for reading."""
        if not self.name:
            return np.memmap(self.path, self.dtype, "r", self.offset, self.shape)
        import h5py

        stored = h5py.File(self.path)[self.name]
        if isinstance(stored, h5py.Dataset):
            return stored
        from anndata.io import sparse_dataset

        return sparse_dataset(stored)


@dataclass(frozen=True)
class PrefetchedRows:
    """Rows of a larger source that are in memory: how many it has, which ones, and the rows."""

    n_rows: int
    rows: np.ndarray
    table: Table

    def take(self, rows: np.ndarray) -> Table:
        """Rows by their indices in the larger source."""
        return self.table.take(np.searchsorted(self.rows, rows))


def as_table(values: Any, schema: Schema) -> Table:
    """Rows of an array, a sparse matrix or a DataFrame as a table of a known schema."""
    if sparse.issparse(values):
        return SparseTable(checked_matrix(values), schema)
    table = read_table(values, schema=schema, min_rows=0)
    return Table(table.values, schema)


def categories_in(part: Any, columns: np.ndarray) -> list[np.ndarray]:
    """The values of nominal columns in some rows of an array or a DataFrame."""
    picked = part.iloc[:, columns] if hasattr(part, "iloc") else part[:, columns]
    table = read_table(picked, nominal_features=np.ones(len(columns), dtype=bool), min_rows=0)
    return list(table.schema.categories)  # type: ignore[arg-type]


def all_categories(parts: Iterable[list[np.ndarray]]) -> list[np.ndarray]:
    """The values of nominal columns in all rows, from those in some of them."""
    return [find_categories(np.concatenate(found)) for found in zip(*parts, strict=True)]


def stacked(tables: Sequence[Table]) -> Table:
    """Tables of one schema below each other."""
    if len(tables) == 1:
        return tables[0]
    schema = tables[0].schema
    sparse_parts = [t.by_rows for t in tables if isinstance(t, SparseTable)]
    if sparse_parts:
        return SparseTable(sparse.vstack(sparse_parts, "csr"), schema)
    return Table(np.asfortranarray(np.concatenate([t.values for t in tables])), schema)


def _held_bytes(array: Any) -> int | None:
    """Bytes of a sparse matrix in a file, values and indices."""
    if getattr(array, "format", None) != "csr" or not hasattr(array, "group"):
        return None
    return sum(array.group[name].nbytes for name in ("data", "indices"))


def _plain(part: Any) -> Any:
    """Rows as an array, or as a SciPy matrix in which nothing leads out of it."""
    if not sparse.issparse(part):
        return np.asarray(part)
    check_pointers(part)  # SciPy would follow them when rows are picked
    return part


def mapping_of(array: np.ndarray) -> mmap.mmap | None:
    """The mapping of a file that an array is a view of, if any."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, mmap.mmap) else None


def _release(array: Any) -> None:
    """Let go of the pages of a mapped file that were read; they stay in the system's cache.

    Else all of the file would count as memory of this process after a pass. A private mapping
    is left alone: its pages may hold changes that are nowhere else.
    """
    if isinstance(array, np.memmap) and array.mode in ("r", "r+"):
        mapping = mapping_of(array)
        if mapping is not None and sys.platform != "win32":
            mapping.madvise(mmap.MADV_DONTNEED)
