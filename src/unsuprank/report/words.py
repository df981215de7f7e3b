"""The sentences of the page, in plain language."""

from __future__ import annotations

import platform

import numpy as np

from .._version import __version__
from ..io.data_file import shorten
from ..ranker import Ranker
from ..registry import Method
from .page_facts import Facts


def number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.3g}"


def some(names: list[str], most: int = 3) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"“{shorten(n, 40)}”" for n in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def features(count: int) -> str:
    return f"{count:,} feature" + ("" if count == 1 else "s")


def warnings_about(facts: Facts, method: Method | None) -> list[str]:
    """What a reader should know about the columns before trusting the ranking."""
    table, names = facts.table, facts.names
    numeric = table.n_values == 0
    spread = facts.summary["spread"]
    missing = facts.summary["missing"]
    out = []
    constant = np.flatnonzero(~(spread > 0))
    if len(constant):
        out.append(
            f"{len(constant):,} column(s) never change and cannot tell rows apart: "
            f"{some([names[j] for j in constant])}."
        )
    gaps = np.flatnonzero(missing > 0)
    if len(gaps):
        out.append(
            f"{len(gaps):,} column(s) have missing values, up to {missing.max():.0%} of the rows: "
            f"{some([names[j] for j in gaps[np.argsort(-missing[gaps], kind='stable')]])}."
        )
    positive = spread[numeric & (spread > 0)]
    if len(positive) and positive.max() > 1000 * positive.min():
        harm = (
            "this method sets all columns to a common scale first, so units do not matter."
            if method is None or method.scale_free
            else "this method looks at raw values, so the units of a column decide its rank; "
            "standardise the columns or use another method."
        )
        out.append(
            f"The columns are on very different scales (spreads from {number(positive.min())} to "
            f"{number(positive.max())}): {harm}"
        )
    if facts.duplicates:
        pairs = [f"{shorten(names[a], 30)} = {shorten(names[b], 30)}" for a, b in facts.duplicates]
        out.append(
            f"{len(pairs):,} column(s) repeat another one exactly: {some(pairs)}. Copies share "
            "their rank's meaning: keep one of them."
        )
    return out


def settings(ranker: Ranker, method: Method | None, seed: int | None) -> list[tuple[str, str]]:
    """What is needed to get the same ranking again."""
    params = {
        k: v
        for k, v in ranker.get_params(deep=False).items()
        if k not in ("n_jobs", "verbose", "nominal_features", "n_features_to_select")
    }
    shown = ", ".join(f"{k}={v!r}" for k, v in params.items()) or "none"
    import scipy
    import sklearn

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


def verdicts(facts: Facts, top: int) -> dict[str, str]:
    """A sentence for every picture: what it shows in this table (also its alternative text)."""
    scores = facts.scores[facts.order]
    out = {
        "score": (
            f"The scores fall from {number(scores[0])} at rank 1 to {number(scores[-1])} at rank "
            f"{len(scores):,}; the bend is at rank {facts.knee:,}. " + _chance(facts)
        ),
        "stability": _stability(facts, top),
        "variance": _variance(facts),
        "groups": _groups(facts),
        "heat": (
            f"{len(facts.heat.rows):,} rows and the top {len(facts.heat.columns)} features, both "
            "ordered so that like stands beside like. Blocks of colour are groups of rows that "
            "share a pattern."
        ),
        "planes": (
            "Each dot is a row; near dots are rows alike. The plane holds "
            f"{facts.planes[0][1]:.0%} of the variance of all features, and "
            f"{facts.planes[1][1]:.0%} of that of the top {top}. If the two pictures show the same "
            "shape, the top features carry the structure of the table."
        ),
    }
    if facts.curve is not None:
        c = facts.curve
        better = int((c.error < c.random_low).sum())
        out["curve"] = (
            f"With {features(c.enough)} the error is within 5% of the best of this curve. The "
            f"ranking beats the band of random orders at {better} of {len(c.sizes)} sizes"
            + (": choosing by this ranking is better than by chance." if better else
               ", so for this purpose a random choice is about as good.")
        )  # fmt: skip
    return out


def _stability(facts: Facts, top: int) -> str:
    stability = facts.stability
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


def nine_of_ten(facts: Facts) -> str:
    """What a rank interval is, to follow a statement."""
    return "for nine of ten seeds" if facts.stability.drawn else "in nine of ten refits"


def _chance(facts: Facts) -> str:
    shuffled = facts.stability.shuffled
    if np.allclose(shuffled.mean(axis=0), facts.scores[facts.order], rtol=1e-6, atol=0):
        return "Shuffling the columns does not change this score: it looks at one column at a time."
    above = int((facts.scores > facts.stability.chance_level).sum())
    return (
        f"Of the features, {above:,} score higher than 95% of shuffled ones; about "
        f"{max(1, round(0.05 * facts.n_columns)):,} would by chance."
    )


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.stats import rankdata

    a, b = rankdata(a), rankdata(b)
    if len(a) < 2 or a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _variance(facts: Facts) -> str:
    spread = np.nan_to_num(facts.summary["spread"])
    r = rank_correlation(facts.scores, spread)
    if abs(r) > 0.9:
        judged = "Yes, nearly: ordering the columns by their spread gives almost the same ranking."
    elif abs(r) > 0.5:
        judged = "In part: the ranking and the spread go together, but not throughout."
    else:
        judged = "No: the ranking says something that the spread of the columns does not."
    return f"{judged} (Rank correlation of score and spread: {r:.2f}.)"


def _groups(facts: Facts) -> str:
    sizes = [len(g) for g in facts.groups.groups]
    larger = sum(s > 1 for s in sizes)
    return (
        f"The top {sum(sizes)} features form {len(sizes)} groups of like features "
        f"(association of at least 0.7); {larger} of them have more than one member. One "
        "representative of each group says most of what the group says."
    )
