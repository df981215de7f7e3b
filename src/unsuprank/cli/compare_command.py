"""`unsuprank compare`: the rankings of several methods side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import registry
from ..describe import agreement_rows, rank_rows
from . import console
from .files import check_out, load, save
from .options import FitOptions, Out, TableOptions, Top, split_names, with_groups


@with_groups
def compare(
    context: typer.Context,
    options: TableOptions,
    fitting: FitOptions,
    methods: Annotated[
        str, typer.Option(help="Methods to compare: a,b,c.", metavar="A,B")
    ] = f"{registry.DEFAULT},variance,random",
    top: Top = 16,
    out: Out = None,
) -> None:
    """Compare the rankings of several methods: agreement and shared top features."""
    rankers = {name: fitting.make(name) for name in split_names(methods)}
    check_out(out)
    table = load(options, context.obj.quiet).table()
    fitted = {name: ranker.fit(table) for name, ranker in rankers.items()}
    rows = rank_rows(table.names, fitted)
    save(rows, out)
    if out == "-":
        return
    best = rows[:top]
    columns = [(name, "right") for name in fitted]
    console.print_table(
        f"Spearman correlation of the ranks, and how many of the top {len(best)} two methods share",
        [("method", "left"), *columns],
        agreement_rows(fitted, top),
    )
    console.print_table(
        f"Ranks of the {len(best)} features that are best on average",
        [("feature", "left"), *columns],
        [[row["feature"], *[row[f"{name}_rank"] for name in fitted]] for row in best],
    )
