"""Do repeated rankings agree?

All measures are 1 for identical rankings. Kuncheva's, Nogueira's and Spearman's are 0 in
expectation for random ones; overlap, rank-biased overlap and the fuzzy Jaccard index are
not corrected for chance and stay above 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .._checks import check_count, check_number
from ..describe import spearman


@dataclass(frozen=True)
class Stability:
    """Agreement of several rankings; means over all pairs.

    Attributes
    ----------
    k : int
        How many leading features are compared where a measure needs a cut.
    n_rankings, n_features : int
    overlap : float
        Share of common features among the first k.
    kuncheva : float
        Overlap corrected for chance (Kuncheva, 2007).
    nogueira : float
        The variance-based measure of Nogueira, Sechidis and Brown (2018); of sets of one size, as
        here, it is the mean of Kuncheva's.
    rank_biased_overlap : float
        Agreement at all depths, geometrically weighted to the top (Webber et al., 2010),
        the share of the common tail included: complete rankings reach 1.
    spearman : float
        Correlation of ranks.
    fuji : float
        Fuzzy Jaccard index at k (Petković et al., 2021): a feature that misses the first
        k counts in proportion to its score over that of the k-th.
    """

    k: int
    n_rankings: int
    n_features: int
    overlap: float
    kuncheva: float
    nogueira: float
    rank_biased_overlap: float
    spearman: float
    fuji: float


def stability(
    rankings: Iterable[Any], *, k: int = 16, persistence: float | None = None
) -> Stability:
    """Measure how far rankings of the same features agree.

    Parameters
    ----------
    rankings : iterable of fitted rankers or orders
        At least two; an order lists column indices, best first.
    k : int, default=16
        Leading features that count for the measures with a cut.
    persistence : float, optional
        Of rank-biased overlap, in (0, 1); by default 1 - 1/k, an expected depth of k.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from unsuprank.evaluation import stability
    >>> found = stability([[0, 1, 2, 3], [1, 0, 3, 2]], k=2)
    >>> found.overlap, found.spearman
    (1.0, 0.6)
    """
    given = list(rankings)
    orders = np.array([np.asarray(getattr(r, "order_", r)) for r in given])
    _check_orders(orders)
    k = min(check_count("k", k), orders.shape[1])
    if persistence is None:
        persistence = max(1.0 - 1.0 / k, 0.5)
    check_number("persistence", persistence, 0.0, 1.0, open_low=True)
    memberships = [_membership(r, order, k) for r, order in zip(given, orders, strict=True)]
    ranks, n = np.argsort(orders, axis=1), orders.shape[1]

    def mean(measure: Callable[..., float], items: Any, *more: float) -> float:
        return float(np.mean([measure(a, b, *more) for a, b in combinations(items, 2)]))

    common = mean(overlap, orders, k)
    # Where no other choice is possible, chance has nothing to do with it.
    beyond_chance = 1.0 if k == n else (common - k / n) / (1.0 - k / n)
    return Stability(
        k=k,
        n_rankings=len(orders),
        n_features=n,
        overlap=common,
        kuncheva=beyond_chance,
        nogueira=beyond_chance,
        rank_biased_overlap=mean(rank_biased_overlap, orders, persistence),
        spearman=mean(spearman, ranks),
        fuji=mean(_fuzzy_jaccard, memberships),
    )


def overlap(a: np.ndarray, b: np.ndarray, k: int) -> float:
    """Share of common features among the first `k` of two orders."""
    return len(np.intersect1d(a[:k], b[:k])) / k


def rank_biased_overlap(a: np.ndarray, b: np.ndarray, persistence: float) -> float:
    """Geometrically weighted mean over depths of the share of common features.

    Past the last feature the two agree; that tail is part of the sum.
    """
    n = len(a)
    # A feature is common to both from the depth of its worse rank on.
    common_from = np.maximum(np.argsort(a), np.argsort(b))
    agreement = np.bincount(common_from, minlength=n).cumsum() / np.arange(1, n + 1)
    if persistence == 1.0:
        return float(agreement.mean())
    weights = (1.0 - persistence) * persistence ** np.arange(n)
    return float(weights @ agreement + persistence**n)


def _membership(ranking: Any, order: np.ndarray, k: int) -> np.ndarray:
    """How much each feature belongs to the first `k`; from ranks where there are no scores."""
    scores = getattr(ranking, "scores_", None)
    if scores is None:
        return np.minimum(1.0, k / (np.argsort(order) + 1.0))
    positive = np.clip(scores, 0.0, None)
    cut = positive[order[k - 1]]
    member = positive / cut if cut > 0 else np.ones_like(positive)
    member = np.minimum(member, 1.0)
    member[order[:k]] = 1.0
    return member


def _fuzzy_jaccard(a: np.ndarray, b: np.ndarray) -> float:
    union = np.maximum(a, b) >= 1.0  # in the first k of at least one
    return float(np.minimum(a, b)[union].sum() / union.sum())


def _check_orders(orders: np.ndarray) -> None:
    if len(orders) < 2:
        raise ValueError("Stability needs at least two rankings.")
    if orders.ndim != 2 or orders.dtype.kind not in "iu":
        raise ValueError("All rankings must be orders (column indices) of the same features.")
    if (np.sort(orders, axis=1) != np.arange(orders.shape[1])).any():
        raise ValueError(f"An order must list every column from 0 to {orders.shape[1] - 1} once.")
