"""Rows of text cells, as delimited files and spreadsheets have them, into named columns.

Header, row names and a decimal comma are found out from the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions, check_width
from .file_column import FileColumn, is_number, shorten
from .text_columns import is_missing, text_column

#: Rows that are looked at to find out how a file is written.
SAMPLE_ROWS = 50
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
#: Names of a first column that holds the names of the rows.
INDEX_NAMES = frozenset({"", "unnamed: 0", "index", "id", "rowname", "rownames", "row.names"})


@dataclass(frozen=True)
class Rows:
    """Text cells of a file, with the line on which each row starts.

    :class:`~.arrow_rows.ArrowRows` answers the same questions for cells that pyarrow has split.
    """

    cells: list[list[str]]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return self.cells[0]

    @property
    def sample(self) -> list[list[str]]:
        """The first rows."""
        return self.cells[:SAMPLE_ROWS]

    def below(self) -> Rows:
        """All rows but the first."""
        return Rows(self.cells[1:], self.lines[1:])

    def holds(self, j: int, text: str) -> bool:
        """Tell whether a cell of a column says `text`."""
        return any(j < len(row) and row[j] == text for row in self.cells)

    def all_different(self) -> bool:
        """Tell whether no two cells of the first column are the same."""
        cells = [row[0] for row in self.cells if row]
        return len(set(cells)) == len(cells)

    def check_widths(self, width: int, source: str) -> None:
        """Refuse rows that are longer or shorter than others."""
        for row, line in zip(self.cells, self.lines, strict=True):
            if len(row) != width:
                raise FileProblem(
                    f"{source}, line {line}: {len(row)} values where {width} are expected; correct "
                    "the line or its quotation marks"
                )

    def texts(self, j: int) -> list[str]:
        """The cells of a column."""
        return [row[j] for row in self.cells]

    def column(self, j: int, name: str, options: ReadOptions, commas: bool) -> FileColumn:
        """The column that the cells make, with decimal commas if `commas`."""
        cells = self.texts(j)
        return text_column(name, list(map(point, cells)) if commas else cells, self.lines, options)


@dataclass(frozen=True)
class Layout:
    """What of the rows are names, and what is the body below and beside them."""

    names: list[str]
    body: Any
    #: What the column of row names is called; None if there is no such column.
    row_title: str | None = None


def read_rows(
    rows: Any, source: str, options: ReadOptions, notes: list[str], *, commas: bool
) -> DataFile:
    """Make the columns of a file from its rows.

    `commas` says whether cells may hold a comma of their own, so that it can be a decimal one.
    """
    check_width(len(rows.first), source)
    layout = find_layout(rows, options.header)
    names, body = layout.names, layout.body
    named_rows = layout.row_title is not None
    body.check_widths(len(names) + named_rows, source)
    if not len(body):
        raise FileProblem(f"{source} has a header and no rows")
    commas = options.decimal == "," or (
        commas and options.decimal is None and find_decimal_comma(body.sample)
    )
    if commas:
        notes.append("numbers are written with a decimal comma")
    row_names = None
    if named_rows:
        row_names = [point(c) if commas else c for c in body.texts(0)]
        notes.append("the first column holds the names of the rows; it is not ranked")
    typed = []
    with progress(f"reading {shorten(source)}", len(names)) as bar:
        for j, name in enumerate(names):
            typed.append(body.column(j + named_rows, name, options, commas))
            bar.advance()
    return DataFile(source, typed, row_names, notes, row_title=layout.row_title or "")


def find_layout(rows: Any, header: bool | None) -> Layout:
    """Find out what of the rows are names."""
    first, body = rows.first, rows.below()
    widths = Counter(len(row) for row in body.sample)
    short_header = bool(widths) and widths.most_common(1)[0][0] == len(first) + 1
    if header is None:
        header = short_header or _looks_like_header(first, body)
    if not header:
        return Layout([f"x{j}" for j in range(len(first))], rows)
    names = [name.strip() for name in first]
    if short_header:
        return Layout(names, body, "")
    if len(names) > 1 and names[0].lower() in INDEX_NAMES and body.all_different():
        return Layout(names[1:], body, names[0])
    return Layout(names, body)


def _looks_like_header(first: list[str], body: Any) -> bool:
    if not len(body):
        return not any(is_number(c) for c in first)
    numbered = [c.strip() for c in first[1:]] == [str(j) for j in range(len(first) - 1)]
    if numbered and len(first) > 2:  # a table that was saved with its column numbers
        return True
    texts = [j for j, c in enumerate(first) if not _numeric(c) and not is_missing(c)]
    if not texts:
        return False
    for j in texts:
        below = [row[j] for row in body.sample if j < len(row)]
        if all(_numeric(c) or is_missing(c) for c in below):
            return True
    # Only text everywhere: a header does not occur among the values below it.
    return not any(body.holds(j, first[j]) for j in texts)


def _numeric(cell: str) -> bool:
    return is_number(cell) or _COMMA_NUMBER.fullmatch(cell) is not None


def find_decimal_comma(sample: list[list[str]]) -> bool:
    """Tell whether numbers are written with a comma."""
    cells = [c for row in sample for c in row]
    commas = sum(_COMMA_NUMBER.fullmatch(c) is not None for c in cells)
    return commas > 0 and not any(_POINT_NUMBER.fullmatch(c) for c in cells)


def point(cell: str) -> str:
    """Write the decimal comma of a number as a point."""
    return cell.replace(",", ".") if _COMMA_NUMBER.fullmatch(cell) else cell
