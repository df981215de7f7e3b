"""One self-contained page with everything, and the same tables as one Markdown file."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._progress import clock
from ..._version import __version__
from ...io.write import atomic_write
from .paper_tables import TABLES
from .result_table import render
from .results import Results
from .study_figures import write_figures
from .study_verdicts import verdicts

#: The run of a job, and the seconds of its ranking.
Times = tuple[Mapping[str, Any], float]


def publish(
    out: Path, results: Results, parts: Sequence[str], times: Sequence[Times], n_workers: int
) -> None:
    """Write tables, pictures and the page of some parts of the study.

    Parameters
    ----------
    out : Path
    results : Results
    parts : sequence of str
    times : sequence of dict and float
        For every job, the run that it is of (see `Runner.run`), and the seconds of its ranking.
    n_workers : int
    """
    made = (make(results) for part, make in TABLES if part in parts)
    tables = [table for table in made if table is not None]
    for table in tables:
        table.write(out)
    facts = {
        "version": __version__,
        "commit": _commit(),
        "parts": parts,
        "data_sets": results.data_sets,
        "n_jobs": len(times),
        "n_workers": n_workers,
        "wall_seconds": wall_seconds([run for run, _ in times]),
        "ranking_seconds": sum(seconds for _, seconds in times),
        "clock": clock,
        "verdicts": verdicts(results, parts),
        "tables": [t for t in tables if t.name != "fig-5-curves"],  # too long to be read
        "figures": [
            (caption, base64.b64encode((out / name).read_bytes()).decode())
            for name, caption in write_figures(results, parts, out)
        ],
    }
    for page in ("index.html", "summary.md"):
        atomic_write(out / page, render(page, **facts))


def wall_seconds(runs: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Wall time of runs up to their last jobs, by the parts that they were about."""
    last: dict[tuple[float, str], float] = {}
    for run in runs:
        key = (run["started"], run["parts"])
        last[key] = max(last.get(key, 0.0), run["seconds"])
    total = dict.fromkeys((parts for _, parts in sorted(last)), 0.0)
    for (_, parts), seconds in last.items():
        total[parts] += seconds
    return total


def _commit() -> str | None:
    """The commit of the sources, where they are a checkout."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None
