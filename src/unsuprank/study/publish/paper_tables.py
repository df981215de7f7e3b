"""The tables of the study, made from results, each beside what the paper prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy.stats import wilcoxon

from ...evaluation import Comparison, compare
from ..plan import paper
from ..plan.recipes import urelief_label
from ..plan.suites import (
    CONTROLS,
    CUMULATIVE,
    DEPARTURES,
    FASTCAN,
    GENIE3,
    GENIE3_FIRST,
    NEW_COLUMNS,
    PUBLISHED_COLUMNS,
    RANDOM,
    RANDOM_FOREST,
    RANDOM_FOREST_FIRST,
    RIGHT_COLUMNS,
    RIGHT_SEVEN,
    SOTA_COLUMNS,
    URELIEF_GRID,
    StudyColumn,
    ensemble_grid,
)
from .result_table import ResultTable
from .results import Results

#: leukemia is ALLAML cut into three values: the same patients, so not independent.
REPEATED = ("leukemia",)
SCORES = {"genie3": "Genie3", "random_forest": "RandomForest"}


def available(columns: Iterable[StudyColumn]) -> list[StudyColumn]:
    """The columns whose methods this installation has."""
    return [c for c in columns if c.is_available()]


def table_2(results: Results) -> ResultTable:
    """Compare Genie3 and RandomForest with each other and with the paper's Table 2."""
    columns, printed = (GENIE3, RANDOM_FOREST), paper.table_2()
    rows = []
    for name in results.data_sets:
        ours = [results.value(c, name) for c in columns]
        theirs = [_printed(printed, c.title, name) for c in columns]
        rows.append(
            [name, *ours, *theirs, *(_ratio(a, b) for a, b in zip(ours, theirs, strict=True))]
        )
    notes = []
    for label, without in (("all data sets", ()), ("without leukemia", REPEATED)):
        found = results.compare(columns, without)
        if found:
            notes.append(f"Friedman, {label}: {_sentence(found)}")
    notes.append(
        f"The paper: average ranks {paper.TABLE_2_AVERAGE_RANKS['Genie3']} and "
        f"{paper.TABLE_2_AVERAGE_RANKS['RandomForest']}, p = {paper.TABLE_2_FRIEDMAN_P}."
    )
    header = ["data set", "Genie3", "RandomForest", "paper: Genie3", "paper: RandomForest"]
    header += ["ratio: Genie3", "ratio: RandomForest"]
    title = "Table 2. Error of the ensemble scores (extra trees, mean of 5 seeds)"
    return ResultTable("table-2", title, header, rows, notes, bold=(1, 2))


def table_2_departures(results: Results) -> ResultTable:
    """Put Table 2 with the departures of the authors' program beside what the paper prints."""
    printed = paper.table_2()
    rows = [
        [
            name,
            *(results.value(c, name) for c in DEPARTURES),
            *(_printed(printed, score, name) for score in SCORES.values()),
        ]
        for name in results.data_sets
    ]
    notes = [
        "The authors' program lets the first of equally good columns win and leaves columns "
        "permuted while those below them in a tree are looked at. One seed."
    ]
    compared = (results.compare((GENIE3_FIRST, c)) for c in (RANDOM_FOREST_FIRST, CUMULATIVE))
    notes += [f"Friedman: {_sentence(found)}" for found in compared if found]
    header = ["data set", *(c.title for c in DEPARTURES), *(f"paper: {s}" for s in SCORES.values())]
    title = "Table 2 with the departures of the authors' program"
    return ResultTable("table-2-departures", title, header, rows, notes)


def table_3(results: Results) -> ResultTable:
    """Show the errors of all methods on all data sets, as the paper's Table 3 does."""
    columns = available(SOTA_COLUMNS)
    rows: list[list] = [
        [name, *(results.value(c, name) for c in columns)] for name in results.data_sets
    ]
    found = results.compare(columns)
    notes = ["Columns marked (published) use the settings of the paper's experiments."]
    if found:
        ranks = dict(zip(found.methods, found.average_ranks, strict=True))
        rows.append(["average rank", *(_number(ranks.get(c.title)) for c in columns)])
        if found.dropped:
            notes.append(
                f"Ranks leave out {', '.join(found.dropped)}: not every method has a value."
            )
    title = "Table 3. Error of the 16 leading features, all methods"
    header = ["data set", *(c.title for c in columns)]
    return ResultTable("table-3", title, header, rows, notes, bold=range(1, len(header)))


def beside_paper(results: Results) -> ResultTable:
    """Put our errors and their ratio beside those of the paper's Table 3."""
    columns, printed = available(PUBLISHED_COLUMNS), paper.table_3()
    rows = []
    for name in results.data_sets:
        row: list = [name]
        for column in columns:
            ours, theirs = results.value(column, name), _printed(printed, column.paper, name)
            row += [ours, theirs, _ratio(ours, theirs)]
        rows.append(row)
    header = ["data set"]
    for column in columns:
        header += [column.title, "paper", "ratio"]
    return ResultTable("table-3-beside-paper", "Table 3 beside the paper's", header, rows)


