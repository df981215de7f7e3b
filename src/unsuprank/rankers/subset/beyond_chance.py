"""Greedy picks that explain more of the other columns than chance would have it.

What a pick explains of itself says nothing about the table, and a column of many values explains
much of anything. So a column is worth what it explains of the *other* columns, less what a random
subspace of its rank would explain of what is left, in standard deviations. With d dimensions
left, K the product of the other columns with themselves, p the rank of the column, and t, k2 and
k3 the traces of K, K^2 and K^3, a random subspace explains

    mean       p t / d
    variance   2 p (d - p) (d k2 - t^2) / (d^2 (d - 1) (d + 2))
    third      8 p (d - p) (d - 2p) (k3 - 3 t k2 / d + 2 t^3 / d^2)
               / (d (d - 1) (d - 2) (d + 2) (d + 4)).

Its tail is taken to be that of a shifted gamma distribution. This is the law of a column with
normal values; columns that are heavy-tailed, rare or nominal are judged beforehand, as they come,
by all orders of their rows (:mod:`..shared_variance`): a column that shares nothing with the table
as it stands is never picked.
"""

from __future__ import annotations

import numpy as np

from ..shared_variance.shuffles import upper_tail
from .column_subset import EXHAUSTED, Residual

#: The chance that any column at all is taken to be beyond chance when none is.
LEVEL = 0.05
#: Scores beyond this are beyond chance however skewed it is: a single direction that holds
#: everything has the tail of a squared normal number, which is below 1e-16 there.
SURE = 50.0


class BeyondChance:
    """The criterion of :func:`.column_subset.greedy_path` that leaves chance out.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        #: Whether the best column was beyond chance, each time that one was looked for.
        self.significant: list[bool] = []

    def __call__(self, residual: Residual) -> np.ndarray:
        found = residual.columns()
        d = self._n_rows - 1 - residual.n_dimensions
        trace = residual.left() - found.own
        # Of others that are explained but for rounding, there is nothing left to explain.
        open_columns = (found.rank > 0) & (found.rank < d) & (trace > EXHAUSTED * residual.total)
        if d < 3 or not open_columns.any():
            return np.zeros(residual.n_columns)
        squares = residual.squares() - 2.0 * found.image + found.square
        explained = found.gain - found.own
        scores, deviation = standardised(explained, found.rank, trace, squares, d)
        scores = np.where(open_columns, scores, 0.0)
        best = int(np.argmax(scores))
        sure = scores[best] > SURE
        if not sure:
            third = third_moment(found.rank[best], trace[best], squares[best], residual.cubes(), d)
            tail = upper_tail(scores[best], third / deviation[best] ** 3)
            sure = tail * open_columns.sum() < LEVEL
        self.significant.append(bool(sure))
        return scores

    @property
    def n_significant(self) -> int:
        """Picks before the first that was not beyond chance."""
        return next((k for k, yes in enumerate(self.significant) if not yes), len(self.significant))


def standardised(
    explained: np.ndarray, rank: np.ndarray, trace: np.ndarray, squares: np.ndarray, d: int
) -> tuple[np.ndarray, np.ndarray]:
    """What columns explain beyond a random subspace, in standard deviations, and these."""
    variance = 2.0 * rank * (d - rank) * (d * squares - trace**2)
    deviation = np.sqrt(np.maximum(variance, 0.0) / (d**2 * (d - 1.0) * (d + 2.0)))
    # Where all directions are alike, no column explains more than another.
    varies = deviation > 1e-9 * np.maximum(trace, np.finfo(float).tiny)
    deviation = np.where(varies, deviation, 1.0)
    return np.where(varies, (explained - rank * trace / d) / deviation, 0.0), deviation


def third_moment(rank: float, trace: float, squares: float, cubes: float, d: int) -> float:
    """The third central moment of what a random subspace explains."""
    traceless = cubes - 3.0 * trace * squares / d + 2.0 * trace**3 / d**2
    one = 8.0 * traceless / (d * (d + 2.0) * (d + 4.0))
    return one * rank * (d - rank) * (d - 2.0 * rank) / ((d - 1.0) * (d - 2.0))


def path_scores(picks: np.ndarray, unexplained: np.ndarray, relevance: np.ndarray) -> np.ndarray:
    """One number per column: picks in order, then the others by what they share with the table.

    Parameters
    ----------
    picks : ndarray
        Columns in the order in which they were picked.
    unexplained : ndarray
        The share of all variation that is unexplained before each of them.
    relevance : ndarray
        The scores of :class:`..shared_variance.SharedVariance`.
    """
    scores = relevance / max(1.0, relevance.max(initial=0.0))
    ceiling = np.inf
    for pick, share in zip(picks, unexplained, strict=True):
        # Rounding must not let a later pick tie with an earlier one.
        scores[pick] = ceiling = min(1.0 + share, np.nextafter(ceiling, -1.0))
    others = np.ones(len(scores), dtype=bool)
    others[picks] = False
    scores[others] = np.minimum(scores[others], np.nextafter(ceiling, -1.0))
    return scores
