"""Workbooks of Excel and LibreOffice, through python-calamine: one sheet is the table."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from .budget import check_bytes, check_cells
from .cell_rows import Rows, read_rows
from .data_file import DataFile, FileProblem, ReadOptions, wrap_errors

_ROW = re.compile(rb"""<(?:\w+:)?(?:row|c)\b[^>]*?\br=["'][A-Z]*(\d+)["']""")
_COLUMN = re.compile(rb"""<(?:\w+:)?c\b[^>]*?\br=["']([A-Z]+)\d+["']""")


def read_spreadsheet(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the sheet that ``key`` names, or the first one that is not empty."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        raise FileProblem(
            f"{source} is a workbook; pip install 'unsuprank[io]' to read it, or save the sheet as "
            "CSV"
        ) from None
    with wrap_errors(f"{source} is not a readable workbook"):
        if zipfile.is_zipfile(path):
            _check_budget(path, source)
        workbook = CalamineWorkbook.from_filelike(BytesIO(path.read_bytes()))
        names = _wanted(workbook.sheet_names, source, options.key)
        sheets = {name: _texts(workbook.get_sheet_by_name(name).to_python()) for name in names}
    name = next((name for name, rows in sheets.items() if rows.cells), None)
    if name is None:
        raise FileProblem(f"{source} is empty")
    others = [repr(n) for n in workbook.sheet_names if n != name]
    notes = [f"read sheet {name!r}; choose with --key: {', '.join(others)}"] if others else []
    return read_rows(sheets[name], source, options, notes, commas=False)


def _check_budget(path: Path, source: str) -> None:
    """Refuse a workbook that unpacks into too much, or whose cells lie too far apart.

    The reader makes room for all cells between the first and the last of a sheet, and ends the
    process if there is no room.
    """
    with zipfile.ZipFile(path) as stored:
        check_bytes(sum(info.file_size for info in stored.infolist()), path, source)
        sheets = [name for name in stored.namelist() if name.startswith("xl/worksheets/")]
        check_cells([_extent(stored.read(name)) for name in sheets], path, source)


def _extent(sheet: bytes) -> tuple[int, int]:
    """Rows and columns up to the last cell of a sheet, as its text names them."""
    rows = [int(row) for row in _ROW.findall(sheet)]
    columns = [_column_number(letters) for letters in set(_COLUMN.findall(sheet))]
    return max(rows, default=0), max(columns, default=1)


def _column_number(letters: bytes) -> int:
    """Count A as 1, Z as 26 and AA as 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


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
