"""CSV, TSV and their relatives: delimiter, decimal comma, header and row names are detected."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions, shorten
from .text_columns import decode, is_missing, is_number, text_column

DELIMITERS = ("\t", ";", ",", "|", " ")
#: Rows that are looked at to find out how a file is written.
SAMPLE_ROWS = 50
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
#: Names of a first column that holds the names of the rows.
INDEX_NAMES = frozenset({"", "unnamed: 0", "index", "id", "rowname", "rownames", "row.names"})


@dataclass(frozen=True)
class Rows:
    """Cells of a delimited file, with the line on which each row starts."""

    cells: list[list[str]]
    lines: list[int]


def read_delimited(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read a delimited file."""
    notes: list[str] = []
    text = decode(path.read_bytes(), source, notes)
    if not text.strip():
        raise FileProblem(f"{source} is empty")
    delimiter = "\t" if path.suffix.lower() == ".tsv" else find_delimiter(text)
    rows = _split(text, delimiter, source)
    names, body, row_names = _take_names(rows, options.header)
    _check_widths(body, len(names) + (row_names is not None), source)
    if not body.cells:
        raise FileProblem(f"{source} has a header and no rows")
    if _decimal_comma(body, delimiter):
        body = Rows([[_point(c) for c in row] for row in body.cells], body.lines)
        notes.append("numbers are written with a decimal comma")
    columns = list(zip(*body.cells, strict=True))
    if row_names is not None:
        row_names = list(columns.pop(0))
        notes.append("the first column holds the names of the rows; it is not ranked")
    typed = []
    with progress(f"reading {shorten(source)}", len(names)) as bar:
        for name, cells in zip(names, columns, strict=True):
            typed.append(text_column(name, cells, body.lines))
            bar.advance()
    return DataFile(source, typed, row_names, notes)


def find_delimiter(text: str) -> str:
    """Find the delimiter that cuts the first rows most evenly into two or more cells."""
    best, best_share = ",", 0.0
    for delimiter in DELIMITERS:
        try:
            sample = list(islice(_reader(text, delimiter), SAMPLE_ROWS))
        except csv.Error:
            continue
        widths = Counter(len(row) for row in sample if row)
        if not widths:
            continue
        # Row names without a title make the header one cell shorter than the rest.
        width, count = widths.most_common(1)[0]
        if len(sample[0]) == width - 1 and len(sample[0]) > 0:
            count += 1
        share = count / widths.total()
        if width > 1 and share > best_share:
            best, best_share = delimiter, share
    return best


def _reader(text: str, delimiter: str):
    return csv.reader(
        StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter == " "
    )


def _split(text: str, delimiter: str, source: str) -> Rows:
    reader = _reader(text, delimiter)
    cells, lines, start = [], [], 1
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                cells.append(row)
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise FileProblem(f"{source}, line {start}: {error}; check its quotation marks") from None
    return Rows(cells, lines)


def _take_names(rows: Rows, header: bool | None) -> tuple[list[str], Rows, list[str] | None]:
    """Return the names, the rows below, and an empty list if the first column names rows."""
    first = rows.cells[0]
    body = Rows(rows.cells[1:], rows.lines[1:])
    widths = Counter(len(row) for row in body.cells[:SAMPLE_ROWS])
    short_header = bool(widths) and widths.most_common(1)[0][0] == len(first) + 1
    if header is None:
        header = short_header or _looks_like_header(first, body)
    if not header:
        return [f"x{j}" for j in range(len(first))], rows, None
    names = [name.strip() for name in first]
    if short_header:
        return names, body, []
    if len(names) > 1 and names[0].lower() in INDEX_NAMES and _all_different(body):
        return names[1:], body, []
    return names, body, None


def _looks_like_header(first: list[str], body: Rows) -> bool:
    if not body.cells:
        return not any(is_number(c) for c in first)
    if [c.strip() for c in first[1:]] == [str(j) for j in range(len(first) - 1)]:
        return len(first) > 2  # a table that was saved with its column numbers
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


def _decimal_comma(body: Rows, delimiter: str) -> bool:
    if delimiter == ",":
        return False
    sample = [c for row in body.cells[:SAMPLE_ROWS] for c in row]
    commas = sum(_COMMA_NUMBER.fullmatch(c) is not None for c in sample)
    return commas > 0 and not any(_POINT_NUMBER.fullmatch(c) for c in sample)


def _point(cell: str) -> str:
    return cell.replace(",", ".") if _COMMA_NUMBER.fullmatch(cell) else cell
