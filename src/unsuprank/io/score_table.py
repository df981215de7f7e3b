"""Score tables: one row per feature, best first; CSV, JSON or Parquet by ending.

A saved ranking is read by all later versions. JSON and Parquet say by which schema they are
written. CSV does not, so that spreadsheets open it as it is: its header does, and a column will
get another name before it gets another meaning.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from .arrow_columns import coded
from .data_file import MAX_COLUMNS, FileProblem
from .locked_door import parse
from .write import atomic_path, atomic_write

Row = dict[str, Any]
#: The version of saved rankings: rows with at least ``feature``, ``rank`` (1 is best), ``score``.
SCHEMA = 1
_SCHEMA_KEY = b"unsuprank_schema"
#: First characters of cells that spreadsheets take for formulas.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: Endings of files that scores are written to; without one they are CSV.
ENDINGS = ("", ".csv", ".tsv", ".txt", ".json", ".parquet", ".pq")


def write_scores(rows: Sequence[Row], path: str | Path) -> None:
    """Write a ranking for :func:`read_scores` of this and all later versions."""
    write_rows(rows, path, schema=SCHEMA)


def write_rows(
    rows: Sequence[Row], path: str | Path, *, guard: bool = True, schema: int | None = None
) -> None:
    """Write rows as CSV, JSON or Parquet by the ending of `path`; ``-`` prints CSV.

    A spreadsheet runs cells that begin with ``=`` and the like. With `guard`, texts of CSV that do
    so get an apostrophe in front, which spreadsheets hide and :func:`read_scores` takes away.
    `schema` is written where there is a place for it.
    """
    if str(path) == "-":
        sys.stdout.write(_csv(rows, ",", guard))
        return
    check_ending(path)
    ending = Path(path).suffix.lower()
    if ending == ".json":
        content = list(rows) if schema is None else {"schema": schema, "rows": list(rows)}
        atomic_write(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    elif ending in (".parquet", ".pq"):
        _write_parquet(rows, path, schema)
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


def _write_parquet(rows: Sequence[Row], path: str | Path, schema: int | None) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FileProblem("Parquet needs pyarrow: pip install 'unsuprank[io]'") from None
    table = pa.Table.from_pylist(list(rows))
    if schema is not None:
        table = table.replace_schema_metadata({_SCHEMA_KEY: str(schema)})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def read_scores(path: str | Path) -> list[str]:
    """Read the names of the features in a score table, best first."""
    path = Path(path)
    if not path.is_file():
        raise FileProblem(
            f"{path} does not exist; write it with `unsuprank rank FILE --out {path}`"
        )
    try:
        schema, features, ranks = _read_ranking(path)
        if schema > SCHEMA:
            raise FileProblem(f"{path} was written by a later version of unsuprank; update it")
        ranked = sorted(zip(map(int, ranks), features, strict=True), key=itemgetter(0))
        return [str(feature) for _, feature in ranked]
    except FileProblem:
        raise
    except Exception as error:  # whatever a damaged file leads to
        raise FileProblem(
            f"{path} is not a table of scores ({error}); it needs the columns feature and rank"
        ) from None


def _read_ranking(path: Path) -> tuple[int, Sequence[Any], Sequence[Any]]:
    """Read the schema, 0 where a file tells none, and the features with their ranks.

    Nothing else is read: what it may turn into is not known.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        return _ranking_of_json(path)
    if ending in (".parquet", ".pq"):
        return _ranking_of_parquet(path)
    with path.open(newline="", encoding="utf-8") as stream:
        cells = csv.reader(stream, delimiter="\t" if ending == ".tsv" else ",")
        header = next(cells, [])
        feature, rank = header.index("feature"), header.index("rank")
        rows = [(_unguarded(row[feature]), row[rank]) for row in cells if row]
    return 0, [row[0] for row in rows], [row[1] for row in rows]


def _ranking_of_json(path: Path) -> tuple[int, Sequence[Any], Sequence[Any]]:
    content = json.loads(path.read_text("utf-8"))
    schema, rows = (
        (0, content) if isinstance(content, list) else (content["schema"], content["rows"])
    )
    return schema, [row["feature"] for row in rows], [row["rank"] for row in rows]


def _ranking_of_parquet(path: Path) -> tuple[int, Sequence[Any], Sequence[Any]]:
    table = parse("arrow", path, str(path), kind="Parquet", columns=("feature", "rank"))
    if table.num_rows > MAX_COLUMNS:
        raise FileProblem(f"{path} has {table.num_rows:,} rows, which are scores of no table")
    words, codes = coded(table.column("feature"))
    names = words.to_pylist()
    features = [names[code] for code in codes.tolist()]
    schema = int((table.schema.metadata or {}).get(_SCHEMA_KEY, 0))
    return schema, features, table.column("rank").to_pylist()
