"""The pictures, with Bokeh.

No name of a feature or of a label enters a figure here: names are untrusted text, and the
page's script adds them, as data, in the one place that knows how to show them.
Colours are Okabe and Ito's, which the colour-blind can tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import BasicTicker, ColumnDataSource, HoverTool, LinearColorMapper
from bokeh.models.annotations import ColorBar, Span
from bokeh.palettes import Cividis256, interp_palette
from bokeh.plotting import figure

from ..describe import ColumnGroups, HeatMap, PrincipalPlane
from ..evaluation.prediction_curve import PredictionCurve
from .page_facts import PageFacts

BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "#8a8f98"
LABEL_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", RED, "#F0E442", "#000000")
MARKERS = ("circle", "triangle", "square", "diamond", "inverted_triangle", "star", "plus", "x")
#: Blue to red through white, safe for the colour-blind.
DIVERGING = interp_palette(("#2166ac", "#f7f7f7", "#b2182b"), 101)


def _figure(x_label: str, y_label: str, height: int = 330, **options: Any) -> Any:
    plot = figure(
        height=height,
        sizing_mode="stretch_width",
        tools="pan,box_zoom,reset,save",
        toolbar_location="above",
        x_axis_label=x_label,
        y_axis_label=y_label,
        **options,
    )
    plot.toolbar.logo = None
    plot.min_border_right = 16
    plot.xgrid.grid_line_color = None
    plot.ygrid.grid_line_color = "#e6e8eb"
    plot.outline_line_color = None
    for axis in plot.axis:
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_color = axis.major_label_text_color = "#333a44"
    return plot


def _rank_ticks(plot: Any, most: int) -> None:
    """Few round numbers on a logarithmic axis of ranks, so that labels never collide."""
    decades = [10**k for k in range(len(str(most)))]
    steps = (1, 2, 5) if len(decades) <= 3 else (1,)
    plot.xaxis.ticker = [d * s for d in decades for s in steps if d * s <= most]
    plot.xaxis.minor_tick_line_color = None


def _points(plot: Any, source: ColumnDataSource, x: str, y: str, size: float) -> None:
    """Dots that tell their name and can be clicked; the page fills `source`."""
    dots = plot.scatter(
        x, y, source=source, size=size, color=BLUE, alpha=0.65, line_color=None,
        selection_color=RED, selection_alpha=1.0, nonselection_alpha=0.35, nonselection_color=BLUE,
    )  # fmt: skip
    tips = [("", "@name"), ("rank", "@rank"), ("score", "@score{0.0000a}")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=tips, mode="mouse"))
    plot.add_tools("tap")


def feature_source() -> ColumnDataSource:
    """The source that all pictures of features share; the page's script fills it."""
    empty: dict[str, Sequence[float]] = {k: [] for k in ("name", "rank", "score", "mean", "spread")}
    return ColumnDataSource(empty, name="features")


def score_figure(facts: PageFacts, source: ColumnDataSource) -> Any:
    """Score against rank, beside the scores of shuffled features; a line marks the bend."""
    scores = facts.scores[facts.order]
    shuffled = facts.null
    n = len(scores)
    low, high = _padded(min(scores[-1], shuffled.min()), max(scores[0], shuffled.max()))
    plot = _figure(
        "rank (1 is best; logarithmic)", "score", x_axis_type="log",
        x_range=(0.9, max(n * 1.1, 2)), y_range=(low, high),
    )  # fmt: skip
    at = _thin(n)
    plot.varea(
        at + 1, shuffled.min(axis=0)[at], shuffled.max(axis=0)[at], color=ORANGE, alpha=0.35,
        legend_label="shuffled features",
    )  # fmt: skip
    plot.add_layout(_dashed_line(facts.knee))
    _rank_ticks(plot, n)
    _points(plot, source, "rank", "score", 6)
    plot.legend.location = "top_right"
    return plot


def curve_figure(curve: PredictionCurve) -> Any:
    """Error against the number of top features, beside the band of random orders."""
    plot = _figure(
        "number of top features (logarithmic)", "error (1 = predicting means)", x_axis_type="log"
    )
    plot.varea(
        curve.sizes, curve.random_low, curve.random_high, color=ORANGE, alpha=0.35,
        legend_label="random order",
    )  # fmt: skip
    _rank_ticks(plot, int(curve.sizes[-1]))
    plot.line(curve.sizes, curve.error, color=BLUE, line_width=2, legend_label="this ranking")
    dots = plot.scatter(curve.sizes, curve.error, color=BLUE, size=7)
    plot.add_tools(
        HoverTool(renderers=[dots], tooltips=[("features", "@x"), ("error", "@y{0.000}")])
    )
    plot.legend.location = "top_right"
    return plot


