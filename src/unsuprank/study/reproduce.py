"""The whole study: run what is missing, then write tables, pictures and the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from ..io import FileProblem
from .data.data_sets import SUFFIXES, find_data_sets
from .engine.runner import NO_LIMITS, USUAL_LIMITS, Limits, Runner, RunSummary
from .engine.store import Store
from .plan.recipes import HAS_FASTCAN
from .plan.suites import PARTS, check_methods, check_parts, jobs_of
from .publish.results import Results
from .publish.study_page import publish


def reproduce(
    data: Path,
    out: Path,
    *,
    only: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    data_sets: Sequence[str] | None = None,
    jobs: int = 2,
    scheduler: Any = None,
    full: bool = False,
    limits: Limits = USUAL_LIMITS,
    retry_failed: bool = False,
    verbose: int = 0,
    say: Callable[[str], None] = lambda _line: None,
) -> RunSummary:
    """Run the study of the paper, or take it up where it stopped.

    Parameters
    ----------
    data : Path
        Directory of data files.
    out : Path
        Where results and tables go; a second run with the same directory computes only
        what is missing.
    only : sequence of str, optional
        Parts of the study; all of them by default.
    methods, data_sets : sequence of str, optional
        Restrict the study to these.
    jobs : int, default=2
        Worker processes.
    scheduler : str, Client or None, default=None
        The address of a Dask scheduler, or a client of one, whose workers then compute the jobs
        instead. They read the files of `data` themselves, from the same path. A job that takes
        longer than it may is not stopped there, but counts as one that does, and nobody limits its
        memory but Dask.
    full : bool, default=False
        Also run the jobs that exceeded their limits, without limits.
    limits : Limits
        Time and memory of one job.
    retry_failed : bool, default=False
        Compute stored failures again.
    verbose : int, default=0
        1 shows progress.
    say : callable, optional
        Told what is worth telling.
    """
    parts = check_parts(PARTS if only is None else only)
    files = find_data_sets(data)
    chosen = _chosen(files, data, data_sets)
    wanted = jobs_of(parts, chosen, None if methods is None else check_methods(methods))
    out.mkdir(parents=True, exist_ok=True)
    if not HAS_FASTCAN:
        say("fastcan is skipped: it is not installed.")
    paths = {name: files[name] for name in chosen}
    runner = Runner(Store(out / "store", say), paths, NO_LIMITS if full else limits, retry_failed)
    summary = runner.run(wanted, jobs, scheduler, parts, verbose)
    for line in (*summary.over_limit, *summary.failed):
        say(line)
    outcomes = (runner.stored(job) for job in wanted)
    times = [(outcome["run"], outcome.get("seconds", 0.0)) for outcome in outcomes if outcome]
    left_out = [name for name in files if name not in chosen]
    publish(out, Results(runner.stored, chosen, left_out), parts, times, jobs)
    return summary


def _chosen(files: Collection[str], data: Path, wanted: Sequence[str] | None) -> list[str]:
    """The names of the data sets to study, all of which must be there."""
    for name in wanted or ():
        if name not in files:
            raise FileProblem(f"{name} is not in {data}; there are: {', '.join(files)}.")
    chosen = [name for name in files if wanted is None or name in wanted]
    if not chosen:
        raise FileProblem(f"There are no data sets in {data} ({', '.join(SUFFIXES)} files).")
    return chosen
