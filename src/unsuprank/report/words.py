"""The sentences of the page that judge; those that only name figures stand in the template."""

from __future__ import annotations

import platform

import numpy as np
import scipy
import sklearn

from .._version import __version__
from ..describe import RankStability, Representatives, spearman
from ..describe.fitted import forest_in, how_stable
from ..describe.representatives import MANY_NAMES
from ..evaluation.prediction_curve import PredictionCurve
from ..io import shorten
from ..ranker import Ranker
from .page_facts import TOP, PageFacts

#: Columns of numbers that it takes to compare the ranking with their spread.
MIN_COMPARED = 5


def number(value: float) -> str:
    """A number with four digits."""
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.3g}"


def some(names: list[str], most: int = 3) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"“{shorten(n, 40)}”" for n in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def columns(count: int) -> str:
    """How many columns, in the singular where there is one."""
    return f"{count:,} column" + ("" if count == 1 else "s")


def of_rows(n_rows: int, facts: PageFacts) -> str:
    """On what a sample of the rows says something, or nothing where that is all of them."""
    return "" if n_rows == facts.table.n_rows else f" (on a sample of {n_rows:,} rows)"


def warnings_about(facts: PageFacts) -> list[str]:
    """What a reader should know about the columns before trusting the ranking."""
    found = (_constant(facts), _incomplete(facts), _scales(facts), _repeated(facts))
    return [text for text in found if text]


def _constant(facts: PageFacts) -> str:
    constant = np.flatnonzero(~(facts.summary.spread > 0))
    if not len(constant):
        return ""
    return (
        f"{len(constant):,} column(s) never change and cannot tell rows apart: "
        f"{some([facts.names[j] for j in constant])}."
    )


def _incomplete(facts: PageFacts) -> str:
    missing = facts.summary.missing
    most_first = np.argsort(-missing, kind="stable")[: np.count_nonzero(missing)]
    if not len(most_first):
        return ""
    return (
        f"{len(most_first):,} column(s) have missing values, up to {missing.max():.0%} of the "
        f"rows: {some([facts.names[j] for j in most_first])}."
    )


def _scales(facts: PageFacts) -> str:
    spread = facts.summary.spread
    positive = spread[(facts.table.n_values == 0) & (spread > 0)]
    if not len(positive) or positive.max() <= 1000 * positive.min():
        return ""
    harm = (
        "this method sets all columns to a common scale first, so units do not matter."
        if facts.ranker.scale_free
        else "this method looks at raw values, so the units of a column decide its rank; "
        "standardise the columns or use another method."
    )
    return (
        f"The columns are on very different scales (spreads from {number(positive.min())} to "
        f"{number(positive.max())}): {harm}"
    )


def _repeated(facts: PageFacts) -> str:
    if not facts.repeated:
        return ""
    short = [shorten(name, 30) for name in facts.names]
    pairs = [f"{short[a]} = {short[b]}" for a, b in facts.repeated]
    return (
        f"{len(pairs):,} column(s) repeat another one exactly: {some(pairs)}. Copies share "
        "their rank's meaning: keep one of them."
    )


def settings(ranker: Ranker) -> str:
    """The parameters that a ranking depends on."""
    params = {
        k: v
        for k, v in ranker.get_params(deep=False).items()
        if k not in ("n_jobs", "verbose", "nominal_features", "n_features_to_select")
    }
    return shorten(", ".join(f"{k}={v!r}" for k, v in params.items()) or "none", 400)


def versions() -> str:
    """What a ranking was computed with."""
    return (
        f"unsuprank {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}"
    )


def verdicts(facts: PageFacts) -> list[tuple[str, str, str]]:
    """The questions that the page answers first: each with a word or two, and a sentence."""
    return [
        ("Is there structure beyond chance?", *_structure(facts)),
        ("Is the order stable?", *_stability(facts)),
        ("Which few columns stand for all?", *_representatives(facts)),
    ]


def _structure(facts: PageFacts) -> tuple[str, str]:
    found, n = facts.structure, facts.n_columns
    if not found.n_beyond:
        return (
            "None was found",
            f"None of the {columns(n)} explains more of the others than it would with its rows "
            "shuffled. Whatever the order below says, it does not say that columns go together.",
        )
    others = [facts.names[j] for j in facts.order if not found.beyond[j]]
    left = f" Not beyond chance: {some(others, 4)}." if others else ""
    return (
        "Yes" if 2 * found.n_beyond > n else "In some columns",
        f"{found.n_beyond:,} of {columns(n)} explain more of the others than they would with their "
        f"rows shuffled (at most 5% of these are expected to be false discoveries).{left}",
    )


def _stability(facts: PageFacts) -> tuple[str, str]:
    stability, top = facts.stability, facts.top
    if facts.all_equal:
        return "There is none", "All columns have the same score; they are listed as they came."
    if facts.n_columns == 1:
        return "There is none", "A single column has no order."
    kept = int((stability.frequency[facts.order[:top]] >= 0.8).sum())
    how = (
        f"in {stability.n_repeats} draws of what other seeds would give"
        if stability.drawn
        else f"in {stability.n_repeats} refits on 80% of the rows"
    )
    answer = "Mostly" if kept >= 0.8 * top else "In part" if 2 * kept >= top else "No"
    rows = " How much other rows would change it was not tried." if stability.drawn else ""
    return answer, (
        f"{kept} of the top {top} stay among the top {top} at least four times in five, {how}; "
        f"the rank interval of the median one of them is {_typical_width(facts)} wide."
        f"{_forest_size(facts.ranker)}{rows}"
    )


