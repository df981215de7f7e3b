"""Columns of text cells, read as numbers where they are numbers and as nominal otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .data_file import FileColumn, FileProblem, boolean_column, nominal_column, shorten

#: What people write where a value is missing.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "None"}
)
#: A column is meant to be numeric if at least this share of its known cells are numbers.
MOSTLY_NUMBERS = 0.9
_DATE = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{2,4}|\d{4}/\d{1,2}/\d{1,2})"
    r"([T ]\d{1,2}:\d{2}.*)?"
)
_BOOLEANS = (
    frozenset({"True", "False"}),
    frozenset({"true", "false"}),
    frozenset({"TRUE", "FALSE"}),
)


def decode(raw: bytes, source: str, notes: list[str]) -> str:
    """Read the text of a file in UTF-8, UTF-16 with a mark, or Latin-1 (which is noted)."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16")
    if b"\0" in raw[:65536]:
        raise FileProblem(f"{source} is not a text file; name its format with --format")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("the text is not UTF-8; read as Latin-1")
        return raw.decode("latin-1")


def as_numbers(cells: Sequence[str]) -> np.ndarray | None:
    """Read cells as float64 with NaN where missing; return None if any is not a number."""
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    try:
        return np.array(["nan" if c.strip() in MISSING else c for c in cells], dtype=np.float64)
    except ValueError:
        return None


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number as Python writes it."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that its value is missing."""
    return cell.strip() in MISSING


def text_column(name: str, cells: Sequence[str], lines: Sequence[int]) -> FileColumn:
    """Make a column from its cells; `lines` are their line numbers, for messages."""
    numbers = as_numbers(cells)
    if numbers is not None:
        return FileColumn(name, numbers)
    cells = [c.strip() for c in cells]
    known = np.array([c not in MISSING for c in cells])
    column = nominal_column(name, [None if c in MISSING else c for c in cells])
    words = column.categories.tolist()  # type: ignore[union-attr]
    if frozenset(words) in _BOOLEANS:
        return boolean_column(name, column.values)
    problem = _problem(name, cells, known, words, lines)
    return FileColumn(name, column.values, column.categories, problem=problem)


def _problem(
    name: str, cells: Sequence[str], known: np.ndarray, words: list[str], lines: Sequence[int]
) -> str:
    """Say why a column of text is neither numbers nor names; say nothing if it is names."""
    shown = shorten(name)
    if all(_DATE.fullmatch(w) for w in words):
        first = int(np.flatnonzero(known)[0])
        return (
            f"column {shown!r} holds dates (line {lines[first]}: {shorten(cells[first], 30)}); "
            "turn them into numbers, leave the column out with --drop, or rank it with --nominal"
        )
    odd = [i for i in np.flatnonzero(known).tolist() if not is_number(cells[i])]
    if len(odd) <= (1 - MOSTLY_NUMBERS) * known.sum():
        return (
            f"column {shown!r} holds numbers, but line {lines[odd[0]]} says "
            f"{shorten(cells[odd[0]], 30)!r}; correct it, leave the column out with --drop, or "
            "rank it with --nominal"
        )
    return ""
