"""Blocks of rows: a large table as many small ones.

Rows beyond about a thousand make a score more precise and hardly ever another one. So a table
of many rows, in memory or on disk, is ranked by samples of them: block b is a sample of `size` rows
without replacement that depends on (seed, b) and on nothing else, and so does the seed of whatever
is drawn inside of it. Results are handed back in block order. What is added up from them is the
same on one thread and on many, from memory and from disk; a block that got lost is computed again.

Time grows with the number of blocks, not with rows, and memory is that of one block per thread.
Where rows can be read one by one (memory, mapped files), a block is read by the thread that works
on it. Where some rows cannot be read without most of the others (row groups of Parquet files,
compressed chunks), blocks are read together, as many as `SHARED_BYTES` hold: one way through the
file for hundreds of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from .._checks import as_count
from .._cluster import in_turn, share, submit
from .._parallel import in_order, one_blas_thread
from ..dask_rows import ClusterRows
from ..row_source import RowSource
from ..table import Table

T = TypeVar("T")
#: What is done with a block: a function of a seed and a table.
Work = Callable[[int, Table], T]

#: Bytes of blocks that are read together from a source without random access.
SHARED_BYTES = 2**26


def block_size(max_samples: int | float | None, n_rows: int) -> int:
    """Rows a block, from what the user said: a count, a part of all rows, or all of them."""
    return n_rows if max_samples is None else as_count(max_samples, n_rows, minimum=2)


@dataclass
class RowBlocks:
    """The blocks of a table or of a source of rows."""

    source: Table | RowSource
    size: int
    seed: int
    #: How many blocks will be asked for, if that is known.
    n_blocks: int | None = None
    _held: tuple[int, Any] | None = field(default=None, init=False, repr=False)

    def rows(self, block: int) -> np.ndarray:
        """The rows of a block, in order."""
        rng = np.random.default_rng([self.seed, block, 0])
        return np.sort(rng.choice(self.source.n_rows, self.size, replace=False, shuffle=False))

    def seed_of(self, block: int) -> int:
        """The seed of what is drawn inside of a block."""
        return int(np.random.default_rng([self.seed, block, 1]).integers(np.iinfo(np.int64).max))

    def read(self, block: int) -> Table:
        """A block as a table."""
        table = self.source.take(self.rows(block))
        # A column of a million names has at most as many in a block as the block has rows.
        return table.without_unused_values(table.n_values > table.n_rows)

    def map(
        self, work: Work[T], first: int, last: int, n_jobs: int | None = None
    ) -> Generator[T, None, None]:
        """``work(seed, table)`` of blocks ``first .. last - 1``, in order, wherever it is done."""
        settings = (self.size, self.seed, work)
        while first < last:
            held, stop = self._together(first, last)
            if getattr(self.source, "client", None) is not None:
                yield from self._as_tasks(settings, first, stop, held)
            else:
                with one_blas_thread():
                    work_on = partial(_work_on_block, held, settings)
                    yield from in_order(work_on, range(first, stop), n_jobs)
            first = stop

    def _as_tasks(self, settings: Any, first: int, last: int, held: Any) -> Iterator[Any]:
        assert isinstance(self.source, ClusterRows)
        source, client = self.source, self.source.client
        settings = share(client, settings)

        def start(k: int) -> list[Any]:
            rows = getattr(source, "shared", None) if source.random_access else held
            blocks = range(first + k, last)
            return [submit(client, _work_on_block, rows, settings, b) for b in blocks]

        return in_turn(client, start, source.mend)

    def _together(self, first: int, last: int) -> tuple[Any, int]:
        """What has the rows of the blocks from `first` on, and up to which block it does."""
        if self.source.random_access:
            return self.source, last
        per_group = max(1, SHARED_BYTES // (8 * self.size * self.source.n_columns))
        group = first // per_group
        stop = (group + 1) * per_group
        if self._held is None or self._held[0] != group:
            self._held = None  # make room
            ends = stop if self.n_blocks is None else min(stop, self.n_blocks)
            wanted = [self.rows(b) for b in range(group * per_group, ends)]
            rows = np.unique(np.concatenate(wanted))
            assert isinstance(self.source, RowSource)
            self._held = group, self.source.prefetch(rows)
        return self._held[1], min(last, stop)


def _work_on_block(source: Any, settings: tuple[int, int, Work[T]], block: int) -> T:
    size, seed, work = settings
    blocks = RowBlocks(source, size, seed)
    # Matrix products take one thread here: others work on other blocks, and the sums of a product
    # must not depend on how many threads share it.
    with one_blas_thread():
        return work(blocks.seed_of(block), blocks.read(block))
