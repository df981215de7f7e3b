"""Parquet and Feather, through pyarrow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .budget import check_cells
from .data_file import DataFile, FileProblem, ReadOptions
from .file_column import FileColumn, boolean_column, nominal_column, shorten
from .text_columns import as_numbers, understood
from .written_dates import elapsed


def read_parquet(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Parquet file; a stored pandas index names the rows."""
    return _read(path, source, "Parquet")


def read_feather(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Feather file, which is Arrow's own; a stored pandas index names the rows."""
    return _read(path, source, "Feather")


def _read(path: Path, source: str, what: str) -> DataFile:
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise FileProblem(
            f"{source}: {what} needs pyarrow; pip install 'unsuprank[io]' to read it"
        ) from None
    try:
        if what == "Feather":
            return _from_arrow(pyarrow.feather.read_table(path), source)
        stored = pyarrow.parquet.read_metadata(path)
        check_cells([(stored.num_rows, stored.num_columns)], path, source)
        return _from_arrow(pyarrow.parquet.read_table(path), source)
    except Exception as error:  # a damaged file leads to errors of many kinds
        if isinstance(error, FileProblem):
            raise
        raise FileProblem(f"{source} is not a readable {what} file: {error}") from None


def _from_arrow(table, source: str) -> DataFile:
    index = _index_names(table)
    columns, row_names, title = [], None, ""
    for name, values in zip(table.column_names, table.columns, strict=True):
        if name in index:
            row_names = [str(v) for v in values.to_pylist()]
            title = "" if name.startswith("__index_level") else name
        else:
            columns.append(_column(name, values))
    notes = [] if row_names is None else ["the stored index names the rows; it is not ranked"]
    return DataFile(source, columns, row_names, notes, row_title=title)


def _index_names(table) -> set[str]:
    """Name the columns that a pandas index was stored in."""
    described = (table.schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in described if isinstance(name, str)}


def _column(name: str, values) -> FileColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        return nominal_column(name, values.cast(kind.value_type).to_pylist())
    if pa.types.is_boolean(kind):
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        return boolean_column(name, numbers)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return FileColumn(
            name, np.array(pc.cast(values, pa.float64(), safe=False), dtype=np.float64)
        )
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string_view" in str(kind):
        return _texts(name, values.to_pylist())
    if pa.types.is_temporal(kind):
        return _moments(name, values)
    hint = "turn it into numbers or leave it out with --drop"
    problem = f"column {shorten(name)!r} holds values of type {kind}; {hint}"
    return FileColumn(name, np.full(len(values), np.nan), np.array([]), problem=problem)


def _texts(name: str, cells: list[str | None]) -> FileColumn:
    """Read texts as names, unless they say dates or numbers with a unit.

    Plain digits stay names: who stored them as texts meant them so.
    """
    column = nominal_column(name, cells)
    words = column.categories.tolist()  # type: ignore[union-attr]
    found = (
        column if as_numbers(words) is not None else understood(column, words, range(len(cells)))
    )
    return column if found.problem else found


def _moments(name: str, values) -> FileColumn:
    """Read dates and times as days since the first of them, or seconds within a day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    written = nominal_column(name, pc.cast(values, pa.string()).to_pylist())
    in_microseconds = (
        pa.duration("us") if pa.types.is_duration(kind)
        else pa.time64("us") if pa.types.is_time(kind)
        else pa.timestamp("us")
    )  # fmt: skip
    stamps = pc.cast(pc.cast(values, in_microseconds, safe=False), pa.int64())
    seconds = np.array(pc.cast(stamps, pa.float64(), safe=False), dtype=np.float64) / 1e6
    if np.isnan(seconds).all():
        return FileColumn(name, seconds)
    if pa.types.is_duration(kind):
        return FileColumn(name, seconds, note="is read as seconds", as_written=written)
    passed, since = elapsed(seconds)
    return FileColumn(
        name, passed, note=f"holds dates or times; it is read as {since}", as_written=written
    )
