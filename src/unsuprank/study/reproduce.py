"""The whole study: run what is missing, then write tables, pictures and the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..io import FileProblem
from .data.data_sets import SUFFIXES, find_data_sets
from .engine.run_log import RunLog
from .engine.runner import NO_LIMITS, USUAL_LIMITS, Limits, Runner, RunSummary
from .engine.store import Store
from .plan.suites import PARTS, SOTA_COLUMNS, cells_of, check_methods, check_parts
from .publish.publication import publish
from .publish.results import Results
from .publish.study_page import StudyFacts


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
        The address of a Dask scheduler, or a client of one, whose workers then compute the cells
        instead. They read the files of `data` themselves, from the same path. A cell that takes
        longer than it may is not stopped there, but counts as one that does, and nobody limits its
        memory but Dask.
    full : bool, default=False
        Also run the cells that exceeded their limits, without limits.
    limits : Limits
        Time and memory of one cell.
    retry_failed : bool, default=False
        Compute stored failures again.
    verbose : int, default=0
        1 shows progress.
    say : callable, optional
        Told what is worth telling.
    """
    parts = check_parts(PARTS if only is None else only)
    chosen = None if methods is None else check_methods(methods)
    files = _chosen_files(data, data_sets)
    out.mkdir(parents=True, exist_ok=True)
    for column in SOTA_COLUMNS:
        if not column.is_available():
            say(f"{column.title} is skipped: what it needs is not installed.")
    allowed = NO_LIMITS if full else limits
    with Store(out / "store", say) as store:
        runner = Runner(
            store,
            files,
            jobs=jobs,
            scheduler=scheduler,
            limits=allowed,
            retry_failed=retry_failed,
            verbose=verbose,
        )
        cells = cells_of(parts, list(files), chosen)
        log = RunLog(out / "runs.json", parts)
        summary = runner.run(cells, log.note)
        log.note(summary.computed, last=True)
        for line in (*summary.over_limit, *summary.failed):
            say(line)
        spent = [o.get("seconds", 0.0) for c in cells if (o := runner.stored(c))]
        facts = StudyFacts(parts, len(files), log.seconds(), sum(spent), len(spent), jobs)
        publish(out, Results(runner.stored, list(files)), facts)
    return summary


def _chosen_files(data: Path, wanted: Sequence[str] | None) -> dict[str, Path]:
    files = find_data_sets(data)
    if wanted is not None:
        unknown = [name for name in wanted if name not in files]
        if unknown:
            raise FileProblem(f"{unknown[0]} is not in {data}; there are: {', '.join(files)}.")
        files = {name: files[name] for name in files if name in set(wanted)}
    if not files:
        raise FileProblem(f"There are no data sets in {data} ({', '.join(SUFFIXES)} files).")
    return files