def interval_figure(facts: PageFacts) -> Any:
    """Rank intervals of the top 30, best at the top; the page writes the names beside them."""
    top = facts.order[:30]
    y = np.arange(len(top), 0, -1)
    low, high = facts.stability.low[top], facts.stability.high[top]
    plot = _figure(
        "rank (logarithmic)", "", height=max(180, 60 + 18 * len(top)), x_axis_type="log",
        x_range=(0.8, max(float(high.max()) * 1.3, 2)), y_range=(0.3, len(top) + 0.7),
    )  # fmt: skip
    plot.segment(low, y, high, y, line_width=4, color=BLUE, alpha=0.45)
    plot.scatter(np.arange(1, len(top) + 1), y, size=8, color=RED, marker="diamond")
    _rank_ticks(plot, int(high.max()))
    plot.yaxis.ticker = y.tolist()
    plot.yaxis.name = "interval-names"
    plot.ygrid.grid_line_color = None
    plot.xgrid.grid_line_color = "#e6e8eb"
    return plot


def frequency_figure(facts: PageFacts) -> Any:
    """How often the leading features came out among the top; a line marks where the top ends."""
    stability = facts.stability
    shown = facts.order[: max(2 * facts.top, 30)]
    repeats = "seeds" if stability.drawn else "refits"
    plot = _figure(
        "rank", f"share of {repeats} in the top {facts.top}",
        x_range=(0.4, len(shown) + 0.6), y_range=(0, 1.05),
    )  # fmt: skip
    plot.vbar(np.arange(1, len(shown) + 1), 0.8, stability.frequency[shown], color=BLUE)
    plot.add_layout(_dashed_line(facts.top + 0.5))
    return plot


def _dashed_line(at: float) -> Span:
    return Span(location=at, dimension="height", line_dash="dashed", line_color=GREY)


def against_figure(facts: PageFacts, source: ColumnDataSource, what: str) -> Any:
    """Score against the mean or the spread of the columns."""
    values = getattr(facts.summary, what)
    known = values[np.isfinite(values)]
    positive = known[known > 0]
    label = f"{what} of the column"
    options: dict[str, Any] = {}
    if what == "spread" and len(positive) and positive.max() > 50 * positive.min():
        label += " (logarithmic)"
        options = {"x_axis_type": "log", "x_range": (positive.min() / 1.5, positive.max() * 1.5)}
    elif len(known):
        options = {"x_range": _padded(known.min(), known.max())}
    y_range = _padded(facts.scores.min(), facts.scores.max())
    plot = _figure(label, "score", y_range=y_range, **options)
    _points(plot, source, what, "score", 5)
    return plot


def group_figure(groups: ColumnGroups) -> Any:
    """Associations of the leading features, like beside like."""
    n = len(groups.matrix)
    plot = _square("features, like beside like", "", n, n, height=560)
    mapper = LinearColorMapper(palette=Cividis256, low=0, high=1)
    plot.image([groups.matrix[::-1].astype(np.float32)], 0, 0, n, n, color_mapper=mapper)
    plot.add_layout(ColorBar(color_mapper=mapper, width=10), "right")
    return plot


def heat_figure(heat: HeatMap) -> Any:
    """Rows and leading features in colours; the page writes the names below them."""
    rows, columns = heat.values.shape
    plot = _square("", "rows", columns, rows, height=560)
    mapper = LinearColorMapper(palette=DIVERGING, low=-3, high=3, nan_color="#bdbdbd")
    plot.image([heat.values[::-1].astype(np.float32)], 0, 0, columns, rows, color_mapper=mapper)
    ticker = BasicTicker(desired_num_ticks=7)
    plot.add_layout(ColorBar(color_mapper=mapper, width=10, ticker=ticker), "right")
    plot.xaxis.visible = True
    plot.xaxis.name = "heat-names"
    plot.xaxis.ticker = (np.arange(columns) + 0.5).tolist()
    plot.xaxis.major_label_orientation = "vertical"
    plot.xaxis.major_label_text_font_size = "8px"
    return plot


def plane_figure(plane: PrincipalPlane, kinds: np.ndarray | None) -> Any:
    """Rows in a plane, one colour and one marker per kind."""
    plot = _figure("first principal axis", "second principal axis")
    if kinds is None:
        x, y = plane.coordinates.T
        plot.scatter(x, y, size=5, color=BLUE, alpha=0.6, line_color=None)
        return plot
    for kind in np.unique(kinds):
        x, y = plane.coordinates[kinds == kind].astype(np.float32).T
        plot.scatter(
            x, y, size=6, color=LABEL_COLOURS[kind % 8], marker=MARKERS[kind % 8], alpha=0.7
        )
    return plot


def _square(x_label: str, y_label: str, width: int, height_units: int, height: int = 420) -> Any:
    plot = _figure(x_label, y_label, height=height, x_range=(0, width), y_range=(0, height_units))
    plot.grid.visible = False
    for axis in plot.axis:
        axis.major_tick_line_color = axis.minor_tick_line_color = None
    plot.yaxis.major_label_text_font_size = "0px"
    if x_label:
        plot.xaxis.major_label_text_font_size = "0px"
    return plot


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = 0.05 * (high - low) or abs(high) * 0.05 or 1.0
    return float(low - pad), float(high + pad)


def _thin(n: int, most: int = 400) -> np.ndarray:
    """Indices that are enough to draw a line over a logarithmic axis."""
    if n <= most:
        return np.arange(n)
    return np.unique(np.round(np.geomspace(1, n, most)).astype(int)) - 1
