"""Facts, words and pictures put into one file.

All text of the user's goes into the page in one of two ways: escaped by Jinja2, or as data
in a JSON block whose angle brackets are escaped, from where the script shows it as text and
never as markup. A content security policy forbids the page every request, and every script
that is not the page's own.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.embed import components
from bokeh.resources import INLINE
from jinja2 import Environment

from ..describe.rank_stability import parameters_called
from ..io.data_file import shorten
from ..ranker import Ranker
from ..registry import method_of
from ..table import Table
from . import figures, words
from .page_facts import Facts, gather

MAX_LABELS = 8


def write_report(
    ranker: Ranker,
    table: Table,
    path: str | Path,
    *,
    title: str = "table",
    labels: Sequence[str] | None = None,
    label_name: str | None = None,
    notes: Sequence[str] = (),
    seed: int | None = None,
) -> None:
    """Write the page about a fitted ranker.

    Parameters
    ----------
    ranker : Ranker
        Fitted on `table`.
    table : Table
    path : str or Path
        The file to write.
    title : str
        What the data are called.
    labels, label_name : optional
        A label per row, which colours the embedding and is used for nothing else.
    notes : sequence of str
        Further remarks for the summary.
    seed : int, optional
        Of the refits and samples on the page; the ranker's own by default.
    """
    if seed is None:
        own = ranker.get_params().get("random_state")
        seed = own if isinstance(own, int) else 0
    names = [f"x{j}" for j in range(table.n_columns)]
    if table.schema.names is not None:
        names = list(table.schema.names)
    top = min(16, table.n_columns)
    facts = gather(_for_codes(ranker, table), table, names, top, seed)
    Path(path).write_text(_render(facts, ranker, title, labels, label_name, notes, seed), "utf-8")


def _for_codes(ranker: Ranker, table: Table) -> Ranker:
    """The same fitted ranker, whose clones take the codes of a table."""
    if not (table.n_values > 0).any():
        return ranker
    twin = copy.deepcopy(ranker)
    for key in parameters_called(twin, "nominal_features"):
        twin.set_params(**{key: table.n_values > 0})
    return twin


def _render(
    facts: Facts,
    ranker: Ranker,
    title: str,
    labels: Sequence[str] | None,
    label_name: str | None,
    notes: Sequence[str],
    seed: int,
) -> str:
    method = method_of(ranker)
    kinds, legend = _label_kinds(facts, labels)
    script, divs = components(_figures(facts, kinds))
    assets = files(__package__) / "assets"
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((assets / "report.html").read_text("utf-8"))
    top = facts.stability.top
    data = _safe_json(_payload(facts))
    # Only scripts that carry this word run; the same page gets the same word, and no name in
    # the page can hold the digest of the page.
    nonce = hashlib.sha256(data.encode("utf-8")).hexdigest()[:32]
    return template.render(
        title=shorten(title, 120),
        facts=facts,
        method=method,
        ranker_name=type(ranker).__name__,
        top=top,
        warnings=[*words.warnings_about(facts, method), *notes],
        settings=words.settings(ranker, method, seed),
        says=words.verdicts(facts, top),
        nine_of_ten=words.nine_of_ten(facts),
        divs=divs,
        nonce=nonce,
        figure_script=_signed(script, nonce),
        bokeh_js=_signed(_bokeh_source(), nonce),
        css=(assets / "report.css").read_text("utf-8"),
        js=(assets / "report.js").read_text("utf-8"),
        data=data,
        label_name=label_name,
        legend=legend,
        groups=_group_rows(facts),
        shorten=shorten,
        number=words.number,
    )


def _figures(facts: Facts, kinds: np.ndarray | None) -> dict[str, Any]:
    source = figures.feature_source()
    made = {
        "score": figures.score_figure(facts, source),
        "interval": figures.interval_figure(facts),
        "frequency": figures.frequency_figure(facts),
        "mean": figures.against_figure(facts, source, "mean", "mean of the column"),
        "spread": figures.against_figure(facts, source, "spread", "spread of the column"),
        "groups": figures.group_figure(facts),
        "heat": figures.heat_figure(facts),
        "plane_all": figures.plane_figure(facts.planes[0][0], kinds),
        "plane_top": figures.plane_figure(facts.planes[1][0], kinds),
    }
    if facts.curve is not None:
        made["curve"] = figures.curve_figure(facts)
    return made


def _label_kinds(
    facts: Facts, labels: Sequence[str] | None
) -> tuple[np.ndarray | None, list[tuple[str, str]]]:
    """A number per row for its label, and the legend; rare labels share the last number."""
    if labels is None:
        return None, []
    shown = np.asarray(labels, dtype=object)[facts.plane_rows]
    distinct, counts = np.unique(shown.astype(str), return_counts=True)
    ranked = distinct[np.argsort(-counts, kind="stable")]
    kept = (
        list(ranked[:MAX_LABELS]) if len(ranked) <= MAX_LABELS else list(ranked[: MAX_LABELS - 1])
    )
    position = {label: i for i, label in enumerate(kept)}
    kinds = np.array([position.get(str(label), len(kept)) for label in shown])
    texts = [shorten(str(label), 30) or "(none)" for label in kept]
    if len(ranked) > len(kept):
        texts.append(f"{len(ranked) - len(kept)} others")
    return kinds, list(zip(texts, figures.LABEL_COLOURS, strict=False))


def _group_rows(facts: Facts) -> list[tuple[str, int, str]]:
    """Representative, size and the other members of groups of two and more."""
    rows = []
    for group in facts.groups.groups:
        if len(group) > 1:
            others = [facts.names[j] for j in group[1:]]
            rows.append((shorten(facts.names[group[0]], 60), len(group), words.some(others, 6)))
    return sorted(rows, key=lambda row: -row[1])


def _pack(values: np.ndarray, dtype: str) -> dict[str, str]:
    """Numbers as base64, a third of the size of text."""
    raw = np.ascontiguousarray(values, dtype="<" + dtype).tobytes()
    return {"type": dtype, "bytes": base64.b64encode(raw).decode("ascii")}


def _payload(facts: Facts) -> dict[str, Any]:
    """What the script needs to show every feature, in the order of the columns."""
    whole = facts.histograms.max(axis=1, keepdims=True)
    bars = np.ceil(35 * facts.histograms / np.maximum(whole, 1)).astype(int)
    digits = np.array(list("0123456789abcdefghijklmnopqrstuvwxyz"))
    small = "u2" if facts.n_columns < 2**16 else "u4"
    columns = {
        "score": _pack(_f4(facts.scores), "f4"),
        "mean": _pack(_f4(facts.summary["mean"]), "f4"),
        "spread": _pack(_f4(facts.summary["spread"]), "f4"),
        "missing": _pack(facts.summary["missing"], "f4"),
        "zero": _pack(facts.summary["zero"], "f4"),
        "order": _pack(facts.order, "u4"),
        "low": _pack(facts.stability.low, "u4"),
        "high": _pack(facts.stability.high, "u4"),
        "frequency": _pack(np.round(100 * facts.stability.frequency), "u1"),
        "min": _pack(_f4(facts.low), "f4"),
        "max": _pack(_f4(facts.high), "f4"),
        "nearest": _pack(facts.neighbours.nearest, small),
        "association": _pack(np.round(100 * facts.neighbours.association.clip(0, 1)), "u1"),
        "strong": _pack(facts.neighbours.n_strong, "u4"),
    }
    return {
        "names": facts.names,
        "columns": columns,
        "neighbours": facts.neighbours.nearest.shape[1],
        "histograms": ["".join(row) for row in digits[bars]],
        "nominal": _nominal_facts(facts),
        "rows": facts.table.n_rows,
        "top": facts.stability.top,
        "repeats": words.nine_of_ten(facts),
        "chance": _number(facts.stability.chance_level),
        "intervals": facts.order[:30].tolist(),
        "heat": facts.heat.columns.tolist(),
    }


def _nominal_facts(facts: Facts) -> dict[int, tuple[Any, list[str], list[int]]]:
    """Mode, values and their counts of nominal columns; a dozen values are enough to show."""
    out = {}
    for j, categories in enumerate(facts.table.schema.categories):
        if categories is None:
            continue
        codes = facts.table.values[:, j]
        counts = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=len(categories))
        values = [shorten(str(c), 40) for c in categories[:12]]
        out[j] = (facts.summary["mode"][j], values, counts[:12].tolist())
    return out


def _f4(values: np.ndarray) -> np.ndarray:
    """Numbers that fit float32."""
    limit = float(np.finfo(np.float32).max)
    return np.clip(values, -limit, limit)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _safe_json(payload: Any) -> str:
    """JSON that can stand in a script element whatever the names are."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Lone surrogates have no UTF-8; JSON can still name them.
    return "".join(
        c if not "\ud800" <= c <= "\udfff" else f"\\u{ord(c):04x}" for c in text
    ) if any("\ud800" <= c <= "\udfff" for c in text) else text  # fmt: skip


def _signed(scripts: str, nonce: str) -> str:
    """Script elements with the word that lets them run."""
    return re.sub(r"(?m)^(\s*)<script\b", rf'\1<script nonce="{nonce}"', scripts)


def _bokeh_source() -> str:
    """Bokeh's own script, without its optional parts."""
    resources = copy.copy(INLINE)
    resources.components = ["bokeh"]
    return resources.render_js()
