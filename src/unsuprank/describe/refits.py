"""The same ranker fitted again, on parts of a table.

How many times follows from the table and the method alone, never from a clock: the same answer
on every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from sklearn.base import clone

from .._parallel import in_batches
from .._progress import progress, silent, use_display
from ..ranker import Ranker
from ..registry import method_of
from ..table import Table
from .fitted import n_plain_trees, parameters_called

T = TypeVar("T")

#: Share of the rows that a refit on a part sees.
ROWS_SHARE = 0.8
MIN_REFITS = 3
MAX_REFITS = 20
#: Work that refits may come to, in the units of `effort`; about three seconds.
REFIT_WORK = 16_000_000
#: What a forest that decides on its size may spend on a refit, in shares of what one fit may.
REFIT_SHARE = 0.1


def n_refits(ranker: Ranker, table: Table, n_rows: int) -> int:
    """As many refits on some of the rows as come to a fixed amount of work, but at least three."""
    by_work = int(REFIT_WORK / effort(ranker, table, n_rows))
    return min(MAX_REFITS, max(MIN_REFITS, by_work))


def effort(ranker: Ranker, table: Table, n_rows: int) -> float:
    """What a fit costs: one unit is about a fifth of a microsecond on one machine or another."""
    method = method_of(ranker)
    by_method = 1.0 if method is None else method.effort
    trees = max(100.0, n_plain_trees(ranker) or 0.0)
    width = int(np.clip(table.n_values, 1, n_rows).sum())
    return n_rows * (width + n_rows / 4) * by_method * (trees / 100)


def scores_on_parts(ranker: Ranker, table: Table, seed: int) -> np.ndarray:
    """Scores of refits on four fifths of the rows, shape (refits, columns)."""
    size = part_size(table.n_rows, ROWS_SHARE)
    parts = row_parts(table.n_rows, size, n_refits(ranker, table, size), seed)
    again = for_refits(ranker)
    return np.array(refit(again, table, parts, seed, lambda fitted: fitted.scores_))


def for_refits(ranker: Ranker) -> Ranker:
    """The same ranker, not fitted, at a cost that can be borne several times.

    A forest that grows until it is stable does so in every refit, to be compared with its like. If
    that takes long, it is ended at a tenth of what a single fit may take; most tables need less.
    """
    again = clone(ranker)
    for key in parameters_called(again, "max_estimators"):
        most = again.get_params()[key]
        if isinstance(most, float):
            again.set_params(**{key: min(most, REFIT_SHARE)})
    return again


def part_size(n_rows: int, share: float) -> int:
    """How many rows a share of them is; two at the least."""
    return max(2, round(share * n_rows))


def row_parts(n_rows: int, size: int, count: int, seed: int) -> list[np.ndarray]:
    """Draw `size` of the rows without replacement, `count` times; rows keep their order."""
    rng = np.random.default_rng(seed)
    return [np.sort(rng.permutation(n_rows)[:size]) for _ in range(count)]


def refit(
    ranker: Ranker,
    table: Table,
    parts: Sequence[np.ndarray],
    seed: int,
    read: Callable[[Ranker], T],
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[T]:
    """Fit a ranker to every part of the rows, each with a seed of its own, and read what it found.

    Parameters
    ----------
    ranker : ranker
        It is cloned.
    table : Table
    parts : sequence of ndarray
        Indices of rows.
    seed : int
        Part i is fitted with the seed that comes i + 1 after this one.
    read : callable
        Given each fitted ranker; what it returns is kept, and the ranker is not.
    n_jobs, verbose : int, optional
    """

    def work(start: int, stop: int) -> list[T]:
        return [
            read(_fitted_again(ranker, table.take(rows=parts[i]), seed + 1 + i))
            for i in range(start, stop)
        ]

    with (
        warnings.catch_warnings(),
        progress("refitting on parts of the rows", len(parts), verbose) as bar,
        use_display(silent),  # of the single fits
    ):
        warnings.simplefilter("ignore")  # what there is to say is said by a fit to all rows
        batches = in_batches(work, len(parts), n_jobs=n_jobs, batch_size=1, progress=bar)
        return [found for batch in batches for found in batch]


def _fitted_again(ranker: Ranker, table: Table, seed: int) -> Ranker:
    again = clone(ranker)
    for key in parameters_called(again, "random_state"):
        again.set_params(**{key: seed})
    return again.fit(table)
