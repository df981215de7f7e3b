"""The sentences of the page, in plain language."""

from __future__ import annotations

import platform

import numpy as np
import scipy
import sklearn

from .._version import __version__
from ..describe import STRONG, ColumnGroups, HeatMap, RankStability, spearman
from ..evaluation.prediction_curve import PredictionCurve
from ..io.data_file import shorten
from ..ranker import Ranker
from ..registry import Method
from .page_facts import PageFacts


def number(value: float) -> str:
    """A number with four digits."""
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.3g}"


def some(names: list[str], most: int = 3) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"“{shorten(n, 40)}”" for n in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def features(count: int) -> str:
    """How many features, in the singular where there is one."""
    return f"{count:,} feature" + ("" if count == 1 else "s")


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


def settings(ranker: Ranker, method: Method | None, seed: int) -> list[tuple[str, str]]:
    """What is needed to get the same ranking again."""
    params = {
        k: v
        for k, v in ranker.get_params(deep=False).items()
        if k not in ("n_jobs", "verbose", "nominal_features", "n_features_to_select")
    }
    shown = ", ".join(f"{k}={v!r}" for k, v in params.items()) or "none"
    return [
        ("Method", f"{method.name} ({type(ranker).__name__})" if method else type(ranker).__name__),
        ("Settings", shorten(shown, 400)),
        ("Seed of this page", str(seed)),
        (
            "Versions",
            f"unsuprank {__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
            f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}",
        ),
    ]


def verdicts(facts: PageFacts) -> dict[str, str]:
    """A sentence for every picture: what it shows in this table (also its alternative text)."""
    out = {
        "score": _score(facts),
        "stability": _stability(facts),
        "variance": _variance(facts),
        "groups": _groups(facts.groups),
        "heat": _heat(facts.heat),
        "planes": _planes(facts),
    }
    if facts.curve is not None:
        out["curve"] = _curve(facts.curve)
    return out


def _score(facts: PageFacts) -> str:
    scores = facts.scores[facts.order]
    return (
        f"The scores fall from {number(scores[0])} at rank 1 to {number(scores[-1])} at rank "
        f"{len(scores):,}; the bend is at rank {facts.knee:,}. {_chance(facts)}"
    )


def _chance(facts: PageFacts) -> str:
    if np.allclose(facts.null.mean(axis=0), facts.scores[facts.order], rtol=1e-6, atol=0):
        return "Shuffling the columns does not change this score: it looks at one column at a time."
    above = int((facts.scores > facts.chance_level).sum())
    return (
        f"Of the features, {above:,} score higher than 95% of shuffled ones; about "
        f"{max(1, round(0.05 * facts.n_columns)):,} would by chance."
    )


def _curve(curve: PredictionCurve) -> str:
    better = int((curve.error < curve.random_low).sum())
    verdict = (
        ": choosing by this ranking is better than by chance."
        if better
        else ", so for this purpose a random choice is about as good."
    )
    return (
        f"With {features(curve.enough)} the error is within 5% of the best of this curve. The "
        f"ranking beats the band of random orders at {better} of {len(curve.sizes)} sizes{verdict}"
    )


def _stability(facts: PageFacts) -> str:
    stability, top = facts.stability, facts.top
    kept = int((stability.frequency[facts.order[:top]] >= 0.8).sum())
    how = (
        f"Another seed grows other trees; in {stability.n_repeats} draws from the spread of the "
        "scores over the trees"
        if stability.drawn
        else f"In {stability.n_repeats} refits on 80% of the rows"
    )
    text = (
        f"{how}, {kept} of the top {top} features came out among the top {top} at least four "
        "times in five."
    )
    if 2 * kept < top:
        text += (
            " The order is far from settled: rely on single ranks only after more rows, or more "
            "trees where the method grows trees, have made it so."
        )
    return text


def nine_of_ten(stability: RankStability) -> str:
    """What a rank interval is, to follow a statement."""
    return "for nine of ten seeds" if stability.drawn else "in nine of ten refits"


def _variance(facts: PageFacts) -> str:
    r = spearman(facts.scores, np.nan_to_num(facts.summary.spread))
    if abs(r) > 0.9:
        judged = "Yes, nearly: ordering the columns by their spread gives almost the same ranking."
    elif abs(r) > 0.5:
        judged = "In part: the ranking and the spread go together, but not throughout."
    else:
        judged = "No: the ranking says something that the spread of the columns does not."
    return f"{judged} (Rank correlation of score and spread: {r:.2f}.)"


def _groups(groups: ColumnGroups) -> str:
    sizes = [len(group) for group in groups.groups]
    larger = sum(size > 1 for size in sizes)
    return (
        f"The top {sum(sizes)} features form {len(sizes)} groups of like features "
        f"(association of at least {STRONG}); {larger} of them have more than one member. One "
        "representative of each group says most of what the group says."
    )


def _heat(heat: HeatMap) -> str:
    return (
        f"{len(heat.rows):,} rows and the top {len(heat.columns)} features, both ordered so that "
        "like stands beside like. Blocks of colour are groups of rows that share a pattern."
    )


def _planes(facts: PageFacts) -> str:
    return (
        "Each dot is a row; near dots are rows alike. The plane holds "
        f"{facts.plane_of_all.share:.0%} of the variance of all features, and "
        f"{facts.plane_of_top.share:.0%} of that of the top {facts.top}. If the two pictures show "
        "the same shape, the top features carry the structure of the table."
    )
