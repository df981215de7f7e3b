"""The tables of the study, made from results, each beside what the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial

import numpy as np
from scipy.stats import wilcoxon

from ...describe.explain import holm
from ...evaluation import Comparison, compare
from ..plan import paper, recipes, suites
from ..plan.suites import StudyColumn
from .result_table import Entry, ResultTable
from .results import Results

#: leukemia is ALLAML cut into three values: the same patients, so not independent.
REPEATED = ("leukemia",)
SCORES = {"genie3": "Genie3", "random_forest": "RandomForest"}

#: What a column of a table says of a data set.
Of = Callable[[str], Entry]


def by_data_set(
    name: str,
    title: str,
    results: Results,
    columns: Sequence[tuple[str, Of]],
    notes: Sequence[str] = (),
    bold: Sequence[int] = (),
) -> ResultTable:
    """Make a table with a row for every data set."""
    rows = [[data_set, *(of(data_set) for _, of in columns)] for data_set in results.data_sets]
    header = ["data set", *(header for header, _ in columns)]
    return ResultTable(name, title, header, rows, notes, bold)


def _ours(results: Results, columns: Iterable[StudyColumn]) -> list[tuple[str, Of]]:
    return [(c.title, partial(_shown, results, c)) for c in columns]


def _shown(results: Results, column: StudyColumn, data_set: str) -> Entry:
    """An error, or in a word or two why there is none; what failed how is in the table of gaps."""
    value = results.value(column, data_set)
    return value.partition(" (")[0] if isinstance(value, str) else value


def _printed(number: int, method: str | None) -> Of:
    figures: dict[str, Decimal] = paper.table(number).get(method or "", {})
    return lambda name: float(figures[name]) if name in figures else None


def _ratio(ours: Of, theirs: Of) -> Of:
    def of(name: str) -> Entry:
        a, b = ours(name), theirs(name)
        return a / b if isinstance(a, float) and isinstance(b, float) else None

    return of


def table_2(results: Results) -> ResultTable:
    """Compare Genie3 and RandomForest with each other and with the paper's Table 2."""
    columns = (suites.GENIE3, suites.RANDOM_FOREST)
    ours = _ours(results, columns)
    theirs = [(f"paper: {title}", _printed(2, title)) for title, _ in ours]
    ratios = [
        (f"ratio: {title}", _ratio(a, b)) for (title, a), (_, b) in zip(ours, theirs, strict=True)
    ]
    notes = [
        f"Friedman, {without or 'all data sets'}: {_sentence(found)}"
        for without, found in _compared(results, columns)
    ]
    notes.append(
        f"The paper: average ranks {paper.TABLE_2_AVERAGE_RANKS['Genie3']} and "
        f"{paper.TABLE_2_AVERAGE_RANKS['RandomForest']}, p = {paper.TABLE_2_FRIEDMAN_P}."
    )
    title = "Table 2. Error of the ensemble scores (extra trees, mean of 5 seeds)"
    return by_data_set("table-2", title, results, [*ours, *theirs, *ratios], notes, bold=(1, 2))


def table_2_departures(results: Results) -> ResultTable:
    """Put Table 2 with the departures of the authors' program beside what the paper prints."""
    columns = _ours(results, suites.DEPARTURES)
    columns += [(f"paper: {title}", _printed(2, title)) for title in SCORES.values()]
    notes = [
        "The authors' program lets the first of equally good columns win and leaves columns "
        "permuted while those below them in a tree are looked at. One seed."
    ]
    others = (suites.RANDOM_FOREST_FIRST, suites.CUMULATIVE)
    compared = (results.compare((suites.GENIE3_FIRST, c)) for c in others)
    notes += [f"Friedman: {_sentence(found)}" for found in compared if found]
    title = "Table 2 with the departures of the authors' program"
    return by_data_set("table-2-departures", title, results, columns, notes)


