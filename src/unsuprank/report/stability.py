"""How sure a ranking is: refits on part of the rows, and refits on shuffled columns."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ..base import Ranker
from ..progress import progress
from ..table import Table

#: Share of the rows that a refit sees, and the most refits there are.
ROWS_SHARE = 0.8
MAX_REFITS = 20
MAX_SHUFFLES = 5
#: Seconds that each of the two kinds of refits may take, unless that means fewer than 3.
BUDGET = 3.0


@dataclass(frozen=True)
class Stability:
    """Rank intervals, how often each feature is among the top, and what chance gives."""

    low: np.ndarray
    high: np.ndarray
    frequency: np.ndarray
    n_refits: int
    top: int
    #: Sorted scores of shuffled tables, shape (shuffles, features), best first.
    shuffled: np.ndarray

    @property
    def chance_level(self) -> float:
        """The score that one in twenty shuffled features exceeds."""
        return float(np.quantile(self.shuffled, 0.95))


def measure_stability(ranker: Ranker, table: Table, top: int, seed: int) -> Stability:
    """Refit a fitted ranker on subsamples and on shuffled columns."""
    rng = np.random.default_rng(seed)
    n_rows = max(2, round(ROWS_SHARE * table.n_rows))

    def part() -> np.ndarray:
        return table.values[np.sort(rng.permutation(table.n_rows)[:n_rows])]

    def shuffled() -> np.ndarray:
        return rng.permuted(table.values, axis=0)

    scores = _refits("refitting on parts of the rows", ranker, part, MAX_REFITS, seed)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None, :], axis=1)
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest")
    own = getattr(ranker, "rank_interval_", None)
    if own is not None and np.shape(own) == (table.n_columns, 2):
        low, high = np.asarray(own).T
    chance = _refits("refitting on shuffled columns", ranker, shuffled, MAX_SHUFFLES, seed)
    return Stability(
        np.minimum(low, ranker.ranking_).astype(int),
        np.maximum(high, ranker.ranking_).astype(int),
        (ranks <= top).mean(axis=0),
        len(scores),
        top,
        -np.sort(-chance, axis=1),
    )


def _refits(label: str, ranker: Ranker, draw, most: int, seed: int) -> np.ndarray:
    """Scores of refits on what `draw` gives, as many as the budget allows, at least three."""
    scores = []
    started = time.monotonic()
    with progress(label, most) as bar:
        for i in range(most):
            again = clone(ranker)
            if "random_state" in again.get_params():
                again.set_params(random_state=seed + 1 + i)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what there is to say was said by the first fit
                scores.append(again.fit(draw()).scores_)
            bar.advance()
            if len(scores) >= 3 and time.monotonic() - started > BUDGET:
                break
    return np.array(scores)
