"""Rows of text cells, as delimited files and spreadsheets have them, into named columns.

Header, row names and a decimal comma are found out from the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions
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


@dataclass(frozen=True)
class _Layout:
    """What of the rows are names, and what is the body below and beside them."""

    names: list[str]
    body: Rows
    #: What the column of row names is called; None if there is no such column.
    row_title: str | None = None


def read_rows(
    rows: Rows, source: str, options: ReadOptions, notes: list[str], *, commas: bool
) -> DataFile:
    """Make the columns of a file from its rows.

    `commas` says whether cells may hold a comma of their own, so that it can be a decimal one.
    """
    layout = _find_layout(rows, options.header)
    names, body = layout.names, layout.body
    _check_widths(body, len(names) + (layout.row_title is not None), source)
    if not body.cells:
        raise FileProblem(f"{source} has a header and no rows")
    if options.decimal == "," or (commas and options.decimal is None and _decimal_comma(body)):
        body = Rows([[_point(c) for c in row] for row in body.cells], body.lines)
        notes.append("numbers are written with a decimal comma")
    columns = list(zip(*body.cells, strict=True))
    row_names = None
    if layout.row_title is not None:
        row_names = list(columns.pop(0))
        notes.append("the first column holds the names of the rows; it is not ranked")
    typed = []
    with progress(f"reading {shorten(source)}", len(names)) as bar:
        for name, cells in zip(names, columns, strict=True):
            typed.append(text_column(name, cells, body.lines, options))
            bar.advance()
    return DataFile(source, typed, row_names, notes, row_title=layout.row_title or "")


def _find_layout(rows: Rows, header: bool | None) -> _Layout:
    first = rows.cells[0]
    body = Rows(rows.cells[1:], rows.lines[1:])
    widths = Counter(len(row) for row in body.cells[:SAMPLE_ROWS])
    short_header = bool(widths) and widths.most_common(1)[0][0] == len(first) + 1
    if header is None:
        header = short_header or _looks_like_header(first, body)
    if not header:
        return _Layout([f"x{j}" for j in range(len(first))], rows)
    names = [name.strip() for name in first]
    if short_header:
        return _Layout(names, body, "")
    if len(names) > 1 and names[0].lower() in INDEX_NAMES and _all_different(body):
        return _Layout(names[1:], body, names[0])
    return _Layout(names, body)


def _looks_like_header(first: list[str], body: Rows) -> bool:
    if not body.cells:
        return not any(is_number(c) for c in first)
    numbered = [c.strip() for c in first[1:]] == [str(j) for j in range(len(first) - 1)]
    if numbered and len(first) > 2:  # a table that was saved with its column numbers
        return True
    sample = body.cells[:SAMPLE_ROWS]
    texts = [j for j, c in enumerate(first) if not _numeric(c) and not is_missing(c)]
    if not texts:
        return False
    for j in texts:
        below = [row[j] for row in sample if j < len(row)]
        if all(_numeric(c) or is_missing(c) for c in below):
            return True
    # Only text everywhere: a header does not occur among the values below it.
    return all(first[j] not in {row[j] for row in body.cells if j < len(row)} for j in texts)


def _numeric(cell: str) -> bool:
    return is_number(cell) or _COMMA_NUMBER.fullmatch(cell) is not None


def _all_different(body: Rows) -> bool:
    cells = [row[0] for row in body.cells if row]
    return len(set(cells)) == len(cells)


def _check_widths(body: Rows, width: int, source: str) -> None:
    for row, line in zip(body.cells, body.lines, strict=True):
        if len(row) != width:
            raise FileProblem(
                f"{source}, line {line}: {len(row)} values where {width} are expected; correct the "
                "line or its quotation marks"
            )


def _decimal_comma(body: Rows) -> bool:
    sample = [c for row in body.cells[:SAMPLE_ROWS] for c in row]
    commas = sum(_COMMA_NUMBER.fullmatch(c) is not None for c in sample)
    return commas > 0 and not any(_POINT_NUMBER.fullmatch(c) for c in sample)


def _point(cell: str) -> str:
    return cell.replace(",", ".") if _COMMA_NUMBER.fullmatch(cell) else cell
