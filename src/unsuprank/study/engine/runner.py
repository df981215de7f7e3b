"""Run the jobs that a store does not have yet.

Failures and exceeded limits are outcomes like others: they are stored, and not tried again
unless that is asked for. Where one job exceeds its limit, the others of the same data
set, method and settings are not tried.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..._progress import Progress, progress
from ..data.data_sets import VersionedFile
from ..plan.jobs import Job
from ..plan.recipes import GRIDS
from .places import Place, place_for
from .store import Identity, Outcome, Store


@dataclass(frozen=True)
class Limits:
    """What one job may take."""

    seconds: float | None = 90.0
    gigabytes: float | None = 6.0
    #: Seconds of a job that tries settings; there are many of these.
    grid_seconds: float | None = 15.0

    def seconds_for(self, job: Job) -> float | None:
        """The time that a job may take; None for any."""
        return self.grid_seconds if job.method in GRIDS else self.seconds


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


class Runner:
    """Computes missing jobs.

    Parameters
    ----------
    store : Store
    files : dict of str to Path
        Data sets by name.
    limits : Limits
    retry_failed : bool
        Whether stored failures are computed again. Those for exceeded limits are, when
        `limits` has none.
    """

    def __init__(
        self,
        store: Store,
        files: dict[str, Path],
        limits: Limits = USUAL_LIMITS,
        retry_failed: bool = False,
    ) -> None:
        self._store, self._limits, self._retry_failed = store, limits, retry_failed
        self._files = {name: VersionedFile.of(path) for name, path in files.items()}
        self._over_limit: set[tuple[Any, ...]] = set()

    def stored(self, job: Job) -> Outcome | None:
        """The outcome of a job, unless it is to be tried again."""
        outcome = self._store.get(self._identity(job))
        if outcome is None:
            return None
        if outcome["status"] == "failed" and self._retry_failed:
            return None
        if outcome["status"] == "limit":
            if self._limits == NO_LIMITS:
                return None
            self._over_limit.add(job.group)
        return outcome

    def run(
        self,
        jobs: Iterable[Job],
        n_jobs: int = 0,
        scheduler: Any = None,
        parts: Sequence[str] = (),
        verbose: int = 0,
    ) -> RunSummary:
        """Compute what is missing; an interrupted run is taken up by the next.

        Every outcome tells which run it is of: about which parts of the study, when it began, and
        how far into it the job was finished. See :func:`.places.place_for` for `n_jobs` and
        `scheduler`.
        """
        summary, started = RunSummary(), time.time()
        about = {"parts": ", ".join(parts), "started": started}
        all_jobs = list(jobs)
        todo = [job for job in all_jobs if self.stored(job) is None]
        summary.found = len(all_jobs) - len(todo)
        with (
            progress("running jobs", max(len(todo), 1), verbose) as bar,
            place_for(n_jobs, scheduler, self._limits.gigabytes) as place,
        ):
            for job, outcome in self._outcomes(todo, place, bar):
                outcome["run"] = {**about, "seconds": round(time.time() - started, 1)}
                self._keep(job, outcome, summary)
        return summary

    def _identity(self, job: Job) -> Identity:
        return job.identity(self._files[job.data_set].checksum)

    def _outcomes(
        self, todo: Iterable[Job], place: Place, bar: Progress
    ) -> Iterator[tuple[Job, Outcome]]:
        """Jobs with their outcomes, as they are finished."""
        queue = dict.fromkeys(todo)
        running: dict[Future[Outcome], Job] = {}
        while queue or running:
            while queue and len(running) < place.room():
                job = _next(queue, running.values())
                if self._is_due(job):
                    seconds = self._limits.seconds_for(job)
                    running[place.submit(job, self._files[job.data_set], seconds)] = job
                else:
                    bar.advance()
            # On Windows, Ctrl-C is heard between two waits.
            for future in wait(running, timeout=1.0, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _outcome_of(future)
                bar.advance()

    def _is_due(self, job: Job) -> bool:
        """Whether nobody knows what comes of a job: no job like it, and no other run."""
        if job.group in self._over_limit and self._limits != NO_LIMITS:
            return False
        return self.stored(job) is None

    def _keep(self, job: Job, outcome: Outcome, summary: RunSummary) -> None:
        if not self._files[job.data_set].is_unchanged():
            # Nobody knows which content the outcome is of, so that it is nobody's.
            summary.failed.append(f"{job}: its data file changed during the run; start it again")
            return
        self._store.put(self._identity(job), outcome)
        summary.computed += 1
        if outcome["status"] == "failed":
            summary.failed.append(f"{job}: {outcome['reason']}")
        elif outcome["status"] == "limit":
            self._over_limit.add(job.group)
            summary.over_limit.append(f"{job}: {outcome['reason']}")


def _next(queue: dict[Job, None], running: Collection[Job]) -> Job:
    """Take the first job of a group that is not running, or the first of all.

    The limit of a group may turn out to be too short, and then one job has found it out for all.
    """
    busy = {job.group for job in running}
    job = next((job for job in queue if job.group not in busy), next(iter(queue)))
    del queue[job]
    return job


def _outcome_of(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except Exception as error:  # jobs have outcomes, so that it is one of the place
        return {"status": "failed", "reason": f"its worker died ({type(error).__name__})"}
