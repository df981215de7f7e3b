"""`unsuprank rank`: from a file to a ranking, on the screen, in files and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import registry
from ..describe import score_rows
from ..describe.explain import p_text
from ..describe.fitted import forest_in, how_stable
from ..io import FileProblem, LargeFile, add_scores, open_large, write_scores
from ..ranker import Ranker
from . import console
from .files import check_outputs, load, load_rows, save, say_written, write_page
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
    check_takes,
    with_groups,
)


@with_groups
def rank(
    options: TableOptions,
    fitting: FitOptions,
    method: MethodName = registry.DEFAULT,
    trees: Trees = None,
    top: Top = 16,
    memory: Memory = "2GB",
    scheduler: Scheduler = None,
    out: Out = None,
    report: ReportPath = None,
    write: Annotated[bool, typer.Option("--write", help="Write scores to the .h5ad.")] = False,
) -> None:
    """Rank the columns of a table, the most informative first."""
    check_takes(method, "n_estimators", trees)
    check_takes(method, "scheduler", scheduler)
    ranker = fitting.make(method, n_estimators=trees, n_top=top)
    check_outputs(options.file, out, report)
    if write and not options.file.endswith(".h5ad"):
        raise FileProblem("--write puts scores back into an .h5ad file; use --out for others")
    large = open_large(options.file, options, memory, options.nominal)
    if large is None:
        data = load(options)
        # A page looks at all values.
        table = data.table(sparse=ranker.takes_sparse and report is None)
        if scheduler is not None:
            console.note("the table fits into --memory, and is ranked here")
        ranker.fit(table)
    else:
        _check_large(ranker, method, large, write)
        data, source = load_rows(large, options)
        table = data.table()
        _for_rows(ranker, scheduler).fit(source)
    rows = score_rows(ranker, table)
    save(rows, out, write_scores)
    if out != "-":
        shown = [_cells(row) for row in rows[:top]]
        title = f"The top {len(shown)} of {len(rows)} columns of {data.source}, by {method}"
        console.print_table(title, shown)
        _say_what_it_means(ranker)
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


def _say_what_it_means(ranker: Ranker) -> None:
    """Say which rows the ranking is that of, if not all, how many columns do, and how stable."""
    used = getattr(ranker, "rows_used_", "all rows")
    if getattr(ranker, "n_blocks_", None):
        used = f"{ranker.n_blocks_} samples of {ranker.get_params()['max_samples']:,} rows each"
    if used != "all rows":
        console.note(f"the ranking is that of {used}")
    _say_how_many(ranker)
    say_how_stable(ranker)


def say_how_stable(ranker: Ranker, name: str = "") -> None:
    """Say whether another seed would give the ranking of a forest again, if it is one."""
    forest = forest_in(ranker)
    if forest is None:
        return
    trees = f"{forest.n_estimators_:,} trees"
    if forest.stability_ is None:
        said = f"another seed of {trees} may give another order; without --trees, a forest grows "
        said += "until its top columns are stable"
    else:
        said = how_stable(forest) or trees
        said += "; the rank intervals say which places another seed may change"
    console.note((f"{name}: " if name else "") + said)


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


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """What the screen shows of a column, by the title."""
    cells = {title: row[title] for title in ("rank", "feature", "score")}
    if "rank_low" in row:
        cells["rank interval"] = f"{row['rank_low']}-{row['rank_high']}"
    if "p_value" in row:
        cells["p"] = p_text(row["p_value"])
    cells["mean/mode"] = row["mean"] if row["mode"] is None else row["mode"]
    return cells | {"spread": row["spread"]}
