"""The pictures of the report, one by one, with matplotlib.

Each function draws on `ax` (or on new axes) and returns the axes. Where a function takes `X`, it
is what the ranker was fitted on: an array, a data frame or a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import describe
from .describe.fitted import names_of, read_for
from .ranker import Ranker

BLUE, ORANGE, RED = "#0072B2", "#E69F00", "#D55E00"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install 'unsuprank[plot]'.") from None
    return plt.subplots(layout="constrained")[1]


def _names(ranker: Ranker, columns: np.ndarray) -> list[str]:
    """Names of columns, short, and without the dollar sign that would start a formula."""
    names = names_of(ranker)
    return [names[j].replace("$", r"\$")[:40] for j in columns]


def scores(ranker: Ranker, ax: Any = None) -> Any:
    """Draw score against rank, on a logarithmic rank axis."""
    ax = _axes(ax)
    values = ranker.scores_[ranker.order_]
    ax.plot(np.arange(1, len(values) + 1), values, ".-", color=BLUE)
    ax.set(xscale="log", xlabel="rank", ylabel="score")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return ax


def top(ranker: Ranker, n: int = 16, ax: Any = None) -> Any:
    """Draw bars of the best features, with 95% intervals if the ranker knows the scores' error."""
    ax = _axes(ax)
    best = ranker.order_[:n]
    error = getattr(ranker, "scores_sem_", None)
    ax.barh(
        np.arange(len(best)),
        ranker.scores_[best],
        xerr=None if error is None else 1.96 * np.asarray(error)[best],
        color=BLUE,
    )
    ax.set_yticks(np.arange(len(best)), _names(ranker, best))
    ax.invert_yaxis()
    ax.set_xlabel("score")
    return ax


def against_spread(ranker: Ranker, X: Any, ax: Any = None) -> Any:
    """Draw score against the spread of the columns: is this just variance?"""
    ax = _axes(ax)
    spread = describe.summarise_columns(read_for(ranker, X)).spread
    ax.scatter(spread, ranker.scores_, s=12, color=BLUE, alpha=0.6)
    ax.set(xlabel="spread of the column", ylabel="score")
    if np.all(spread > 0) and spread.max() > 100 * spread.min():
        ax.set_xscale("log")
    return ax


def redundancy(ranker: Ranker, X: Any, n: int = 50, ax: Any = None) -> Any:
    """Draw the associations of the best features, like beside like."""
    ax = _axes(ax)
    groups = describe.find_groups(read_for(ranker, X), ranker.order_[:n])
    image = ax.imshow(groups.matrix, cmap="cividis", vmin=0, vmax=1)
    names = _names(ranker, groups.columns)
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
    ax.set_yticks(range(len(names)), names, fontsize=6)
    ax.figure.colorbar(image, ax=ax, label="association")
    return ax


def heat_map(ranker: Ranker, X: Any, n: int = 50, seed: int = 0, ax: Any = None) -> Any:
    """Draw rows and the best features, clustered; nominal ones in a colour for each value."""
    ax = _axes(ax)
    shown = describe.heat_map(read_for(ranker, X), ranker.order_[:n], seed)
    numbers = np.where(shown.nominal, np.nan, shown.values)
    kinds = np.where(shown.nominal, shown.values, np.nan)
    options = {"aspect": "auto", "interpolation": "nearest"}
    image = ax.imshow(numbers, cmap="RdBu_r", vmin=-3, vmax=3, **options)
    ax.imshow(kinds, cmap="Set2", vmin=0, vmax=7, **options)
    names = _names(ranker, shown.columns)
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
    ax.set(yticks=[], ylabel="rows")
    ax.figure.colorbar(image, ax=ax, label="standard deviations from the mean")
    return ax


def embedding(
    ranker: Ranker, X: Any, n: int | None = None, labels: Any = None, ax: Any = None
) -> Any:
    """Draw rows in the plane of two principal axes, of all features or of the best `n`."""
    ax = _axes(ax)
    columns = None if n is None else ranker.order_[:n]
    x, y = describe.principal_plane(read_for(ranker, X), columns).coordinates.T
    if labels is None:
        ax.scatter(x, y, s=10, color=BLUE)
    else:
        for label in np.unique(labels):
            mask = np.asarray(labels) == label
            ax.scatter(x[mask], y[mask], s=10, label=str(label).replace("$", r"\$"))
        ax.legend()
    ax.set(xlabel="first principal axis", ylabel="second principal axis")
    return ax