def table_3(results: Results) -> ResultTable:
    """Show the errors of all methods on all data sets, as the paper's Table 3 does."""
    columns = suites.SOTA_COLUMNS
    notes = ["Columns marked (published) use the settings of the paper's experiments."]
    found = results.compare(columns)
    if found and found.dropped:
        notes.append(f"Ranks leave out {', '.join(found.dropped)}: not every method has a value.")
    title = "Table 3. Error of the 16 leading features, all methods"
    bold = range(1, len(columns) + 1)
    table = by_data_set("table-3", title, results, _ours(results, columns), notes, bold)
    if found:
        ranks = dict(zip(found.methods, found.average_ranks, strict=True))
        table.rows.append(["average rank", *(_number(ranks.get(c.title)) for c in columns)])
    return table


def beside_paper(results: Results) -> ResultTable:
    """Put our errors and their ratio beside those of the paper's Table 3."""
    columns: list[tuple[str, Of]] = []
    for column in suites.PUBLISHED_COLUMNS:
        ours, theirs = partial(_shown, results, column), _printed(3, column.paper)
        columns += [(column.title, ours), ("paper", theirs), ("ratio", _ratio(ours, theirs))]
    return by_data_set("table-3-beside-paper", "Table 3 beside the paper's", results, columns)


def tests(results: Results) -> ResultTable:
    """Test several sets of methods by Friedman and Nemenyi."""
    cases = [("the paper's own Table 3", paper_comparison())]
    for label, columns in (
        ("published settings", suites.PUBLISHED_COLUMNS),
        ("right settings", suites.RIGHT_SETTINGS),
    ):
        compared = _compared(results, columns)
        cases += [(f"{label}, {without}" if without else label, c) for without, c in compared]
    rows: list[list[Entry]] = []
    for label, found in cases:
        by_rank = sorted(zip(found.average_ranks, found.methods, strict=True))
        ranks = ", ".join(f"{method} {rank:.2f}" for rank, method in by_rank)
        p = f"{found.p_value:.3g}"
        rows.append([label, len(found.datasets), p, found.critical_distance, ranks])
    header = ["methods and data", "data sets", "Friedman p", "critical distance", "average ranks"]
    title = "Friedman's test and Nemenyi's critical distance (0.05)"
    return ResultTable("tests", title, header, rows)


def _compared(results: Results, columns: Sequence[StudyColumn]) -> Iterator[tuple[str, Comparison]]:
    """Compare columns on all data sets, and without those that are not independent."""
    found = results.compare(columns)
    if found is not None:
        yield "", found
        rest = results.compare(columns, REPEATED)
        if rest is not None and len(rest.datasets) < len(found.datasets):
            yield f"without {', '.join(REPEATED)}", rest


def beyond(results: Results) -> ResultTable:
    """Rank each new ranker among the paper's seven methods, rightly set, and two controls."""
    rows = [row for c in suites.NEW_COLUMNS if (row := _standing(results, c))]
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
    found = results.compare([column, *suites.RIGHT_SEVEN, *suites.CONTROLS])
    if found is None or column.title not in found.methods:
        return None
    lead = dict(zip(found.methods, found.average_ranks - found.average_ranks[0], strict=True))
    seven = {c.title: results.numbers(c) for c in suites.RIGHT_SEVEN}
    behind = [title for title in seven if lead.get(title, 0.0) > found.critical_distance]
    worse = ahead_of(results.numbers(column), seven)
    ours, chance, fastcan = (results.numbers(c) for c in (column, suites.RANDOM, suites.FASTCAN))
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
    differs = holm(np.array([*p_values.values()])) <= alpha
    return [
        title
        for title, really in zip(others, differs, strict=True)
        if really and np.nanmedian(others[title] / ours) > 1.0
    ]


def paper_comparison() -> Comparison:
    """Test the figures that the paper prints."""
    printed = paper.table(3)
    values = {method: [float(v) for v in column.values()] for method, column in printed.items()}
    return compare(values, datasets=list(paper.DATA_SETS))


def grid_ranks(results: Results, grid: suites.Grid) -> np.ndarray | None:
    """Average ranks of settings over the data sets on which every setting has a value, or None.

    Settings without any value get NaN.
    """
    errors = np.array([[results.numbers(column) for column in row] for row in grid])
    known = ~np.isnan(errors).all(axis=2)
    if known.sum() < 2 or (~np.isnan(errors[known]).any(axis=0)).sum() < 2:
        return None
    ranks = np.full(known.shape, np.nan)
    ranks[known] = compare(errors[known].T).average_ranks
    return ranks


