"""CSV, TSV and their relatives: the delimiter is found out, or told."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from itertools import islice
from pathlib import Path

from .cell_rows import SAMPLE_ROWS, Rows, read_rows
from .data_file import DataFile, FileProblem, ReadOptions
from .text_columns import decode

DELIMITERS = ("\t", ";", ",", "|", " ")
#: What a delimiter may be called where it cannot be typed well.
DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}


def read_delimited(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read a delimited file."""
    notes: list[str] = []
    text = decode(path.read_bytes(), source, notes)
    if not text.strip():
        raise FileProblem(f"{source} is empty")
    delimiter = _delimiter(text, path, options)
    rows = _split(text, delimiter, source)
    return read_rows(rows, source, options, notes, commas=delimiter != ",")


def _delimiter(text: str, path: Path, options: ReadOptions) -> str:
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
