"""A process that computes cells, and can be stopped when one takes too much.

Each worker is a process of its own with a pipe to the parent: a cell that runs over its
time is killed with its worker, one that asks for too much memory fails, and a crash costs
one cell. A worker dies with its parent, however the parent dies.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..data.data_sets import DataShelf
from ..plan.cells import Cell, compute

#: Outcome of a cell: "done", "failed" or "limit".
Outcome = dict[str, Any]


def attempt(cell: Cell, shelf: DataShelf) -> Outcome:
    """Compute a cell; an error, also one of reading the data, is an outcome too."""
    try:
        with warnings.catch_warnings():
            # That published settings tie is a finding of the study, told once in words.
            warnings.simplefilter("ignore", UserWarning)
            return {"status": "done", **compute(cell, shelf[cell.data_set])}
    except MemoryError:
        return {"status": "limit", "reason": "memory"}
    except Exception as error:
        return {
            "status": "failed",
            "reason": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }


class Worker:
    """One process and the cell it is working on."""

    def __init__(self, files: dict[str, Path], memory_limit: float | None) -> None:
        self._arguments = (files, memory_limit)
        self._started = 0.0
        self.cell: Cell | None = None
        self._start()

    def _start(self) -> None:
        # A forked process would share locks of threads that it does not have.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, os.getpid(), *self._arguments), daemon=True
        )
        self._process.start()
        theirs.close()

    def give(self, cell: Cell) -> None:
        """Start on a cell."""
        self.cell = cell
        self._started = time.monotonic()
        self.pipe.send(cell)

    def seconds(self) -> float:
        """How long the cell has been running."""
        return time.monotonic() - self._started

    def take(self) -> Outcome:
        """The outcome of the cell, once the pipe is readable."""
        self.cell = None
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self._start()
            return {"status": "failed", "reason": f"the process died (exit code {code})"}

    def abandon(self) -> None:
        """Kill the cell with its process, and start another."""
        self.stop()
        self.cell = None
        self._start()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(
    pipe: Connection, parent: int, files: dict[str, Path], memory_limit: float | None
) -> None:
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops us
    from threadpoolctl import threadpool_limits

    if memory_limit is not None:
        _limit_memory(memory_limit)
    shelf = DataShelf(files)
    with threadpool_limits(1):
        while True:
            try:
                cell = pipe.recv()
            except EOFError:
                return
            pipe.send(attempt(cell, shelf))


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