def urelief_table(results: Results) -> ResultTable | None:
    """Average ranks of URelief's settings; None where too few have a value."""
    ranks = grid_ranks(results, suites.URELIEF_GRID)
    if ranks is None:
        return None
    header = ["iterations", *(f"K = {k}" for k in paper.URELIEF_NEIGHBORS)]
    rows: list[list[Entry]] = [
        [f"{i:g} m", *map(float, row)]
        for i, row in zip(paper.URELIEF_ITERATIONS, ranks, strict=True)
    ]
    return ResultTable("fig-3-urelief", "Fig. 3. Average ranks of URelief's settings", header, rows)


def ensemble_table(results: Results) -> ResultTable:
    """Average ranks of ensembles and subset sizes, for each score."""
    rows: list[list[Entry]] = []
    for score, title in SCORES.items():
        ranks = grid_ranks(results, suites.ensemble_grid(score))
        if ranks is not None:
            for size, row in zip(paper.SUBSET_SIZES, ranks, strict=True):
                rows.append([title, size or "n", *map(_number, row)])
    notes = []
    for column in suites.PARTS["ensemble-grid"]:
        missing = [n for n in results.data_sets if isinstance(results.value(column, n), str)]
        if missing:
            notes.append(
                f"No value for {column.title} on {', '.join(missing)}; left out of all ranks."
            )
    title = "Fig. 4. Average ranks of ensembles and subset sizes"
    return ResultTable("fig-4-ensembles", title, ["score", "n'", *paper.ENSEMBLES], rows, notes)


def curve_table(results: Results) -> ResultTable:
    """List every point of every error curve."""
    rows: list[list] = []
    for name in results.data_sets:
        for column in suites.SOTA_COLUMNS:
            curve = results.curve(column, name)
            if not isinstance(curve, str):
                rows += [
                    [name, column.title, int(s), float(e)]
                    for s, e in zip(curve.sizes, curve.error, strict=True)
                ]
    header = ["data set", "method", "features", "error"]
    return ResultTable("fig-5-curves", "Fig. 5. Error curves", header, rows)


def ari_table(results: Results) -> ResultTable:
    """List how far clusters resemble classes on every data set."""
    title = "Fig. 1. Median adjusted Rand index of k-means"
    return by_data_set("fig-1-ari", title, results, [("ARI", results.ari)])


def gaps(results: Results) -> ResultTable:
    """List every entry of Table 3 without a number, and why it has none."""
    rows: list[list[Entry]] = [
        [name, column.title, reason]
        for name in results.data_sets
        for column in (*suites.SOTA_COLUMNS, suites.RANDOM_FOREST)
        if isinstance(reason := results.value(column, name), str)
    ]
    if not recipes.HAS_FASTCAN:
        rows.append(["all", suites.FASTCAN.title, "what it needs is not installed"])
    reasons = dict.fromkeys(paper.DATA_SETS, "the data set is not in the directory")
    reasons |= dict.fromkeys(results.left_out, "the data set was not asked for")
    rows += [[n, "all", reasons[n]] for n in paper.DATA_SETS if n not in results.data_sets]
    return ResultTable("gaps", "What has no value, and why", ["data set", "method", "reason"], rows)


def _number(value) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def _sentence(found: Comparison) -> str:
    ranks = ", ".join(
        f"{m} {r:.3f}" for m, r in zip(found.methods, found.average_ranks, strict=True)
    )
    return f"average ranks {ranks}; p = {found.p_value:.3g} ({len(found.datasets)} data sets)."


#: All tables, in the order of the page, and the parts of the study that they belong to.
TABLES: tuple[tuple[str, Callable[[Results], ResultTable | None]], ...] = (
    ("ensemble-scores", table_2),
    ("ensemble-scores", table_2_departures),
    ("sota", table_3),
    ("sota", beside_paper),
    ("sota", tests),
    ("sota", beyond),
    ("urelief-grid", urelief_table),
    ("ensemble-grid", ensemble_table),
    ("ari", ari_table),
    ("curves", curve_table),
    ("sota", gaps),
)
