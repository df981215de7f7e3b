"""Run batches of numbered work items on threads and hand the results back in order.

The compiled kernels release the GIL and start no threads of their own, so plain threads
scale. Results arrive in item order, whatever the number of threads and the size of the
batches, which is what makes every sum over items bitwise reproducible. The size of a
batch follows from first, timed items: small enough for Ctrl-C and a smooth progress bar,
large enough that the cost of dispatch disappears.

The number of threads has joblib's meaning; the pool is the standard library's, and it stays
for the next call: the forest of a small table takes a few milliseconds, and so do new threads
to come to speed (their memory is cold). Calls from within a pool's thread run in that thread,
so that nested work can neither wait for itself nor crowd the processors.
"""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, Protocol, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

#: Seconds of work per batch.
BATCH_SECONDS = 0.1
#: Less remaining work than this is not worth the start of a thread pool.
SERIAL_SECONDS = 0.001
#: Work up to this long goes to the threads in one batch each.
SHORT_SECONDS = 0.02
#: Items that are timed, unless they are long.
FIRST_BATCH = 4
#: Multiplications in less than a tenth of a second.
SHORT_WORK = 10**8


_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}
_here = threading.local()


class _Advances(Protocol):
    def advance(self, amount: float = 1) -> None: ...


def in_batches(
    work: Callable[[int, int], T],
    total: int,
    *,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    item_work: float = 0.0,
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
    item_work : float
        About the number of multiplications of an item, if they can be many: Ctrl-C does not wait
        for the first of them either.
    progress : object with ``advance``, optional
        Told of every batch that was handed back.
    """
    threads = _threads(n_jobs)
    done = 0
    if batch_size is None:
        per_item = 0.0
        # The first item by itself: a few long ones would keep Ctrl-C and the other threads waiting.
        for most in (1, FIRST_BATCH):
            if done < min(total, most) and per_item * most <= BATCH_SECONDS:
                started, a, done = time.perf_counter(), done, min(total, most)
                result = interruptible(item_work, work, a, done)
                per_item = (time.perf_counter() - started) / (done - a)
                yield _reported(result, done - a, progress)
        if per_item * (total - done) < SERIAL_SECONDS:
            threads = 1
        batch_size = _batch_size(total - done, per_item, threads)
        if per_item > BATCH_SECONDS:
            work = partial(interruptible, SHORT_WORK, work)
    ranges = [(a, min(a + batch_size, total)) for a in range(done, total, batch_size)]
    if threads == 1 or len(ranges) < 2:
        for a, b in ranges:
            yield _reported(work(a, b), b - a, progress)
    else:
        results = _on_threads(work, ranges, threads, ahead=2 * threads)
        for (a, b), result in zip(ranges, results, strict=True):
            yield _reported(result, b - a, progress)


def in_order(work: Callable[..., T], items: Iterable, n_jobs: int | None = None) -> Iterator[T]:
    """Yield ``work(item)`` of all items in turn, worked on by threads, a few items ahead."""
    threads = _threads(n_jobs)
    if threads == 1:
        yield from map(work, items)
    else:
        yield from _on_threads(work, ((item,) for item in items), threads, ahead=threads)


def interruptible(work: float, call: Callable[..., T], *args: Any, **options: Any) -> T:
    """Return ``call(*args, **options)``: one long call that Ctrl-C does not wait for.

    Python tells the main thread of an interrupt between two of its steps, so that thread waits, and
    another one makes the call. If the wait is interrupted, the call comes to its end in the
    background, and nobody takes what it returns. `work` is about the number of multiplications:
    a short call is made on the spot, as is one from any other thread.

    Only for calls that let go of the GIL, as those of NumPy do and few of SciPy's LAPACK.
    """
    if work < SHORT_WORK or threading.current_thread() is not threading.main_thread():
        return call(*args, **options)
    other = ThreadPoolExecutor(1, "unsuprank-call", _mark_thread)
    try:
        return other.submit(contextvars.copy_context().run, call, *args, **options).result()
    finally:
        other.shutdown(wait=False)


def _threads(n_jobs: int | None) -> int:
    """How many threads work; those of a pool start no others.

    A backend of joblib that has other machines counts their processors too.
    """
    if getattr(_here, "in_pool", False):
        return 1
    most = n_jobs if n_jobs is not None and n_jobs > 0 else os.cpu_count() or 1
    return min(effective_n_jobs(n_jobs), most)


@cache
def _libraries(kind: str) -> ThreadpoolController:
    return ThreadpoolController().select(user_api=kind)


class _SharedLimit:
    """One thread for matrix products as long as anyone wants that.

    The number of threads of BLAS is one of the whole process. Of two fits that overlap on threads,
    each with a limit of its own, the second would find that of the first, take it for what was
    there before, and leave it behind for good. So the first to come sets the limit, and the last
    to go lifts it.
    """

    def __init__(self) -> None:
        self._holders = 0
        self.renew_lock()

    def renew_lock(self) -> None:
        """Take a new lock: in a forked process, nobody may be there to open the old one."""
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._limit = _libraries("blas").limit(limits=1)
            self._holders += 1

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limit.restore_original_limits()


_one_blas_thread = _SharedLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_one_blas_thread.renew_lock)


def one_blas_thread() -> AbstractContextManager:
    """Inside of this, matrix products take one thread: that of whoever asks for them.

    Libraries that limit threads themselves (scikit-learn's neighbours and k-means) run inside of
    this, so that what they find and leave behind is always 1.
    """
    return _one_blas_thread


def one_openmp_thread() -> AbstractContextManager:
    """Inside of this, compiled loops of others take one thread; holds for the calling thread."""
    return _libraries("openmp").limit(limits=1)


def blas_threads() -> int:
    """The number of threads that matrix products take."""
    return max((library["num_threads"] for library in _libraries("blas").info()), default=1)


def _on_threads(
    work: Callable[..., T], items: Iterable[tuple], threads: int, ahead: int
) -> Iterator[T]:
    """Results in order, with `ahead` items in flight after the one that is waited for."""
    waiting: deque[Future[T]] = deque()
    pool = _pool(threads)
    try:
        for item in items:
            waiting.append(pool.submit(work, *item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Whoever stops early is not kept waiting for work that nobody wants any more.
        for future in waiting:
            future.cancel()


def _pool(threads: int) -> ThreadPoolExecutor:
    # A forked process has the object but not the threads; it needs a pool of its own.
    key = (os.getpid(), threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(threads, "unsuprank", _mark_thread)
    return _pools[key]


def _mark_thread() -> None:
    _here.in_pool = True


def _batch_size(items: int, per_item: float, threads: int) -> int:
    by_time = int(BATCH_SECONDS / per_item) if per_item > 0 else items
    # Short work is not worth more than one handover per thread; long work is balanced by more.
    rounds = 1 if items * per_item < SHORT_SECONDS else 4
    fair_share = -(-items // (rounds * threads)) if threads > 1 else items
    return max(1, min(by_time, fair_share))


def _reported(result: T, amount: int, progress: _Advances | None) -> T:
    if progress is not None:
        progress.advance(amount)
    return result
