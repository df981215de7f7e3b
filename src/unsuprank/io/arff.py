"""ARFF, Weka's format: numeric, nominal and string attributes, `?`, sparse rows, quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .._progress import progress
from .data_file import DataFile, FileProblem, ReadOptions, check_width
from .file_column import FileColumn, is_number, nominal_column, parse_floats, shorten
from .locked_door import memory_for, too_large
from .parse_dates import parse_dates
from .text_columns import decode

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]++)\s*(.+)", re.IGNORECASE)
#: A value up to the next comma, and in a sparse row the number of its column before it.
_VALUE = rf"({_QUOTED}|[^\s,'\"][^,]*|)\s*(,|$)"
_DENSE, _SPARSE = re.compile(rf"\s*{_VALUE}"), re.compile(rf"\s*(\d+)\s+{_VALUE}")
_KINDS = {"real": "numeric", "integer": "numeric"} | {k: k for k in ("numeric", "string", "date")}


@dataclass(frozen=True)
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: str
    values: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """The value that a sparse row leaves out."""
        return self.values[0] if self.values else "0"


def read_arff(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read an ARFF file."""
    notes: list[str] = []
    lines = decode(path.read_bytes(), source, notes).splitlines()
    numbered = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    attributes, start = _read_header(numbered, source)
    rows = [(n, line) for n, line in numbered[start:] if line and not line.startswith("%")]
    if not rows:
        raise FileProblem(f"{source} has no rows after @data")
    check_width(len(attributes), source)
    if 8 * len(rows) * len(attributes) > memory_for(path):
        raise too_large(source, memory_for(path))
    where = [number for number, _ in rows]
    defaults = [attribute.default for attribute in attributes]
    cells = [_cells(row, defaults, f"{source}, line {number}") for number, row in rows]
    columns = []
    with progress(f"reading {shorten(source)}", len(attributes)) as bar:
        for attribute, values in zip(attributes, zip(*cells, strict=True), strict=True):
            columns.append(_column(attribute, values, where, source))
            bar.advance()
    return DataFile(source, columns, None, notes)


def _read_header(lines: list[tuple[int, str]], source: str) -> tuple[list[Attribute], int]:
    """The attributes, and how many lines come before the data."""
    attributes: list[Attribute] = []
    for number, line in lines:
        lower = line.lower()
        if lower.startswith("@data"):
            if not attributes:
                break
            return attributes, number
        if lower.startswith("@attribute"):
            attributes.append(_attribute(line, f"{source}, line {number}"))
    raise FileProblem(f"{source} is not an ARFF file: it needs @attribute lines and @data")


def _attribute(line: str, where: str) -> Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise FileProblem(f"{where}: not an @attribute line: {shorten(line)}")
    name, kind = _unquote(match[1]), match[2].strip()
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(name, "nominal", tuple(map(_unquote, _tokens(kind[1:-1], where))))
    known = _KINDS.get(kind.split()[0].lower())
    if known is None:
        raise FileProblem(f"{where}: attributes of type {shorten(kind)!r} are not known")
    return Attribute(name, known)


def _cells(line: str, defaults: list[str], where: str) -> list[str | None]:
    """The values of a row; None where one is missing."""
    if line.startswith("{"):
        row = _sparse_row(line, defaults, where)
    else:
        row = _tokens(line, where)
        if len(row) != len(defaults):
            raise FileProblem(
                f"{where}: {len(row)} values where {len(defaults)} attributes are declared"
            )
    return [None if token == "?" else _unquote(token) for token in row]


def _tokens(line: str, where: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [t.strip() for t in line.split(",")]
    tokens, position, comma = [], 0, ","
    while comma:
        match = _DENSE.match(line, position)
        if match is None:
            raise FileProblem(f"{where}: a quotation mark is not closed")
        tokens.append(match[1].strip())
        position, comma = match.end(), match[2]
    return tokens


def _sparse_row(line: str, defaults: list[str], where: str) -> list[str]:
    row = [*defaults]
    body, position = line[1:].rstrip().removesuffix("}").strip(), 0
    while position < len(body):
        match = _SPARSE.match(body, position)
        if match is None or int(match[1]) >= len(row):
            raise FileProblem(f"{where}: not a sparse row: {shorten(line)}")
        row[int(match[1])] = match[2].strip()
        position = match.end()
    return row


def _unquote(token: str) -> str:
    if len(token) >= 2 and token[0] == token[-1] and token[0] in "'\"":
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1])
    return token


def _column(
    attribute: Attribute, cells: Sequence[str | None], lines: list[int], source: str
) -> FileColumn:
    if attribute.kind == "numeric":
        known = ["nan" if cell is None else cell for cell in cells]
        try:
            return FileColumn(attribute.name, parse_floats(known))
        except ValueError:
            odd, what = next(i for i, c in enumerate(known) if not is_number(c)), "in the numeric"
            raise _misfit(attribute, known[odd], lines[odd], source, f"{what} attribute") from None
    if attribute.kind == "nominal":
        allowed = {None, *attribute.values}
        for cell, line in zip(cells, lines, strict=True):
            if cell not in allowed:
                raise _misfit(attribute, cell, line, source, "is not a declared value of")
    column = nominal_column(attribute.name, cells)
    return _dates(column) if attribute.kind == "date" else column


def _misfit(
    attribute: Attribute, cell: str | None, line: int, source: str, what: str
) -> FileProblem:
    said, name = shorten(cell or "", 30), shorten(attribute.name)
    return FileProblem(f"{source}, line {line}: {said!r} {what} {name!r}")


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
