"""CSV, TSV and their relatives: the delimiter is found out, or told."""

from __future__ import annotations

import contextlib
import csv
from collections import Counter
from io import StringIO
from itertools import islice
from pathlib import Path

from .cell_rows import SAMPLE_ROWS, Rows, read_rows
from .csv_batches import CsvBatches
from .data_file import DataFile, FileProblem, ReadOptions
from .text_columns import decode

DELIMITERS = ("\t", ";", ",", "|", " ")
#: What a delimiter may be called where it cannot be typed well.
DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
#: Characters from which on pyarrow, if it is there, splits the cells: it takes a while to load.
ARROW_LENGTH = 2**20
#: And so many for each column: its work for a column is the same for a text of any length.
LEAST_OF_COLUMN = 1000
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
        with contextlib.suppress(FileProblem, ImportError):
            found = _read_by_arrow(text, delimiter, source, options, list(notes))
            if not any(column.problem for column in found.columns):
                return found
    # Small, or odd: messages can name the line where cells are read one by one.
    rows = split_cells(text, delimiter, source)
    return read_rows(rows, source, options, notes, delimiter)


def _read_by_arrow(
    text: str, delimiter: str, source: str, options: ReadOptions, notes: list[str]
) -> DataFile:
    import pyarrow as pa

    rows = split_cells(_beginning(text), delimiter, source)
    if "\0" in text or len(text) < LEAST_OF_COLUMN * len(rows.first):
        raise FileProblem(f"{source} is read cell by cell")
    opened = pa.BufferReader(text.encode())
    batches = CsvBatches.find(opened, source, "utf8", delimiter, rows, options, notes)
    return batches.read(options, notes)


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
