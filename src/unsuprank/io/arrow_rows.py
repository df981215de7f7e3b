"""Text cells of a large delimited file, split and read by pyarrow.

pyarrow splits cells and reads plain numbers ten times as fast as loops do, but it has views of its
own on what is a number and what is missing. So it splits into texts only, and a column whose texts
all become plain numbers is done. All others are read by their *different* texts in the same way as
:mod:`.text_columns` reads cells: the result is the same, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from .cell_rows import SAMPLE_ROWS, point
from .data_file import FileProblem, ReadOptions
from .file_column import FileColumn, coded_column
from .text_columns import MISSING, as_numbers, column_of_words

#: Bytes of a text for each of its columns that pyarrow splits at a time, and from which on it is
#: asked at all: its work for a column is the same for a block of any size.
BLOCK_OF_COLUMN, LEAST_OF_COLUMN = 4000, 1000
#: A number with a decimal comma, in two parts around it.
_COMMA = r"^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$"


def parse_options(delimiter: str, quotes: bool) -> Any:
    """What pyarrow needs to know to split cells as the standard library does."""
    from pyarrow import csv

    return csv.ParseOptions(delimiter=delimiter, newlines_in_values=quotes)


def text_options(names: list[str]) -> Any:
    """What makes pyarrow leave all cells as they are."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.ConvertOptions(
        column_types={name: pa.string() for name in names},
        strings_can_be_null=False,
        check_utf8=False,
    )


def arrow_rows(text: str, delimiter: str, first: list[str], end: int) -> ArrowRows | None:
    """Split what comes after the first row, which ends at `end`; None if that has to be odd."""
    try:
        import pyarrow as pa
        from pyarrow import csv
    except ImportError:
        return None
    if delimiter == " " or ord(delimiter) > 127 or len(first) < 2 or "\0" in text:
        return None
    if len(text) < LEAST_OF_COLUMN * len(first):
        return None
    body = text[end:].encode()
    for width in (len(first), len(first) + 1):  # row names may have no title
        names = [str(j) for j in range(width)]
        try:
            table = csv.read_csv(
                pa.BufferReader(body),
                csv.ReadOptions(column_names=names, block_size=_block_bytes(width)),
                parse_options(delimiter, '"' in text),
                text_options(names),
            )
        except pa.ArrowInvalid:
            continue
        return ArrowRows(first, table) if table.num_rows else None
    return None


def _block_bytes(n_columns: int) -> int:
    return min(max(2**20, BLOCK_OF_COLUMN * n_columns), 2**30)


class ArrowRows:
    """Text cells in a table of Arrow, below a first row; see :class:`~.cell_rows.Rows`."""

    def __init__(self, first: list[str] | None, table: Any) -> None:
        self._first, self._table = first, table

    def __len__(self) -> int:
        return self._table.num_rows + (self._first is not None)

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return next(self._rows(1)) if self._first is None else self._first

    @cached_property
    def sample(self) -> list[list[str]]:
        """The first rows."""
        return list(self._rows(SAMPLE_ROWS))

    def _rows(self, most: int) -> Iterator[list[str]]:
        if self._first is not None:
            yield self._first
            most -= 1
        yield from map(list, zip(*self._table.slice(0, most).to_pydict().values(), strict=True))

    def below(self) -> ArrowRows:
        """All rows but the first."""
        return ArrowRows(None, self._table if self._first is not None else self._table.slice(1))

    def holds(self, j: int, text: str) -> bool:
        """Tell whether a cell of a column says `text`."""
        import pyarrow.compute as pc

        return bool(pc.any(pc.equal(self._column(j), text)).as_py())

    def all_different(self) -> bool:
        """Tell whether no two cells of the first column are the same."""
        return len(self._column(0).unique()) == len(self)

    def check_widths(self, width: int, source: str) -> None:
        """Refuse rows of another length; all have the same here."""
        if width != self._table.num_columns:
            raise FileProblem(f"{source} has rows of {self._table.num_columns} values")

    def texts(self, j: int) -> list[str]:
        """The cells of a column."""
        return self._column(j).to_pylist()

    def _column(self, j: int) -> Any:
        import pyarrow as pa

        column = self._table.column(j)
        if self._first is None:
            return column
        return pa.chunked_array([pa.array([self._first[j]], pa.string()), *column.chunks])

    def column(self, j: int, name: str, options: ReadOptions, commas: bool) -> FileColumn:
        """The column that the cells make, with decimal commas if `commas`."""
        cells = self._column(j)
        missing = MISSING | frozenset(options.na)
        numbers = plain_numbers(cells, missing, commas)
        if numbers is not None:
            return FileColumn(name, numbers)
        coded = cells.combine_chunks().dictionary_encode()
        words = [point(w) if commas else w for w in coded.dictionary.to_pylist()]
        codes = coded.indices.to_numpy(zero_copy_only=False)
        return column_by_words(name, words, codes, options)


def column_by_words(
    name: str, words: list[str], codes: np.ndarray, options: ReadOptions, numbered: bool = True
) -> FileColumn:
    """Make a column of its different cells and the place of each row's cell among them."""
    missing = MISSING | frozenset(options.na)
    numbers = as_numbers(words, missing)
    if numbers is not None:
        return FileColumn(name, numbers[codes])
    stripped = [word.strip() for word in words]
    column = coded_column(name, [None if w in missing else w for w in stripped], codes)
    return column_of_words(column, range(len(codes)) if numbered else None, options)


def plain_numbers(cells: Any, missing: frozenset[str], commas: bool) -> np.ndarray | None:
    """Read texts as float64 with NaN where missing; None if any is not plainly a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if commas:
        cells = pc.replace_substring_regex(cells, _COMMA, r"\1.\2")
    numbers = _numbers(cells)
    if numbers is not None:
        return numbers
    gaps = pc.is_in(cells, pa.array(sorted(missing)))
    if not pc.any(gaps).as_py():
        return None
    return _numbers(pc.if_else(gaps, pa.scalar(None, pa.string()), cells))


def _numbers(cells: Any) -> np.ndarray | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = np.array(pc.cast(cells, pa.float64()), dtype=np.float64)
    except pa.ArrowInvalid:
        return None
    # Whatever else pyarrow takes for a number, such as "nan(1)", is not plain.
    return numbers if int(np.isnan(numbers).sum()) == cells.null_count else None
