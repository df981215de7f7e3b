"""The same ranker fitted again, on parts of a table.

How many times follows from the table and the method alone, never from a clock: the same answer
on every machine.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from .._progress import progress
from ..ranker import Ranker
from ..registry import method_of
from ..table import Table
from .fitted import n_trees, parameters_called

#: Share of the rows that a refit on a part sees.
ROWS_SHARE = 0.8
MIN_REFITS = 3
MAX_REFITS = 20
#: Work that refits may come to, in the units of `effort`; about three seconds.
REFIT_WORK = 16_000_000


def n_refits(ranker: Ranker, table: Table, n_rows: int) -> int:
    """As many refits on some of the rows as come to a fixed amount of work, but at least three."""
    by_work = int(REFIT_WORK / effort(ranker, table, n_rows))
    return min(MAX_REFITS, max(MIN_REFITS, by_work))


def effort(ranker: Ranker, table: Table, n_rows: int) -> float:
    """What a fit costs: one unit is about a fifth of a microsecond on one machine or another."""
    method = method_of(ranker)
    by_method = 1.0 if method is None else method.effort
    trees = max(100, n_trees(ranker) or 0)
    width = int(np.clip(table.n_values, 1, n_rows).sum())
    return n_rows * (width + n_rows / 4) * by_method * (trees / 100)


def scores_on_parts(ranker: Ranker, table: Table, seed: int) -> np.ndarray:
    """Scores of refits on four fifths of the rows, shape (refits, columns)."""
    rng = np.random.default_rng(seed)
    n_rows = max(2, round(ROWS_SHARE * table.n_rows))
    count = n_refits(ranker, table, n_rows)
    scores = []
    with progress("refitting on parts of the rows", count) as bar:
        for i in range(count):
            part = table.take(rows=np.sort(rng.permutation(table.n_rows)[:n_rows]))
            scores.append(_fitted_again(ranker, part, seed + 1 + i).scores_)
            bar.advance()
    return np.array(scores)


def _fitted_again(ranker: Ranker, table: Table, seed: int) -> Ranker:
    again = clone(ranker)
    for key in parameters_called(again, "random_state"):
        again.set_params(**{key: seed})
    for key in parameters_called(again, "n_estimators"):
        again.set_params(**{key: n_trees(ranker)})  # a number, where it was "auto"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said by the first fit
        return again.fit(table)
