"""URelief: columns matter if they differ between neighbours that differ.

For every drawn row r and each of its K nearest neighbours, three averages grow: the distance
d of the two rows, the difference d_i of each column, and d_i * d. With these as estimates of
P(rows differ), P(column differs) and P(both), the score of column i is

    P(column differs | rows differ) - P(column differs | rows are alike).

The distance of two rows is the mean over columns of d_i: range-scaled absolute difference
for numbers, 0 or 1 for names. The costly part is finding neighbours, all pairs of rows by all
columns. The kernels do that on 16-bit codes with a known error and measure only the few rows
that may be neighbours in float64 (rows.hpp, neighbour_search.hpp), so the result is that
of the plain algorithm. Rows are stored with the drawn ones first: a tile of distances between
drawn rows then serves both sides. Sparse rows are compared by what is not zero
(:mod:`.sparse_search`), with the same neighbours.

Several settings share one pass: drawn rows are the first of one random order, and the sums over
neighbours are kept apart at every number of neighbours that is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.utils import check_random_state

from ... import _kernels
from ..._checks import as_count, check_fraction_or_count, check_number, is_fraction
from ..._parallel import in_batches
from ..._progress import Progress, progress
from ...table import ColumnChoice, SparseTable, Table, read_table
from .sparse_search import SparseSearch

TILE = _kernels.RELIEF_TILE
#: Rows whose sums are added up in one go; fixed, so that sums do not depend on batches.
ROWS_PER_SUM = 16
#: Differences in one call of the distance kernel, some hundredths of a second.
TASK_DIFFERENCES = 2e8
#: Fewer differences than this are not worth the start of threads.
SERIAL_DIFFERENCES = 3e8

#: Sums of differences and of differences times distances, per term; and of distances.
Sums = tuple[np.ndarray, np.ndarray]


def urelief_path(
    X: Any,
    n_neighbors: Sequence[int | float] = (5, 10, 15, 20, 30, 40),
    n_iterations: Sequence[int | float] = (0.1, 0.25, 0.5, 0.75, 1.0),
    *,
    nominal_features: ColumnChoice = None,
    working_memory: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> np.ndarray:
    """Scores of :class:`URelief` for every pair of settings, from one search for neighbours.

    The rows drawn for a smaller number of iterations are among those drawn for a larger one.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
    n_neighbors, n_iterations : sequence of int or float
        Counts, or fractions of all rows.
    nominal_features, working_memory, n_jobs, random_state, verbose
        As in :class:`URelief`.

    Returns
    -------
    scores : ndarray of shape (len(n_neighbors), len(n_iterations), n_features)

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import urelief_path
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> urelief_path(X, n_neighbors=[5, 10], n_iterations=[0.2, 0.5, 1.0], random_state=0).shape
    (2, 3, 4)
    """
    for name, values in (("n_neighbors", n_neighbors), ("n_iterations", n_iterations)):
        if np.ndim(values) != 1 or len(values) == 0:
            raise ValueError(f"{name} must be a list of at least one value, got {values!r}.")
        for value in values:
            check_fraction_or_count(name, value)
    if working_memory is not None:
        check_number("working_memory", working_memory, open_low=True)
    table = read_table(X, nominal_features=nominal_features, estimator="urelief_path")
    return score_path(
        table, n_neighbors, n_iterations, working_memory, n_jobs, random_state, verbose
    )


def score_path(
    table: Table,
    n_neighbors: Sequence[int | float],
    n_iterations: Sequence[int | float],
    working_memory: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> np.ndarray:
    """Scores per number of neighbours, number of iterations and column."""
    counts, which_count = np.unique(
        _neighbor_counts(n_neighbors, table.n_rows), return_inverse=True
    )
    draws, which_draw = np.unique(
        [_draw_count(i, table.n_rows) for i in n_iterations], return_inverse=True
    )
    rows = _read_rows(table, _draw_order(table.n_rows, draws, random_state), n_jobs)
    with progress("URelief", int(draws[-1]), verbose) as bar:
        found = _Neighbours(rows, counts, draws, working_memory, n_jobs, bar).scores()
    scores = np.zeros((len(counts), len(draws), table.n_columns))
    columns = rows.term_columns()
    scores[..., columns[columns >= 0]] = found[..., columns >= 0]
    return scores[which_count][:, which_draw]


def _neighbor_counts(n_neighbors: Sequence[int | float], n_rows: int) -> list[int]:
    largest = max((k for k in n_neighbors if not is_fraction(k)), default=1)
    if largest > n_rows - 1:
        warnings.warn(
            f"n_neighbors={largest} is more than the table has other rows; as many are used as "
            f"there are ({n_rows - 1}).",
            stacklevel=2,
        )
    return [min(as_count(k, n_rows), n_rows - 1) for k in n_neighbors]


def _draw_count(n_iterations: int | float, n_rows: int) -> int:
    if not is_fraction(n_iterations) and n_iterations > n_rows:
        raise ValueError(
            f"n_iterations={n_iterations} is more than the {n_rows} rows of the table; rows are "
            "drawn without replacement, so give at most their number, or a fraction."
        )
    return as_count(n_iterations, n_rows)


def _draw_order(n_rows: int, draws: np.ndarray, random_state: Any) -> np.ndarray:
    """All rows, those that are drawn first; in their own order if every row is always used."""
    if draws[0] == n_rows:
        return np.arange(n_rows)
    return check_random_state(random_state).permutation(n_rows).astype(np.int64)


def _read_rows(
    table: Table, order: np.ndarray, n_jobs: int | None
) -> _kernels.ReliefRows | SparseSearch:
    if isinstance(table, SparseTable):
        return SparseSearch(table, order)
    rows = _kernels.ReliefRows(_kernels.Columns(table.values, table.n_values), order)
    for _ in in_batches(rows.read_blocks, rows.n_blocks, n_jobs=n_jobs):
        pass
    return rows


@dataclass(frozen=True)
class _Neighbours:
    """Sums over the nearest rows of those that are drawn, at several numbers of both."""

    rows: _kernels.ReliefRows | SparseSearch
    #: Numbers of neighbours, and of rows that are drawn; both ascend.
    counts: np.ndarray
    draws: np.ndarray
    working_memory: float | None
    n_jobs: int | None
    bar: Progress

    def scores(self) -> np.ndarray:
        """The difference of the two conditional probabilities, per count, draw and term."""
        sums, distances = self._sums()
        pairs = self.counts[:, None] * self.draws
        differ = (distances / pairs)[..., None]
        column = sums[..., 0, :] / pairs[..., None]
        both = sums[..., 1, :] / pairs[..., None]
        if not differ.all():
            warnings.warn(
                "All neighbours are identical to the rows they were found for, so no column tells "
                "them apart; scores are 0.",
                stacklevel=2,
            )
        # A condition that never holds says nothing for or against a column.
        among_different = np.divide(both, differ, out=np.zeros_like(both), where=differ > 0)
        alike = 1.0 - differ
        among_alike = np.divide(column - both, alike, out=np.zeros_like(both), where=alike > 0)
        return among_different - among_alike

    def _sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums over pairs for every count (axis 0) and draw (axis 1).

        Of differences and of differences times distances, per term; and of distances.
        """
        total, at_draw = self._no_sums(), []
        for search, first, last in self._searches():
            for start, stop, group in self._group_sums(search, first, last):
                for mine, more in zip(total, group, strict=True):
                    mine += more
                if stop in self.draws:
                    at_draw.append((total[0].copy(), total[1].copy()))
                if search is self.rows:
                    self.bar.advance(stop - start)
        # Sums were kept apart between one number of neighbours and the next.
        sums, distances = (np.stack(part, axis=1) for part in zip(*at_draw, strict=True))
        return sums.cumsum(axis=0), distances.cumsum(axis=0)

    def _no_sums(self) -> Sums:
        n_counts = len(self.counts)
        return np.zeros((n_counts, 2, len(self.rows.term_columns()))), np.zeros(n_counts)

    def _searches(self) -> Iterator[tuple[_kernels.ReliefSearch | SparseSearch, int, int]]:
        """What knows the neighbours of a run of drawn rows, and where the run begins and ends."""
        n_queries, n_neighbors = int(self.draws[-1]), int(self.counts[-1])
        if isinstance(self.rows, SparseSearch):  # it finds them when it is asked
            yield self.rows, 0, n_queries
            return
        # Runs whose lists fit the memory: whole tiles, but for the last.
        memory = self.working_memory or get_config()["working_memory"]
        per_tile = TILE * _kernels.ReliefSearch.bytes_per_query(n_neighbors)
        size = TILE * max(1, int(memory * 2**20 / per_tile))
        for first in range(0, n_queries, size):
            last = min(first + size, n_queries)
            search = _kernels.ReliefSearch(self.rows, first, last, n_neighbors)
            self._compare(search, self.rows, first, last)
            yield search, first, last

    def _compare(
        self, search: _kernels.ReliefSearch, rows: _kernels.ReliefRows, first: int, last: int
    ) -> None:
        """Compare the queries first .. last-1 with all rows."""
        per_tile = TILE * TILE * max(rows.code_width, 1)
        length = max(8, int(TASK_DIFFERENCES / per_tile))
        start, stop = first // TILE, -(-last // TILE)
        tasks = [
            (q, b, min(b + length, end))
            for q in range(start, stop)
            # Tiles of two blocks of queries are done once, from the block that comes first.
            for begin, end in ((0, start), (q, rows.n_blocks))
            for b in range(begin, end, length)
        ]
        tiles = sum(b - a for _, a, b in tasks)

        def work(a: int, b: int) -> int:
            for task in tasks[a:b]:
                search.compare(*task)
            return sum(end - begin for _, begin, end in tasks[a:b])

        threads = effective_n_jobs(self.n_jobs) if tiles * per_tile > SERIAL_DIFFERENCES else 1
        for done in in_batches(work, len(tasks), n_jobs=threads, batch_size=1):
            self.bar.advance((last - first) * done / tiles)

    def _group_sums(
        self, search: _kernels.ReliefSearch | SparseSearch, first: int, last: int
    ) -> Iterator[tuple[int, int, Sums]]:
        """Sums of groups of queries in their order: where a group begins and ends, and its sums."""
        inside = self.draws[(self.draws > first) & (self.draws < last)]
        cuts = np.union1d([*range(first, last, ROWS_PER_SUM), last], inside)
        groups = list(pairwise(cuts.tolist()))

        def work(a: int, b: int) -> list[tuple[int, int, Sums]]:
            return [(start, stop, sums_of(start, stop)) for start, stop in groups[a:b]]

        def sums_of(start: int, stop: int) -> Sums:
            sums, distances = self._no_sums()
            search.add_sums(start, stop, self.counts, sums.reshape(-1), distances)
            return sums, distances

        for batch in in_batches(work, len(groups), n_jobs=self.n_jobs):
            yield from batch
