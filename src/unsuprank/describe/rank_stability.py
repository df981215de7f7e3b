"""How sure the ranks of one fitted ranker are.

A score that is a mean over trees comes with its standard error, so what other seeds would give
is drawn from that. All other methods are fitted again on parts of the rows. (Agreement of
several rankings is measured by :func:`unsuprank.evaluation.stability`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ranker import Ranker
from .fitted import read_for
from .ranks import rank_interval, rank_scores
from .refits import scores_on_parts

#: Seeds that are drawn from standard errors.
DRAWS = 200


@dataclass(frozen=True)
class RankStability:
    """Where ranks lie when the fit is repeated.

    Attributes
    ----------
    low, high : ndarray of int
        Ranks of each column in nine of ten repeats, its own rank included.
    frequency : ndarray
        Share of the repeats that have a column among the top ones.
    n_repeats : int
        Refits, or draws if `drawn`.
    drawn : bool
        Whether other seeds were drawn from standard errors instead of fitting again.
    top : int
        How many columns the top has.
    """

    low: np.ndarray
    high: np.ndarray
    frequency: np.ndarray
    n_repeats: int
    drawn: bool
    top: int


def measure_stability(ranker: Ranker, X: Any, top: int = 16, seed: int = 0) -> RankStability:
    """Measure how far the ranks of a fitted ranker move when it is fitted again.

    Parameters
    ----------
    ranker : fitted ranker
    X : array-like, DataFrame or Table
        What the ranker was fitted on.
    top : int, default=16
        How many columns count as the top.
    seed : int, default=0

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import measure_stability
    >>> X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 10, 100]
    >>> found = measure_stability(VarianceRanker().fit(X), X, top=1)
    >>> found.low, found.high, found.frequency
    (array([3, 2, 1]), array([3, 2, 1]), array([0., 0., 1.]))
    """
    table = read_for(ranker, X)
    error = getattr(ranker, "scores_sem_", None)
    drawn = error is not None and bool(np.isfinite(error).all()) and bool(np.any(error > 0))
    if drawn:
        scores = scores_of_other_seeds(ranker.scores_, np.asarray(error), seed)
    else:
        scores = scores_on_parts(ranker, table, seed)
    found = rank_scores(scores, ranker.forced_)
    low, high = rank_interval(found)
    return RankStability(
        np.minimum(low, ranker.ranking_),
        np.maximum(high, ranker.ranking_),
        (found <= top).mean(axis=0),
        len(scores),
        drawn,
        top,
    )


def scores_of_other_seeds(scores: np.ndarray, error: np.ndarray, seed: int) -> np.ndarray:
    """Draw scores that other seeds would give, shape (draws, columns).

    Two independent means with standard error e differ by e times the root of 2. A column that
    no tree used has no spread to show; it gets the smallest of the others.
    """
    spread = np.sqrt(2.0) * np.maximum(error, error[error > 0].min())
    rng = np.random.default_rng(seed)
    return scores + spread * rng.standard_normal((DRAWS, len(scores)))
