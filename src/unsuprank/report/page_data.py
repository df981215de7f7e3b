"""What the page's script needs to know of every column, small and safe."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..describe import STRONG, value_counts
from ..describe.heat import N_KINDS, kinds
from ..io import shorten
from ..table import Table
from .figures import GREY, KINDS, MISSING, SEQUENCE
from .page_facts import N_HEAT, N_NEIGHBOURS, PageFacts
from .words import nine_of_ten

#: Values of a nominal column that its card shows.
MAX_VALUES = 12
#: Colours of a number, from its lowest to its highest rank; the last is for what is missing.
LEVELS = 254
UNKNOWN = 255


def payload(facts: PageFacts) -> dict[str, Any]:
    """What the script needs to show every column, in the order of the columns."""
    return {
        "names": facts.names,
        "columns": _packed_columns(facts),
        "neighbours": facts.neighbours.nearest.shape[1],
        "histograms": _bars(facts.summary.histogram),
        "nominal": _nominal_facts(facts),
        "kinds": kinds_of_columns(facts.table),
        "top": facts.top,
        "leading": min(N_NEIGHBOURS, facts.n_columns),
        "strong": STRONG,
        "repeats": nine_of_ten(facts.stability),
        "groups": facts.groups.columns.tolist(),
        "heat": facts.heat.columns.tolist(),
        "palettes": {"kinds": KINDS, "sequence": SEQUENCE[:-1], "missing": MISSING, "quiet": GREY},
        "rows": _rows_by_column(facts),
        "label": _rows_by_label(facts),
    }


def kinds_of_columns(table: Table) -> list[str]:
    """What each column holds, in a word."""
    words = np.where(table.n_values > 0, "nominal", "number")
    words[list(table.schema.boolean)] = "yes/no"
    return words.tolist()


def _packed_columns(facts: PageFacts) -> dict[str, dict[str, str]]:
    """One number, or a few, for every column."""
    small = "u2" if facts.n_columns < 2**16 else "u4"
    return {
        "score": _pack(facts.scores, "f4"),
        "mean": _pack(facts.summary.mean, "f4"),
        "spread": _pack(facts.summary.spread, "f4"),
        "missing": _pack(facts.summary.missing, "f4"),
        "zero": _pack(facts.summary.zero, "f4"),
        "values": _pack(facts.summary.distinct, "u4"),
        "deviations": _pack(facts.structure.deviations, "f4"),
        "explained": _pack(facts.structure.explained, "f4"),
        "chance": _pack(facts.structure.chance, "f4"),
        "beyond": _pack(facts.structure.beyond, "u1"),
        "order": _pack(facts.order, "u4"),
        "low": _pack(facts.stability.low, "u4"),
        "high": _pack(facts.stability.high, "u4"),
        "frequency": _pack(np.round(100 * facts.stability.frequency), "u1"),
        "min": _pack(facts.summary.low, "f4"),
        "max": _pack(facts.summary.high, "f4"),
        "nearest": _pack(facts.neighbours.nearest, small),
        "association": _pack(np.round(100 * facts.neighbours.association.clip(0, 1)), "u1"),
        "strong": _pack(facts.neighbours.n_strong, "u4"),
    }


def _pack(values: np.ndarray, dtype: str) -> dict[str, str]:
    """Numbers as base64, a third of the size of text, in the range of their type."""
    if dtype == "f4":
        limit = float(np.finfo(np.float32).max)
        values = np.clip(values, -limit, limit)
    raw = np.ascontiguousarray(values, dtype="<" + dtype).tobytes()
    return {"type": dtype, "bytes": base64.b64encode(raw).decode("ascii")}


def _bars(histograms: np.ndarray) -> list[str]:
    """Heights of the bars of each column, from 0 to 35 of the highest, as digits."""
    highest = np.maximum(histograms.max(axis=1, keepdims=True), 1)
    digits = np.array(list("0123456789abcdefghijklmnopqrstuvwxyz"))
    return ["".join(row) for row in digits[np.ceil(35 * histograms / highest).astype(int)]]


def _nominal_facts(facts: PageFacts) -> dict[int, tuple[Any, list[str], list[int]]]:
    """Mode, values and their counts of nominal columns, of the first dozen values."""
    out = {}
    for j in np.flatnonzero(facts.table.n_values).tolist():
        values, counts = value_counts(facts.table, j)
        texts = [shorten(str(value), 40) for value in values[:MAX_VALUES]]
        out[j] = (facts.summary.mode[j], texts, counts[:MAX_VALUES].tolist())
    return out


def _rows_by_label(facts: PageFacts) -> dict[str, Any] | None:
    """The colours of the rows of the planes by their labels, the most common first."""
    if facts.labels is None:
        return None
    texts, codes = np.unique(facts.labels[facts.plane_rows].astype(str), return_inverse=True)
    return _by_kind(codes.astype(float), texts)


def _rows_by_column(facts: PageFacts) -> dict[int, dict[str, Any]]:
    """The colours of the rows of the planes by each of the leading columns."""
    part = facts.table.take(rows=facts.plane_rows)
    found = {}
    for j in facts.order[:N_HEAT].tolist():
        values, names = part.column(j), part.schema.categories[j]
        found[j] = _by_rank(values) if names is None else _by_kind(values, names)
    return found


def _by_kind(codes: np.ndarray, names: np.ndarray) -> dict[str, Any]:
    """Kinds from 0 to 7, and their names."""
    places = kinds(codes)
    legend = []
    for kind in range(min(N_KINDS, len(np.unique(codes[~np.isnan(codes)])))):
        name = str(names[int(codes[np.argmax(places == kind)])])
        legend.append(shorten(name, 30) or "(none)")
    rest = len(np.unique(codes[places == N_KINDS]))
    return _colours(places, [*legend, *([f"{rest:,} others"] if rest else [])], True)


def _by_rank(values: np.ndarray) -> dict[str, Any]:
    """Levels from 0 to 254 by the ranks of numbers, the lowest of which and the highest."""
    known = ~np.isnan(values)
    if not known.any():
        return _colours(values, [], False)
    ranks = rankdata(values, nan_policy="omit") - 1
    places = np.rint(LEVELS * ranks / max(1, known.sum() - 1))
    return _colours(places, [f"{end:.4g}" for end in (np.nanmin(values), np.nanmax(values))], False)


def _colours(places: np.ndarray, legend: list[str], nominal: bool) -> dict[str, Any]:
    places = np.where(np.isnan(places), UNKNOWN, places)
    return {"places": _pack(places, "u1"), "legend": legend, "nominal": nominal}


def safe_json(payload: Any) -> str:
    """JSON that can stand in a script element whatever the names are."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Lone surrogates have no UTF-8; JSON can still name them.
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
