"""Run batches of numbered work items on threads and hand the results back in order.

The compiled kernels release the GIL and start no threads of their own, so plain threads
scale. Results arrive in item order, whatever the number of threads and the size of the
batches, which is what makes every sum over items bitwise reproducible. The size of a
batch follows from a first, timed one: small enough for Ctrl-C and a smooth progress bar,
large enough that the cost of dispatch disappears.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from joblib import Parallel, delayed, effective_n_jobs

T = TypeVar("T")

#: Seconds of work per batch.
BATCH_SECONDS = 0.1
#: Less remaining work than this is not worth the start of a thread pool.
SERIAL_SECONDS = 0.02


class _Advances(Protocol):
    def advance(self, amount: float = 1) -> None: ...


def in_batches(
    work: Callable[[int, int], T],
    total: int,
    *,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: _Advances | None = None,
) -> Iterator[T]:
    """Yield ``work(start, stop)`` for consecutive ranges that cover ``range(total)``.

    Parameters
    ----------
    work : callable
        Computes the items ``start .. stop-1``; runs on several threads at once.
    total : int
        Number of items.
    n_jobs : int, optional
        Threads, with joblib's meaning.
    batch_size : int, optional
        Fixes the size of all batches; by default it follows from a timed first batch.
    progress : object with ``advance``, optional
        Told of every batch that was handed back.
    """
    done = 0
    if batch_size is None:
        first = min(total, 4)
        started = time.perf_counter()
        yield _reported(work(0, first), first, progress)
        per_item = (time.perf_counter() - started) / max(first, 1)
        done = first
        if per_item * (total - done) < SERIAL_SECONDS:
            n_jobs = 1
        batch_size = _batch_size(total - done, per_item, effective_n_jobs(n_jobs))
    ranges = [(a, min(a + batch_size, total)) for a in range(done, total, batch_size)]
    if effective_n_jobs(n_jobs) == 1 or len(ranges) == 1:
        for a, b in ranges:
            yield _reported(work(a, b), b - a, progress)
        return
    pool = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
    results = pool(delayed(work)(a, b) for a, b in ranges)
    for (a, b), result in zip(ranges, results, strict=True):
        yield _reported(result, b - a, progress)


def _batch_size(items: int, per_item: float, threads: int) -> int:
    by_time = int(BATCH_SECONDS / per_item) if per_item > 0 else items
    fair_share = -(-items // (4 * threads)) if threads > 1 else items
    return max(1, min(by_time, fair_share))


def _reported(result: T, amount: int, progress: _Advances | None) -> T:
    if progress is not None:
        progress.advance(amount)
    return result
