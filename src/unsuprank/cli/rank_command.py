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
        _show(ranker, rows[:top], f"of {len(rows)} columns of {data.source}, by {method}")
        _say_how_stable(ranker, context.obj.quiet)
    if report:
        _write_report(ranker, data, table, report, fitting.seed)
    if write:
        add_scores(Path(options.file), table.names, ranker, options)
        say_written(f"scores in var of {options.file}")


def _check_report(report: Path | None, source: str) -> None:
    check_target(report, source)
    if report and report.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(f"{report}: the report is a web page; name it .html, and print it to PDF")


def _show(ranker: Ranker, rows: list[dict[str, Any]], of_what: str) -> None:
    columns = {"rank": "rank", "feature": "feature", "score": "score"}
    shown = [{**r, "typical": r["mean"] if r["mode"] is None else r["mode"]} for r in rows]
    for title, cells in _certainty(ranker).items():
        columns[title] = title
        for row, j in zip(shown, ranker.order_.tolist(), strict=False):
            row[title] = cells[j]
    columns |= {"mean/mode": "typical", "spread": "spread"}
    console.print_table(
        f"The top {len(rows)} {of_what}",
        [(title, "left" if title == "feature" else "right") for title in columns],
        [[row[key] for key in columns.values()] for row in shown],
    )


def _certainty(ranker: Ranker) -> dict[str, list[str]]:
    """What a ranker knows of its own certainty, a cell per column."""
    intervals, tails = (getattr(ranker, name, None) for name in ("rank_interval_", "p_values_"))
    cells = {}
    if intervals is not None:
        cells["rank interval"] = [f"{low}-{high}" for low, high in intervals.tolist()]
    if tails is not None:
        cells["p"] = ["< 1e-16" if p < 1e-16 else f"{p:.2g}" for p in tails.tolist()]
    return cells


def _say_how_stable(ranker: Ranker, quiet: bool) -> None:
    """Say whether another seed would give the ranking of a forest again."""
    if quiet or not hasattr(ranker, "n_estimators_"):
        return
    stability = getattr(ranker, "stability_", None)
    if stability is not None:
        console.note(
            f"two forests like this would share about {stability:.0%} of their top columns"
        )
    else:
        console.note(
            f"another seed of {ranker.n_estimators_} trees gives another order; --trees auto goes "
            "on until the top columns hold still"
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
