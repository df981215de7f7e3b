"""Score tables: one row per feature, best first; CSV, JSON or Parquet by ending."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .data_file import FileProblem
from .write import atomic_path, atomic_write

Row = dict[str, Any]
#: First characters of cells that spreadsheets take for formulas.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: Endings of files that scores are written to; without one they are CSV.
ENDINGS = ("", ".csv", ".tsv", ".txt", ".json", ".parquet", ".pq")


def write_rows(rows: Sequence[Row], path: str | Path, *, guard: bool = True) -> None:
    """Write rows as CSV, JSON or Parquet by the ending of `path`; ``-`` prints CSV.

    A spreadsheet runs cells that begin with ``=`` and the like. With `guard`, texts of CSV that do
    so get an apostrophe in front, which spreadsheets hide and :func:`read_scores` takes away.
    """
    if str(path) == "-":
        sys.stdout.write(_csv(rows, ",", guard))
        return
    check_ending(path)
    ending = Path(path).suffix.lower()
    if ending == ".json":
        atomic_write(path, json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n")
    elif ending in (".parquet", ".pq"):
        _write_parquet(rows, path)
    else:
        atomic_write(path, _csv(rows, "\t" if ending == ".tsv" else ",", guard))


def check_ending(path: str | Path) -> None:
    """Refuse a file name whose ending no table of scores has."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise FileProblem(f"{path}: scores are written as .csv, .tsv, .json or .parquet")


def _guarded(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _unguarded(name: str) -> str:
    return name[1:] if name[:1] == "'" and name[1:].startswith(FORMULA) else name


def _csv(rows: Sequence[Row], delimiter: str, guard: bool) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    cell = _guarded if guard else (lambda value: value)
    writer.writerows([["" if v is None else cell(v) for v in row.values()] for row in rows])
    return stream.getvalue()


def _write_parquet(rows: Sequence[Row], path: str | Path) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FileProblem("Parquet needs pyarrow: pip install 'unsuprank[io]'") from None
    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_pylist(list(rows)), temporary)


def read_scores(path: str | Path) -> list[str]:
    """Read the names of the features in a score table, best first."""
    path = Path(path)
    if not path.is_file():
        raise FileProblem(
            f"{path} does not exist; write it with `unsuprank rank FILE --out {path}`"
        )
    try:
        rows = _read_rows(path)
        ranked = sorted(rows, key=lambda row: int(row["rank"]))
        return [str(row["feature"]) for row in ranked]
    except Exception as error:  # whatever a damaged file leads to
        raise FileProblem(
            f"{path} is not a table of scores ({error}); it needs the columns feature and rank"
        ) from None


def _read_rows(path: Path) -> list[Row]:
    ending = path.suffix.lower()
    if ending == ".json":
        return json.loads(path.read_text("utf-8"))
    if ending in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pylist()
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t" if ending == ".tsv" else ","))
    return [{**row, "feature": _unguarded(row["feature"])} for row in rows]
