"""Columns of Arrow, as Parquet and Feather files hold them: how their values become numbers.

Numbers need nothing but themselves. Names, dates and texts mean something only in view of the whole
column (codes of names are those of all names in order, days count from the first): a
:class:`Survey` looks at all of its values, in one or in many batches, and then gives the
:class:`ColumnReading` that turns any of its batches into numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .data_file import DataFile, ReadOptions
from .file_column import (
    FileColumn,
    boolean_column,
    coded_column,
    column_of,
    is_number,
    nominal_column,
    shorten,
)
from .locked_door import parse
from .parse_dates import time_scale
from .text_columns import as_numbers, understood

#: What makes a column of a name and its different texts.
Understand = Callable[[str, list], FileColumn]


def read_parquet(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Parquet file; a stored pandas index names the rows."""
    return _from_arrow(parse("arrow", path, source, kind="Parquet", columns=None), source)


def read_feather(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Feather file, which is Arrow's own; a stored pandas index names the rows."""
    return _from_arrow(parse("arrow", path, source, kind="Feather", columns=None), source)


def _from_arrow(table, source: str) -> DataFile:
    """Make the columns of a table whose fields say which types the file declares."""
    index = index_names(table.schema)
    columns, row_names, title = [], None, ""
    for field, values in zip(table.schema, table.columns, strict=True):
        if field.name in index:
            words, codes = coded(values)
            names = [str(word) for word in [*words.to_pylist(), None]]
            row_names = [names[code] for code in codes]
            title = "" if field.name.startswith("__index_level") else field.name
        else:
            columns.append(_column(field.name, field.metadata[b"type"].decode(), values))
    notes = [] if row_names is None else ["the stored index names the rows; it is not ranked"]
    return DataFile(source, columns, row_names, notes, row_title=title)


def _column(name: str, declared: str, values) -> FileColumn:
    survey = Survey(values.type, declared)
    survey.add(values)
    reading = survey.reading(name)
    if reading.numbers is None:
        return replace(reading.column, values=np.full(len(values), np.nan))
    written = reading.written(values) if reading.written else None
    return replace(reading.column, values=reading.numbers(values), as_written=written)


@dataclass(frozen=True)
class ColumnReading:
    """How batches of a column become numbers, and what a column of such numbers is."""

    #: The name, the nominal values, a note and a problem of the column; it has no rows.
    column: FileColumn
    #: None if there is nothing to rank in it.
    numbers: Callable[[Any], np.ndarray] | None
    #: Whether the column holds True and False, and nothing is missing.
    boolean: bool = False
    #: How many values are known, of a nominal column.
    n_known: int = 0
    #: What makes the column of names that the values say, where they are read as numbers.
    written: Callable[[Any], FileColumn] | None = None


class Survey:
    """What has to be known of all values of a column before any of them can be read."""

    def __init__(self, kind: Any, declared: str = "", nominal: bool = False) -> None:
        self.declared, self.nominal = declared or str(kind), nominal
        # Texts are read as dictionaries, to read each different one once.
        texts = "string" in self.declared.partition("<")[0]
        self.kind = "texts" if texts else kind_of(kind)
        self.needs_a_pass = nominal or self.kind not in ("numbers", "others")
        self.words: set = set()
        self.first, self.last = np.inf, -np.inf
        self.n_known = self.n_rows = 0

    def add(self, values: Any) -> None:
        """Take note of a batch."""
        self.n_rows += len(values)
        self.n_known += len(values) - values.null_count
        if not self.needs_a_pass:
            return
        if self.kind == "times" and not self.nominal:
            seconds = seconds_of(values)
            if not np.isnan(seconds).all():
                self.first = min(self.first, float(np.nanmin(seconds)))
                self.last = max(self.last, float(np.nanmax(seconds)))
        elif self.kind != "booleans":
            self.words.update(_texts_of(values.unique()).drop_null().to_pylist())

    def reading(
        self, name: str, na: Collection[str] = (), understand: Understand | None = None
    ) -> ColumnReading:
        """How batches of the column are read."""
        if self.kind == "others":
            return ColumnReading(column_of_others(name, self.declared), None)
        if self.kind == "booleans":
            complete = self.n_known == self.n_rows
            return ColumnReading(boolean_column(name, np.empty(0)), numbers_of, complete)
        if self.kind == "times" and not self.nominal:
            return self._reading_of_times(name)
        if self.kind == "numbers" and not self.nominal:
            return ColumnReading(FileColumn(name, np.empty(0)), _Numbers(na))
        words = sorted(w for w in self.words if w == w and w not in na)
        if self.kind == "numbers":
            column = column_of(name, np.array(words, dtype=float)).as_nominal()
        elif self.kind == "texts":
            column = (understand or column_of_texts)(name, words)
        else:
            column = nominal_column(name, words)
        return self._reading_of_words(column.as_nominal() if self.nominal else column, words)

    def _reading_of_words(self, column: FileColumn, words: list) -> ColumnReading:
        written, names = None, column.as_written
        if names is not None:
            places = _Words(words, names.values)
            written = partial(_spread, replace(names, values=np.empty(0)), places)
        return ColumnReading(
            replace(column, values=np.empty(0), as_written=None),
            _Words(words, column.values),
            column.boolean and self.n_known == self.n_rows,
            n_known=self.n_known,
            written=written,
        )

    def _reading_of_times(self, name: str) -> ColumnReading:
        def written(values: Any) -> FileColumn:
            words, codes = coded(_texts_of(values))
            return coded_column(name, [*words.to_pylist(), None], codes)

        if self.first > self.last:
            return ColumnReading(FileColumn(name, np.empty(0)), seconds_of)
        start, unit, since = time_scale(self.first, self.last)
        note = f"holds dates or times; it is read as {since}"
        if "duration" in self.declared:
            start, unit, note = 0.0, 1.0, "is read as seconds"
        column = FileColumn(name, np.empty(0), note=note)
        return ColumnReading(column, _Times(start, unit), written=written)


def _spread(column: FileColumn, reading: Callable[[Any], np.ndarray], values: Any) -> FileColumn:
    """A column without rows, with those that a reading makes of values."""
    return replace(column, values=reading(values))


def _texts_of(values: Any) -> Any:
    """Values whose different ones can be counted: texts where they have a dictionary or times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = kind_of(values.type)
    if kind == "names":
        return values.cast(values.type.value_type)
    if kind == "numbers":
        return pc.cast(values, pa.float64(), safe=False)
    return pc.cast(values, pa.string()) if kind == "times" else values


@dataclass(frozen=True)
class _Numbers:
    """Reads numbers; those that stand for a gap are missing."""

    na: Collection[str]

    def __call__(self, values: Any) -> np.ndarray:
        numbers = numbers_of(values)
        gaps = [float(word) for word in self.na if is_number(word)]
        return np.where(np.isin(numbers, gaps), np.nan, numbers) if gaps else numbers


@dataclass(frozen=True)
class _Times:
    """Reads times as multiples of a unit since a start."""

    start: float
    unit: float

    def __call__(self, values: Any) -> np.ndarray:
        return (seconds_of(values) - self.start) / self.unit


class _Words:
    """Reads words as the numbers that they stand for."""

    def __init__(self, words: Iterable, numbers: np.ndarray) -> None:
        self.words = list(words)
        self.numbers = np.append(numbers, np.nan)

    def __call__(self, values: Any) -> np.ndarray:
        import pyarrow as pa
        import pyarrow.compute as pc

        words, codes = coded(values)
        words = _texts_of(words)
        places = pc.index_in(words, pa.array(self.words, words.type), skip_nulls=True)
        places = places.fill_null(len(self.words)).to_numpy(zero_copy_only=False)
        return np.append(self.numbers[places], np.nan)[codes]


def column_of_texts(name: str, words: list[str]) -> FileColumn:
    """Read texts as names, unless they say dates or numbers with a unit.

    Plain digits stay names: who stored them as texts meant them so.
    """
    column = nominal_column(name, words)
    if as_numbers(words) is not None:
        return column
    found = understood(column, column.categories.tolist(), None)  # type: ignore[union-attr]
    return column if found.problem else found


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


def column_of_others(name: str, declared: str) -> FileColumn:
    """Make a column without rows, with its problem, of values that nobody can rank."""
    hint = "turn it into numbers or leave it out with --drop"
    problem = f"column {shorten(name)!r} holds values of type {declared}; {hint}"
    return FileColumn(name, np.empty(0), np.array([]), problem=problem)


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
