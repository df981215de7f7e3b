"""In words: what was reproduced, what was not, and why."""

from __future__ import annotations

from ..plan import paper
from ..plan.suites import GENIE3, PUBLISHED_COLUMNS, RANDOM, RIGHT_COLUMNS, StudyColumn
from .paper_tables import paper_comparison
from .results import Results

#: How far a figure may be from the printed one; folds and seeds differ.
TOLERANCE = {"URelief": 0.07, "Genie3": 0.08}
_SCALE_UNKNOWN = ("USPS",)


def verdicts(results: Results) -> list[str]:
    """Say in a sentence or two each what was found."""
    lines = [_paper_tests()]
    lines += [_agreement(results, column) for column in PUBLISHED_COLUMNS if column.is_available()]
    lines.append(_against_random(results))
    lines.append(
        "The paper calls its measure a mean squared error; its figures are means over features of "
        "per-feature root mean squared errors on raw values, and are compared as such."
    )
    lines.append(
        "The published baselines use a heat kernel of width 1, under which almost all rows are "
        "isolated, all scores tie and the order of the columns decides (the last ones win); the "
        "right settings tune the width to the data. Both are in Table 3. On images the paper "
        "prints the error of the last 16 columns for MCFS and NDFS as well; their published "
        "settings alone do not make them tie, so that does not come out here."
    )
    absent = [name for name in paper.DATA_SETS if name not in results.data_sets]
    if absent:
        lines.append(f"Not compared, because the data are not here: {', '.join(absent)}.")
    if "USPS" in results.data_sets:
        lines.append(
            "USPS is judged by its ranks alone: on which scale the paper's copy was is unknown."
        )
    return [line for line in lines if line]


def outliers(results: Results, column: StudyColumn, tolerance: float) -> tuple[list[str], int]:
    """Data sets on which a column is not within the tolerance, and how many were compared."""
    printed = paper.table_3()[column.paper or column.title]
    found, compared = [], 0
    for name in results.data_sets:
        value = results.value(column, name)
        if isinstance(value, str) or name not in printed or name in _SCALE_UNKNOWN:
            continue
        compared += 1
        if not paper.agrees(value, printed[name], tolerance):
            found.append(f"{name} ({value:.4g} against {printed[name]})")
    return found, compared


def _agreement(results: Results, column: StudyColumn) -> str:
    title = column.paper or column.title
    tolerance = TOLERANCE.get(title, 0.08)
    out, compared = outliers(results, column, tolerance)
    if compared == 0:
        return ""
    sentence = (
        f"{title}: {compared - len(out)} of {compared} figures are within {tolerance:.0%} of the "
        "paper's or round to them"
    )
    if not out:
        return f"{sentence}."
    return (
        f"{sentence}; the others: {', '.join(out)}. Folds and seeds differ, and the paper prints "
        "two digits."
    )


def _paper_tests() -> str:
    found = paper_comparison()
    same = {frozenset(g) for g in found.groups()} == {frozenset(g) for g in paper.TABLE_3_GROUPS}
    return (
        f"The tests on the paper's own Table 3 give p = {found.p_value:.3g} (the paper: "
        f"{paper.TABLE_3_FRIEDMAN_P:.2g}; two digits shift the ranks), a critical distance of "
        f"{found.critical_distance:.3f}, and {'the same' if same else 'other'} groups of methods "
        "without significant differences."
    )


def _against_random(results: Results) -> str:
    chance = results.numbers(RANDOM)
    parts = []
    for column in (GENIE3, *PUBLISHED_COLUMNS[1:], *RIGHT_COLUMNS):
        if column is RANDOM or not column.is_available():
            continue
        ours = results.numbers(column)
        both = (ours == ours) & (chance == chance)
        if both.any():
            parts.append(
                f"{column.title} {int((ours[both] < chance[both]).sum())}/{int(both.sum())}"
            )
    if not parts:
        return ""
    return (
        "Data sets on which a method is better than the mean of random choices of 16 features: "
        f"{', '.join(parts)}. The paper has no such control."
    )
