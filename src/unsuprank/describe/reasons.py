"""Why a column is where it is in a ranking, and which column stands for it.

Three things are told of every column: where the ranking has it; whether it shares more with the
other columns than by chance, which is the answer of :class:`~unsuprank.SharedVariance` whatever
ranks; and the group of columns that say much the same, of which the best ranked stands for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ranker import Ranker
from ..table import Table
from .association import STRONG, associations, find_groups, find_neighbours
from .fitted import read_for
from .frames import as_frame
from .structure import find_structure

#: Leading columns that are put into groups; each of the others joins the most like of them.
MAX_GROUPED = 1000
#: Names that a sentence lists.
MAX_LISTED = 3


@dataclass(frozen=True)
class Reasons:
    """What there is to say about the columns of a ranking, best first.

    ``reasons["age"]`` is the sentence about the column age.

    Attributes
    ----------
    rows : list of dict
        With the keys

        - feature, rank, score, selected;
        - forced: "included" or "excluded" if the ranker was told so, otherwise None;
        - varies: whether it has more than one value;
        - explained, chance, p_value: the share of the variance of the other columns that the column
          explains, that which it would explain by chance, and how often chance explains as much;
        - beyond_chance: whether it is beyond chance, at 5% false discoveries;
        - group: a number that it shares with the columns that say much the same;
        - represented_by: the column that stands for it, the best ranked of its group; None if it
          is that column itself;
        - association: that with the column that stands for it; None if it is that itself;
        - stands_for: the columns that it stands for, best first;
        - text: all this in a sentence.
    """

    rows: list[dict[str, Any]]

    def __getitem__(self, feature: str) -> str:
        for row in self.rows:
            if row["feature"] == feature:
                return row["text"]
        raise KeyError(f"{feature!r} is not a column of the ranking.")

    def __str__(self) -> str:
        return "\n".join(row["text"] for row in self.rows)

    def to_frame(self) -> Any:
        """Put the rows into a pandas DataFrame."""
        return as_frame(self.rows)


def why(ranker: Ranker, X: Any) -> Reasons:
    """Tell of every column why it is where it is, and which column stands for it.

    Parameters
    ----------
    ranker : fitted ranker
    X : array-like, DataFrame, AnnData or Table
        What the ranker was fitted on.

    Returns
    -------
    Reasons

    Notes
    -----
    Groups are those of :func:`find_groups` for the first 1,000 columns of the ranking. A column
    after these joins the group of the one that is most like it if the two are strongly associated,
    and has a group of its own otherwise.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from unsuprank import GreedyCSS
    >>> from unsuprank.describe import why
    >>> x, y, z = np.random.default_rng(0).normal(size=(3, 200))
    >>> frame = pd.DataFrame({"x": x, "copy": -x + y / 9, "sum": x + y, "noise": z})
    >>> reasons = why(GreedyCSS(n_features_to_select=2).fit(frame), frame)
    >>> print(reasons["noise"])
    noise has rank 4 of 4 and is not selected: it shares no more with the other columns than by
    chance.
    """
    table = read_for(ranker, X)
    leaders = leaders_of(table, ranker.order_)
    rows = _rows(ranker, table, leaders)
    return Reasons([row | {"text": _sentence(row, len(rows))} for row in rows])


def leaders_of(table: Table, order: np.ndarray) -> np.ndarray:
    """For every column, the best ranked one of the columns that say much the same."""
    leaders = np.arange(table.n_columns)
    leading, others = order[:MAX_GROUPED], order[MAX_GROUPED:]
    for group in find_groups(table, leading).groups:
        leaders[group] = group[0]
    if len(others):
        like = find_neighbours(table, leading, k=1)
        joins = others[like.association[others, 0] >= STRONG]
        leaders[joins] = leaders[like.nearest[joins, 0]]
    return leaders


def _with_leaders(table: Table, leaders: np.ndarray) -> np.ndarray:
    """The association of every column with the one that stands for it; 1 with itself."""
    found = np.ones(len(leaders))
    led = np.flatnonzero(leaders != np.arange(len(leaders)))
    for leader in np.unique(leaders[led]):
        members = led[leaders[led] == leader]
        found[members] = associations(table, members, [leader])[:, 0]
    return found


def _rows(ranker: Ranker, table: Table, leaders: np.ndarray) -> list[dict[str, Any]]:
    """All that is known of the columns of a ranking, best first; see :class:`Reasons`."""
    names, order, structure = table.names, ranker.order_.tolist(), find_structure(table)
    selected, association = ranker.get_support(), _with_leaders(table, leaders)
    led: dict[int, list[int]] = {int(leader): [] for leader in leaders[order]}  # the best first
    for j in order:
        led[int(leaders[j])].append(j)
    groups = {leader: number for number, leader in enumerate(led, 1)}
    return [
        {
            "feature": names[j],
            "rank": rank,
            "score": float(ranker.scores_[j]),
            "selected": bool(selected[j]),
            "forced": (None, "excluded", "included")[ranker.forced_[j]],
            "varies": bool(table.varies[j]),
            "explained": float(structure.explained[j]),
            "chance": float(structure.chance[j]),
            "p_value": float(structure.p_values[j]),
            "beyond_chance": bool(structure.beyond[j]),
            "group": groups[leaders[j]],
            "represented_by": None if leaders[j] == j else names[leaders[j]],
            "association": None if leaders[j] == j else float(association[j]),
            "stands_for": [names[i] for i in led.get(j, []) if i != j],
        }
        for rank, j in enumerate(order, 1)
    ]


def _sentence(row: dict[str, Any], n: int) -> str:
    selected = "is selected" if row["selected"] else "is not selected"
    forced = f" because it is {row['forced']}" if row["forced"] else ""
    return f"{row['feature']} has rank {row['rank']} of {n} and {selected}{forced}: {_reason(row)}."


def _reason(row: dict[str, Any]) -> str:
    if not row["varies"]:
        return "it has the same value in all rows"
    if row["represented_by"] is None:
        stands = f", and it stands for {_listed(row['stands_for'])}" if row["stands_for"] else ""
        return _beside_chance(row) + stands
    strength = f"association {row['association']:.2f}"
    if row["selected"]:
        other = f"{row['represented_by']}, which ranks before it, says much the same ({strength})"
        return f"{_beside_chance(row)}, but {other}"
    return f"{row['represented_by']}, which ranks before it, stands for it ({strength})"


def _beside_chance(row: dict[str, Any]) -> str:
    if not row["beyond_chance"]:
        return "it shares no more with the other columns than by chance"
    shares = f"{_percent(row['explained'])} of their variance, {_percent(row['chance'])} by chance"
    return f"it shares more with the other columns than by chance ({shares})"


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "less than 0.1%"


def _listed(names: list[str]) -> str:
    if len(names) > MAX_LISTED:
        return f"{', '.join(names[:MAX_LISTED])} and {len(names) - MAX_LISTED:,} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
