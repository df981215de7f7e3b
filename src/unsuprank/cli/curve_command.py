"""`unsuprank curve`: how many of the top features are enough."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import registry
from ..evaluation.prediction_curve import no_curve_because, prediction_curve
from ..io import FileProblem
from . import console
from .files import check_outputs, load, save
from .options import FitOptions, MethodName, Out, TableOptions, with_groups


@with_groups
def curve(
    options: TableOptions,
    fitting: FitOptions,
    method: MethodName = registry.DEFAULT,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    out: Out = None,
) -> None:
    """Show how well the top 1, 2, 4, ... features predict all others, against random order.

    Numbers are in units of their standard deviations.
    """
    ranker = fitting.make(method)
    check_outputs(options.file, out)
    data = load(options)
    table = data.table(sparse=ranker.takes_sparse)
    reason = no_curve_because(table)
    if reason is not None:
        raise FileProblem(reason)
    folds = min(folds, table.n_rows)
    rows = prediction_curve(table, ranker, cv=folds, seed=fitting.seed, n_jobs=fitting.jobs).rows()
    save(rows, out)
    if out != "-":
        title = f"Error of predicting all columns from the top ones, {method} on {data.source}"
        console.print_table(title, rows)
