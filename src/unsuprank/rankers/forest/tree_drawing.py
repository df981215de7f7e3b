"""A picture of a tree."""

from __future__ import annotations

from typing import Any

from ...table import Table
from .tree_text import describe_test
from .trees import Trees

INNER, LEAF, EDGE = "#dbe9f6", "#fde9cf", "#7a7a7a"


def draw_tree(trees: Trees, table: Table, max_depth: int, ax: Any = None) -> Any:
    """Draw the first tree of `trees` down to `max_depth`; returns the axes."""
    from matplotlib import pyplot as plt

    places = _layout(trees, max_depth)
    if ax is None:
        width = 2.4 * sum(end for _, _, end in places.values())
        _, ax = plt.subplots(figsize=(width, 1.5 * (max_depth + 1)))
    for node, (x, y, end) in places.items():
        if not end:
            _draw_edges(ax, places, node, int(trees.left[node]))
        _draw_box(ax, trees, table, node, x, y, end)
    ax.set_axis_off()
    ax.margins(0.12)
    return ax


def _layout(trees: Trees, max_depth: int) -> dict[int, tuple[float, float, bool]]:
    """Place of each node: the ends side by side, every parent above the middle of its children."""
    places: dict[int, tuple[float, float, bool]] = {}
    next_x = 0.0

    def place(node: int, depth: int) -> float:
        nonlocal next_x
        end = trees.feature[node] < 0 or depth >= max_depth
        if end:
            x, next_x = next_x, next_x + 1.0
        else:
            left = int(trees.left[node])
            x = (place(left, depth + 1) + place(left + 1, depth + 1)) / 2
        places[node] = (x, -float(depth), bool(end))
        return x

    place(0, 0)
    return places


def _draw_edges(ax: Any, places: dict, node: int, left: int) -> None:
    x, y, _ = places[node]
    look = {"ha": "center", "va": "center", "color": EDGE, "backgroundcolor": "white"}
    for child, answer in ((left, "yes"), (left + 1, "no")):
        cx, cy, _ = places[child]
        ax.plot([x, cx], [y, cy], color=EDGE, lw=1, zorder=1)
        ax.text(x + 0.45 * (cx - x), y + 0.45 * (cy - y), answer, fontsize=8, **look)


def _draw_box(ax: Any, trees: Trees, table: Table, node: int, x: float, y: float, end: bool):
    label = f"{trees.weight[node]:.0f} rows"
    if not end:
        label = f"{describe_test(trees, table, node)}\n{label}, gain {trees.gain[node]:.3g}"
    elif trees.feature[node] >= 0:
        label += "\n(divided further)"
    box = {"boxstyle": "round,pad=0.4", "fc": LEAF if end else INNER, "ec": EDGE, "lw": 0.8}
    ax.text(x, y, label, ha="center", va="center", fontsize=9, bbox=box, zorder=2)
