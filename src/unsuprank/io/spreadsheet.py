"""Workbooks of Excel and LibreOffice, through python-calamine: one sheet is the table."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from .cell_rows import Rows, read_rows
from .data_file import DataFile, FileProblem, ReadOptions


def read_spreadsheet(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the sheet that ``key`` names, or the first one that is not empty."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise FileProblem(
            f"{source} is a workbook; pip install 'unsuprank[io]' to read it, or save the sheet as "
            "CSV"
        ) from None
    try:
        workbook = CalamineWorkbook.from_filelike(BytesIO(path.read_bytes()))
        names = _wanted(workbook.sheet_names, source, options.key)
        sheets = {name: _texts(workbook.get_sheet_by_name(name).to_python()) for name in names}
    except FileProblem:
        raise
    except Exception as error:  # it raises several kinds, and whatever a damaged file leads to
        raise FileProblem(f"{source} is not a readable workbook: {error}") from None
    name = next((name for name, rows in sheets.items() if rows.cells), None)
    if name is None:
        raise FileProblem(f"{source} is empty")
    others = [repr(n) for n in workbook.sheet_names if n != name]
    notes = [f"read sheet {name!r}; choose with --key: {', '.join(others)}"] if others else []
    return read_rows(sheets[name], source, options, notes, commas=False)


def _wanted(names: list[str], source: str, key: str | None) -> list[str]:
    if key is None:
        return names
    if key not in names:
        raise FileProblem(f"{source} has no sheet {key!r}; it has {', '.join(names)}")
    return [key]


def _texts(rows: list[list[Any]]) -> Rows:
    """Write the cells as texts, without rows and trailing columns that are empty."""
    cells = [[_text(cell) for cell in row] for row in rows]
    width = max((j + 1 for row in cells for j, cell in enumerate(row) if cell), default=0)
    kept = [(row[:width], line) for line, row in enumerate(cells, 1) if any(row)]
    return Rows([row for row, _ in kept], [line for _, line in kept])


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, (date, datetime, time)):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds())
    return str(cell)
