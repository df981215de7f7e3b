"""Run the cells that a store does not have yet.

Failures and exceeded limits are results like others: they are stored, and not tried again
unless that is asked for. Where one cell exceeds its limit, the others of the same data
set, method and settings are not tried.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from ..._cluster import client_of
from ..._progress import progress
from ...io import file_stamp
from ..data.data_sets import DataShelf, file_checksum
from ..plan import recipes
from ..plan.cells import CLUSTER_HYPOTHESIS, Cell
from .cell_tasks import CellTasks
from .store import Store
from .workers import Outcome, Worker, attempt

#: Told of a cell and its outcome, or None where it was not computed.
Finished = Callable[[Cell, Outcome | None], None]


@dataclass(frozen=True)
class Limits:
    """What one cell may take."""

    seconds: float | None = 90.0
    gigabytes: float | None = 6.0
    #: Seconds of a cell that tries settings; there are many of these.
    grid_seconds: float | None = 15.0

    def seconds_for(self, cell: Cell) -> float | None:
        """The time that a cell may take; None for any."""
        if cell.method == CLUSTER_HYPOTHESIS:
            return self.seconds
        return self.grid_seconds if recipes.find(cell.method).is_grid else self.seconds


USUAL_LIMITS = Limits()
#: `--full`: no limits.
NO_LIMITS = Limits(None, None, None)


@dataclass
class RunSummary:
    """What a run did."""

    computed: int = 0
    found: int = 0
    failed: list[str] = field(default_factory=list)
    over_limit: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Runner:
    """Computes missing cells.

    Parameters
    ----------
    store : Store
    files : dict of str to Path
        Data sets by name.
    jobs : int
        Worker processes; 0 computes in this process, without limits.
    scheduler : str, Client or None
        A Dask scheduler whose workers compute the cells instead.
    limits : Limits
    retry_failed : bool
        Whether stored failures are computed again. Those for exceeded limits are, when
        `limits` has none.
    verbose : int
        1 shows progress.
    """

    def __init__(
        self,
        store: Store,
        files: dict[str, Path],
        *,
        jobs: int = 1,
        scheduler: Any = None,
        limits: Limits = USUAL_LIMITS,
        retry_failed: bool = False,
        verbose: int = 0,
    ) -> None:
        self._store, self._files, self._jobs = store, files, jobs
        self._client = client_of(scheduler)
        self._limits, self._retry_failed, self._verbose = limits, retry_failed, verbose
        self._stamps = {name: file_stamp(path) for name, path in files.items()}
        self._checksums = {name: file_checksum(path) for name, path in files.items()}
        self._over_limit: set[tuple[Any, ...]] = set()

    def identity(self, cell: Cell) -> dict[str, Any]:
        """Everything that the result of a cell depends on."""
        return cell.identity(self._checksums[cell.data_set])

    def stored(self, cell: Cell) -> Outcome | None:
        """The outcome of a cell, unless it is to be tried again."""
        outcome = self._store.get(self.identity(cell))
        if outcome is None:
            return None
        if outcome["status"] == "failed" and self._retry_failed:
            return None
        if outcome["status"] == "limit":
            if self._limits == NO_LIMITS:
                return None
            self._over_limit.add(cell.group)
        return outcome

    def run(
        self, cells: Iterable[Cell], note: Callable[[int], object] = lambda _computed: None
    ) -> RunSummary:
        """Compute what is missing; an interrupted run is taken up by the next.

        `note` is told after every cell how many have been computed.
        """
        started = time.monotonic()
        summary = RunSummary()
        self._store.tidy()
        todo = [c for c in cells if not self._is_stored(c, summary)]
        with progress("computing cells", max(len(todo), 1), self._verbose) as bar:

            def finished(cell: Cell, outcome: Outcome | None) -> None:
                if outcome is not None:
                    self._keep(cell, outcome, summary)
                note(summary.computed)
                bar.advance()

            if self._client is not None:
                self._run_tasks(todo, finished)
            elif self._jobs == 0:
                self._run_here(todo, finished)
            else:
                self._run_workers(todo, finished)
        summary.seconds = time.monotonic() - started
        return summary

    def _is_stored(self, cell: Cell, summary: RunSummary) -> bool:
        if self.stored(cell) is None:
            return False
        summary.found += 1
        return True

    def _keep(self, cell: Cell, outcome: Outcome, summary: RunSummary) -> None:
        if self._changed(cell.data_set):
            # Nobody knows which content the outcome is of, so that it is nobody's result.
            self._store.release(self.identity(cell))
            summary.failed.append(f"{cell}: its data file changed during the run; start it again")
            return
        self._store.put(self.identity(cell), outcome)
        self._store.release(self.identity(cell))
        summary.computed += 1
        if outcome["status"] == "failed":
            summary.failed.append(f"{cell}: {outcome['reason']}")
        elif outcome["status"] == "limit":
            self._over_limit.add(cell.group)
            summary.over_limit.append(f"{cell}: {outcome['reason']}")

    def _changed(self, data_set: str) -> bool:
        """Whether the file of a data set is no longer the one that was there at the start."""
        return file_stamp(self._files[data_set]) != self._stamps[data_set]

    def _next(
        self, queue: deque[Cell], finished: Finished, busy: Collection[tuple] = ()
    ) -> Cell | None:
        """The next cell that nobody computes; None when there is none right now.

        Cells of groups that are `busy` wait while there are others: their limit may turn out
        to be too short, and then one cell has found it out for all.
        """
        passed: list[Cell] = []
        found = None
        for _ in range(len(queue)):
            cell = queue.popleft()
            if cell.group in busy:
                passed.append(cell)
            elif self._takes(cell, queue, finished):
                found = cell
                break
        queue.extendleft(reversed(passed))
        return self._next(queue, finished) if found is None and passed else found

    def _takes(self, cell: Cell, queue: deque[Cell], finished: Finished) -> bool:
        """Whether a cell is ours to compute; it comes again later if another run has it."""
        if cell.group in self._over_limit and self._limits != NO_LIMITS:
            finished(cell, None)
        elif not self._store.claim(self.identity(cell)):
            queue.append(cell)  # another run has it: look again later
        elif self.stored(cell) is not None:
            self._store.release(self.identity(cell))  # another run was faster
            finished(cell, None)
        else:
            return True
        return False

    def _run_here(self, cells: list[Cell], finished: Finished) -> None:
        queue, shelf = deque(cells), DataShelf(self._files)
        while queue:
            if cell := self._next(queue, finished):
                finished(cell, attempt(cell, shelf))
            else:
                time.sleep(0.1)

    def _run_tasks(self, cells: list[Cell], finished: Finished) -> None:
        """Keep every thread of the cluster busy with a cell, and one more waiting for it."""
        queue, tasks = deque(cells), CellTasks(self._client, self._files)
        while queue or tasks.cells:
            while queue and tasks.want_more():
                cell = self._next(queue, finished, {c.group for c in tasks.cells})
                if cell is None:
                    break
                tasks.give(cell, self._limits.seconds_for(cell))
            if tasks.cells:
                finished(*tasks.take())
            else:
                time.sleep(0.1)  # other runs have all that is left

    def _run_workers(self, cells: list[Cell], finished: Finished) -> None:
        queue = deque(cells)
        count = min(self._jobs, len(queue))
        workers = [Worker(self._files, self._limits.gigabytes) for _ in range(count)]
        try:
            while queue or any(w.cell for w in workers):
                for worker in workers:
                    if worker.cell is not None:
                        continue
                    busy = {w.cell.group for w in workers if w.cell}
                    if cell := self._next(queue, finished, busy):
                        worker.give(cell)
                self._collect(workers, finished)
        finally:
            for worker in workers:
                worker.stop()

    def _collect(self, workers: list[Worker], finished: Finished) -> None:
        busy = {w.pipe: (w, w.cell) for w in workers if w.cell}
        if not busy:
            time.sleep(0.1)  # other runs have all that is left
            return
        for pipe in wait(list(busy), timeout=0.25):
            worker, cell = busy.pop(pipe)  # type: ignore[call-overload]
            finished(cell, worker.take())
        for worker, cell in busy.values():
            allowed = self._limits.seconds_for(cell)
            if allowed is not None and worker.seconds() > allowed:
                worker.abandon()
                finished(cell, {"status": "limit", "reason": f"more than {allowed:g} s"})
