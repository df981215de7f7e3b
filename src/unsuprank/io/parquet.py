"""Parquet and Feather, through pyarrow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .budget import check_cells
from .data_file import DataFile, FileProblem, ReadOptions, any_error_means
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
    with any_error_means(f"{source} is not a readable {what} file"):
        if what == "Feather":
            return _from_arrow(pyarrow.feather.read_table(path), source)
        stored = pyarrow.parquet.read_metadata(path)
        check_cells([(stored.num_rows, stored.num_columns)], path, source)
        return _from_arrow(pyarrow.parquet.read_table(path), source)


def _from_arrow(table, source: str) -> DataFile:
    table.validate(full=True)  # offsets of a damaged file may lead out of its buffers
    index = index_names(table.schema)
    columns, row_names, title = [], None, ""
    for name, values in zip(table.column_names, table.columns, strict=True):
        if name in index:
            row_names = [str(v) for v in values.to_pylist()]
            title = "" if name.startswith("__index_level") else name
        else:
            columns.append(_column(name, values))
    notes = [] if row_names is None else ["the stored index names the rows; it is not ranked"]
    return DataFile(source, columns, row_names, notes, row_title=title)


def index_names(schema) -> set[str]:
    """Name the columns that a pandas index was stored in."""
    described = (schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in described if isinstance(name, str)}


def kind_of(kind) -> str:
    """Tell what a type of Arrow holds: names, booleans, numbers, texts, times, or others."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return "names"
    if pa.types.is_boolean(kind):
        return "booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string_view" in str(kind):
        return "texts"
    return "times" if pa.types.is_temporal(kind) else "others"


def numbers_of(values) -> np.ndarray:
    """Read numbers or booleans of Arrow as float64, with NaN where one is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.array(pc.cast(values, pa.float64(), safe=False), dtype=np.float64)


def _column(name: str, values) -> FileColumn:
    kind = kind_of(values.type)
    if kind == "names":
        return nominal_column(name, values.cast(values.type.value_type).to_pylist())
    if kind == "booleans":
        return boolean_column(name, numbers_of(values))
    if kind == "numbers":
        return FileColumn(name, numbers_of(values))
    if kind == "texts":
        return column_of_texts(name, values.to_pylist())
    if kind == "times":
        return _moments(name, values)
    return column_of_others(name, values)


def column_of_others(name: str, values) -> FileColumn:
    """Make a column, with its problem, of values that nobody can rank."""
    hint = "turn it into numbers or leave it out with --drop"
    problem = f"column {shorten(name)!r} holds values of type {values.type}; {hint}"
    return FileColumn(name, np.full(len(values), np.nan), np.array([]), problem=problem)


def column_of_texts(name: str, cells: list[str | None]) -> FileColumn:
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

    written = nominal_column(name, pc.cast(values, pa.string()).to_pylist())
    seconds = seconds_of(values)
    if np.isnan(seconds).all():
        return FileColumn(name, seconds)
    if pa.types.is_duration(values.type):
        return FileColumn(name, seconds, note="is read as seconds", as_written=written)
    passed, since = elapsed(seconds)
    return FileColumn(
        name, passed, note=f"holds dates or times; it is read as {since}", as_written=written
    )


def seconds_of(values) -> np.ndarray:
    """Read times of Arrow as seconds: since 1970, since midnight, or how long they take."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    in_microseconds = (
        pa.duration("us") if pa.types.is_duration(kind)
        else pa.time64("us") if pa.types.is_time(kind)
        else pa.timestamp("us")
    )  # fmt: skip
    stamps = pc.cast(pc.cast(values, in_microseconds, safe=False), pa.int64())
    return numbers_of(stamps) / 1e6
