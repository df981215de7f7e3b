"""Parquet and Feather, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .data_file import DataFile, ReadOptions
from .file_column import FileColumn, boolean_column, coded_column, nominal_column, shorten
from .locked_door import parse
from .parse_dates import elapsed
from .text_columns import as_numbers, understood


def read_parquet(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Parquet file; a stored pandas index names the rows."""
    return _from_arrow(parse("arrow", path, source, kind="Parquet", columns=None), source)


def read_feather(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Feather file, which is Arrow's own; a stored pandas index names the rows."""
    return _from_arrow(parse("arrow", path, source, kind="Feather"), source)


def group_sizes(stored) -> list[int]:
    """How many rows each group of rows has; an error unless these are the rows of the file."""
    sizes = [stored.row_group(g).num_rows for g in range(stored.num_row_groups)]
    if sum(sizes) != stored.num_rows or min(sizes, default=0) < 0:
        raise ValueError(f"its groups have {sum(sizes):,} rows, and it says {stored.num_rows:,}")
    return sizes


def rows_of_group(file, group: int, columns: Sequence[str], most: int) -> Iterator[Any]:
    """Batches of the rows of a group, `most` at a time.

    A damaged column may say that it has more values than there are rows, and go on for ever.
    """
    left = file.metadata.row_group(group).num_rows
    for batch in file.iter_batches(max(1, min(left, most)), [group], columns):
        left -= batch.num_rows
        if left < 0:
            break
        yield batch
    if left:
        raise ValueError("a group of rows does not have as many as the file says")


def leaves_of_texts(stored) -> list[str]:
    """Where a Parquet file holds texts, for a reader that is to read each different one once.

    A text that many rows have may be stored once; written out, it could take any amount of memory.
    """
    leaves = (stored.schema.column(j) for j in range(stored.num_columns))
    return [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]


def _from_arrow(table, source: str) -> DataFile:
    """Make the columns of a table whose fields say which types the file declares."""
    index = index_names(table.schema)
    columns, row_names, title = [], None, ""
    for field, values in zip(table.schema, table.columns, strict=True):
        if field.name in index:
            row_names = _row_names(values)
            title = "" if field.name.startswith("__index_level") else field.name
        else:
            columns.append(_column(field.name, field.metadata[b"type"].decode(), values))
    notes = [] if row_names is None else ["the stored index names the rows; it is not ranked"]
    return DataFile(source, columns, row_names, notes, row_title=title)


def _row_names(values) -> list[str]:
    words, codes = coded(values)
    names = [str(word) for word in [*words.to_pylist(), None]]
    return [names[code] for code in codes]


def index_names(schema) -> set[str]:
    """Name the columns that a pandas index was stored in."""
    import pyarrow as pa

    described = (schema.pandas_metadata or {}).get("index_columns", [])
    flat = {field.name for field in schema if not pa.types.is_nested(field.type)}
    return {name for name in described if isinstance(name, str) and name in flat}


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


def coded(values) -> tuple[Any, np.ndarray]:
    """The different values of an array of Arrow, and the place of each row's; missing ones last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks()
    codes = pc.cast(values.indices, pa.int64()).fill_null(len(values.dictionary))
    return values.dictionary, codes.to_numpy(zero_copy_only=False)


def _names(name: str, words, codes: np.ndarray) -> FileColumn:
    return coded_column(name, [*words.to_pylist(), None], codes)


def _column(name: str, declared: str, values) -> FileColumn:
    kind = "texts" if "string" in declared.split("<")[0] else kind_of(values.type)
    if kind == "names":
        return _names(name, *coded(values))
    if kind == "booleans":
        return boolean_column(name, numbers_of(values))
    if kind == "numbers":
        return FileColumn(name, numbers_of(values))
    if kind == "texts":
        return _understood(_names(name, *coded(values)))
    if kind == "times":
        return _moments(name, values)
    return column_of_others(name, declared, len(values))


def column_of_others(name: str, type_, n_rows: int) -> FileColumn:
    """Make a column, with its problem, of values that nobody can rank."""
    hint = "turn it into numbers or leave it out with --drop"
    problem = f"column {shorten(name)!r} holds values of type {type_}; {hint}"
    return FileColumn(name, np.full(n_rows, np.nan), np.array([]), problem=problem)


def column_of_texts(name: str, cells: list[str | None]) -> FileColumn:
    """Read texts as names, unless they say dates or numbers with a unit."""
    return _understood(nominal_column(name, cells))


def _understood(column: FileColumn) -> FileColumn:
    """Read names as the dates or the numbers with a unit that they say.

    Plain digits stay names: who stored them as texts meant them so.
    """
    words = column.categories.tolist()  # type: ignore[union-attr]
    if as_numbers(words) is not None:
        return column
    found = understood(column, words, range(column.n_rows))
    return column if found.problem else found


def _moments(name: str, values) -> FileColumn:
    """Read dates and times as days since the first of them, or seconds within a day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words, codes = coded(values)
    written = _names(name, pc.cast(words, pa.string()), codes)
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
