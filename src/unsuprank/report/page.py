"""Facts, words and pictures put into one file.

All text of the user's goes into the page in one of two ways: escaped by Jinja2, or as data
in a JSON block whose angle brackets are escaped, from where the script shows it as text and
never as markup. A content security policy forbids the page every request, and every script
that is not the page's own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from bokeh.embed import components
from bokeh.resources import Resources
from jinja2 import Environment, StrictUndefined, Template

from ..describe import STRONG, ClusterContrast
from ..describe.explain import p_text
from ..io import shorten
from ..registry import method_of
from . import figures, words
from .page_data import kinds_of_columns, payload, safe_json
from .page_facts import N_APART, N_BARS, N_HEAT, PageFacts

#: Bars that are all longer than this share of the longest start elsewhere than at 0.
ALL_FULL = 0.8
#: Bokeh's own script, without its optional parts.
_BOKEH = Resources(mode="inline", components=["bokeh"])


def render(
    facts: PageFacts,
    title: str,
    label_name: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The page as text."""
    data = safe_json(payload(facts))
    # Only scripts that carry this word run; the same page gets the same word, and no name in
    # the page can hold the digest of the page.
    nonce = hashlib.sha256(data.encode("utf-8")).hexdigest()[:32]
    script, divs = components(_figures(facts))
    return _template().render(
        **_contents(facts, notes, label_name or "label"),
        title=shorten(title, 120),
        divs=divs,
        nonce=nonce,
        figure_script=_signed(script, nonce),
        bokeh_js=_signed(_BOKEH.render_js(), nonce),
        css=_asset("report.css"),
        js=_asset("report.js"),
        data=data,
    )


def _contents(facts: PageFacts, notes: Sequence[str], label_name: str) -> dict[str, Any]:
    """What the template says, and what it says it with."""
    method, start = method_of(facts.ranker), _bars_from(facts)
    return {
        "facts": facts,
        "words": words,
        "figures": figures,
        "method": method,
        "ranker_name": type(facts.ranker).__name__,
        "top": facts.top,
        "warnings": [*words.warnings_about(facts), *notes],
        "label_name": label_name,
        "clusters": _cluster_rows(facts),
        "bars": _bar_rows(facts, start),
        "bars_from": start,
        "coloured": facts.order[:N_HEAT].tolist(),
        "types": kinds_of_columns(facts.table),
        "groups": _group_rows(facts),
        "strong": STRONG,
        "shorten": shorten,
        "p_text": p_text,
    }


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("utf-8")


def _template() -> Template:
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.from_string(_asset("report.html"))


def _figures(facts: PageFacts) -> dict[str, Any]:
    """The pictures that show something; what is left out, the words beside it say."""
    source, rows = figures.feature_source(), figures.row_source(facts)
    made = {
        "score": figures.score_figure(facts, source) if facts.n_columns > N_BARS else None,
        "curve": None if facts.curve is None else figures.curve_figure(facts.curve),
        "spread": figures.spread_figure(facts, source)
        if len(facts.numeric) >= words.MIN_COMPARED and facts.spreads_differ
        else None,
        "groups": figures.group_figure(facts.groups),
        "heat": figures.heat_figure(facts.heat),
        "plane_all": figures.plane_figure(rows, "all") if facts.plane_of_all.share else None,
        "plane_top": None if facts.plane_agreement is None else figures.plane_figure(rows, "top"),
    }
    return {name: plot for name, plot in made.items() if plot is not None}


def _bars_from(facts: PageFacts) -> float:
    """0, or just below the lowest score if bars from 0 would all look the same, or go left."""
    scores = facts.scores[facts.bars]
    low, high = float((scores - facts.margins).min()), float(scores.max())
    if 0.0 <= float(scores.min()) <= ALL_FULL * high:
        return 0.0
    return low - 0.05 * (high - low)


def _bar_rows(facts: PageFacts, start: float) -> Iterator[tuple[Any, ...]]:
    """Leading columns with score and margin, then where bar and interval begin and how long."""
    scores, margins = facts.scores[facts.bars], facts.margins
    end = float((scores + margins).max())
    origin = 0.0 if start <= 0.0 <= end else start

    def percent(values: Any) -> np.ndarray:
        return np.interp(values, (start, end), (0.0, 100.0)).round(2)

    left, right = np.sort([np.full(len(scores), percent(origin)), percent(scores)], axis=0)
    low, high = percent(scores - margins), percent(scores + margins)
    columns = (facts.bars, scores, margins, left, right - left, low, high - low)
    return zip(*(column.tolist() for column in columns), strict=True)


def _group_rows(facts: PageFacts) -> list[tuple[str, int, str]]:
    """Representative, size and the other members of groups of two and more."""
    rows = []
    for group in facts.groups.groups:
        if len(group) > 1:
            others = [facts.names[j] for j in group[1:]]
            rows.append((shorten(facts.names[group[0]], 60), len(group), words.some(others, 6)))
    return sorted(rows, key=lambda row: -row[1])


def _cluster_rows(facts: PageFacts) -> list[tuple[ClusterContrast, list[dict[str, Any]]]]:
    """What sets all groups of rows apart, and each one: the first columns beyond chance."""
    explained, shown = facts.clusters, facts.shown_clusters
    if explained is None:
        return []
    if len(shown) > 2:  # what tells one of two groups tells the other
        shown = [explained.overall, *shown]
    return [
        (found, [row for row in explained.rows_of(found)[:N_APART] if row["beyond_chance"]])
        for found in shown
    ]


def _signed(scripts: str, nonce: str) -> str:
    """Script elements with the word that lets them run."""
    return re.sub(r"(?m)^(\s*)<script\b", rf'\1<script nonce="{nonce}"', scripts)
