"""Rows of a Parquet file that is larger than memory.

A Parquet file is read from one end to the other, a batch of rows at a time; some of its rows cannot
be had without reading all around them, so that whoever wants many samples takes them together.
Numbers need nothing but their batch. Names, dates and texts mean something only in view of the
whole column (codes of names are those of all names in order, days count from the first): for these
there is one pass at the beginning, after which each column has a :class:`ColumnReading` that turns
any of its batches into numbers, as :func:`~.parquet.read_parquet` does with the whole column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._progress import progress
from ..row_source import RowSource
from ..table import Schema, Table
from .data_file import FileProblem, unique_names
from .file_column import FileColumn, boolean_column, column_of, is_number
from .parquet import (
    coded,
    column_of_others,
    column_of_texts,
    group_sizes,
    index_names,
    kind_of,
    leaves_of_texts,
    numbers_of,
    rows_of_group,
    seconds_of,
)
from .parse_dates import time_scale

#: Rows that are decoded at a time.
BATCH_ROWS = 2**16


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


class ParquetRows(RowSource):
    """The rows of a Parquet file.

    Parameters
    ----------
    path : str or Path
    nominal : collection of str
        Numeric columns to treat as categorical.
    na : collection of str
        Cells that mean a missing value.
    understand : callable, optional
        What makes a column of its name and its different texts; names, dates and numbers with a
        unit by default.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        nominal: Collection[str] = (),
        na: Collection[str] = (),
        understand: Callable[[str, list], FileColumn] = column_of_texts,
    ) -> None:
        import pyarrow.parquet

        self.path = str(path)
        with pyarrow.parquet.ParquetFile(self.path) as file:
            schema, self._texts = file.schema_arrow, leaves_of_texts(file.metadata)
            self._group_rows = group_sizes(file.metadata)
        self.n_rows = sum(self._group_rows)
        stored = [name for name in schema.names if name not in index_names(schema)]
        surveys = {name: _Survey(schema.field(name).type, name in nominal) for name in stored}
        if len(surveys) < len(stored):
            raise FileProblem(f"{Path(path).name} has two columns of one name; rename one of them")
        self._survey(surveys)
        names = unique_names(stored)
        self._stored = stored
        self.readings = [
            surveys[old].reading(new, frozenset(na), understand)
            for old, new in zip(stored, names, strict=True)
        ]
        self._set_schema()

    def select(self, names: Collection[str]) -> ParquetRows:
        """Keep some of the columns, in the order of the file."""
        part: ParquetRows = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        kept = [k for k, r in enumerate(self.readings) if r.column.name in names]
        part.readings = [self.readings[k] for k in kept]
        part._stored = [self._stored[k] for k in kept]
        part._set_schema()
        return part

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase; all row groups that have some are read."""
        rows = np.asarray(rows)
        values = np.empty((len(rows), self.n_columns), order="F")
        ends = np.cumsum(self._group_rows)
        groups = np.unique(np.searchsorted(ends, rows, side="right"))
        for group in groups.tolist():
            first = int(ends[group]) - self._group_rows[group]
            for batch in self._batches(self._readable(), [group]):
                a, b = np.searchsorted(rows, (first, first + batch.num_rows))
                if b > a:
                    self._fill(values[a:b], batch.take(rows[a:b] - first))
                first += batch.num_rows
        return self._table(values)

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        values = np.empty((n_rows, self.n_columns), order="F")
        filled = 0
        for batch in self._batches(self._readable()):
            while batch.num_rows:
                part = batch.slice(0, n_rows - filled)
                self._fill(values[filled : filled + part.num_rows], part)
                filled += part.num_rows
                batch = batch.slice(part.num_rows)
                if filled == n_rows:
                    yield self._table(values)
                    values, filled = np.empty_like(values), 0
        if filled:
            yield self._table(np.asfortranarray(values[:filled]))

    def _table(self, values: np.ndarray) -> Table:
        table = Table(values, self.schema)
        if table.infinite.any():
            name = self.names[int(np.flatnonzero(table.infinite)[0])]
            raise FileProblem(
                f"{Path(self.path).name}: column {name!r} holds an infinite value; replace it by a "
                "number or leave it empty"
            )
        return table

    def _fill(self, values: np.ndarray, batch: Any) -> None:
        for j, (name, reading) in enumerate(zip(self._stored, self.readings, strict=True)):
            values[:, j] = reading.numbers(batch.column(name)) if reading.numbers else np.nan

    def _readable(self) -> list[str]:
        """The columns that hold anything to rank."""
        return [n for n, r in zip(self._stored, self.readings, strict=True) if r.numbers]

    def _batches(self, columns: list[str], groups: list[int] | None = None) -> Iterator[Any]:
        """Batches of rows; a file of its own for each pass, so that threads do not meet.

        Row groups are read one by one, and their memory is given back: all of them at once would
        be held until the last was read.
        """
        import pyarrow as pa
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path, read_dictionary=self._texts) as file:
            for group in range(file.num_row_groups) if groups is None else groups:
                for batch in rows_of_group(file, group, columns, BATCH_ROWS):
                    yield batch.select(columns)  # in this order
                pa.default_memory_pool().release_unused()

    def _survey(self, surveys: dict[str, _Survey]) -> None:
        """Look at all values of the columns that are not understood by themselves."""
        looked_at = [name for name, survey in surveys.items() if survey.needs_a_pass]
        if not looked_at:
            return
        with progress("looking through names and dates", self.n_rows) as bar:
            for batch in self._batches(looked_at):
                for name, values in zip(looked_at, batch.columns, strict=True):
                    surveys[name].add(values)
                bar.advance(batch.num_rows)

    def _set_schema(self) -> None:
        columns = [r.column for r in self.readings]
        self.schema = Schema(
            tuple(c.name for c in columns),
            tuple(c.categories for c in columns),
            frozenset(j for j, r in enumerate(self.readings) if r.boolean),
        )


class _Survey:
    """What has to be known of all values of a column before any of them can be read."""

    def __init__(self, kind: Any, nominal: bool) -> None:
        self.type, self.kind, self.nominal = kind, kind_of(kind), nominal
        self.needs_a_pass = nominal or self.kind not in ("numbers", "others")
        self.words: set = set()
        self.first, self.last = np.inf, -np.inf
        self.n_known = self.n_rows = 0

    def add(self, values: Any) -> None:
        """Take note of a batch."""
        self.n_rows += len(values)
        self.n_known += len(values) - values.null_count
        if self.kind == "times" and not self.nominal:
            seconds = seconds_of(values)
            if not np.isnan(seconds).all():
                self.first = min(self.first, float(np.nanmin(seconds)))
                self.last = max(self.last, float(np.nanmax(seconds)))
        elif self.kind != "booleans":
            self.words.update(_texts_of(values.unique()).drop_null().to_pylist())

    def reading(
        self, name: str, na: frozenset[str], understand: Callable[[str, list], FileColumn]
    ) -> ColumnReading:
        """How batches of the column are read."""
        if self.kind == "others":
            return ColumnReading(column_of_others(name, self.type, 0), None)
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
            column = understand(name, words)
        else:
            column = column_of(name, np.array(words, dtype=object))
        column = column.as_nominal() if self.nominal else column
        return ColumnReading(
            replace(column, values=np.empty(0), as_written=None),
            _Words(words, column.values),
            column.boolean and self.n_known == self.n_rows,
            n_known=self.n_known,
        )

    def _reading_of_times(self, name: str) -> ColumnReading:
        if self.first > self.last:
            return ColumnReading(FileColumn(name, np.empty(0)), seconds_of)
        start, unit, since = time_scale(self.first, self.last)
        note = f"holds dates or times; it is read as {since}"
        if "duration" in str(self.type):
            start, unit, note = 0.0, 1.0, "is read as seconds"
        return ColumnReading(FileColumn(name, np.empty(0), note=note), _Times(start, unit))


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

    na: frozenset[str]

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