def _forest_size(ranker: Ranker) -> str:
    """How far a forest has come that decides on its size itself, and nothing about others."""
    forest = forest_in(ranker)
    found = "" if forest is None else how_stable(forest)
    return f" The forest has {found}." if found else ""


def _typical_width(facts: PageFacts) -> str:
    top = facts.order[: facts.top]
    width = int(np.median(facts.stability.high[top] - facts.stability.low[top] + 1))
    return f"{width:,} rank" + ("" if width == 1 else "s")


def _representatives(facts: PageFacts) -> tuple[str, str]:
    found = facts.representatives
    all_of = columns(facts.n_columns - len(found.left_out))
    tail = _left_out(facts, found) + of_rows(found.n_rows, facts)
    if not len(found.columns):
        return "None do", f"No column explains more of the others than chance would{tail}."
    few = found.few
    names = some([facts.names[j] for j in found.columns[:few]], TOP)
    return columns(few).capitalize(), (
        f"{names} {'explains' if few == 1 else 'explain'} {found.explained[few - 1]:.0%} of the "
        f"variation of all {all_of}{tail}, picked one after the other. {_what_next(found)}"
    )


def _what_next(found: Representatives) -> str:
    """What more columns would add."""
    count = len(found.columns)
    if count > found.few:
        up_to = f"Up to {columns(count)} explain more than chance would, together"
        return f"{up_to} {found.explained[-1]:.0%}{'' if found.complete else ', and maybe more'}."
    if found.complete:
        return "The next would explain no more than chance."
    return f"No more than {count:,} were looked for."


def _left_out(facts: PageFacts, found: Representatives) -> str:
    if not len(found.left_out):
        return ""
    names = some([facts.names[j] for j in found.left_out], 4)
    return f" (nominal columns of more than {MANY_NAMES} values left out: {names})"


def curve(curve: PredictionCurve) -> str:
    """What the curve says of how many columns are enough."""
    return " ".join(filter(None, (_error_level(curve), _enough(curve), _band(curve))))


def _error_level(curve: PredictionCurve) -> str:
    best = int(curve.error.argmin())
    if curve.error[best] >= 1.0:
        return (
            f"The error is {number(curve.error[best])} or more at every size, and 1 is what "
            "predicting every column by its mean or its most common value gives: this way of "
            "predicting fails here, and the curve does not tell how many columns are enough."
        )
    return (
        f"The error is lowest with {columns(int(curve.sizes[best]))}, at "
        f"{number(curve.error[best])} of that of predicting means and most common values."
    )


def _enough(curve: PredictionCurve) -> str:
    if curve.error.min() >= 1.0:
        return ""
    if curve.enough is None:
        return "No smaller number comes near to that."
    return f"{columns(curve.enough)} come within 5% of the way from the worst error to the best."


def _band(curve: PredictionCurve) -> str:
    better, worse, n = curve.n_better, curve.n_worse, curve.n_compared
    judged = (
        "at most sizes this choice is better than a random one"
        if 2 * better > n
        else "at most sizes a random choice is better"
        if 2 * worse > n
        else "this does not show that the choice is better than a random one"
    )
    return (
        f"Of {n} size{'' if n == 1 else 's'} short of all columns, the error is below the band of "
        f"random orders at {better} and above it at {worse}: {judged}."
    )


def nine_of_ten(stability: RankStability) -> str:
    """What a rank interval is, to follow a statement."""
    return "for nine of ten seeds" if stability.drawn else "in nine of ten refits"


def variance(facts: PageFacts) -> str:
    """Whether the ranking is one by spread."""
    numeric = facts.numeric
    if len(numeric) < MIN_COMPARED:
        return f"There are fewer than {MIN_COMPARED} numeric columns: too few to tell."
    if not facts.spreads_differ:
        return "All numeric columns have the same spread, so it cannot be."
    r = spearman(facts.scores[numeric], np.nan_to_num(facts.summary.spread[numeric]))
    if r > 0.9:
        judged = "Yes, nearly: ordering the columns by their spread gives almost the same ranking."
    elif r > 0.5:
        judged = "In part: columns of large spread tend to rank high, but not throughout."
    elif r < -0.5:
        judged = "No, rather the reverse: columns of small spread tend to rank high."
    else:
        judged = "No: ordering the columns by their spread gives another ranking."
    over = f"{len(numeric):,} numeric columns"
    return f"{judged} (Rank correlation of score and spread over {over}: {r:.2f}.)"


def closest(facts: PageFacts) -> str:
    """The two most alike of the grouped columns."""
    found = facts.groups
    if len(found.columns) < 2:
        return ""
    pairs = np.triu(found.matrix, 1)
    a, b = np.unravel_index(pairs.argmax(), pairs.shape)
    pair = sorted(found.columns[[a, b]].tolist(), key=facts.ranker.ranking_.__getitem__)
    names = [facts.names[j] for j in pair]
    return f" Closest are {' and '.join(some([name]) for name in names)} ({pairs[a, b]:.2f})."
