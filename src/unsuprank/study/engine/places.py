"""Where jobs are computed: in this process, in processes of their own, or on a Dask cluster.

A place has room for so many jobs at once, and answers each with a future of its outcome. On this
machine, a job over its time is killed with its process, one that asks for too much memory
fails, and a crash costs one job. What Dask cannot do with a task is to kill it: there, a job over
its time comes to its end, and counts as one over its limit.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from typing import Any, NamedTuple

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor
from threadpoolctl import threadpool_limits

from ..._cluster import RETRIES, client_of
from ..._parallel import one_blas_thread
from ..data.data_sets import DataSet, VersionedFile, load_data_set
from ..plan.jobs import Job, compute
from .store import Outcome

#: Seconds after its time in which a job may still end by itself.
GRACE = 0.1


def attempt(job: Job, file: VersionedFile, seconds: float | None) -> Outcome:
    """Compute a job, which may take `seconds`; an error is an outcome too."""
    started = time.monotonic()
    try:
        with warnings.catch_warnings(), one_blas_thread():
            # That published settings tie is a finding of the study, told once in words.
            warnings.simplefilter("ignore", UserWarning)
            outcome = {"status": "done", **compute(job, _load(file))}
    except MemoryError:
        outcome = {"status": "limit", "reason": "memory"}
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        outcome = {"status": "failed", "reason": reason, "traceback": traceback.format_exc()}
    if seconds is not None and time.monotonic() - started > seconds:
        return over_time(seconds)
    return outcome


@lru_cache(maxsize=1)  # the next job is mostly one on the same data set
def _load(file: VersionedFile) -> DataSet:
    return load_data_set(file.path)


def over_time(seconds: float | None) -> Outcome:
    """What came of a job that took longer than it may."""
    return {"status": "limit", "reason": f"more than {seconds:g} s"}


class Place(NamedTuple):
    """Where jobs are computed."""

    #: Starts a job on a file, which may take so many seconds.
    submit: Callable[[Job, VersionedFile, float | None], Future[Outcome]]
    #: How many jobs it takes at once.
    room: Callable[[], int]


@contextmanager
def this_process() -> Iterator[Place]:
    """Compute one job after the other here, where nobody ends them."""

    def submit(*job: Any) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_result(attempt(*job))
        return future

    yield Place(submit, lambda: 1)


@contextmanager
def worker_processes(count: int, gigabytes: float | None) -> Iterator[Place]:
    """Compute jobs in processes of joblib's, each of which a thread here waits for.

    Parameters
    ----------
    count : int
    gigabytes : float or None
        What a process may take.
    """
    workers: dict[int, ProcessPoolExecutor] = {}

    def apart(job: Job, file: VersionedFile, seconds: float | None) -> Outcome:
        me = threading.get_ident()
        try:
            if me not in workers:
                arguments = (os.getpid(), gigabytes)
                workers[me] = ProcessPoolExecutor(1, initializer=_prepare, initargs=arguments)
                workers[me].submit(os.getpid).result()  # the time of its start is not the job's
            patience = None if seconds is None else seconds + GRACE
            return workers[me].submit(attempt, job, file, seconds).result(patience)
        except (TimeoutError, BrokenProcessPool) as error:
            workers.pop(me).shutdown(kill_workers=True)
            if isinstance(error, BrokenProcessPool):
                raise
            return over_time(seconds)

    with ThreadPoolExecutor(count) as threads:
        try:
            yield Place(lambda *job: threads.submit(apart, *job), lambda: count)
        finally:  # whatever they are doing, and all at once: Ctrl-C is in a hurry
            with ThreadPoolExecutor(count) as ends:
                ends.map(lambda worker: worker.shutdown(kill_workers=True), list(workers.values()))


@contextmanager
def cluster(client: Any) -> Iterator[Place]:
    """Make jobs tasks of a Dask cluster, whose workers read the data sets from the same paths.

    A worker that dies costs the jobs that it had begun, which others begin anew; a job that takes
    several workers with it is one that failed.
    """
    executor = client.get_executor(pure=False, retries=RETRIES)
    try:
        # A job for every thread, and one more that waits for it.
        yield Place(
            partial(executor.submit, attempt), lambda: 2 * max(1, sum(client.nthreads().values()))
        )
    finally:
        executor.shutdown(wait=False)


def place_for(
    n_jobs: int, scheduler: Any, gigabytes: float | None
) -> AbstractContextManager[Place]:
    """The workers of a Dask scheduler, if one is named, `n_jobs` processes, or for 0 this one."""
    client = client_of(scheduler)
    if client is not None:
        return cluster(client)
    return worker_processes(n_jobs, gigabytes) if n_jobs else this_process()


def _prepare(parent: int, gigabytes: float | None) -> None:
    """Make a process a worker: one thread, a limit on memory, and no life without its parent."""
    if sys.platform == "linux":  # elsewhere, its closed pipe ends a process without a parent
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    if gigabytes is not None and sys.platform != "win32":  # which knows no such limit
        import resource

        limit = int(gigabytes * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    threadpool_limits(1)
