"""ARFF, Weka's format: numeric, nominal and string attributes, `?`, sparse rows, quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions, check_width
from .file_column import FileColumn, is_number, nominal_column, parse_floats, shorten
from .locked_door import memory_for, too_large
from .parse_dates import parse_dates
from .text_columns import decode

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_NAME = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)"""
_ATTRIBUTE = re.compile(r"@attribute\s+" + _NAME + r"\s*(.*)", re.IGNORECASE)
_TOKEN = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*)\s*(,|$)""")
_SPARSE = re.compile(r"""\s*(\d+)\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*)\s*(,|$)""")
_QUOTES = ("'", '"')
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"\s*""")
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: str
    values: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """The value that a sparse row leaves out."""
        return "0" if self.kind == "numeric" or not self.values else self.values[0]


def read_arff(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read an ARFF file."""
    notes: list[str] = []
    lines = decode(path.read_bytes(), source, notes).splitlines()
    attributes, start = _read_header(lines, source)
    rows = _rows(lines, start)
    if not rows:
        raise FileProblem(f"{source} has no rows after @data")
    check_width(len(attributes), source)
    if 8 * len(rows) * len(attributes) > memory_for(path):
        raise too_large(source, memory_for(path))
    where = [number for number, _ in rows]
    defaults = [attribute.default for attribute in attributes]
    cells = [_cells(row, defaults, number, source) for number, row in rows]
    columns = []
    with progress(f"reading {shorten(source)}", len(attributes)) as bar:
        for attribute, values in zip(attributes, zip(*cells, strict=True), strict=True):
            columns.append(_column(attribute, values, where, source))
            bar.advance()
    return DataFile(source, columns, None, notes)


def _read_header(lines: list[str], source: str) -> tuple[list[Attribute], int]:
    attributes: list[Attribute] = []
    for number, line in enumerate(lines, 1):
        line = line.strip()
        lower = line.lower()
        if lower.startswith("@data"):
            if not attributes:
                break
            return attributes, number
        if lower.startswith("@attribute"):
            attributes.append(_attribute(line, number, source))
    raise FileProblem(f"{source} is not an ARFF file: it needs @attribute lines and @data")


def _attribute(line: str, number: int, source: str) -> Attribute:
    match = _ATTRIBUTE.match(line)
    kind = match.group(2).strip() if match else ""
    if match is None or not kind:
        raise FileProblem(f"{source}, line {number}: not an @attribute line: {shorten(line)}")
    name = _unquote(match.group(1))
    if kind.startswith("{") and kind.rstrip().endswith("}"):
        inner = kind.rstrip()[1:-1]
        values = [_unquote(t) for t in _tokens(inner, number, source)]
        return Attribute(name, "nominal", tuple(values))
    word = kind.split()[0].lower()
    if word in _NUMERIC:
        return Attribute(name, "numeric")
    if word in ("string", "date"):
        return Attribute(name, word)
    raise FileProblem(
        f"{source}, line {number}: attributes of type {shorten(kind)!r} are not known"
    )


def _rows(lines: list[str], start: int) -> list[tuple[int, str]]:
    """The lines that hold a row, with their numbers."""
    stripped = ((number, line.strip()) for number, line in enumerate(lines[start:], start + 1))
    return [(number, line) for number, line in stripped if line and not line.startswith("%")]


def _cells(line: str, defaults: list[str], number: int, source: str) -> list[str | None]:
    if line.startswith("{"):
        return _sparse_row(line, defaults, number, source)
    tokens = _tokens(line, number, source)
    if len(tokens) != len(defaults):
        raise FileProblem(
            f"{source}, line {number}: {len(tokens)} values where {len(defaults)} attributes "
            "are declared"
        )
    return [None if t == "?" else _unquote(t) for t in tokens]


def _tokens(line: str, number: int, source: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [t.strip() for t in line.split(",")]
    tokens, position = [], 0
    while True:
        match = _TOKEN.match(line, position)
        if match is None or _unclosed(match.group(1)):
            raise FileProblem(f"{source}, line {number}: a quotation mark is not closed")
        tokens.append(match.group(1).strip())
        position = match.end()
        if match.group(2) == "":
            return tokens


def _unclosed(token: str) -> bool:
    return token[:1] in _QUOTES and _QUOTED.fullmatch(token) is None


def _sparse_row(line: str, defaults: list[str], number: int, source: str) -> list[str | None]:
    row: list[str | None] = [*defaults]
    body, position = line[1:].rstrip().removesuffix("}").strip(), 0
    while position < len(body):
        match = _SPARSE.match(body, position)
        if match is None or int(match.group(1)) >= len(row):
            raise FileProblem(f"{source}, line {number}: not a sparse row: {shorten(line)}")
        value = match.group(2).strip()
        row[int(match.group(1))] = None if value == "?" else _unquote(value)
        position = match.end()
    return row


def _unquote(token: str) -> str:
    if len(token) >= 2 and token[0] == token[-1] and token[0] in "'\"":
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1])
    return token


def _column(
    attribute: Attribute, cells: tuple[str | None, ...], lines: list[int], source: str
) -> FileColumn:
    if attribute.kind == "numeric":
        return FileColumn(attribute.name, _numbers(attribute, cells, lines, source))
    if attribute.kind == "nominal":
        allowed = frozenset(attribute.values)
        for cell, line in zip(cells, lines, strict=True):
            if cell is not None and cell not in allowed:
                raise FileProblem(
                    f"{source}, line {line}: {shorten(cell, 30)!r} is not a declared value of "
                    f"{shorten(attribute.name)!r}"
                )
    column = nominal_column(attribute.name, cells)
    return _dates(column) if attribute.kind == "date" else column


def _dates(column: FileColumn) -> FileColumn:
    words = column.categories.tolist()  # type: ignore[union-attr]
    reading = parse_dates(words)
    if words and reading.readable.all():
        return column.as_numbers(reading.numbers, reading.note)
    problem = (
        f"column {shorten(column.name)!r} holds dates in a way that is not known; turn them into "
        "numbers, leave the column out with --drop, or rank it with --nominal"
    )
    return replace(column, problem=problem)


def _numbers(
    attribute: Attribute, cells: tuple[str | None, ...], lines: list[int], source: str
) -> np.ndarray:
    written = ["nan" if cell is None else cell for cell in cells]
    try:
        return parse_floats(written)
    except ValueError:
        i = next(i for i, cell in enumerate(written) if not is_number(cell))
        raise FileProblem(
            f"{source}, line {lines[i]}: {shorten(written[i], 30)!r} in the numeric attribute "
            f"{shorten(attribute.name)!r}"
        ) from None
