"""Run batches of numbered work items on threads and hand the results back in order.

The compiled kernels release the GIL and start no threads of their own, so plain threads
scale. Results arrive in item order, whatever the number of threads and the size of the
batches, which is what makes every sum over items bitwise reproducible. The size of a
batch follows from a first, timed one: small enough for Ctrl-C and a smooth progress bar,
large enough that the cost of dispatch disappears.

The number of threads has joblib's meaning; the pool is the standard library's, because it
starts in a tenth of a millisecond, and whole forests of small tables take only a few.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

from joblib import effective_n_jobs

T = TypeVar("T")

#: Seconds of work per batch.
BATCH_SECONDS = 0.1
#: Less remaining work than this is not worth the start of a thread pool.
SERIAL_SECONDS = 0.001
#: Items of the first, timed batch.
FIRST_BATCH = 4


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
    threads = effective_n_jobs(n_jobs)
    done = 0
    if batch_size is None:
        done = min(total, FIRST_BATCH)
        started = time.perf_counter()
        first = work(0, done)
        per_item = (time.perf_counter() - started) / max(done, 1)
        if per_item * (total - done) < SERIAL_SECONDS:
            threads = 1
        batch_size = _batch_size(total - done, per_item, threads)
        yield _reported(first, done, progress)
    ranges = [(a, min(a + batch_size, total)) for a in range(done, total, batch_size)]
    if threads == 1 or len(ranges) < 2:
        for a, b in ranges:
            yield _reported(work(a, b), b - a, progress)
    else:
        for (a, b), result in zip(ranges, _on_threads(work, ranges, threads), strict=True):
            yield _reported(result, b - a, progress)


def _on_threads(
    work: Callable[[int, int], T], ranges: list[tuple[int, int]], threads: int
) -> Iterator[T]:
    """Results in order, with a few batches in flight ahead of the one that is waited for."""
    waiting: deque[Future[T]] = deque()
    upcoming = iter(ranges)
    pool = ThreadPoolExecutor(threads)
    try:
        for a, b in upcoming:
            waiting.append(pool.submit(work, a, b))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Whoever stops early is not kept waiting for work that nobody wants any more.
        pool.shutdown(wait=False, cancel_futures=True)


def _batch_size(items: int, per_item: float, threads: int) -> int:
    by_time = int(BATCH_SECONDS / per_item) if per_item > 0 else items
    fair_share = -(-items // (4 * threads)) if threads > 1 else items
    return max(1, min(by_time, fair_share))


def _reported(result: T, amount: int, progress: _Advances | None) -> T:
    if progress is not None:
        progress.advance(amount)
    return result
