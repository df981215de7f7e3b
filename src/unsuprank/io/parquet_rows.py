"""Rows of a Parquet file that is larger than memory.

A Parquet file is read from one end to the other, a batch of rows at a time; some of its rows cannot
be had without reading all around them, so that whoever wants many samples takes them together.
For names, dates and texts there is one pass at the beginning, after which each column has a
:class:`~.arrow_columns.ColumnReading`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .._progress import progress
from ..row_source import RowSource
from ..table import Schema, Table
from .arrow_columns import Survey, Understand, column_of_texts, index_names
from .data_file import FileProblem, unique_names

#: Rows that are decoded at a time.
BATCH_ROWS = 2**16


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
        understand: Understand = column_of_texts,
    ) -> None:
        import pyarrow.parquet

        self.path = str(path)
        with pyarrow.parquet.ParquetFile(self.path) as file:
            schema, self._texts = file.schema_arrow, leaves_of_texts(file.metadata)
            self._group_rows = group_sizes(file.metadata)
        self.n_rows = sum(self._group_rows)
        stored = [name for name in schema.names if name not in index_names(schema)]
        surveys = {
            name: Survey(schema.field(name).type, nominal=name in nominal) for name in stored
        }
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

    def _survey(self, surveys: dict[str, Survey]) -> None:
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


def group_sizes(stored) -> list[int]:
    """How many rows each group of rows has; an error unless these are the rows of the file."""
    sizes = [stored.row_group(g).num_rows for g in range(stored.num_row_groups)]
    if sum(sizes) != stored.num_rows or min(sizes, default=0) < 0:
        raise ValueError(f"its groups have {sum(sizes):,} rows, and it says {stored.num_rows:,}")
    return sizes


def rows_of_group(file, group: int, columns: list[str], most: int) -> Iterator[Any]:
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