def tests(results: Results) -> ResultTable:
    """Test several sets of methods by Friedman and Nemenyi."""
    right = [*RIGHT_SEVEN, *(c for c in RIGHT_COLUMNS if c not in RIGHT_SEVEN)]
    cases: list[tuple[str, Comparison | None]] = [("the paper's own Table 3", paper_comparison())]
    for label, columns in (("published settings", PUBLISHED_COLUMNS), ("right settings", right)):
        cases.append((label, results.compare(available(columns))))
        cases.append((f"{label}, without leukemia", results.compare(available(columns), REPEATED)))
    rows: list[list] = []
    for label, found in cases:
        if found is not None:
            ranks = ", ".join(
                f"{m} {r:.2f}"
                for r, m in sorted(zip(found.average_ranks, found.methods, strict=True))
            )
            p = f"{found.p_value:.3g}"
            rows.append([label, len(found.datasets), p, found.critical_distance, ranks])
    header = ["methods and data", "data sets", "Friedman p", "critical distance", "average ranks"]
    return ResultTable(
        "tests", "Friedman's test and Nemenyi's critical distance (0.05)", header, rows
    )


def beyond(results: Results) -> ResultTable:
    """Rank each new ranker among the paper's seven methods, rightly set, and two controls."""
    rows = [row for c in available(NEW_COLUMNS) if (row := _standing(results, c)) is not None]
    header = ["ranker", "data sets", "average rank of 10", "Friedman p", "critical distance"]
    header += ["ahead of (Nemenyi)", "ahead of (Wilcoxon)", "better than random"]
    header += ["error relative to fastcan"]
    notes = [
        "Each ranker is compared by itself: the other new ones do not take part in its ranks.",
        "Significantly ahead, at 0.05, of these of the seven: by Nemenyi's critical distance among "
        "all ten, or by Wilcoxon's signed-rank test on the logarithms of errors with Holm's "
        "correction for seven tests.",
        "Relative errors are means over data sets of the ratio of errors.",
    ]
    title = "New rankers against the paper's methods and the controls"
    return ResultTable("beyond", title, header, rows, notes)


def _standing(results: Results, column: StudyColumn) -> list | None:
    found = results.compare([column, *available(RIGHT_SEVEN), *available(CONTROLS)])
    if found is None or column.title not in found.methods:
        return None
    lead = dict(zip(found.methods, found.average_ranks - found.average_ranks[0], strict=True))
    behind = [c.title for c in RIGHT_SEVEN if lead.get(c.title, 0.0) > found.critical_distance]
    worse = ahead_of(results.numbers(column), {c.title: results.numbers(c) for c in RIGHT_SEVEN})
    ours, chance, fastcan = (results.numbers(c) for c in (column, RANDOM, FASTCAN))
    known = ~np.isnan(ours / chance)
    ratio = ours / fastcan
    return [
        column.title,
        len(found.datasets),
        float(found.average_ranks[0]),
        f"{found.p_value:.3g}",
        found.critical_distance,
        *("all seven" if len(b) == 7 else ", ".join(b) or "none" for b in (behind, worse)),
        f"{int((ours[known] < chance[known]).sum())} of {int(known.sum())}",
        None if np.isnan(ratio).all() else float(np.nanmean(ratio)),
    ]


def ahead_of(ours: np.ndarray, others: dict[str, np.ndarray], alpha: float = 0.05) -> list[str]:
    """Name the methods with larger errors, by Wilcoxon's tests with Holm's correction."""
    p_values = {}
    for title, theirs in others.items():
        ratio = np.log(theirs / ours)
        ratio = ratio[np.isfinite(ratio)]
        p_values[title] = wilcoxon(ratio).pvalue if np.any(ratio) else 1.0
    found = []
    for k, title in enumerate(sorted(p_values, key=p_values.__getitem__)):
        if p_values[title] * (len(p_values) - k) > alpha:
            break
        if np.nanmedian(others[title] / ours) > 1.0:
            found.append(title)
    return [title for title in others if title in found]


def paper_comparison() -> Comparison:
    """Test the figures that the paper prints."""
    printed = paper.table_3()
    values = {method: [float(v) for v in column.values()] for method, column in printed.items()}
    return compare(values, datasets=list(paper.DATA_SETS))


def urelief_ranks(results: Results) -> np.ndarray | None:
    """Average ranks of URelief's settings, shape (iterations, neighbours)."""
    errors = results.grid(URELIEF_GRID)
    labels = [
        urelief_label(i, k) for i in paper.URELIEF_ITERATIONS for k in paper.URELIEF_NEIGHBORS
    ]
    ranks = _average_ranks([errors.get(label) for label in labels])
    shape = (len(paper.URELIEF_ITERATIONS), len(paper.URELIEF_NEIGHBORS))
    return None if ranks is None else ranks.reshape(shape)


