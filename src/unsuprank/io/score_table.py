"""Score tables: one row per feature, best first; CSV, JSON or Parquet by ending."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..table import Table
from .data_file import FileProblem
from .write import atomic_path, atomic_write

Row = dict[str, Any]
#: Endings of files that scores are written to; without one they are CSV.
ENDINGS = ("", ".csv", ".tsv", ".txt", ".json", ".parquet", ".pq")


def column_summary(table: Table) -> dict[str, np.ndarray]:
    """Mean or mode, spread, share missing and share zero of every column.

    The spread of numbers is their standard deviation, that of a nominal column its Gini
    impurity. A column without a known value has none of them.
    """
    values = table.values
    m, n = values.shape
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    safe = np.maximum(count, 1)
    filled = np.where(known, values, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = filled.sum(axis=0) / safe
        deviation = np.where(known, values - mean, 0.0)
        spread = np.sqrt((deviation**2).sum(axis=0) / safe)
    mode = np.full(n, None, dtype=object)
    zero = ((values == 0) & known).sum(axis=0) / m
    for j in np.flatnonzero(table.n_values):
        categories = table.schema.categories[j]
        assert categories is not None
        counts = np.bincount(values[known[:, j], j].astype(int), minlength=len(categories))
        mode[j] = str(categories[counts.argmax()]) if count[j] else None
        spread[j] = 1.0 - ((counts / safe[j]) ** 2).sum()
        if int(j) not in table.schema.boolean:
            mean[j] = np.nan
            zero[j] = 0.0
    mean[count == 0] = spread[count == 0] = np.nan
    return {"mean": mean, "mode": mode, "spread": spread, "missing": 1 - count / m, "zero": zero}


def score_rows(table: Table, names: Sequence[str], scores: np.ndarray, order: np.ndarray):
    """Rows of the score table, best first."""
    summary = column_summary(table)
    rows = []
    for rank, j in enumerate(order.tolist(), 1):
        row: Row = {"feature": names[j], "rank": rank, "score": float(scores[j])}
        for key, values in summary.items():
            value = values[j]
            if isinstance(value, float):  # NumPy's float64 is one
                value = None if np.isnan(value) else float(value)
            row[key] = value
        rows.append(row)
    return rows


def write_rows(rows: Sequence[Row], path: str | Path) -> None:
    """Write rows as CSV, JSON or Parquet by the ending of `path`; ``-`` prints CSV."""
    if str(path) == "-":
        sys.stdout.write(_csv(rows, ","))
        return
    check_ending(path)
    ending = Path(path).suffix.lower()
    if ending == ".json":
        atomic_write(path, json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n")
    elif ending in (".parquet", ".pq"):
        _write_parquet(rows, path)
    else:
        atomic_write(path, _csv(rows, "\t" if ending == ".tsv" else ","))


def check_ending(path: str | Path) -> None:
    """Refuse a file name whose ending no table of scores has."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise FileProblem(f"{path}: scores are written as .csv, .tsv, .json or .parquet")


def _csv(rows: Sequence[Row], delimiter: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([["" if v is None else v for v in row.values()] for row in rows])
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
    except (KeyError, TypeError, ValueError) as error:
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
        return list(csv.DictReader(stream, delimiter="\t" if ending == ".tsv" else ","))
