"""Swapping picks for what predicts the table best by its nearest neighbours.

A linear criterion such as that of :mod:`.column_subset` cannot see what a nearest-neighbour
predictor can, and the other way round. Starting from a good linear choice, picks are swapped
for other columns as long as the leave-one-out error of a one-nearest-neighbour predictor on
the same rows falls: each row is predicted by the row that is nearest to it in the picked
columns, and the error is the mean over all columns of their root mean squared error.

With e_j the current error of column j, the root of a mean square s_j is at most
s_j / (2 e_j) + e_j / 2, with equality now. So a swap that lowers the sum of s_j / e_j lowers
the error itself, and that sum needs only one number for every pair of rows: their squared
distance over all columns, column j divided by e_j. Columns are on the scale they come in,
in the distances and in the error alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _kernels
from ..parallel import in_batches

#: Queries per kernel call; fixed, so that sums do not depend on the number of threads.
BATCH = 32
#: Rows that are predicted, at most; all rows may be neighbours.
MAX_QUERIES = 1000
#: Swaps until the errors e_j, and with them the distances, are brought up to date.
SWAPS_PER_WEIGHTING = 4
#: An error column below this share of the largest does not get more weight.
SMALLEST_ERROR = 1e-6


def leave_one_out_errors(
    values: np.ndarray, picks: np.ndarray, queries: np.ndarray | None = None
) -> np.ndarray:
    """Root mean squared error of each column, predicted from the nearest other row.

    Of equally near rows the first counts.
    """
    queries = np.arange(len(values)) if queries is None else queries
    nearest = np.array([_nearest(values[:, picks], q) for q in queries])
    return np.sqrt(np.mean((values[queries] - values[nearest]) ** 2, axis=0))


def _nearest(points: np.ndarray, query: int) -> int:
    distances = np.sum((points - points[query]) ** 2, axis=1)
    distances[query] = np.inf
    return int(np.argmin(distances))


def swap_errors(
    pool: np.ndarray,
    places: np.ndarray,
    queries: np.ndarray,
    cost: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mean cost after each possible swap: entry (r, c) replaces pick r by pool column c."""

    def work(first: int, last: int) -> np.ndarray:
        errors = np.zeros((len(places), pool.shape[1]))
        _kernels.add_swap_errors(pool, places, queries, cost, first, last, errors)
        return errors

    total = np.zeros((len(places), pool.shape[1]))
    for part in in_batches(work, len(queries), n_jobs=n_jobs, batch_size=BATCH):
        total += part
    return total / len(queries)


def polish(
    values: np.ndarray,
    picks: np.ndarray,
    pool: np.ndarray,
    *,
    max_swaps: int = 40,
    n_jobs: int | None = None,
    after_swap: Callable[[], object] = lambda: None,
) -> np.ndarray:
    """Swap `picks` for other columns of `pool` while the leave-one-out error falls.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    picks : ndarray of int
        Columns chosen so far; they belong to the pool.
    pool : ndarray of int
        Columns that may be chosen.
    max_swaps : int
    n_jobs : int, optional
    after_swap : callable
        Told of every swap.

    Returns
    -------
    picks : ndarray of int
        In no order that means anything.
    """
    picks = np.array(picks)
    # Rows spread over the whole table, the same at every call: nothing here is random.
    queries = np.unique(np.linspace(0, len(values) - 1, MAX_QUERIES).astype(np.int64))
    candidates = np.ascontiguousarray(values[:, pool])
    for swap in range(max_swaps):
        if swap % SWAPS_PER_WEIGHTING == 0:
            cost = _pair_costs(values, leave_one_out_errors(values, picks, queries), queries)
        places = np.array([np.flatnonzero(pool == pick)[0] for pick in picks], dtype=np.int64)
        errors = swap_errors(candidates, places, queries, cost, n_jobs)
        current = errors[0, places[0]]
        errors[:, places] = np.inf
        out, new = np.unravel_index(np.argmin(errors), errors.shape)
        if errors[out, new] >= current:
            break
        picks[out] = pool[new]
        after_swap()
    return picks


def _pair_costs(values: np.ndarray, errors: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Squared distances of queries to all rows, column j divided by its error."""
    scaled = values / np.sqrt(np.maximum(errors, SMALLEST_ERROR * (errors.max() or 1.0)))
    squares = np.einsum("ij,ij->i", scaled, scaled)
    cost = squares[queries][:, None] + squares - 2.0 * (scaled[queries] @ scaled.T)
    return np.ascontiguousarray(np.maximum(cost, 0.0))
