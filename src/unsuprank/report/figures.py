"""The pictures, with Bokeh.

No name of a column or of a label enters a figure here: names are untrusted text, and the
page's script adds them, as data, in the one place that knows how to show them. Legends stand in the
page beside the pictures, where they cover nothing.
Colours are Okabe and Ito's, which the colour-blind can tell apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import BasicTicker, ColumnDataSource, HoverTool, LinearColorMapper
from bokeh.models.annotations import ColorBar, Span
from bokeh.models.annotations.labels import LabelSet
from bokeh.palettes import Cividis256, interp_palette
from bokeh.plotting import figure

from ..describe import ColumnGroups, HeatMap
from ..evaluation.prediction_curve import PredictionCurve
from .page_facts import PageFacts

BLUE, ORANGE, RED, GREY = "#0072B2", "#E69F00", "#D55E00", "#8a8f98"
#: Of the seven most common values, of all others, and of what is missing.
KINDS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", RED, "#F0E442", "#5b6470")
MISSING = "#d9dce0"
#: From low to high.
SEQUENCE = Cividis256
#: Blue to red through white, safe for the colour-blind.
DIVERGING = interp_palette(("#2166ac", "#f7f7f7", "#b2182b"), 101)
#: Associations below this are hardly to be seen on the map.
FAINT = 0.3


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
    plot.toolbar.autohide = True  # nor is it in the way on paper
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
    """Dots that tell their name under the mouse and can be clicked; the page fills `source`."""
    dots = plot.scatter(
        x, y, source=source, size=size, color="colour", alpha=0.65, line_color=None,
        selection_color=RED, selection_alpha=1.0, nonselection_alpha=0.35,
        nonselection_color="colour",
    )  # fmt: skip
    tips = [("", "@name"), ("rank", "@rank"), ("score", "@score{0.0000a}")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=tips, mode="mouse"))
    plot.add_tools("tap")


def feature_source() -> ColumnDataSource:
    """The source that all pictures of columns share; the page's script fills it."""
    keys = ("name", "label", "colour", "rank", "score", "spread")
    empty: dict[str, Sequence[float]] = {key: [] for key in keys}
    return ColumnDataSource(empty, name="features")


def row_source(facts: PageFacts) -> ColumnDataSource:
    """The rows in both planes; the page's script colours them."""
    planes = {"all": facts.plane_of_all, "top": facts.plane_of_top}
    data: dict[str, Any] = {
        f"{axis}_{name}": plane.coordinates[:, k].astype(np.float32)
        for name, plane in planes.items()
        for k, axis in enumerate("xy")
    }
    data["colour"] = [BLUE] * len(facts.plane_rows)
    return ColumnDataSource(data, name="rows")


def score_figure(facts: PageFacts, source: ColumnDataSource) -> Any:
    """Score against rank; a line marks the bend."""
    scores = facts.scores[facts.order]
    n = len(scores)
    plot = _figure(
        "rank (1 is best; logarithmic)", "score", x_axis_type="log",
        x_range=(0.9, max(n * 1.1, 2)), y_range=_padded(scores[-1], scores[0]),
    )  # fmt: skip
    line = Span(location=facts.knee, dimension="height", line_dash="dashed", line_color=GREY)
    plot.add_layout(line)
    _rank_ticks(plot, n)
    _points(plot, source, "rank", "score", 6)
    return plot


def curve_figure(curve: PredictionCurve) -> Any:
    """Error against the number of top columns, beside the band of random orders."""
    plot = _figure(
        "number of top columns (logarithmic)", "error (1 = predicting means)", x_axis_type="log"
    )
    plot.varea(curve.sizes, curve.random_low, curve.random_high, color=ORANGE, alpha=0.35)
    plot.add_layout(Span(location=1.0, dimension="width", line_dash="dashed", line_color=GREY))
    _rank_ticks(plot, int(curve.sizes[-1]))
    plot.line(curve.sizes, curve.error, color=BLUE, line_width=2)
    dots = plot.scatter(curve.sizes, curve.error, color=BLUE, size=7)
    plot.add_tools(
        HoverTool(renderers=[dots], tooltips=[("columns", "@x"), ("error", "@y{0.000}")])
    )
    return plot


