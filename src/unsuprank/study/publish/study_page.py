"""One self-contained page with everything, and the same tables as one Markdown file."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..._progress import clock
from ..._version import __version__
from ...io.write import atomic_write
from .paper_tables import TABLES
from .result_table import ResultTable
from .results import Results
from .study_figures import write_figures
from .study_verdicts import about_table_2, verdicts

try:
    from jinja2 import Environment
except ImportError as error:
    raise ImportError(
        'The page of the study needs Jinja2: install it with pip install "unsuprank[report]".'
    ) from error


@dataclass(frozen=True)
class StudyFacts:
    """What the page says about the runs behind it."""

    parts: Sequence[str]
    n_data_sets: int
    #: For every job, the run that it is of (see `Runner.run`), and the seconds of its ranking.
    times: Sequence[tuple[Mapping[str, Any], float]]
    n_workers: int

    def wall_seconds(self) -> dict[str, float]:
        """Wall time of the runs up to their last jobs, by the parts that they were about."""
        runs: dict[tuple[float, str], float] = {}
        for run, _ in self.times:
            key = (run["started"], run["parts"])
            runs[key] = max(runs.get(key, 0.0), run["seconds"])
        total: dict[str, float] = {}
        for (_, parts), seconds in sorted(runs.items()):
            total[parts] = total.get(parts, 0.0) + seconds
        return total

    def about(self) -> str:
        """What was computed, with what, and how long it took."""
        commit = _commit()
        source = f"unsuprank {__version__}" + (f" at commit {commit}" if commit else "")
        wall = self.wall_seconds()
        runs = "; ".join(f"{parts}: {clock(t)}" for parts, t in wall.items())
        ranking = sum(seconds for _, seconds in self.times)
        return (
            f"Made by {source}: {', '.join(self.parts)} on {self.n_data_sets} data sets. "
            f"{len(self.times)} jobs took {clock(sum(wall.values()))} of wall time with "
            f"{self.n_workers} worker processes ({runs}); {clock(ranking)} of that work was "
            "ranking. Errors are means over ten folds and all features of the per-feature RMSE of "
            "1NN on the 16 leading features, ranked on the training fold alone."
        )


def publish(out: Path, results: Results, facts: StudyFacts) -> None:
    """Write tables, pictures and the page of the parts that `facts` names."""
    made = (make(results) for part, make in TABLES if part in facts.parts)
    tables = [table for table in made if table is not None]
    for table in tables:
        table.write(out)
    figures = write_figures(results, facts.parts, out)
    shown = [t for t in tables if t.name != "fig-5-curves"]  # too long to be read
    said = verdicts(results) if "sota" in facts.parts else [about_table_2(results)]
    write_page(out, facts, [line for line in said if line], shown, figures)


def write_page(
    directory: Path,
    facts: StudyFacts,
    verdicts: Sequence[str],
    tables: Sequence[ResultTable],
    figures: Sequence[tuple[str, str]],
) -> None:
    """Write ``index.html`` and ``summary.md``; `figures` are file names and captions."""
    about = facts.about()
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    source = files(__package__) / "assets" / "study.html"
    page = environment.from_string(source.read_text("utf-8")).render(
        about=about,
        verdicts=verdicts,
        tables=tables,
        figures=[(caption, _base64(directory / name)) for name, caption in figures],
    )
    atomic_write(directory / "index.html", page)
    lines = ["# The study, reproduced", "", about, "", *(f"- {v}" for v in verdicts)]
    atomic_write(directory / "summary.md", "\n".join([*lines, "", *(t.markdown() for t in tables)]))


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _commit() -> str | None:
    """The commit of the sources, where they are a checkout."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None
