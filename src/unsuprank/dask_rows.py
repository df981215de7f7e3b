"""Rows on a cluster: of Dask collections, and of tables and files that its workers can get at.

Such rows are in *parts*. The part of a collection is a task that gives a partition of it; that of
anything else is a range of rows of a source that all workers have: a table that was sent to each of
them once, or the description of a file that they read themselves. What is asked of the rows becomes
tasks that depend on parts, so that it is done where the rows are, and only results travel.

- :meth:`ClusterRows.over_chunks`: one task does the work on all chunks that *begin* in a part.
  Chunks begin where they do elsewhere, and results come in the same order, whatever the parts are.
  Sums over chunks are the same to the last bit.
- :meth:`ClusterRows.accumulate`: a chain of such tasks, of which each takes the total from the one
  before.
- :meth:`ClusterRows.prefetch`: samples of rows, cut out of each part and put together on a worker.

All tasks are pure functions. If a worker is lost, what it held is computed again, or sent again if
it came from here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from . import _cluster
from .row_source import (
    PrefetchedRows,
    RowSource,
    all_categories,
    as_table,
    categories_in,
    chunk_rows,
    stacked,
)
from .table import ColumnChoice, Schema, Table, read_table

T = TypeVar("T")

#: Chunks of rows of a file or of a table that are the work of one task.
CHUNKS_A_PART = 8


def is_dask(X: Any) -> bool:
    """Tell whether `X` is a Dask array or a Dask DataFrame, without importing Dask."""
    return callable(getattr(X, "__dask_graph__", None)) and hasattr(X, "shape")


class ClusterRows(RowSource):
    """Rows in parts that tasks of a cluster can have.

    Parameters
    ----------
    lengths : sequence of int
        Rows of each part.
    client : Client or None
        Hands out tasks; without one, all is done here.
    """

    def __init__(self, lengths: Sequence[int], client: Any) -> None:
        self._ends = np.cumsum([0, *lengths])
        self.n_rows, self.client = int(self._ends[-1]), client

    @abstractmethod
    def _part(self, k: int) -> Any:
        """What a task takes for part `k`."""

    def _over_chunks(
        self, work: Callable[[Table], T], n_rows: int, n_jobs: int | None
    ) -> Iterator[T]:
        if self.client is None:
            yield from super()._over_chunks(work, n_rows, n_jobs)
            return
        runs, shared = list(self._runs(n_rows)), _cluster.share(self.client, work)

        def start(k: int) -> list[Any]:
            tasks = [self._on_run(_work_on_run, run, shared) for run in runs[k:]]
            return self.client.compute(tasks, retries=_cluster.RETRIES)

        for results in _cluster.in_turn(self.client, start, self.mend):
            yield from results

    def accumulate(self, add: Any, start: Any, n_rows: int, bar: Any) -> Any:
        """See :meth:`ChunkedRows.accumulate`."""
        if self.client is None:
            return super().accumulate(add, start, n_rows, bar)
        add, total = _cluster.share(self.client, add), _task(start)
        for run in self._runs(n_rows):
            total = self._on_run(_add_run, run, add, total)
        future = self.client.compute(total, retries=_cluster.RETRIES)
        total = _cluster.result_of(self.client, future)
        bar.advance(self.n_rows)
        return total

    def mend(self) -> None:
        """Send again what was sent to the workers and may be lost; there is nothing of the kind."""

    def prefetch(self, rows: np.ndarray) -> Any:
        """See :meth:`RowSource.prefetch`; with a cluster, it is a future."""
        if self.client is None:
            return super().prefetch(rows)
        held = _task(_held, self.n_rows, rows, self._pieces(rows))
        return self.client.compute(held, retries=_cluster.RETRIES)

    def _pieces(self, rows: np.ndarray) -> list[Any]:
        """Tasks that cut rows out of the parts that have some of them."""
        cuts = np.searchsorted(rows, self._ends)
        return [
            _task(_rows_in, self._part(k), rows[a:b] - self._ends[k], self._schema)
            for k, (a, b) in enumerate(pairwise(cuts))
            if b > a
        ]

    def _on_run(self, function: Callable[..., Any], run: _Run, *args: Any) -> Any:
        """A task that does something with the chunks of a run."""
        parts = [self._part(run.part + i) for i in range(len(run.starts) - 1)]
        return _task(function, run, parts, self._schema, *args)

    @cached_property
    def _schema(self) -> Any:
        """The schema, for tasks."""
        return self.schema if self.client is None else _cluster.share(self.client, self.schema)

    def _runs(self, step: int) -> Iterator[_Run]:
        """Chunks by the part that they begin in."""
        for k in range(len(self._ends) - 1):
            first = -(-int(self._ends[k]) // step) * step
            last = min(-(-int(self._ends[k + 1]) // step) * step, self.n_rows)
            if first < last:
                until = int(np.searchsorted(self._ends, last))
                starts = tuple(self._ends[k : until + 1].tolist())
                yield _Run(first, last, step, k, starts)


@dataclass(frozen=True)
class _Run:
    """Chunks that begin in one part."""

    first: int
    last: int
    step: int
    #: The part, and the rows that it and the next ones begin with, as far as they are touched; and
    #: where the last of them ends.
    part: int
    starts: tuple[int, ...]


def _chunks_of(run: _Run, parts: list[Any], schema: Schema) -> Iterator[Table]:
    """The chunks of a run from the parts that it touches."""
    parts = [_at_hand(part) for part in parts]
    for first in range(run.first, run.last, run.step):
        last = min(first + run.step, run.last)
        pieces = []
        for part, (start, end) in zip(parts, pairwise(run.starts), strict=True):
            a, b = max(first, start), min(last, end)
            if a < b:
                pieces.append(_rows_in(part, np.arange(a - start, b - start), schema))
        yield stacked(pieces)


def _task(function: Callable[..., Any], *args: Any) -> Any:
    import dask

    return dask.delayed(function, pure=False)(*args)


def _work_on_run(
    run: _Run, parts: list[Any], schema: Schema, work: Callable[[Table], T]
) -> list[T]:
    return [work(chunk) for chunk in _chunks_of(run, parts, schema)]


def _add_run(
    run: _Run, parts: list[Any], schema: Schema, add: Callable[[T, int, Table], T], total: T
) -> T:
    total = deepcopy(total)  # a task that is done again has to find it as it was
    for k, chunk in enumerate(_chunks_of(run, parts, schema)):
        total = add(total, run.first + k * run.step, chunk)
    return total


def _held(n_rows: int, rows: np.ndarray, pieces: list[Table]) -> PrefetchedRows:
    return PrefetchedRows(n_rows, rows, stacked(pieces))


def _rows_in(part: Any, rows: np.ndarray, schema: Schema) -> Table:
    """Some rows of a part: a range of rows of a source, a table, an array, or a DataFrame."""
    if isinstance(part, tuple):
        source, first, _ = part
        return source.take(first + rows)
    if isinstance(part, Table):
        return part.take(rows)
    return as_table(part.iloc[rows] if hasattr(part, "iloc") else part[rows], schema)


def _at_hand(part: Any) -> Any:
    """A part that is looked at in pieces: what is in a file is read once."""
    if isinstance(part, tuple):
        source, first, last = part
        return source.take(np.arange(first, last))
    return part


class SharedRows(ClusterRows):
    """A table, or a file that workers can read, whose rows are worked on by a cluster.

    Parameters
    ----------
    source : Table or RowSource
        It is sent to all workers, once: a table with its values, a source as what it takes to read
        the file.
    client : Client
    """

    def __init__(self, source: Table | RowSource, client: Any) -> None:
        step = CHUNKS_A_PART * chunk_rows(source.n_columns)
        super().__init__(
            [min(step, source.n_rows - a) for a in range(0, source.n_rows, step)], client
        )
        self.source, self.schema = source, source.schema
        self.random_access = source.random_access
        self.mend()

    def mend(self) -> None:
        """Send the source to the workers."""
        way = _cluster.send if isinstance(self.source, Table) else _cluster.share
        #: The source, on the workers.
        self.shared = way(self.client, self.source)

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase; from the source here."""
        return self.source.take(rows)

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; from the source here."""
        return self.source.chunks(n_rows)

    def _part(self, k: int) -> Any:
        # Not a task: what it gives could be sent on, and the table with it.
        return self.shared, int(self._ends[k]), int(self._ends[k + 1])


class DaskRows(ClusterRows):
    """The rows of a Dask array or a Dask DataFrame.

    Partitions of unknown length are counted first, and values of nominal columns are found in a
    pass over these.

    Parameters
    ----------
    collection : dask.array.Array or dask.dataframe.DataFrame
    names : sequence of str, optional
        Names of the columns of an array.
    nominal_features : names, indices or boolean mask of nominal columns, optional
    client : Client or None
        Hands out tasks; without one, Dask's own threads read what is asked for.
    """

    def __init__(
        self,
        collection: Any,
        names: Sequence[str] | None = None,
        nominal_features: ColumnChoice = None,
        client: Any = None,
    ) -> None:
        if len(collection.shape) != 2:
            raise ValueError(
                f"X must have rows and columns, got {len(collection.shape)} dimensions."
            )
        frame = hasattr(collection, "columns")
        if not frame and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        self._parts = np.ravel(collection.to_delayed()).tolist()
        self.client = client
        lengths: Any = (np.nan,) if frame else collection.chunks[0]
        if np.isnan(lengths).any():
            lengths = self._compute([_task(_n_rows, p) for p in self._parts])
        super().__init__(lengths, client)
        self.schema = _empty_like(collection, names, nominal_features)
        if (unknown := self.schema.without_values).any():
            self.schema = self.schema.with_nominal(unknown, self._values_of(unknown))

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""
        pieces = self._compute(self._pieces(np.asarray(rows)))
        empty = Table(np.empty((0, self.n_columns), order="F"), self.schema)
        return stacked(pieces) if pieces else empty

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        held: dict[int, Any] = {}
        for run in self._runs(n_rows):
            wanted = range(run.part, run.part + len(run.starts) - 1)
            held = {k: part for k, part in held.items() if k in wanted}
            missing = [k for k in wanted if k not in held]
            held |= zip(missing, self._compute([self._part(k) for k in missing]), strict=True)
            yield from _chunks_of(run, [held[k] for k in wanted], self.schema)

    def _part(self, k: int) -> Any:
        return self._parts[k]

    def _compute(self, tasks: list[Any]) -> list[Any]:
        import dask

        scheduler = "threads" if self.client is None and _cluster.in_task() else self.client
        return list(dask.compute(*tasks, scheduler=scheduler))

    def _values_of(self, nominal: np.ndarray) -> list[np.ndarray]:
        """The values of the columns of a mask, from one pass over these."""
        some = [part for k, part in enumerate(self._parts) if self._ends[k] < self._ends[k + 1]]
        columns = np.flatnonzero(nominal)
        return all_categories(self._compute([_task(categories_in, p, columns) for p in some]))


def _empty_like(collection: Any, names: Sequence[str] | None, nominal: ColumnChoice) -> Schema:
    """Names and kinds of the columns of a collection, without the values of nominal ones."""
    if hasattr(collection, "columns"):
        import pandas as pd

        columns = [pd.Series(dtype=kind, name=name) for name, kind in collection.dtypes.items()]
        empty = pd.concat(columns, axis=1)
        return read_table(empty, nominal_features=nominal, min_rows=0).schema
    return Schema.of_array(collection.dtype, int(collection.shape[1]), names, nominal)


def _n_rows(part: Any) -> int:
    return int(part.shape[0])
