"""`unsuprank compare`: the rankings of several methods side by side."""

from __future__ import annotations

from collections.abc import Mapping

from .. import registry
from ..describe import agreement_rows, rank_rows
from ..io import FileProblem
from ..ranker import Ranker
from ..table import Table
from . import console
from .files import check_outputs, load, save
from .options import FitOptions, MethodNames, Out, TableOptions, Top, with_groups
from .rank_command import say_how_stable


@with_groups
def compare(
    options: TableOptions,
    fitting: FitOptions,
    methods: MethodNames = f"{registry.DEFAULT},variance,random",
    top: Top = 16,
    out: Out = None,
) -> None:
    """Compare the rankings of several methods: agreement and shared top features."""
    rankers = {name: fitting.make(name, n_top=top) for name in methods}
    check_outputs(options.file, out)
    sparse = all(ranker.takes_sparse for ranker in rankers.values())
    table = load(options).table(sparse=sparse)
    fitted = _fit_those_that_can(rankers, table)
    rows = rank_rows(table.names, fitted)
    save(rows, out)
    if out == "-":
        return
    best = rows[:top]
    console.print_table(
        f"Spearman correlation of the ranks, and how many of the top {len(best)} two methods share",
        [dict(zip(("method", *fitted), row, strict=True)) for row in agreement_rows(fitted, top)],
    )
    console.print_table(
        f"Ranks of the {len(best)} features that are best on average",
        [{"feature": r["feature"]} | {name: r[f"{name}_rank"] for name in fitted} for r in best],
    )


def _fit_those_that_can(rankers: Mapping[str, Ranker], table: Table) -> dict[str, Ranker]:
    """Fit the rankers, and leave out with a note those that cannot take the table."""
    fitted = {}
    for name, ranker in rankers.items():
        reason = registry.find(name).cannot_take(table)
        if not reason:
            fitted[name] = ranker.fit(table)
            say_how_stable(ranker, name)
        else:
            console.note(f"{name} is left out: {reason}")
    if not fitted:
        raise FileProblem("none of these methods can take the table; see `unsuprank methods`")
    return fitted
