"""CSV, TSV and their relatives: the delimiter is found out, or told."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path

from .arrow_rows import arrow_rows
from .cell_rows import SAMPLE_ROWS, Rows, read_rows
from .data_file import DataFile, FileProblem, ReadOptions
from .text_columns import decode

DELIMITERS = ("\t", ";", ",", "|", " ")
#: What a delimiter may be called where it cannot be typed well.
DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
#: Characters from which on pyarrow, if it is there, splits the cells: it takes a while to load.
ARROW_LENGTH = 2**20
#: Characters at the beginning of a file that tell how it is written.
SAMPLE_LENGTH = 2**22


def read_delimited(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read a delimited file."""
    notes: list[str] = []
    text = decode(path.read_bytes(), source, notes)
    if not text.strip():
        raise FileProblem(f"{source} is empty")
    delimiter = delimiter_of(text, path, options)
    if len(text) >= ARROW_LENGTH:
        found = _read_by_arrow(text, delimiter, source, options, notes)
        if found is not None:
            return found
    rows = split_cells(text, delimiter, source)
    return read_rows(rows, source, options, notes, commas=delimiter != ",")


def _read_by_arrow(
    text: str, delimiter: str, source: str, options: ReadOptions, notes: list[str]
) -> DataFile | None:
    """Read a large file by pyarrow; None where there is none, or anything is odd.

    Whatever is odd has to be read cell by cell, so that messages can name the line.
    """
    end = first_row(_beginning(text), delimiter)
    rows = None if end is None else arrow_rows(text, delimiter, *end)
    if rows is None:
        return None
    try:
        found = read_rows(rows, source, options, said := list(notes), commas=delimiter != ",")
    except FileProblem:
        return None
    if any(column.problem for column in found.columns):
        return None
    notes[:] = said
    return found


def first_row(text: str, delimiter: str) -> tuple[list[str], int] | None:
    """Give the cells of the first row that has any, and where the text goes on after it."""
    lines = StringIO(text, newline="")
    read: list[int] = []

    def counted() -> Iterator[str]:
        for line in lines:
            read.append(len(line))
            yield line

    try:
        reader = csv.reader(counted(), delimiter=delimiter, skipinitialspace=delimiter == " ")
        row = next((r for r in reader if _has_cells(r)), None)
    except csv.Error:
        return None
    return None if row is None else (row, sum(read))


def _has_cells(row: list[str]) -> bool:
    return bool(row) and (len(row) > 1 or bool(row[0].strip()))


def delimiter_of(text: str, path: Path, options: ReadOptions) -> str:
    """Say what separates cells: what the options name, or what the text shows."""
    if options.sep is not None:
        delimiter = DELIMITER_NAMES.get(options.sep, options.sep)
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise FileProblem(
                f"cells cannot be separated by {options.sep!r}; name one character, tab or space"
            )
        return delimiter
    return "\t" if path.suffix.lower() == ".tsv" else find_delimiter(text)


def find_delimiter(text: str) -> str:
    """Find the delimiter that cuts the first rows most evenly into two or more cells."""
    best, best_share = ",", 0.0
    text = _beginning(text)
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


def _beginning(text: str) -> str:
    """Whole lines at the beginning of a text that are enough to find out how it is written."""
    end = text.rfind("\n", 0, SAMPLE_LENGTH) + 1
    return text if len(text) <= SAMPLE_LENGTH or not end else text[:end]


def _reader(text: str, delimiter: str):
    return csv.reader(
        StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter == " "
    )


def split_cells(text: str, delimiter: str, source: str) -> Rows:
    """Split a text into rows of cells."""
    reader = _reader(text, delimiter)
    cells, lines, start = [], [], 1
    try:
        for row in reader:
            if _has_cells(row):
                cells.append(row)
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise FileProblem(f"{source}, line {start}: {error}; check its quotation marks") from None
    return Rows(cells, lines)