def ensemble_ranks(results: Results, score: str) -> np.ndarray | None:
    """Average ranks of one score, shape (subset sizes, ensembles)."""
    ranks = _average_ranks([results.grid(c).get(score) for c in ensemble_grid()])
    shape = (len(paper.SUBSET_SIZES), len(paper.ENSEMBLES))
    return None if ranks is None else ranks.reshape(shape)


def _average_ranks(errors) -> np.ndarray | None:
    """Average ranks over the data sets on which every setting has a value, or None.

    Settings without any value get NaN.
    """
    known = [j for j, e in enumerate(errors) if e is not None]
    if len(known) < 2:
        return None
    values = np.array([errors[j] for j in known])
    if (~np.isnan(values).any(axis=0)).sum() < 2:
        return None
    ranks = np.full(len(errors), np.nan)
    ranks[known] = compare(values.T).average_ranks
    return ranks


def urelief_table(results: Results) -> ResultTable | None:
    """Average ranks of URelief's settings; None where too few have a value."""
    ranks = urelief_ranks(results)
    if ranks is None:
        return None
    header = ["iterations", *(f"K = {k}" for k in paper.URELIEF_NEIGHBORS)]
    rows: list[list] = [
        [f"{i:g} m", *map(float, row)]
        for i, row in zip(paper.URELIEF_ITERATIONS, ranks, strict=True)
    ]
    return ResultTable("fig-3-urelief", "Fig. 3. Average ranks of URelief's settings", header, rows)


def ensemble_table(results: Results) -> ResultTable:
    """Average ranks of ensembles and subset sizes, for each score."""
    rows: list[list] = []
    for score, title in SCORES.items():
        ranks = ensemble_ranks(results, score)
        if ranks is not None:
            for size, row in zip(paper.SUBSET_SIZES, ranks, strict=True):
                rows.append([title, size or "n", *(_number(r) for r in row)])
    notes = _incomplete(results)
    title = "Fig. 4. Average ranks of ensembles and subset sizes"
    return ResultTable("fig-4-ensembles", title, ["score", "n'", *paper.ENSEMBLES], rows, notes)


def _incomplete(results: Results) -> list[str]:
    lines = []
    for column in ensemble_grid():
        missing = [
            name
            for name in results.data_sets
            if isinstance(results.curve(replace(column, label="genie3"), name), str)
        ]
        if missing:
            lines.append(
                f"No value for {column.title} on {', '.join(missing)}; left out of all ranks."
            )
    return lines


def curve_table(results: Results) -> ResultTable:
    """List every point of every error curve."""
    rows: list[list] = []
    for name in results.data_sets:
        for column in available(SOTA_COLUMNS):
            curve = results.curve(column, name)
            if not isinstance(curve, str):
                rows += [
                    [name, column.title, int(s), float(e)]
                    for s, e in zip(curve.sizes, curve.error, strict=True)
                ]
    return ResultTable(
        "fig-5-curves", "Fig. 5. Error curves", ["data set", "method", "features", "error"], rows
    )


def ari_table(results: Results) -> ResultTable:
    """List how far clusters resemble classes on every data set."""
    rows: list[list] = [[name, results.ari(name)] for name in results.data_sets]
    return ResultTable(
        "fig-1-ari", "Fig. 1. Median adjusted Rand index of k-means", ["data set", "ARI"], rows
    )


def gaps(results: Results) -> ResultTable:
    """List every entry of Table 3 without a number, and why it has none."""
    rows = [
        [name, column.title, reason]
        for name in results.data_sets
        for column in available((*SOTA_COLUMNS, RANDOM_FOREST))
        if isinstance(reason := results.value(column, name), str)
    ]
    absent = sorted({c.title for c in SOTA_COLUMNS if not c.is_available()})
    rows += [["all", title, "what it needs is not installed"] for title in absent]
    rows += [
        [n, "all", "the data set is not in the directory"]
        for n in paper.DATA_SETS
        if n not in results.data_sets
    ]
    return ResultTable("gaps", "What has no value, and why", ["data set", "method", "reason"], rows)


def _printed(table, method, name) -> float | None:
    value = table.get(method, {}).get(name)
    return None if value is None else float(value)


def _ratio(ours, theirs) -> float | None:
    return ours / theirs if isinstance(ours, float) and theirs else None


def _number(value) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def _sentence(found: Comparison) -> str:
    ranks = ", ".join(
        f"{m} {r:.3f}" for m, r in zip(found.methods, found.average_ranks, strict=True)
    )
    return f"average ranks {ranks}; p = {found.p_value:.3g} ({len(found.datasets)} data sets)."
