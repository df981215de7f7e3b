"""How sure a ranking is, and what scores chance gives.

A score that is a mean over trees comes with its standard error, so what other seeds would give
is drawn from that. All other methods are fitted again on parts of the rows. Both numbers follow
from the table and the method alone, never from a clock: the same page on every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from .._progress import progress
from ..ranker import Ranker
from ..registry import method_of
from ..table import Table

#: Share of the rows that a refit sees.
ROWS_SHARE = 0.8
MIN_REFITS = 3
MAX_REFITS = 20
MAX_SHUFFLES = 5
#: Seeds that are drawn from standard errors.
DRAWS = 200
#: Work that refits may come to, in the units of `_effort`; about three seconds.
REFIT_WORK = 16_000_000


@dataclass(frozen=True)
class Stability:
    """Rank intervals, how often each feature is among the top, and what chance gives."""

    low: np.ndarray
    high: np.ndarray
    frequency: np.ndarray
    #: Refits, or draws if `drawn`.
    n_repeats: int
    #: Whether other seeds were drawn from standard errors instead of fitting again.
    drawn: bool
    top: int
    #: Sorted scores of shuffled tables, shape (shuffles, features), best first.
    shuffled: np.ndarray

    @property
    def chance_level(self) -> float:
        """The score that one in twenty shuffled features exceeds."""
        return float(np.quantile(self.shuffled, 0.95))


def measure_stability(ranker: Ranker, table: Table, top: int, seed: int) -> Stability:
    """Rank intervals of a fitted ranker, and scores of shuffled columns."""
    rng = np.random.default_rng(seed)
    error = getattr(ranker, "scores_sem_", None)
    drawn = error is not None and bool(np.isfinite(error).all()) and bool(np.any(error > 0))
    if drawn:
        scores = other_seeds(ranker.scores_, np.asarray(error), rng)
    else:
        scores = _on_parts(ranker, table, rng, seed)
    ranks = _ranks(scores)
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest")
    return Stability(
        np.minimum(low, ranker.ranking_).astype(int),
        np.maximum(high, ranker.ranking_).astype(int),
        (ranks <= top).mean(axis=0),
        len(scores),
        drawn,
        top,
        _by_chance(ranker, table, rng, seed),
    )


def other_seeds(scores: np.ndarray, error: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Scores that other seeds would give, shape (draws, features).

    Two independent means with standard error e differ by e times the root of 2. A column that
    no tree used has no spread to show; it gets the smallest of the others.
    """
    spread = np.sqrt(2.0) * np.maximum(error, error[error > 0].min())
    return scores + spread * rng.standard_normal((DRAWS, len(scores)))


def parameters_called(ranker: Ranker, name: str) -> list[str]:
    """Keys of a parameter, of the ranker itself or of one that it wraps."""
    return [key for key in ranker.get_params() if key.split("__")[-1] == name]


def grown(ranker: Ranker) -> int | None:
    """Trees of a fitted forest, or of one that was asked for by number."""
    forest: Any = getattr(ranker, "ranker_", ranker)
    count = getattr(forest, "n_estimators_", getattr(forest, "n_estimators", None))
    return int(count) if isinstance(count, (int, np.integer)) else None


def n_refits(ranker: Ranker, n_rows: int, n_columns: int, most: int) -> int:
    """As many as come to a fixed amount of work, but at least three."""
    by_work = int(REFIT_WORK / _effort(ranker, n_rows, n_columns))
    return min(most, max(MIN_REFITS, by_work))


def _effort(ranker: Ranker, n_rows: int, n_columns: int) -> float:
    """What a fit costs: one unit is about a fifth of a microsecond on one machine or another."""
    method = method_of(ranker)
    trees = max(100, grown(ranker) or 0)
    return (
        n_rows
        * (n_columns + n_rows / 4)
        * (method.effort if method is not None else 1.0)
        * (trees / 100)
    )


def _on_parts(ranker: Ranker, table: Table, rng: np.random.Generator, seed: int) -> np.ndarray:
    n_rows = max(2, round(ROWS_SHARE * table.n_rows))

    def part() -> np.ndarray:
        return table.values[np.sort(rng.permutation(table.n_rows)[:n_rows])]

    count = n_refits(ranker, n_rows, table.n_columns, MAX_REFITS)
    return _refits("refitting on parts of the rows", ranker, part, count, seed)


def _by_chance(ranker: Ranker, table: Table, rng: np.random.Generator, seed: int) -> np.ndarray:
    def shuffled() -> np.ndarray:
        return rng.permuted(table.values, axis=0)

    count = n_refits(ranker, table.n_rows, table.n_columns, MAX_SHUFFLES)
    scores = _refits("refitting on shuffled columns", ranker, shuffled, count, seed)
    return -np.sort(-scores, axis=1)


def _ranks(scores: np.ndarray) -> np.ndarray:
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None, :], axis=1)
    return ranks


def _refits(
    label: str, ranker: Ranker, draw: Callable[[], np.ndarray], count: int, seed: int
) -> np.ndarray:
    """Scores of `count` fits on what `draw` gives."""
    scores = []
    with progress(label, count) as bar:
        for i in range(count):
            again = clone(ranker)
            for key in parameters_called(again, "random_state"):
                again.set_params(**{key: seed + 1 + i})
            for key in parameters_called(again, "n_estimators"):
                again.set_params(**{key: grown(ranker)})  # a number, where it was "auto"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what there is to say was said by the first fit
                scores.append(again.fit(draw()).scores_)
            bar.advance()
    return np.array(scores)
