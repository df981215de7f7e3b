"""`unsuprank explain`: which columns set the clusters of a table apart."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .. import registry
from ..describe import ClusterContrast, ClusterExplanation, explain_clusters
from ..describe.explain import p_text
from ..io import DataFile, FileColumn, FileProblem
from . import console
from .files import check_outputs, load, save, write_page
from .options import Out, ReportPath, TableOptions, with_groups


@with_groups
def explain(
    options: TableOptions,
    top: Annotated[int, typer.Option(min=1, help="How many features of a cluster to show.")] = 5,
    out: Out = None,
    report: ReportPath = None,
) -> None:
    """Show which columns set clusters apart, which --label names: all of them, and each one."""
    check_outputs(options.file, out, report)
    data = load(options)
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
    console.print_table(
        f"What sets all {len(found.per_cluster)} clusters apart ({found.overall.size:,} rows)",
        _top_rows(found, found.overall, top, ()),
    )
    for contrast in found.per_cluster.values():
        console.print_table(
            f"What sets {contrast.cluster} apart ({contrast.size:,} rows)",
            _top_rows(found, contrast, top, ("direction", "inside", "outside")),
        )


def _top_rows(
    found: ClusterExplanation, contrast: ClusterContrast, top: int, details: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The best columns that are beyond chance, or a row that says that there is none."""
    shown = [
        {
            "feature": row["feature"],
            "score, 95%": f"{row['score']:.2f} ± {row['score'] - row['low']:.2f}",
            **{key: row[key] for key in details},
            "p": p_text(row["adjusted_p_value"]),
        }
        for row in found.rows_of(contrast)[:top]
        if row["beyond_chance"]
    ]
    none = dict.fromkeys(("score, 95%", *details, "p"))
    return shown or [{"feature": "none is beyond chance", **none}]
