"""A tree in words."""

from __future__ import annotations

import numpy as np

from ...table import Table
from .trees import Trees


def describe_test(trees: Trees, table: Table, node: int) -> str:
    """The test of an inner node, put such that "yes" leads to its left child."""
    feature = int(trees.feature[node])
    name = table.schema.label(feature).removeprefix("column ").strip("'\"")
    name = name if table.schema.names else f"column {name}"
    if trees.subset[node] < 0:
        return f"{name} <= {trees.threshold[node]:.6g}"
    categories = table.schema.categories[feature]
    assert categories is not None
    inside = trees.subset_values(node, len(categories))
    outside = np.setdiff1d(np.arange(len(categories)), inside)
    return f"{name} in {{{', '.join(str(categories[c]) for c in outside)}}}"


def export_text(trees: Trees, table: Table, max_depth: int) -> str:
    """The first tree of `trees`, one line per node."""
    lines: list[str] = []
    pending = [(0, 0, "")]
    while pending:
        node, depth, lead = pending.pop()
        indent, rows = "  " * depth + lead, f"{trees.weight[node]:.0f} rows"
        if trees.feature[node] < 0:
            lines.append(f"{indent}cluster of {rows}")
        elif depth >= max_depth:
            lines.append(f"{indent}{rows}, divided further")
        else:
            test = describe_test(trees, table, node)
            lines.append(f"{indent}{test}  [{rows}, gain {trees.gain[node]:.3g}]")
            left = int(trees.left[node])
            pending.append((left + 1, depth + 1, "no:  "))
            pending.append((left, depth + 1, "yes: "))
    return "\n".join(lines)
