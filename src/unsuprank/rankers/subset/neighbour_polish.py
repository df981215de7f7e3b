"""Swapping picks for what predicts the table best by its nearest neighbours.

A linear criterion such as that of :mod:`.column_subset` cannot see what a nearest-neighbour
predictor can, and the other way round. From the best of some starts, picks are swapped for
other columns as long as the leave-one-out error of a one-nearest-neighbour predictor falls:
each row is predicted by the row that is nearest to it in the picked columns, and the error is
the mean over all columns of their root mean squared error. All columns of a pool are tried for
the first swap; for those that follow, the ones that promised most then.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from ... import _kernels
from ..._parallel import in_batches, interruptible
from ...table import Table

#: Queries per kernel call; fixed, so that sums do not depend on the number of threads.
BATCH = 32
#: Columns whose errors are measured at a time: what fits the processor's cache.
COLUMNS_AT_ONCE = 256
#: How often the rows are split into two random halves.
SPLITS = 4
#: Rows that are predicted in each half, at most; all its rows may be neighbours.
MAX_QUERIES = 512
#: Swaps until the errors e_j, and with them the distances, are brought up to date.
SWAPS_PER_WEIGHTING = 4
#: Columns that are looked at again after the first swap, besides the picks.
SHORTLIST = 64
#: A column's error below this share of the largest gains no more weight.
SMALLEST_ERROR = 1e-6


def filled_values(table: Table) -> np.ndarray:
    """The columns on the scale they come in, up to one factor for all; means where unknown.

    Columns start at 0 and the factor is a power of two that keeps squares from overflowing,
    so that whole numbers stay exact and ties stay ties.
    """
    # The range of finite numbers may overflow, that of their halves cannot.
    values = table.values * 0.5 - np.fmin.reduce(table.values, axis=0) * 0.5
    largest = np.fmax.reduce(values, axis=None, initial=0.0)
    values = np.ldexp(values, -np.frexp(largest)[1])
    for j in np.flatnonzero(table.missing):
        unknown = np.isnan(values[:, j])
        values[unknown, j] = 0.0 if unknown.all() else values[~unknown, j].mean()
    return values


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
    points = values[:, picks]
    predicted = np.concatenate([view.rows[view.queries] for view in views])
    nearest = np.concatenate([_nearest(points[view.rows], view) for view in views])
    total = np.empty(values.shape[1])
    for a in range(0, len(total), COLUMNS_AT_ONCE):
        part = values[:, a : a + COLUMNS_AT_ONCE]
        gaps = part[predicted] - part[nearest]
        total[a : a + COLUMNS_AT_ONCE] = np.einsum("qc,qc->c", gaps, gaps)
    return total / len(predicted)


def _nearest(points: np.ndarray, view: View) -> np.ndarray:
    """The row nearest to each query of a view."""
    distances = cdist(points[view.queries], points, "sqeuclidean")
    distances[np.arange(len(view.queries)), view.queries] = np.inf
    return view.rows[np.argmin(distances, axis=1)]


@dataclass(frozen=True)
class Contest:
    """The rows of a view, and what it costs to predict its queries by them."""

    pool: np.ndarray  # (n_rows, n_pool), C order
    queries: np.ndarray  # int64
    cost: np.ndarray  # (n_queries, n_rows), C order


def swap_costs(
    contests: list[Contest], places: np.ndarray, n_jobs: int | None = None
) -> np.ndarray:
    """Summed cost after each possible swap: entry (r, c) replaces pick r by pool column c.

    Parameters
    ----------
    contests : list of Contest
        Of all views, with the same pool.
    places : ndarray of int64
        Positions of the picks in the pool.
    n_jobs : int, optional
    """
    shape = len(places), contests[0].pool.shape[1]
    batches = [
        (contest, first, min(first + BATCH, len(contest.queries)))
        for contest in contests
        for first in range(0, len(contest.queries), BATCH)
    ]

    def work(number: int, _stop: int) -> np.ndarray:
        contest, first, last = batches[number]
        sums, queries = np.zeros(shape), contest.queries
        _kernels.add_swap_errors(contest.pool, places, queries, contest.cost, first, last, sums)
        return sums

    return sum(in_batches(work, len(batches), n_jobs=n_jobs, batch_size=1), np.zeros(shape))


class SwapSearch:
    """What every swap of a pick for a column of a pool would cost.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    views : list of View
        Rows that predict each other.
    pool : ndarray of int
        Columns that may be chosen, ascending; the picks are among them.
    fixed : sequence of int, optional
        Picks that are never swapped for others.
    """

    def __init__(
        self,
        values: np.ndarray,
        views: list[View],
        pool: np.ndarray,
        fixed: Sequence[int] | np.ndarray = (),
    ) -> None:
        self._values = values
        self._views = views
        self._pool = pool
        self._fixed = fixed
        self._contests: list[Contest] = []

    def weigh(self, errors: np.ndarray) -> None:
        """Let column j count by the inverse of its error e_j from now on."""
        rows = [view.rows[view.queries] for view in self._views]
        predicted = np.unique(np.concatenate(rows))
        cost = _pair_costs(self._values, errors, predicted)
        self._contests = [
            Contest(
                np.ascontiguousarray(self._values[np.ix_(view.rows, self._pool)]),
                view.queries,
                cost[np.ix_(np.searchsorted(predicted, queries), view.rows)],
            )
            for queries, view in zip(rows, self._views, strict=True)
        ]

    def best_swap(self, picks: np.ndarray, n_jobs: int | None = None) -> np.ndarray | None:
        """The picks after the swap that lowers the cost most; None if none lowers it.

        From then on only the most promising columns are looked at.
        """
        places = np.searchsorted(self._pool, picks)
        total = swap_costs(self._contests, places, n_jobs)
        current = total[0, places[0]]
        total[:, places] = np.inf
        total[np.isin(picks, self._fixed)] = np.inf
        out, new = np.unravel_index(np.argmin(total), total.shape)
        if total[out, new] >= current:
            return None
        swapped = picks.copy()
        swapped[out] = self._pool[new]
        self._keep(np.union1d(places, np.argsort(total.min(axis=0), kind="stable")[:SHORTLIST]))
        return swapped

    def _keep(self, places: np.ndarray) -> None:
        self._pool = self._pool[places]
        self._contests = [
            replace(contest, pool=np.ascontiguousarray(contest.pool[:, places]))
            for contest in self._contests
        ]


def polish(
    values: np.ndarray,
    starts: list[np.ndarray],
    pool: np.ndarray,
    *,
    max_swaps: int,
    fixed: Sequence[int] | np.ndarray = (),
    views: list[View] | None = None,
    n_jobs: int | None = None,
    after_swap: Callable[[], object] = lambda: None,
) -> np.ndarray:
    """Swap columns of the best start for others while the leave-one-out error falls.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    starts : list of ndarray of int
        Choices of columns to begin with; the one of the smallest error is taken.
    pool : ndarray of int
        Columns that may be chosen besides those of all starts.
    max_swaps : int
    fixed : sequence of int, optional
        Columns of the starts that are never swapped for others.
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
    views = random_halves(len(values)) if views is None else views
    errors_of = [np.sqrt(mean_squared_errors(values, start, views)) for start in starts]
    best = int(np.argmin([errors.mean() for errors in errors_of]))
    picks, errors = starts[best], errors_of[best]
    search = SwapSearch(values, views, np.unique(np.concatenate([*starts, pool])), fixed)
    for swap in range(max_swaps):
        if swap % SWAPS_PER_WEIGHTING == 0:
            if swap:
                errors = np.sqrt(mean_squared_errors(values, picks, views))
            search.weigh(errors)
        swapped = search.best_swap(picks, n_jobs)
        if swapped is None:
            break
        picks = swapped
        after_swap()
    return picks


def _pair_costs(values: np.ndarray, errors: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Squared distances of some rows to all, column j divided by its error."""
    floor = SMALLEST_ERROR * (errors.max() or 1.0)
    scaled = values / np.sqrt(np.maximum(errors, floor))
    # The product of a matrix with itself takes half the time.
    some = scaled if len(predicted) == len(scaled) else scaled[predicted]
    cost = interruptible(len(some) * scaled.size, np.matmul, some, scaled.T)
    squares = np.einsum("ij,ij->i", scaled, scaled)
    cost *= -2.0
    cost += squares
    cost += squares[predicted, None]
    return np.maximum(cost, 0.0, out=cost)
