"""`unsuprank compare`: the rankings of several methods side by side."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from .. import registry
from ..describe import agreement_rows, rank_rows
from ..io import FileProblem
from ..ranker import Ranker
from ..table import Table
from . import console
from .files import check_out, load, save
from .forest_words import fit, say_how_stable
from .options import FitOptions, MethodNames, Out, TableOptions, Top, with_groups


@with_groups
def compare(
    context: typer.Context,
    options: TableOptions,
    fitting: FitOptions,
    methods: MethodNames = f"{registry.DEFAULT},variance,random",
    top: Top = 16,
    out: Out = None,
) -> None:
    """Compare the rankings of several methods: agreement and shared top features."""
    rankers = {name: fitting.make(name, n_top=top) for name in methods}
    check_out(out, options.file)
    sparse = all(ranker.takes_sparse for ranker in rankers.values())
    table = load(options, context.obj.quiet).table(sparse=sparse)
    fitted = _fit_those_that_can(rankers, table, context.obj.quiet)
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


def _fit_those_that_can(
    rankers: Mapping[str, Ranker], table: Table, quiet: bool
) -> dict[str, Ranker]:
    """Fit the rankers, and leave out with a note those that cannot take the table."""
    fitted = {}
    for name, ranker in rankers.items():
        reason = registry.find(name).cannot_take(table)
        if not reason:
            fitted[name] = fit(ranker, table)
            if not quiet:
                say_how_stable(ranker, name)
        elif not quiet:
            console.note(f"{name} is left out: {reason}")
    if not fitted:
        raise FileProblem("none of these methods can take the table; see `unsuprank methods`")
    return fitted
