"""Facts, words and pictures put into one file.

All text of the user's goes into the page in one of two ways: escaped by Jinja2, or as data
in a JSON block whose angle brackets are escaped, from where the script shows it as text and
never as markup. A content security policy forbids the page every request, and every script
that is not the page's own.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
from bokeh.embed import components
from bokeh.resources import INLINE
from jinja2 import Environment, Template

from ..io.data_file import shorten
from ..registry import method_of
from . import figures, words
from .page_data import payload, safe_json
from .page_facts import PageFacts

MAX_LABELS = 8


def render(
    facts: PageFacts,
    title: str,
    labels: Sequence[str] | None = None,
    label_name: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The page as text."""
    method = method_of(facts.ranker)
    kinds, legend = _label_kinds(facts, labels)
    data = safe_json(payload(facts))
    # Only scripts that carry this word run; the same page gets the same word, and no name in
    # the page can hold the digest of the page.
    nonce = hashlib.sha256(data.encode("utf-8")).hexdigest()[:32]
    script, divs = components(_figures(facts, kinds))
    return _template().render(
        title=shorten(title, 120),
        facts=facts,
        method=method,
        ranker_name=type(facts.ranker).__name__,
        top=facts.top,
        warnings=[*words.warnings_about(facts), *notes],
        settings=words.settings(facts.ranker, method, facts.seed),
        says=words.verdicts(facts),
        nine_of_ten=words.nine_of_ten(facts.stability),
        divs=divs,
        nonce=nonce,
        figure_script=_signed(script, nonce),
        bokeh_js=_signed(_bokeh_source(), nonce),
        css=_asset("report.css"),
        js=_asset("report.js"),
        data=data,
        label_name=label_name,
        legend=legend,
        groups=_group_rows(facts),
        shorten=shorten,
        number=words.number,
    )


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("utf-8")


def _template() -> Template:
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_asset("report.html"))


def _figures(facts: PageFacts, kinds: np.ndarray | None) -> dict[str, Any]:
    source = figures.feature_source()
    made = {
        "score": figures.score_figure(facts, source),
        "interval": figures.interval_figure(facts),
        "frequency": figures.frequency_figure(facts),
        "mean": figures.against_figure(facts, source, "mean"),
        "spread": figures.against_figure(facts, source, "spread"),
        "groups": figures.group_figure(facts.groups),
        "heat": figures.heat_figure(facts.heat),
        "plane_all": figures.plane_figure(facts.plane_of_all, kinds),
        "plane_top": figures.plane_figure(facts.plane_of_top, kinds),
    }
    if facts.curve is not None:
        made["curve"] = figures.curve_figure(facts.curve)
    return made


def _label_kinds(
    facts: PageFacts, labels: Sequence[str] | None
) -> tuple[np.ndarray | None, list[tuple[str, str]]]:
    """A number per row for its label, and the legend; rare labels share the last number."""
    if labels is None:
        return None, []
    shown = np.asarray(labels, dtype=object)[facts.plane_rows]
    distinct, counts = np.unique(shown.astype(str), return_counts=True)
    ranked = distinct[np.argsort(-counts, kind="stable")]
    kept = list(ranked[: MAX_LABELS - (len(ranked) > MAX_LABELS)])
    position = {label: i for i, label in enumerate(kept)}
    kinds = np.array([position.get(str(label), len(kept)) for label in shown])
    texts = [shorten(str(label), 30) or "(none)" for label in kept]
    if len(ranked) > len(kept):
        texts.append(f"{len(ranked) - len(kept)} others")
    return kinds, list(zip(texts, figures.LABEL_COLOURS, strict=False))


def _group_rows(facts: PageFacts) -> list[tuple[str, int, str]]:
    """Representative, size and the other members of groups of two and more."""
    rows = []
    for group in facts.groups.groups:
        if len(group) > 1:
            others = [facts.names[j] for j in group[1:]]
            rows.append((shorten(facts.names[group[0]], 60), len(group), words.some(others, 6)))
    return sorted(rows, key=lambda row: -row[1])


def _signed(scripts: str, nonce: str) -> str:
    """Script elements with the word that lets them run."""
    return re.sub(r"(?m)^(\s*)<script\b", rf'\1<script nonce="{nonce}"', scripts)


def _bokeh_source() -> str:
    """Bokeh's own script, without its optional parts."""
    resources = copy.copy(INLINE)
    resources.components = ["bokeh"]
    return resources.render_js()
