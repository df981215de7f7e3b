"""What the rows of the planes can be coloured by: a label, or a leading column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from ..describe.heat import N_KINDS, kinds
from ..io.data_file import shorten
from .page_facts import N_HEAT, PageFacts

#: Colours of a number, from its lowest to its highest rank; the last is for what is missing.
LEVELS = 254
UNKNOWN = 255


@dataclass(frozen=True)
class RowColours:
    """A colour for every row shown.

    `places` are levels from 0 to 254 of a number, by rank, or kinds from 0 to 7; 255 is missing.
    `legend` names the kinds, or the lowest and the highest value of a number.
    """

    places: np.ndarray
    legend: list[str]
    nominal: bool


def colours_by_label(facts: PageFacts) -> RowColours | None:
    """The colours of labels, of which the most common come first."""
    if facts.labels is None:
        return None
    texts, codes = np.unique(facts.labels[facts.plane_rows].astype(str), return_inverse=True)
    return _by_kind(codes.astype(float), texts)


def colours_by_column(facts: PageFacts) -> dict[int, RowColours]:
    """The colours of the leading columns."""
    part = facts.table.take(rows=facts.plane_rows)
    found = {}
    for j in facts.order[:N_HEAT].tolist():
        values, names = part.column(j), part.schema.categories[j]
        found[j] = _by_rank(values) if names is None else _by_kind(values, names)
    return found


def _by_kind(codes: np.ndarray, names: np.ndarray) -> RowColours:
    places = kinds(codes)
    legend = []
    for kind in range(min(N_KINDS, len(np.unique(codes[~np.isnan(codes)])))):
        name = str(names[int(codes[np.argmax(places == kind)])])
        legend.append(shorten(name, 30) or "(none)")
    rest = len(np.unique(codes[places == N_KINDS]))
    return RowColours(_packable(places), [*legend, *([f"{rest:,} others"] if rest else [])], True)


def _by_rank(values: np.ndarray) -> RowColours:
    known = ~np.isnan(values)
    places = np.full(len(values), np.nan)
    if not known.any():
        return RowColours(_packable(places), [], False)
    ranks = rankdata(values[known])
    places[known] = np.rint(LEVELS * (ranks - 1) / max(1, known.sum() - 1))
    ends = values[known].min(), values[known].max()
    return RowColours(_packable(places), [f"{end:.4g}" for end in ends], False)


def _packable(places: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(places), UNKNOWN, places)
