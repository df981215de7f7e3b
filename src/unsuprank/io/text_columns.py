"""Columns of text cells, read as numbers or dates where they are such and as nominal otherwise."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .data_file import FileProblem, ReadOptions
from .file_column import FileColumn, boolean_column, nominal_column, parse_floats, shorten
from .parse_dates import parse_dates
from .parse_numbers import Reading, parse_numbers

#: What people write where a value is missing.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "None"}
)
#: A column is meant to be numeric if at least this share of its known cells are numbers.
MOSTLY_NUMBERS = 0.9
#: Texts that a reader is tried on before it reads all of a column.
_SAMPLE = 50
_BOOLEANS = (
    frozenset({"True", "False"}),
    frozenset({"true", "false"}),
    frozenset({"TRUE", "FALSE"}),
)


def decode(raw: bytes, source: str, notes: list[str]) -> str:
    """Read the text of a file in UTF-8, UTF-16 with a mark, or Latin-1 (which is noted)."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError as error:
            raise FileProblem(f"{source} is damaged UTF-16 text: {error.reason}") from None
    if b"\0" in raw[:65536]:
        raise FileProblem(f"{source} is not a text file; name its format with --format")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("the text is not UTF-8; read as Latin-1")
        return raw.decode("latin-1")


def as_numbers(cells: Sequence[str], missing: frozenset[str] = MISSING) -> np.ndarray | None:
    """Read cells as float64 with NaN where missing; return None if any is not a number."""
    with contextlib.suppress(ValueError):
        return parse_floats(cells)
    with contextlib.suppress(ValueError):
        return parse_floats(["nan" if c.strip() in missing else c for c in cells])
    return None


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that its value is missing."""
    return cell.strip() in MISSING


def text_column(
    name: str, cells: Sequence[str], lines: Sequence[int], options: ReadOptions | None = None
) -> FileColumn:
    """Make a column from its cells; `lines` are their line numbers, for messages."""
    options = options or ReadOptions()
    missing = MISSING | frozenset(options.na)
    numbers = as_numbers(cells, missing)
    if numbers is not None:
        return FileColumn(name, numbers)
    stripped = [c.strip() for c in cells]
    column = nominal_column(name, [None if c in missing else c for c in stripped])
    return column_of_words(column, lines, options)


def column_of_words(
    column: FileColumn, lines: Sequence[int] | None, options: ReadOptions | None = None
) -> FileColumn:
    """Read a nominal column of words as what they say: True and False, dates, numbers."""
    words = column.categories.tolist()  # type: ignore[union-attr]
    if frozenset(words) in _BOOLEANS:
        return boolean_column(column.name, column.values)
    return understood(column, words, lines, options.decimal if options else None)


def understood(
    column: FileColumn,
    words: Sequence[str],
    lines: Sequence[int] | None,
    decimal: str | None = None,
) -> FileColumn:
    """Read a nominal column as numbers or dates if its words say such, and leave it otherwise.

    A column of which nearly all cells, but not all, can be read has a problem: somebody has to
    say whether the others are mistakes or the column holds names. `lines` are those of the rows, if
    they are known.
    """
    readings = [parse_dates(words)] if _promising(words, _maybe_date) else []
    if _promising(words, _maybe_number):
        readings.append(parse_numbers(words, decimal))
    if not readings:
        return column
    known = ~np.isnan(column.values)
    codes = column.values[known].astype(int)
    best = max(readings, key=lambda reading: reading.readable[codes].mean())
    readable = best.readable[codes]
    if readable.all():
        return column.as_numbers(best.numbers, best.note)
    if readable.mean() < MOSTLY_NUMBERS:
        return column
    row = int(np.flatnonzero(known)[np.argmin(readable)])
    return replace(column, problem=_stray(column, row, lines, best))


def _promising(words: Sequence[str], test) -> bool:
    sample = words[:: max(1, len(words) // _SAMPLE)]
    return any(test(word) for word in sample)


def _maybe_number(word: str) -> bool:
    return len(word) <= 40 and any(c.isdecimal() for c in word)


def _maybe_date(word: str) -> bool:
    return _maybe_number(word) and any(c in "-/.: " for c in word)


def _stray(column: FileColumn, row: int, lines: Sequence[int] | None, reading: Reading) -> str:
    where = "a cell" if lines is None else f"line {lines[row]}"
    said = shorten(column.texts()[row], 30)
    return (
        f"column {shorten(column.name)!r} holds {reading.what}, but {where} says {said!r}; "
        f"correct it, call it missing with --na {said!r}, leave the column out with --drop, or "
        "rank it with --nominal"
    )
