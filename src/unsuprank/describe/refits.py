"""The same ranker fitted again: on parts of a table, on shuffled columns.

How many times follows from the table and the method alone, never from a clock: the same answer
on every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from .._progress import progress
from ..ranker import Ranker
from ..registry import method_of
from ..table import Table
from .fitted import n_trees, parameters_called, read_for

#: Share of the rows that a refit on a part sees.
ROWS_SHARE = 0.8
MIN_REFITS = 3
MAX_REFITS = 20
MAX_SHUFFLES = 5
#: Work that refits may come to, in the units of `_effort`; about three seconds.
REFIT_WORK = 16_000_000


def n_refits(ranker: Ranker, n_rows: int, n_columns: int, most: int) -> int:
    """As many as come to a fixed amount of work, but at least three."""
    by_work = int(REFIT_WORK / _effort(ranker, n_rows, n_columns))
    return min(most, max(MIN_REFITS, by_work))


def _effort(ranker: Ranker, n_rows: int, n_columns: int) -> float:
    """What a fit costs: one unit is about a fifth of a microsecond on one machine or another."""
    method = method_of(ranker)
    effort = 1.0 if method is None else method.effort
    trees = max(100, n_trees(ranker) or 0)
    return n_rows * (n_columns + n_rows / 4) * effort * (trees / 100)


def scores_on_parts(ranker: Ranker, table: Table, seed: int) -> np.ndarray:
    """Scores of refits on four fifths of the rows, shape (refits, columns)."""
    rng = np.random.default_rng(seed)
    n_rows = max(2, round(ROWS_SHARE * table.n_rows))

    def part() -> Table:
        return table.take(rows=np.sort(rng.permutation(table.n_rows)[:n_rows]))

    count = n_refits(ranker, n_rows, table.n_columns, MAX_REFITS)
    return _refits("refitting on parts of the rows", ranker, part, count, seed)


def null_scores(ranker: Ranker, X: Any, seed: int = 0) -> np.ndarray:
    """Score tables whose columns are shuffled one by one, so that none tells of another.

    Parameters
    ----------
    ranker : fitted ranker
    X : array-like, DataFrame or Table
        What the ranker was fitted on.
    seed : int, default=0
        Of the shuffles and of the refits.

    Returns
    -------
    ndarray of shape (n_shuffles, n_columns)
        Best first in each row: what ranks 1, 2, ... reach by chance.

    Examples
    --------
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import null_scores
    >>> X = [[1.0, 4.0], [2.0, 0.0], [3.0, 8.0]]
    >>> null_scores(VarianceRanker().fit(X), X).shape
    (5, 2)
    """
    table = read_for(ranker, X)
    rng = np.random.default_rng(seed)

    def shuffled() -> Table:
        return Table(np.asfortranarray(rng.permuted(table.values, axis=0)), table.schema)

    count = n_refits(ranker, table.n_rows, table.n_columns, MAX_SHUFFLES)
    scores = _refits("refitting on shuffled columns", ranker, shuffled, count, seed)
    return -np.sort(-scores, axis=1)


def _refits(
    label: str, ranker: Ranker, draw: Callable[[], Table], count: int, seed: int
) -> np.ndarray:
    """Scores of `count` fits on what `draw` gives."""
    scores = []
    with progress(label, count) as bar:
        for i in range(count):
            again = clone(ranker)
            for key in parameters_called(again, "random_state"):
                again.set_params(**{key: seed + 1 + i})
            for key in parameters_called(again, "n_estimators"):
                again.set_params(**{key: n_trees(ranker)})  # a number, where it was "auto"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what there is to say was said by the first fit
                scores.append(again.fit(draw()).scores_)
            bar.advance()
    return np.array(scores)
