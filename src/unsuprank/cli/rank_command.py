"""`unsuprank rank`: from a file to a ranking, on the screen, in files and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import registry
from ..describe import score_rows
from ..io import DataFile, FileProblem, add_scores
from ..ranker import Ranker
from ..table import Table
from . import console
from .files import check_out, check_target, load, save, say_written
from .options import (
    FitOptions,
    MethodName,
    Out,
    TableOptions,
    Top,
    Trees,
    check_trees,
    with_groups,
)


@with_groups
def rank(
    context: typer.Context,
    options: TableOptions,
    fitting: FitOptions,
    method: MethodName = registry.DEFAULT,
    trees: Trees = None,
    top: Top = 16,
    out: Out = None,
    report: Annotated[Path | None, typer.Option(help="Write a page to look at (.html).")] = None,
    write: Annotated[bool, typer.Option("--write", help="Put scores into the .h5ad.")] = False,
) -> None:
    """Rank the columns of a table, the most telling first."""
    check_trees(method, trees)
    ranker = fitting.make(method, n_estimators=trees)
    check_out(out, options.file)
    _check_report(report, options.file)
    if write and not options.file.endswith(".h5ad"):
        raise FileProblem("--write puts scores back into an .h5ad file; use --out for others")
    data = load(options, context.obj.quiet)
    table = data.table()
    ranker.fit(table)
    rows = score_rows(ranker, table)
    save(rows, out)
    if out != "-":
        _show(rows[:top], f"of {len(rows)} columns of {data.source}, by {method}")
    if report:
        _write_report(ranker, data, table, report, fitting.seed)
    if write:
        add_scores(Path(options.file), table.names, ranker, options)
        say_written(f"scores in var of {options.file}")


def _check_report(report: Path | None, source: str) -> None:
    check_target(report, source)
    if report and report.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(f"{report}: the report is a web page; name it .html, and print it to PDF")


def _show(rows: list[dict[str, Any]], of_what: str) -> None:
    columns = {"rank": "rank", "feature": "feature", "score": "score"}
    columns |= {"mean/mode": "typical", "spread": "spread"}
    shown = [{**r, "typical": r["mean"] if r["mode"] is None else r["mode"]} for r in rows]
    console.print_table(
        f"The top {len(rows)} {of_what}",
        [(title, "left" if title == "feature" else "right") for title in columns],
        [[row[key] for key in columns.values()] for row in shown],
    )


def _write_report(ranker: Ranker, data: DataFile, table: Table, path: Path, seed: int) -> None:
    ranker.report(
        table,
        path,
        title=data.source,
        labels=data.label.texts() if data.label else None,
        label_name=data.label.name if data.label else None,
        notes=[
            *data.notes,
            *data.column_notes(),
            *(f"column {n!r} {why}" for n, why in data.suspects()),
        ],
        seed=seed,
    )
    say_written(path)