def spread_figure(facts: PageFacts, source: ColumnDataSource) -> Any:
    """Score against the spread of numeric columns."""
    spread = facts.summary.spread[facts.numeric]
    positive = spread[spread > 0]
    label = "spread of the column"
    options: dict[str, Any] = {}
    if len(positive) and positive.max() > 50 * positive.min():
        label += " (logarithmic)"
        options = {"x_axis_type": "log", "x_range": (positive.min() / 1.5, positive.max() * 1.5)}
    elif len(positive):
        options = {"x_range": _padded(np.nanmin(spread), np.nanmax(spread))}
    y_range = _padded(facts.scores.min(), facts.scores.max())
    plot = _figure(label, "score", y_range=y_range, **options)
    _points(plot, source, "spread", "score", 5)
    plot.add_layout(
        LabelSet(
            x="spread", y="score", text="label", source=source, x_offset=5, y_offset=2,
            text_font_size="10px", text_color="#333a44",
        )
    )  # fmt: skip
    return plot


def group_figure(groups: ColumnGroups) -> Any | None:
    """Associations of the leading columns, like beside like; None if there is nothing to see."""
    n = len(groups.matrix)
    if np.triu(groups.matrix, 1).max() < FAINT:
        return None
    mapper = LinearColorMapper(palette=SEQUENCE, low=0, high=1)
    plot = _map(groups.matrix, mapper, 150 + 13 * n, "group-names-below")
    plot.add_layout(ColorBar(color_mapper=mapper, width=10), "right")
    _name_axis(plot.yaxis, "group-names", n)
    return plot


def heat_figure(heat: HeatMap) -> Any:
    """Rows and leading columns in colours; the page writes the names below them."""
    palette = (*DIVERGING, *KINDS, MISSING)
    scale = np.rint((heat.values + 3.0) / 6.0 * (len(DIVERGING) - 1))
    places = np.where(heat.nominal, len(DIVERGING) + heat.values, scale)
    places = np.nan_to_num(places, nan=len(palette) - 1)
    colours = LinearColorMapper(palette=palette, low=-0.5, high=len(palette) - 0.5)
    plot = _map(places, colours, 560, "heat-names")
    if not heat.nominal.all():
        mapper = LinearColorMapper(palette=DIVERGING, low=-3, high=3)
        ticker = BasicTicker(desired_num_ticks=7)
        plot.add_layout(ColorBar(color_mapper=mapper, width=10, ticker=ticker), "right")
    plot.yaxis.axis_label = "rows"
    plot.yaxis.major_label_text_font_size = "0px"
    return plot


def plane_figure(source: ColumnDataSource, which: str) -> Any:
    """Rows in a plane."""
    plot = _figure("first principal axis", "second principal axis")
    plot.scatter(
        f"x_{which}", f"y_{which}", source=source, size=5, color="colour", alpha=0.7,
        line_color=None,
    )  # fmt: skip
    return plot


def _map(values: np.ndarray, mapper: LinearColorMapper, height: int, names: str) -> Any:
    """A matrix in colours, its first row at the top; `names` is the axis that names columns."""
    rows, columns = values.shape
    plot = _figure("", "", height=height, x_range=(0, columns), y_range=(0, rows))
    plot.grid.visible = False
    for axis in plot.axis:
        axis.major_tick_line_color = axis.minor_tick_line_color = None
    plot.image([values[::-1].astype(np.float32)], 0, 0, columns, rows, color_mapper=mapper)
    _name_axis(plot.xaxis, names, columns)
    plot.xaxis.major_label_orientation = "vertical"
    return plot


def _name_axis(axis: Any, name: str, n: int) -> None:
    """A place for a name in the middle of each of `n` cells."""
    axis.name = name
    axis.ticker = (np.arange(n) + 0.5).tolist()
    axis.major_label_text_font_size = "10px"
    axis.major_label_overrides = {k + 0.5: "" for k in range(n)}


def _padded(low: float, high: float) -> tuple[float, float]:
    pad = 0.05 * (high - low) or abs(high) * 0.05 or 1.0
    return float(low - pad), float(high + pad)
