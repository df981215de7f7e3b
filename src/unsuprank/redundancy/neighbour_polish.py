"""Swapping picks for what predicts the table best by its nearest neighbours.

A linear criterion such as that of :mod:`.column_subset` cannot see what a nearest-neighbour
predictor can, and the other way round. Starting from a good linear choice, picks are swapped
for other columns as long as the leave-one-out error of a one-nearest-neighbour predictor
falls: each row is predicted by the row that is nearest to it in the picked columns, and the
error is the mean over all columns of their root mean squared error.

With few rows that error is a rough estimate, and a search among thousands of swaps finds what
fits its noise. So it is averaged over several random halves of the rows, inside each of which
rows predict each other: a row then meets several neighbours instead of one.

With e_j the current error of column j, the root of a mean square s_j is at most
s_j / (2 e_j) + e_j / 2, with equality now. So a swap that lowers the sum of s_j / e_j lowers
the error itself, and that sum needs only one number for every pair of rows: their squared
distance over all columns, column j divided by e_j. Columns are on the scale they come in,
in the distances and in the error alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _kernels
from ..parallel import in_batches

#: Queries per kernel call; fixed, so that sums do not depend on the number of threads.
BATCH = 32
#: How often the rows are split into two random halves.
SPLITS = 4
#: Rows that are predicted in each half, at most; all its rows may be neighbours.
MAX_QUERIES = 128
#: Swaps until the errors e_j, and with them the distances, are brought up to date.
SWAPS_PER_WEIGHTING = 4
#: A column's error below this share of the largest gains no more weight.
SMALLEST_ERROR = 1e-6


@dataclass(frozen=True)
class View:
    """Some rows, of which some are predicted by the nearest of the others."""

    rows: np.ndarray
    queries: np.ndarray  # positions in `rows`


def random_halves(n_rows: int, splits: int = SPLITS, max_queries: int = MAX_QUERIES) -> list[View]:
    """Both halves of several random splits; the same ones at every call."""
    if n_rows < 4:
        return [View(np.arange(n_rows), np.arange(n_rows))]
    rng = np.random.default_rng(0)
    views = []
    for _ in range(splits):
        shuffled = rng.permutation(n_rows)
        for half in (shuffled[: n_rows // 2], shuffled[n_rows // 2 :]):
            queries = np.linspace(0, len(half) - 1, min(max_queries, len(half))).astype(np.int64)
            views.append(View(np.sort(half), np.unique(queries)))
    return views


def mean_squared_errors(values: np.ndarray, picks: np.ndarray, views: list[View]) -> np.ndarray:
    """Of each column, over all queries of all views; of equally near rows the first counts."""
    total = np.zeros(values.shape[1])
    for view in views:
        points = values[np.ix_(view.rows, picks)]
        nearest = view.rows[[_nearest(points, int(q)) for q in view.queries]]
        total += np.sum((values[view.rows[view.queries]] - values[nearest]) ** 2, axis=0)
    return total / sum(len(view.queries) for view in views)


def _nearest(points: np.ndarray, query: int) -> int:
    distances = np.sum((points - points[query]) ** 2, axis=1)
    distances[query] = np.inf
    return int(np.argmin(distances))


def swap_costs(
    pool: np.ndarray,
    places: np.ndarray,
    queries: np.ndarray,
    cost: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Summed cost after each possible swap: entry (r, c) replaces pick r by pool column c.

    Parameters
    ----------
    pool : ndarray of shape (n_rows, n_pool), C order
    places : ndarray of int64
        Positions of the picks in the pool.
    queries : ndarray of int64
        Rows that are predicted.
    cost : ndarray of shape (n_queries, n_rows), C order
        What it costs to predict a query by a row.
    n_jobs : int, optional
    """

    def work(first: int, last: int) -> np.ndarray:
        sums = np.zeros((len(places), pool.shape[1]))
        _kernels.add_swap_errors(pool, places, queries, cost, first, last, sums)
        return sums

    total = np.zeros((len(places), pool.shape[1]))
    for part in in_batches(work, len(queries), n_jobs=n_jobs, batch_size=BATCH):
        total += part
    return total


def polish(
    values: np.ndarray,
    picks: np.ndarray,
    pool: np.ndarray,
    *,
    max_swaps: int,
    views: list[View] | None = None,
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
    views : list of View, optional
        Rows that predict each other; random halves of all rows by default.
    n_jobs : int, optional
    after_swap : callable
        Told of every swap.

    Returns
    -------
    picks : ndarray of int
        In no order that means anything.
    """
    picks = np.array(picks)
    views = random_halves(len(values)) if views is None else views
    pools = [np.ascontiguousarray(values[np.ix_(view.rows, pool)]) for view in views]
    for swap in range(max_swaps):
        if swap % SWAPS_PER_WEIGHTING == 0:
            costs = _pair_costs(values, np.sqrt(mean_squared_errors(values, picks, views)), views)
        places = np.array([np.flatnonzero(pool == pick)[0] for pick in picks], dtype=np.int64)
        total = np.zeros((len(picks), len(pool)))
        for view, candidates, cost in zip(views, pools, costs, strict=True):
            total += swap_costs(candidates, places, view.queries, cost, n_jobs)
        current = total[0, places[0]]
        total[:, places] = np.inf
        out, new = np.unravel_index(np.argmin(total), total.shape)
        if total[out, new] >= current:
            break
        picks[out] = pool[new]
        after_swap()
    return picks


def _pair_costs(values: np.ndarray, errors: np.ndarray, views: list[View]) -> list[np.ndarray]:
    """Squared distances of queries to the rows of their view, column j divided by its error."""
    scaled = values / np.sqrt(np.maximum(errors, SMALLEST_ERROR * (errors.max() or 1.0)))
    squares = np.einsum("ij,ij->i", scaled, scaled)
    predicted = np.unique(np.concatenate([view.rows[view.queries] for view in views]))
    cost = squares[predicted][:, None] + squares - 2.0 * (scaled[predicted] @ scaled.T)
    np.maximum(cost, 0.0, out=cost)
    places = [np.searchsorted(predicted, view.rows[view.queries]) for view in views]
    return [
        np.ascontiguousarray(cost[np.ix_(place, view.rows)])
        for place, view in zip(places, views, strict=True)
    ]
