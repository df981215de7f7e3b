"""Ranks, the correlation of ranks, and where falling scores bend."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata


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
