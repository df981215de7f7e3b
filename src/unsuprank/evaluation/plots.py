"""Pictures of evaluations; they need matplotlib (``pip install "unsuprank[plot]"``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .comparison import Comparison
    from .curve import ErrorCurves

#: Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X<>"


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'Pictures need matplotlib: install it with pip install "unsuprank[plot]".'
        ) from error
    return Figure(figsize=size, layout="constrained", dpi=150).add_subplot()


#: What a measure's name does not say by itself.
_MEASURE_LABELS = {"relative": "error (1 = predicting means)"}


def plot_error_curves(curves: ErrorCurves, *, ax: Any = None, title: str = "") -> Any:
    """Draw the mean curve of every method over the band of random orders.

    Parameters
    ----------
    curves : ErrorCurves
    ax : matplotlib Axes, optional
    title : str, optional

    Returns
    -------
    matplotlib Axes; ``.figure.savefig(...)`` writes it
    """
    means = {name: curves.mean(name) for name in curves.values}
    band = (*curves.band(), curves.mean("random")) if len(curves.random) else None
    ax = draw_curves(curves.sizes, means, band, ax=ax, title=title)
    ax.set_ylabel(_MEASURE_LABELS.get(curves.measure, curves.measure.replace("_", " ")))
    return ax


def draw_curves(
    sizes: np.ndarray,
    means: Mapping[str, np.ndarray],
    band: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    *,
    ax: Any = None,
    title: str = "",
) -> Any:
    """Curves over the number of leading features; `band` is (low, high, mean) of chance."""
    ax = _axes(ax, (6.4, 4.0))
    if band is not None:
        ax.fill_between(sizes, band[0], band[1], color="0.85", lw=0, label="random orders")
        ax.plot(sizes, band[2], color="0.55", lw=1.2, ls="--")
    for j, (name, mean) in enumerate(means.items()):
        look = {"color": COLOURS[j % len(COLOURS)], "marker": MARKERS[j % len(MARKERS)]}
        dashes = "-" if j < len(COLOURS) else ":"
        ax.plot(sizes, mean, ms=4, lw=1.5, ls=dashes, label=name, **look)
    ax.set_xscale("log", base=2)
    ticks = _apart(sizes)
    ax.set_xticks(ticks, [str(t) for t in ticks])
    ax.minorticks_off()
    ax.set(xlabel="number of leading features", ylabel="error (mean RMSE)", title=title)
    ax.grid(axis="y", color="0.92")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def _apart(sizes: np.ndarray) -> np.ndarray:
    """Sizes whose labels do not touch on a logarithmic axis; the last is always among them."""
    shown = sizes[:: 1 if len(sizes) <= 10 else 2]
    return np.append(shown[shown <= sizes[-1] / 1.5], sizes[-1])


def plot_average_ranks(comparison: Comparison, *, ax: Any = None, title: str = "") -> Any:
    """Draw the average-rank diagram: best on the left, bars join what does not differ.

    Parameters
    ----------
    comparison : Comparison
    ax : matplotlib Axes, optional
    title : str, optional

    Returns
    -------
    matplotlib Axes
    """
    order = np.argsort(comparison.average_ranks, kind="stable")
    ranks = comparison.average_ranks[order]
    names = [comparison.methods[j] for j in order]
    groups = comparison.groups()
    k = len(names)
    left = (k + 1) // 2
    bars = 0.32 * len(groups)
    depth = bars + 0.5 * left + 0.6
    ax = _axes(ax, (7.2, 0.42 * (depth + 1.6) + 0.4))
    lowest, highest = 1, k
    _draw_axis(ax, lowest, highest)
    _draw_critical_distance(ax, comparison, lowest)
    for j, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        is_left = j < left
        level = -(bars + 0.55 + 0.5 * (j if is_left else k - 1 - j))
        end = lowest - 0.02 * k if is_left else highest + 0.02 * k
        ax.plot([rank, rank, end], [0, level, level], color="0.25", lw=0.9, clip_on=False)
        text = f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}"
        place = end + (-0.01 if is_left else 0.01) * k
        ax.text(place, level, text, ha="right" if is_left else "left", va="center", fontsize=9)
    position = dict(zip(names, ranks, strict=True))
    for g, group in enumerate(groups):
        height = -0.25 - 0.32 * g
        ends = [position[group[0]] - 0.012 * k, position[group[-1]] + 0.012 * k]
        ax.plot(ends, [height, height], color="#D55E00", lw=3.2, solid_capstyle="round")
    ax.set(xlim=(lowest - 0.02 * k, highest + 0.02 * k), ylim=(-depth - 0.2, 1.35))
    ax.set_title(title, fontsize=10)
    ax.axis("off")
    return ax


def _draw_axis(ax: Any, lowest: int, highest: int) -> None:
    ax.plot([lowest, highest], [0, 0], color="black", lw=1.1)
    for tick in range(lowest, highest + 1):
        ax.plot([tick, tick], [0, 0.14], color="black", lw=1.1)
        ax.text(tick, 0.22, str(tick), ha="center", va="bottom", fontsize=9)


def _draw_critical_distance(ax: Any, comparison: Comparison, start: float) -> None:
    distance, y = comparison.critical_distance, 0.88
    ax.plot([start, start + distance], [y, y], color="black", lw=1.4)
    for end in (start, start + distance):
        ax.plot([end, end], [y - 0.08, y + 0.08], color="black", lw=1.4)
    label = f"critical distance {distance:.2f}"
    ax.text(start + distance / 2, y + 0.12, label, ha="center", va="bottom", fontsize=9)


def plot_heat_map(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    ax: Any = None,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
) -> Any:
    """Draw average ranks of settings, one number per tile; dark is good.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        NaN leaves a tile empty.
    rows, columns : sequence of str
        Names of the settings.
    ax : matplotlib Axes, optional
    title, row_label, column_label : str, optional

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax, (2.4 + 0.85 * len(columns), 1.2 + 0.6 * len(rows)))
    image = ax.imshow(values, cmap="viridis", aspect="auto")
    dark = image.norm(values) < 0.55
    for (i, j), value in np.ndenumerate(values):
        text = "-" if np.isnan(value) else f"{value:.1f}"
        ax.text(j, i, text, ha="center", va="center", color="white" if dark[i, j] else "black")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.set(xlabel=column_label, ylabel=row_label)
    ax.set_title(title, fontsize=10)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label="average rank", fraction=0.05, pad=0.03)
    return ax


