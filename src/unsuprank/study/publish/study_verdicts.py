"""What was reproduced, what was not, and why; the words are in ``assets/verdicts.txt``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..plan import paper, suites
from ..plan.suites import StudyColumn
from .paper_tables import paper_comparison
from .result_table import render
from .results import Results

#: How far a figure may be from the printed one; folds and seeds differ.
TOLERANCE = 0.08
_TOLERANCE_OF = {"URelief": 0.07}
_SCALE_UNKNOWN = ("USPS",)


def verdicts(results: Results, parts: Sequence[str]) -> list[str]:
    """Say in a sentence or two each what was found."""
    own, whole = paper_comparison(), "sota" in parts
    here = {*results.data_sets, *results.left_out}
    found = {frozenset(group) for group in own.groups()}
    text = render(
        "verdicts.txt",
        whole=whole,
        paper=paper,
        percent="{:.0%}".format,
        own=own,
        own_groups_agree=found == {frozenset(group) for group in paper.TABLE_3_GROUPS},
        table_2=_about_table_2(results),
        agreements=[agreement(results, c, 3) for c in suites.PUBLISHED_COLUMNS if whole],
        better_than_random=_better_than_random(results) if whole else [],
        absent=[name for name in paper.DATA_SETS if name not in here],
        scale_unknown=[name for name in _SCALE_UNKNOWN if name in results.data_sets],
    )
    return [" ".join(verdict.split()) for verdict in text.split("\n\n") if verdict.strip()]


@dataclass(frozen=True)
class Agreement:
    """How the figures of a column agree with printed ones."""

    title: str
    tolerance: float
    #: Data sets compared, and those whose figures are within the tolerance.
    compared: int
    within: int
    #: The others, with both figures.
    out: list[str]


def agreement(results: Results, column: StudyColumn, number: int) -> Agreement:
    """Compare a column with the figures of the paper's Table 2 or 3."""
    title = column.paper or column.title
    tolerance = _TOLERANCE_OF.get(title, TOLERANCE)
    printed: dict[str, Decimal] = paper.table(number)[title]
    values = {
        name: value
        for name in results.data_sets
        if isinstance(value := results.value(column, name), float)
        and name in printed
        and name not in _SCALE_UNKNOWN
    }
    out = [
        f"{name} ({value:.4g} against {printed[name]})"
        for name, value in values.items()
        if not paper.agrees(value, printed[name], tolerance)
    ]
    return Agreement(title, tolerance, len(values), len(values) - len(out), out)


def _about_table_2(results: Results) -> dict[str, Any] | None:
    """Whether the departures of the authors' program explain the paper's Table 2."""
    first, last = (
        agreement(results, column, 2) for column in (suites.RANDOM_FOREST_FIRST, suites.CUMULATIVE)
    )
    test = results.compare((suites.GENIE3_FIRST, suites.CUMULATIVE))
    if not first.compared or not last.compared or test is None:
        return None
    genie3, random_forest = test.average_ranks
    return {
        "one_by_one": first,
        "cumulative": last,
        "ranks": (genie3, random_forest),
        "p_value": test.p_value,
        "explained": len(last.out) < len(first.out) and genie3 < random_forest,
    }


def _better_than_random(results: Results) -> list[str]:
    """On how many data sets, of how many, each method is better than random choices."""
    chance = results.numbers(suites.RANDOM)
    found = []
    for column in (suites.GENIE3, *suites.PUBLISHED_COLUMNS[1:], *suites.RIGHT_COLUMNS):
        ours = results.numbers(column)
        both = (ours == ours) & (chance == chance)
        if column is not suites.RANDOM and both.any():
            found.append(f"{column.title} {(ours < chance)[both].sum()}/{both.sum()}")
    return found
