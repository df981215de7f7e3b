"""Columns that are probably not what a ranking is about: identifiers, labels, marks of a gap.

A nominal column of which more than half of the known values differ from each other tells rows
apart and hardly anything else: names, ticket numbers, free text. Most of its values occur once, so
nothing can be learnt of them from other rows, and yet a tree can split by them at will. Half is a
convention and some columns lie near it: of the passengers of the Titanic, names (1,307 different
values in 1,309), tickets (929) and cabins (186 in 295) are left out, and where they came from (369
in 745) just stays. Fewer than `FEWEST` known values are too few to tell.
"""

from __future__ import annotations

import re

import numpy as np

from .file_column import FileColumn

#: Names, or last words of names, that a column with the answer usually has.
LABEL_NAMES = frozenset(
    {"class", "label", "labels", "target", "y", "outcome", "cluster", "clusters"}
    | {"species", "survived", "diagnosis", "leiden", "louvain"}
)
ID_NAMES = frozenset({"id", "ids", "index", "identifier", "uuid", "barcode", "rowname", "rownames"})
#: Known values that are needed to call a column an identifier.
FEWEST = 20
_ID_ENDING = re.compile(r".*([_\s.-][iI][dD]|[a-z](ID|Id))")
_NINES = re.compile(r"9{2,}(\.9+)?|9{2,}\.0")


def is_label_name(name: str) -> bool:
    """Tell whether a column is named like the answer to a question."""
    words = name.strip().lower().split("_")
    return words[-1] in LABEL_NAMES


def named_like_identifier(name: str) -> bool:
    """Tell whether a column is named like one that tells rows apart."""
    return name.strip().lower() in ID_NAMES or _ID_ENDING.fullmatch(name.strip()) is not None


def looks_like_identifier(column: FileColumn) -> str:
    """Say why a column tells rows apart and nothing else; say nothing if it is not so."""
    if column.categories is None and not named_like_identifier(column.name):
        return ""
    known = int((~np.isnan(column.values)).sum())
    if known < FEWEST:
        return ""
    if column.categories is not None:
        distinct = len(column.categories)
        return f"{distinct:,} different values in {known:,}" if 2 * distinct > known else ""
    return "a different number in every row" if _all_different_whole(column.values) else ""


def _all_different_whole(values: np.ndarray) -> bool:
    values = values[~np.isnan(values)]
    return bool(np.all(values == np.floor(values))) and len(np.unique(values)) == len(values)


def missing_marker(column: FileColumn) -> str:
    """Point out a number like -999 that probably stands for a missing value.

    Such a number is the smallest or the largest of its column, occurs again, and is either written
    in nines and the only negative one, or farther from all others than these are from each other.
    """
    if column.categories is not None or column.as_written is not None:
        return ""
    # Marks are large whole numbers, or nines; this leaves most columns at once.
    large = [e for e in column.extremes if abs(e) >= 99 and (e.is_integer() or _is_nines(e))]
    if not large:
        return ""
    values = column.values
    known = values[~np.isnan(values)]
    if known.size < FEWEST:
        return ""
    for extreme in large:
        at_extreme = known == extreme
        times, others = int(at_extreme.sum()), known[~at_extreme]
        if times >= 2 and others.size and _stands_apart(extreme, others):
            return (
                f"holds {extreme:g} in {times:,} rows, far from all others ({others.min():g} to "
                f"{others.max():g}); if it stands for a missing value, say --na {extreme:g}"
            )
    return ""


def _is_nines(value: float) -> bool:
    return _NINES.fullmatch(f"{abs(value):.12g}") is not None


def _stands_apart(extreme: float, others: np.ndarray) -> bool:
    low, high = float(others.min()), float(others.max())
    if extreme < 0 <= low and _is_nines(extreme):
        return True
    gap = low - extreme if extreme < low else extreme - high
    return gap > high - low and len(np.unique(others)) >= 5
