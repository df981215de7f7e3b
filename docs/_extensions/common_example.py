"""One small table on which all methods are drawn, so that they can be compared at a glance.

Numbers without gaps, so that every method can take it: columns that differ between three groups of
rows, columns that follow one smooth factor (two of them near-copies), a column and its square, and
noise of several kinds, one of it on a large scale.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from house_look import LOOK

from unsuprank import registry
from unsuprank.ranker import Ranker

#: What columns are, and the colour of each.
KINDS = {
    "groups": "#0072b2",
    "factor": "#009e73",
    "near-copies": "#56b4e9",
    "square": "#d55e00",
    "noise": "#bbbbbb",
    "large noise": "#777777",
}
ROWS = 150
#: Trees of a forest; enough for a table this narrow.
TREES = 500


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    """The values, and the kind of each column."""
    rng = np.random.default_rng(7)
    group, factor, x = rng.integers(3, size=ROWS), rng.normal(size=ROWS), rng.normal(size=ROWS)
    noise = rng.normal(size=(ROWS, 24))
    parts = {
        "groups": 3.0 * np.eye(3)[group][:, [0, 1, 2, 0]],
        "factor": np.outer(factor, np.full(4, 1.5)),
        "near-copies": np.outer(factor, np.full(2, 6.0)),
        "square": np.column_stack([6 * x, 6 * x**2]),
        "noise": np.zeros((ROWS, 10)),
        "large noise": np.zeros((ROWS, 2)),
    }
    kinds = np.repeat(list(parts), [part.shape[1] for part in parts.values()])
    values = np.hstack(list(parts.values())) + noise
    values[:, kinds == "large noise"] *= 10
    return values, kinds


@cache
def fitted(name: str) -> Ranker:
    """A method, fitted to the table."""
    ranker = registry.make(name, seed=0, n_estimators=TREES)
    return ranker.fit(table()[0])


def draw_scores(name: str, path: Any) -> None:
    """Bars of the scores, best first, in the colours of the kinds."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(LOOK)
    ranker, kinds = fitted(name), table()[1]
    fig, ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
    colours = [KINDS[kinds[j]] for j in ranker.order_]
    ax.bar(range(1, len(kinds) + 1), ranker.scores_[ranker.order_], color=colours)
    ax.set(
        xlabel="rank",
        ylabel="score",
        title=f"{name} on the common example",
        xlim=(0.4, len(kinds) + 0.6),
    )
    _legend(fig, plt)
    fig.savefig(path, dpi=150)
    plt.close(fig)


def draw_all(path: Any) -> None:
    """A strip for each method: what it ranks first, in the colours of the kinds."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(LOOK)
    methods, kinds = registry.available(), table()[1]
    fig, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    for row, method in enumerate(methods):
        colours = [KINDS[kinds[j]] for j in fitted(method.name).order_]
        ax.bar(range(1, len(kinds) + 1), 0.8, bottom=row - 0.4, width=0.9, color=colours)
        if row and method.question != methods[row - 1].question:
            ax.axhline(row - 0.5, color="black", lw=0.8)
    ax.set(xlabel="rank", ylim=(len(methods) - 0.4, -0.6), xlim=(0.4, len(kinds) + 0.6))
    ax.set_title("lines part relevance, representatives, clusters and controls")
    ax.set_yticks(range(len(methods)), [method.name for method in methods])
    _legend(fig, plt)
    fig.savefig(path, dpi=150)
    plt.close(fig)


def _legend(fig: Any, plt: Any) -> None:
    patches = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in KINDS.values()]
    fig.legend(patches, KINDS, loc="outside lower center", ncols=len(KINDS), fontsize="small")