def plot_ari_density(values: Mapping[str, float], *, ax: Any = None, title: str = "") -> Any:
    """Draw the distribution of the cluster hypothesis over data sets, a tick for each.

    Parameters
    ----------
    values : mapping of data set to adjusted Rand index
    ax : matplotlib Axes, optional
    title : str, optional

    Returns
    -------
    matplotlib Axes
    """
    from scipy.stats import gaussian_kde

    ax = _axes(ax, (6.0, 3.2))
    points = np.array(list(values.values()), dtype=float)
    grid = np.linspace(min(-0.2, points.min() - 0.1), max(1.0, points.max() + 0.1), 400)
    if len(points) > 2 and np.ptp(points) > 0:
        density = gaussian_kde(points)(grid)
        ax.fill_between(grid, density, color=COLOURS[0], alpha=0.18, lw=0)
        ax.plot(grid, density, color=COLOURS[0], lw=1.6)
    ax.set_ylim(bottom=0)
    ax.plot(points, np.zeros_like(points), "|", color="black", ms=16, mew=1.1, clip_on=False)
    ax.axvline(0, color="0.7", lw=0.8, ls="--")
    what = "adjusted Rand index of k-means against the classes (median of ten runs)"
    ax.set(xlim=grid[[0, -1]], xlabel=what, ylabel="density over data sets", title=title)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
