"""Rows of text cells, as delimited files and spreadsheets have them, into named columns.

Header, row names and a decimal comma are found out from the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions, check_width
from .file_column import is_number, shorten
from .text_columns import is_missing, text_column

#: Rows that are looked at to find out how a file is written.
SAMPLE_ROWS = 50
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
#: Names of a first column that holds the names of the rows.
INDEX_NAMES = frozenset({"", "unnamed: 0", "index", "id", "rowname", "rownames", "row.names"})


@dataclass(frozen=True)
class Rows:
    """Text cells of a file, with the line on which each row starts."""

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

    def texts(self, j: int) -> list[str]:
        """The cells of a column, of the rows that have it."""
        return [row[j] for row in self.cells if j < len(row)]

    def check_widths(self, width: int, source: str) -> None:
        """Refuse rows that are longer or shorter than others."""
        for row, line in zip(self.cells, self.lines, strict=True):
            if len(row) != width:
                raise FileProblem(
                    f"{source}, line {line}: {len(row)} values where {width} are expected; correct "
                    "the line or its quotation marks"
                )


@dataclass(frozen=True)
class Layout:
    """What of the rows are names, and what is the body below and beside them."""

    names: list[str]
    body: Rows
    #: What the column of row names is called; None if there is no such column.
    row_title: str | None = None

    @property
    def n_titles(self) -> int:
        """Columns before the first that is ranked."""
        return int(self.row_title is not None)

    @property
    def width(self) -> int:
        """The number of columns, that of row names included."""
        return len(self.names) + self.n_titles

    def notes(self, commas: bool) -> list[str]:
        """What to say of how the file is written."""
        said = ["numbers are written with a decimal comma"] if commas else []
        if self.n_titles:
            said.append("the first column holds the names of the rows; it is not ranked")
        return said


def read_rows(
    rows: Rows, source: str, options: ReadOptions, notes: list[str], delimiter: str = ""
) -> DataFile:
    """Make the columns of a file from its rows."""
    layout = find_layout(rows, source, options.header)
    body, names = layout.body, layout.names
    body.check_widths(layout.width, source)
    commas = has_decimal_commas(body, options.decimal, delimiter)
    cells = [body.texts(j) for j in range(layout.width)]
    if commas:
        cells = [list(map(parse_point, texts)) for texts in cells]
    row_names = cells.pop(0) if layout.n_titles else None
    typed = []
    with progress(f"reading {shorten(source)}", len(names)) as bar:
        for name, texts in zip(names, cells, strict=True):
            typed.append(text_column(name, texts, body.lines, options))
            bar.advance()
    notes = [*notes, *layout.notes(commas)]
    return DataFile(source, typed, row_names, notes, row_title=layout.row_title or "")


def find_layout(rows: Rows, source: str, header: bool | None) -> Layout:
    """Find out what of the rows are names."""
    check_width(len(rows.first), source)
    first, body = rows.first, Rows(rows.cells[1:], rows.lines[1:])
    widths = Counter(len(row) for row in body.sample)
    short_header = bool(widths) and widths.most_common(1)[0][0] == len(first) + 1
    if header is None:
        header = short_header or _looks_like_header(first, body)
    if not header:
        return Layout([f"x{j}" for j in range(len(first))], rows)
    if not len(body):
        raise FileProblem(f"{source} has a header and no rows")
    names = [name.strip() for name in first]
    if short_header:
        return Layout(names, body, "")
    titles = body.texts(0)
    if len(names) > 1 and names[0].lower() in INDEX_NAMES and len(set(titles)) == len(titles):
        return Layout(names[1:], body, names[0])
    return Layout(names, body)


def _looks_like_header(first: list[str], body: Rows) -> bool:
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
    return not any(first[j] in body.texts(j) for j in texts)


def _numeric(cell: str) -> bool:
    return is_number(cell) or _COMMA_NUMBER.fullmatch(cell) is not None


def has_decimal_commas(body: Rows, decimal: str | None, delimiter: str) -> bool:
    """Tell whether numbers are written with a comma, if it does not separate the cells."""
    if decimal is not None or delimiter in ("", ","):
        return decimal == ","
    cells = [c for row in body.sample for c in row]
    commas = any(_COMMA_NUMBER.fullmatch(c) for c in cells)
    return commas and not any(_POINT_NUMBER.fullmatch(c) for c in cells)


def parse_point(cell: str) -> str:
    """Write the decimal comma of a number as a point."""
    return cell.replace(",", ".") if _COMMA_NUMBER.fullmatch(cell) else cell
