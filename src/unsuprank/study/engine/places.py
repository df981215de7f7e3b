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
import time
import traceback
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Protocol

from joblib.externals.loky import BrokenProcessPool, ProcessPoolExecutor
from threadpoolctl import threadpool_limits

from ..._cluster import RETRIES
from ..._parallel import one_blas_thread
from ..data.data_sets import VersionedFile, load_data_set
from ..plan.jobs import Job, compute
from .store import Outcome


def attempt(job: Job, file: VersionedFile) -> Outcome:
    """Compute a job; an error, also one of reading the data, is an outcome too."""
    try:
        with warnings.catch_warnings():
            # That published settings tie is a finding of the study, told once in words.
            warnings.simplefilter("ignore", UserWarning)
            return {"status": "done", **compute(job, _load(file))}
    except MemoryError:
        return {"status": "limit", "reason": "memory"}
    except Exception as error:
        return {
            "status": "failed",
            "reason": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }


@lru_cache(maxsize=1)  # the next job is mostly one on the same data set
def _load(file: VersionedFile) -> Any:
    return load_data_set(file.path)


def over_time(seconds: float) -> Outcome:
    """What came of a job that took longer than it may."""
    return {"status": "limit", "reason": f"more than {seconds:g} s"}


class Place(Protocol):
    """Where jobs are computed."""

    def room(self) -> int:
        """How many jobs it takes at once."""

    def submit(self, job: Job, file: VersionedFile, seconds: float | None) -> Future[Outcome]:
        """Start a job, which may take `seconds`."""

    def close(self) -> None:
        """Let go of the jobs that are under way."""


class ThisProcess:
    """One job after the other, without limits."""

    def room(self) -> int:
        """One."""
        return 1

    def submit(self, job: Job, file: VersionedFile, _seconds: float | None) -> Future[Outcome]:
        """Compute a job before anything else."""
        future: Future[Outcome] = Future()
        future.set_result(attempt(job, file))
        return future

    def close(self) -> None:
        """Nothing is under way."""


class WorkerProcesses:
    """Processes of joblib's, each with a job of its own and a thread here that watches its time.

    Parameters
    ----------
    count : int
    gigabytes : float or None
        What each of them may take.
    """

    def __init__(self, count: int, gigabytes: float | None) -> None:
        self._count, self._gigabytes = count, gigabytes
        self._threads = ThreadPoolExecutor(count)
        self._workers = {slot: self._new() for slot in range(count)}
        self._idle = list(self._workers)

    def _new(self) -> ProcessPoolExecutor:
        """An executor of one process, which starts with its first job."""
        return ProcessPoolExecutor(1, initializer=_prepare, initargs=(os.getpid(), self._gigabytes))

    def room(self) -> int:
        """As many as there are processes."""
        return self._count

    def submit(self, job: Job, file: VersionedFile, seconds: float | None) -> Future[Outcome]:
        """Give a job to an idle process."""
        return self._threads.submit(self._compute, job, file, seconds)

    def _compute(self, job: Job, file: VersionedFile, seconds: float | None) -> Outcome:
        slot = self._idle.pop()
        try:
            return self._workers[slot].submit(attempt, job, file).result(seconds)
        except (TimeoutError, BrokenProcessPool) as error:
            self._workers[slot].shutdown(kill_workers=True)
            self._workers[slot] = self._new()
            if seconds is None or isinstance(error, BrokenProcessPool):
                raise
            return over_time(seconds)
        finally:
            self._idle.append(slot)

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in self._workers.values():
            worker.shutdown(kill_workers=True)
        self._threads.shutdown(cancel_futures=True)


class Cluster:
    """The workers of a Dask cluster, which read the data sets from the paths that they have here.

    A worker that dies costs the jobs that it had begun, which others begin anew; a job that takes
    several workers with it is one that failed.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False, retries=RETRIES)

    def room(self) -> int:
        """A job for every thread, and one more that waits for it."""
        return 2 * max(1, sum(self._client.nthreads().values()))

    def submit(self, job: Job, file: VersionedFile, seconds: float | None) -> Future[Outcome]:
        """Make a job a task."""
        return self._executor.submit(_attempt_within, job, file, seconds)

    def close(self) -> None:
        """Cancel the tasks that are under way."""
        self._executor.shutdown(wait=False)


def _attempt_within(job: Job, file: VersionedFile, seconds: float | None) -> Outcome:
    """Compute a job to its end; if that takes longer than it may, this is its outcome."""
    started = time.monotonic()
    with one_blas_thread():
        outcome = attempt(job, file)
    if seconds is not None and time.monotonic() - started > seconds:
        return over_time(seconds)
    return outcome


def _prepare(parent: int, gigabytes: float | None) -> None:
    """Make a process a worker: one thread, a limit on memory, and no life without its parent."""
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    if gigabytes is not None:
        _limit_memory(gigabytes)
    threadpool_limits(1)


def _die_with(parent: int) -> None:
    """Ask to be killed when the parent dies; elsewhere than on Linux, its closed pipe ends us."""
    if sys.platform != "linux":
        return
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def _limit_memory(gigabytes: float) -> None:
    """Let requests for more memory fail; Windows knows no such limit."""
    if sys.platform == "win32":
        return
    import resource

    limit = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
