"""Files that would take too much memory: opened for reading in parts, and looked at by a sample.

Parquet, delimited text, .npy and .h5ad files can be read in parts. Others are read whole, whatever
they take.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..row_source import ArrayRows, RowSource
from ..table import Table
from .arrow_columns import ColumnReading
from .csv_rows import spill_delimited
from .data_file import DataFile, FileProblem, ReadOptions, wrap_errors
from .file_column import FileColumn
from .locked_door import parse
from .parquet_rows import ParquetRows
from .read import BYTES_A_CHARACTER, format_of

#: Bytes that reading takes for every cell of an array.
BYTES_A_CELL = 16
#: Rows of the sample by which a large file is looked at.
SAMPLE_ROWS = 10_000


@dataclass(frozen=True, repr=False)
class SampledFile(DataFile):
    """Some rows of a file, whose nominal values are those of all rows."""

    #: How many values of each nominal column are known in the whole file.
    n_known: Mapping[str, int] = field(default_factory=dict)

    def identifiers(self) -> dict[str, str]:
        """Find columns that tell rows apart and nothing else: the reason of each by name."""
        found = {}
        for column in self.columns:
            known = self.n_known.get(column.name, 0)
            distinct = 0 if column.categories is None else len(column.categories)
            if 2 * distinct > known > 0:
                found[column.name] = f"{distinct:,} different values in {known:,}"
        return found


class FileRows(RowSource):
    """Rows that are read from a file as they are asked for; what is wrong with them is told of it.

    Damage may come to light in any part of a file, in whatever way its library stumbles over it.
    """

    def __init__(self, rows: RowSource, source: str) -> None:
        self.rows, self._sentence = rows, f"{source} cannot be read"
        self.schema, self.n_rows = rows.schema, rows.n_rows
        self.random_access = rows.random_access

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""
        with wrap_errors(self._sentence):
            return self.rows.take(rows)

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        with wrap_errors(self._sentence):
            yield from self.rows.chunks(n_rows)


@dataclass(frozen=True)
class LargeFile:
    """A file that is read in parts."""

    source: str
    rows: RowSource
    notes: list[str]
    #: What reading it whole would take.
    n_bytes: float
    #: What is known of each row beside the table.
    beside: Any = None
    #: How columns are read, where they are not plain numbers.
    readings: Sequence[ColumnReading] = ()

    def sample(self) -> SampledFile:
        """Some of the rows, chosen at random, to look at."""
        n_rows = self.rows.n_rows
        picked = np.random.default_rng(0).choice(n_rows, min(n_rows, SAMPLE_ROWS), replace=False)
        table = self.rows.take(np.sort(picked))
        known = {r.column.name: r for r in self.readings}
        columns = [
            replace(
                known[name].column if name in known else FileColumn(name, table.column(j)),
                values=table.column(j),
                categories=table.schema.categories[j],
            )
            for j, name in enumerate(table.names)
        ]
        seen = f"{table.n_rows:,} of {n_rows:,} rows"
        return SampledFile(
            self.source,
            columns,
            notes=[*self.notes, f"read in parts; what is shown of its columns is from {seen}"],
            beside={} if self.beside is None else self.beside.iloc[np.sort(picked)],
            n_known={name: reading.n_known for name, reading in known.items()},
        )


def open_large(
    path: str | Path, options: ReadOptions, memory: float, nominal: tuple[str, ...] = ()
) -> LargeFile | None:
    """Open a file in parts if reading it whole would take more than `memory` bytes.

    None for files that take less, for standard input, and for files of which nothing is known.
    """
    path = Path(path)
    if str(path) == "-" or not path.is_file() or path.suffix == ".gz" or not path.stat().st_size:
        return None
    opener = _OPENERS.get(format_of(path, options))
    if opener is None:
        return None
    try:
        return opener(path, options, memory, nominal)
    except FileProblem:
        raise
    except Exception:  # the reader of whole files has the words for what is wrong with this one
        return None


def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def _open_text(
    path: Path, options: ReadOptions, memory: float, nominal: tuple[str, ...]
) -> LargeFile | None:
    n_bytes = BYTES_A_CHARACTER * path.stat().st_size
    if n_bytes <= memory or not _has_arrow():
        return None
    notes: list[str] = []
    rows = spill_delimited(path, path.name, options, notes, nominal)
    return LargeFile(path.name, rows, notes, n_bytes, readings=rows.readings)


def _open_parquet(
    path: Path, options: ReadOptions, memory: float, nominal: tuple[str, ...]
) -> LargeFile | None:
    if not _has_arrow():
        return None
    import pyarrow.parquet

    stored = pyarrow.parquet.read_metadata(path)
    n_bytes = BYTES_A_CELL * stored.num_rows * stored.num_columns
    if n_bytes <= memory:
        return None
    rows = ParquetRows(path, nominal=nominal, na=options.na)
    return LargeFile(path.name, FileRows(rows, path.name), [], n_bytes, readings=rows.readings)


def _open_npy(
    path: Path, _: ReadOptions, memory: float, nominal: tuple[str, ...]
) -> LargeFile | None:
    array = np.load(path, mmap_mode="r")
    return _of_array(path, array, None, memory, nominal)


def _open_h5ad(
    path: Path, options: ReadOptions, memory: float, nominal: tuple[str, ...]
) -> LargeFile | None:
    try:
        import h5py
        import pandas as pd
        from anndata.io import read_elem, sparse_dataset
    except ImportError:
        return None
    parse("hdf5", path, path.name)
    stored = h5py.File(path)
    where = "raw/X" if options.raw else f"layers/{options.layer}" if options.layer else "X"
    if where not in stored or "var" not in stored:
        return None  # read as any other file, for its message
    array = element = stored[where]
    if not isinstance(element, h5py.Dataset):
        if nominal:
            return None  # codes of names are read whole
        array = sparse_dataset(element)
        if array.format == "csr":  # rows cannot be read from the other one
            _check_parts(element, int(array.shape[0]), path.name)
    genes = read_elem(stored["raw/var" if options.raw else "var"])
    cells = read_elem(stored["obs"])
    if not isinstance(genes, pd.DataFrame) or not isinstance(cells, pd.DataFrame):
        raise FileProblem(f"{path.name} is damaged: it has no tables of its rows and columns")
    return _of_array(path, array, genes.index, memory, nominal, cells)


def _check_parts(element: Any, n_rows: int, source: str) -> None:
    """Refuse a sparse matrix without parts that fit together; they are read as they come."""
    lengths = [len(element[part]) for part in ("data", "indices", "indptr") if part in element]
    if len(lengths) < 3 or lengths[0] != lengths[1] or lengths[2] != n_rows + 1:
        raise FileProblem(f"{source} is damaged: the parts of a sparse matrix do not fit together")


def _of_array(
    path: Path,
    array: Any,
    names: Any,
    memory: float,
    nominal: tuple[str, ...],
    beside: Any = None,
) -> LargeFile | None:
    if len(array.shape) != 2 or array.dtype.kind not in "biuf":
        return None
    n_bytes = BYTES_A_CELL * int(array.shape[0]) * int(array.shape[1])
    if n_bytes <= memory:
        return None
    if beside is not None and len(beside) != array.shape[0]:
        raise FileProblem(
            f"{path.name} is damaged: it has {array.shape[0]:,} rows and tells of {len(beside):,}"
        )
    names = [f"x{j}" for j in range(array.shape[1])] if names is None else names
    try:
        rows = ArrayRows(array, names, nominal or None)
    except ValueError as problem:
        raise FileProblem(f"{path.name}: {problem}") from None
    return LargeFile(path.name, FileRows(rows, path.name), [], n_bytes, beside)


_OPENERS: dict[str, Callable[..., LargeFile | None]] = {
    "csv": _open_text,
    "parquet": _open_parquet,
    "npy": _open_npy,
    "h5ad": _open_h5ad,
}
