"""Ranks, how far several rankings agree, and where falling scores bend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..ranker import Ranker


def rank_scores(scores: Any, forced: Any = 0) -> np.ndarray:
    """Rank scores along the last axis: 1 is the highest, equal scores keep their order.

    Parameters
    ----------
    scores : array-like of shape (n_columns,) or (n_rankings, n_columns)
    forced : array-like of shape (n_columns,), optional
        Columns with smaller numbers come first, whatever their scores: ``forced_`` of a ranker.

    Returns
    -------
    ndarray of int, of the shape of `scores`

    Examples
    --------
    >>> from unsuprank.describe import rank_scores
    >>> rank_scores([0.1, 0.7, 0.1, 0.3])
    array([3, 1, 4, 2])
    """
    scores = np.asarray(scores)
    order = np.lexsort((-scores, np.broadcast_to(forced, scores.shape)), axis=-1)
    found = np.empty_like(order)
    np.put_along_axis(found, order, np.arange(1, scores.shape[-1] + 1), axis=-1)
    return found


def rank_interval(ranks: Any) -> np.ndarray:
    """Between which ranks each column lies in nine of ten rankings, shape (2, n_columns)."""
    return np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest").astype(int)


def spearman(a: Any, b: Any) -> float:
    """Compute Spearman's correlation: that of the ranks, where equal values share theirs.

    It is 1 if the ranks are the same, and 0 if only one of the two has no order at all.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Scores or ranks of the same things.

    Examples
    --------
    >>> from unsuprank.describe import spearman
    >>> spearman([1, 2, 3, 4], [20, 10, 40, 30])
    0.6
    """
    a, b = rankdata(a), rankdata(b)
    if np.array_equal(a, b):
        return 1.0
    # Ranks and their mean are halves of whole numbers, so that these sums are exact.
    a, b = a - (len(a) + 1) / 2, b - (len(b) + 1) / 2
    lengths = float(a @ a) * float(b @ b)
    return float(a @ b) / float(np.sqrt(lengths)) if lengths else 0.0


def knee(scores: Any) -> int:
    """Find the rank where falling scores bend: farthest below the chord from end to end.

    Parameters
    ----------
    scores : array-like of shape (n_columns,)
        In any order.

    Returns
    -------
    int
        From 1 on; the number of scores where nothing bends.

    Examples
    --------
    >>> from unsuprank.describe import knee
    >>> knee([9.0, 8.0, 1.0, 0.9, 0.8, 0.7])
    3
    """
    falling = -np.sort(-np.asarray(scores, dtype=float))
    span = falling[0] - falling[-1]
    if len(falling) < 3 or not span > 0:
        return len(falling)
    chord = np.linspace(1.0, 0.0, len(falling))
    return int(np.argmax(chord - (falling - falling[-1]) / span)) + 1


@dataclass(frozen=True)
class RankingAgreement:
    """Agreement of every pair of methods.

    Attributes
    ----------
    names : list of str
        Of the methods; rows and columns of both matrices.
    spearman : ndarray
        Correlation of the ranks of all columns.
    shared : ndarray of int
        How many columns two methods have in common among the top ones of each.
    """

    names: list[str]
    spearman: np.ndarray
    shared: np.ndarray


def compare_rankings(fitted: Mapping[str, Ranker], top: int = 16) -> RankingAgreement:
    """Compare the rankings of fitted rankers, pair by pair.

    Parameters
    ----------
    fitted : mapping of names to rankers
        All fitted on the same columns.
    top : int, default=16
        Leading columns that are compared as sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import RandomRanker, VarianceRanker
    >>> from unsuprank.describe import compare_rankings
    >>> X = np.eye(5) * [1, 2, 3, 4, 5]
    >>> fitted = {"variance": VarianceRanker().fit(X), "random": RandomRanker().fit(X)}
    >>> compare_rankings(fitted, top=2).shared.diagonal()
    array([2, 2])
    """
    rankers = list(fitted.values())
    leading = np.array([r.ranking_ <= top for r in rankers], dtype=int)
    correlations = [[spearman(a.ranking_, b.ranking_) for b in rankers] for a in rankers]
    return RankingAgreement(list(fitted), np.array(correlations), leading @ leading.T)


def agreement_rows(fitted: Mapping[str, Ranker], top: int) -> list[list[str]]:
    """Put the agreement of every pair into words: correlation of ranks / shared top columns.

    Parameters
    ----------
    fitted : mapping of names to rankers
    top : int

    Examples
    --------
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import agreement_rows
    >>> agreement_rows({"variance": VarianceRanker().fit([[1, 0], [2, 8]])}, 1)
    [['variance', '1.00 / 1']]
    """
    found = compare_rankings(fitted, top)
    return [
        [name, *(f"{r:.2f} / {n}" for r, n in zip(*row, strict=True))]
        for name, *row in zip(found.names, found.spearman, found.shared, strict=True)
    ]
