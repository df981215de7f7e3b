"""Workbooks of Excel and LibreOffice, through python-calamine: one sheet is the table."""

from __future__ import annotations

from pathlib import Path

from .cell_rows import Rows, read_rows
from .data_file import DataFile, ReadOptions
from .locked_door import parse


def read_spreadsheet(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the sheet that ``key`` names, or the first one that is not empty."""
    found = parse("workbook", path, source, key=options.key)
    rows = _without_margins(found["cells"])
    others = [repr(name) for name in found["sheets"] if name != found["sheet"]]
    chosen = f"read sheet {found['sheet']!r}; choose with --key: {', '.join(others)}"
    return read_rows(rows, source, options, [chosen] if others else [])


def _without_margins(cells: list[list[str]]) -> Rows:
    """Leave out rows and trailing columns that are empty."""
    width = max(j + 1 for row in cells for j, cell in enumerate(row) if cell)
    kept = [(row[:width], line) for line, row in enumerate(cells, 1) if any(row)]
    return Rows([row for row, _ in kept], [line for _, line in kept])
