"""`unsuprank rank`: from a file to a ranking, on the screen, in files and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import registry
from ..describe import score_rows
from ..describe.explain import p_text
from ..io import FileProblem, LargeFile, add_scores, open_large
from ..ranker import Ranker
from . import console
from .files import check_out, check_report, load, load_rows, save_scores, say_written, write_page
from .forest_words import fit, say_how_stable
from .options import (
    FitOptions,
    Memory,
    MethodName,
    Out,
    ReportPath,
    Scheduler,
    TableOptions,
    Top,
    Trees,
    check_scheduler,
    check_trees,
    split_names,
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
    memory: Memory = "2GB",
    scheduler: Scheduler = None,
    out: Out = None,
    report: ReportPath = None,
    write: Annotated[bool, typer.Option("--write", help="Put scores into the .h5ad.")] = False,
) -> None:
    """Rank the columns of a table, the most telling first."""
    check_trees(method, trees)
    check_scheduler(method, scheduler)
    ranker = fitting.make(method, n_estimators=trees, n_top=top)
    check_out(out, options.file)
    check_report(report, options.file)
    if write and not options.file.endswith(".h5ad"):
        raise FileProblem("--write puts scores back into an .h5ad file; use --out for others")
    quiet = context.obj.quiet
    large = open_large(options.file, options, memory, split_names(options.nominal))
    if large is None:
        data = load(options, quiet)
        # A page looks at all values.
        table = data.table(sparse=ranker.takes_sparse and report is None)
        if scheduler is not None:
            console.note("the table fits into --memory, and is ranked here")
        fit(ranker, table)
    else:
        _check_large(ranker, method, large, write)
        data, source = load_rows(large, options, quiet)
        table = data.table()
        fit(_for_rows(ranker, scheduler), source)
    rows = score_rows(ranker, table)
    save_scores(rows, out)
    if out != "-":
        _show(ranker, rows[:top], f"of {len(rows)} columns of {data.source}, by {method}")
        if not quiet:
            _say_what_was_looked_at(ranker)
            _say_how_many(ranker)
            say_how_stable(ranker)
    if report:
        write_page(ranker, data, table, report, fitting.seed)
    if write:
        add_scores(Path(options.file), table.names, ranker, options)
        say_written(f"scores in var of {options.file}")


def _check_large(ranker: Ranker, method: str, large: LargeFile, write: bool) -> None:
    """Refuse what cannot be done with a file that is read in parts."""
    takes = f"{large.source} takes about {large.n_bytes / 2**30:.1f} GB when it is read whole"
    if not (ranker.samples_rows or ranker.streams_rows):
        able = [m.name for m in registry.available() if m.beyond_memory]
        raise FileProblem(
            f"{takes}, and {method} needs all rows; raise --memory, or use {', '.join(able)}"
        )
    if write:
        raise FileProblem(f"{takes}, as --write has to; raise --memory, or use --out")


def _for_rows(ranker: Ranker, scheduler: str | None) -> Ranker:
    """The ranker, told to look at samples of rows unless it reads all of them in turn."""
    told: dict[str, Any] = {} if scheduler is None else {"scheduler": scheduler}
    if not ranker.streams_rows:
        told["max_samples"] = ranker.samples_rows
    return ranker.set_params(**told)


def _say_what_was_looked_at(ranker: Ranker) -> None:
    """Say which rows the ranking is that of, if not all of them."""
    used = getattr(ranker, "rows_used_", "all rows")
    if getattr(ranker, "n_blocks_", None):
        used = f"{ranker.n_blocks_} samples of {ranker.get_params()['max_samples']:,} rows each"
    if used != "all rows":
        console.note(f"the ranking is that of {used}")


def _say_how_many(ranker: Ranker) -> None:
    """Say after how many picks chance would do as well, if the method tells."""
    params = ranker.get_params()
    if not ranker.supports_auto_k or params["polish"] is not None:
        return
    n, included = ranker.n_features_, int((ranker.forced_[ranker.picks_] < 0).sum())
    given = " besides those included" if included else ""
    if n == 0:
        console.note(f"no column{given} explains more of the others than chance would")
        return
    number = f"at least {n}" if n >= params["n_picks"] else str(n)
    share = f"{ranker.explained_[included + n - 1]:.0%} of all variation is then explained"
    what = f"columns that explain more than chance would, picked in turn{given}"
    console.note(f"{what}: {number}; {share}")


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
        cells["p"] = [p_text(p) for p in tails.tolist()]
    return cells
