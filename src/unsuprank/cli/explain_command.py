"""`unsuprank explain`: which columns set the clusters of a table apart."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .. import registry
from ..describe import ClusterContrast, ClusterExplanation, explain_clusters
from ..describe.explain import p_text
from ..io import DataFile, FileColumn, FileProblem
from . import console
from .files import check_out, check_report, load, save, write_page
from .options import Out, ReportPath, TableOptions, with_groups


@with_groups
def explain(
    context: typer.Context,
    options: TableOptions,
    top: Annotated[int, typer.Option(min=1, help="How many features of a cluster to show.")] = 5,
    out: Out = None,
    report: ReportPath = None,
) -> None:
    """Show which columns set clusters apart, which --label names: all of them, and each one."""
    check_out(out, options.file)
    check_report(report, options.file)
    data = load(options, context.obj.quiet)
    clusters, table = _clusters(data), data.table()
    found = explain_clusters(table, clusters.cells())
    save(found.rows(), out)
    if out != "-":
        _show(found, top)
    if report:  # the page of the ranking has a section on the clusters
        write_page(registry.make(registry.DEFAULT).fit(table), data, table, report, seed=0)


def _clusters(data: DataFile) -> FileColumn:
    if data.label is None:
        name = repr(data.likely_label() or "NAME")
        raise FileProblem(f"say which column holds the clusters, for instance --label {name}")
    return data.label


def _show(found: ClusterExplanation, top: int) -> None:
    first, last = [("feature", "left"), ("score, 95%", "right")], [("p", "right")]
    console.print_table(
        f"What sets all {len(found.per_cluster)} clusters apart ({found.overall.size:,} rows)",
        [*first, *last],
        _top_rows(found, found.overall, top, ()),
    )
    details = [("there it is", "left"), ("inside", "right"), ("outside", "right")]
    for contrast in found.per_cluster.values():
        console.print_table(
            f"What sets {contrast.cluster} apart ({contrast.size:,} rows)",
            [*first, *details, *last],
            _top_rows(found, contrast, top, ("direction", "inside", "outside")),
        )


def _top_rows(
    found: ClusterExplanation, contrast: ClusterContrast, top: int, details: tuple[str, ...]
) -> list[list[Any]]:
    """The best columns that are beyond chance, or a row that says that there is none."""
    rows = [row for row in found.rows_of(contrast)[:top] if row["beyond_chance"]]
    return [
        [
            row["feature"],
            f"{row['score']:.2f} ± {row['score'] - row['low']:.2f}",
            *[row[key] for key in details],
            p_text(row["adjusted_p_value"]),
        ]
        for row in rows
    ] or [["none is beyond chance", *[None] * (len(details) + 2)]]
