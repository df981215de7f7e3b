"""A tree in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...table import Table
from .trees import Trees


@dataclass(frozen=True)
class NodeText:
    """What can be said of a node."""

    test: str | None
    rows: int
    gain: float


def describe_node(trees: Trees, table: Table, node: int) -> NodeText:
    """The test of a node, put such that "yes" leads to its left child."""
    feature = int(trees.feature[node])
    rows = round(float(trees.weight[node]))
    if feature < 0:
        return NodeText(None, rows, 0.0)
    name = table.schema.label(feature).removeprefix("column ").strip("'\"")
    name = name if table.schema.names else f"column {name}"
    if trees.subset[node] < 0:
        test = f"{name} <= {trees.threshold[node]:.6g}"
    else:
        categories = table.schema.categories[feature]
        assert categories is not None
        inside = trees.subset_values(node, len(categories))
        outside = np.setdiff1d(np.arange(len(categories)), inside)
        test = f"{name} in {{{', '.join(str(categories[c]) for c in outside)}}}"
    return NodeText(test, rows, float(trees.gain[node]))


def export_text(trees: Trees, table: Table, max_depth: int) -> str:
    """The first tree of `trees`, one line per node."""
    lines: list[str] = []
    pending = [(0, 0, "")]
    while pending:
        node, depth, lead = pending.pop()
        text = describe_node(trees, table, node)
        indent = "  " * depth + lead
        if text.test is None:
            lines.append(f"{indent}cluster of {text.rows} rows")
        elif depth >= max_depth:
            lines.append(f"{indent}{text.rows} rows, divided further")
        else:
            lines.append(f"{indent}{text.test}  [{text.rows} rows, gain {text.gain:.3g}]")
            left = int(trees.left[node])
            pending.append((left + 1, depth + 1, "no:  "))
            pending.append((left, depth + 1, "yes: "))
    return "\n".join(lines)
