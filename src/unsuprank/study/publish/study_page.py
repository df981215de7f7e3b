"""One self-contained page with everything, and the same tables as one Markdown file."""

from __future__ import annotations

import base64
import html
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..._version import __version__
from .tables import Table

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 76rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .18rem .6rem; text-align: right; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
thead th { border-bottom: 2px solid #888; vertical-align: bottom; }
.scroll { overflow-x: auto; } .note, figcaption { color: #555; font-size: 13px; }
figure { display: inline-block; margin: .6rem 1rem .6rem 0; } img { max-width: 100%; }
"""


@dataclass(frozen=True)
class Facts:
    """What the page says about the run."""

    parts: Sequence[str]
    n_data_sets: int
    #: By the parts that runs were about.
    wall_seconds: dict[str, float]
    cell_seconds: float
    n_cells: int
    jobs: int


def write_page(
    directory: Path,
    facts: Facts,
    verdicts: Sequence[str],
    tables: Sequence[Table],
    figures: Sequence[tuple[str, str]],
) -> None:
    """Write ``index.html`` and ``summary.md``."""
    points = "".join(f"<li>{html.escape(v)}</li>\n" for v in verdicts)
    pictures = "".join(_picture(directory / name, caption) for name, caption in figures)
    text = (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'>"
        f"<title>unsuprank: the study, reproduced</title><style>{_STYLE}</style>\n"
        f"<h1>The study, reproduced</h1>\n<p>{html.escape(_about(facts))}</p>\n"
        f"<h2>What was reproduced, and what was not</h2>\n<ul>{points}</ul>\n"
        f"<h2>Tables</h2>\n{''.join(t.html() for t in tables)}"
        f"<h2>Figures</h2>\n{pictures}</html>\n"
    )
    (directory / "index.html").write_text(text, encoding="utf-8")
    lines = ["# The study, reproduced", "", _about(facts), ""]
    lines += [f"- {v}" for v in verdicts]
    lines += ["", *(t.markdown() for t in tables)]
    (directory / "summary.md").write_text("\n".join(lines), encoding="utf-8")


def _about(facts: Facts) -> str:
    commit = _commit()
    source = f"unsuprank {__version__}" + (f" at commit {commit}" if commit else "")
    runs = "; ".join(f"{parts}: {_clock(t)}" for parts, t in facts.wall_seconds.items())
    return (
        f"Made by {source}: {', '.join(facts.parts)} on {facts.n_data_sets} data sets. "
        f"{facts.n_cells} cells took {_clock(sum(facts.wall_seconds.values()))} of wall time with "
        f"{facts.jobs} worker processes ({runs}); {_clock(facts.cell_seconds)} of that "
        "work was ranking. Errors are means over ten folds and all features of the per-feature "
        "RMSE of 1NN on the 16 leading features, ranked on the training fold alone."
    )


def _picture(path: Path, caption: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    text = html.escape(caption)
    return (
        f"<figure><img alt='{text}' src='data:image/png;base64,{data}'>"
        f"<figcaption>{text}</figcaption></figure>\n"
    )


def _commit() -> str | None:
    """The commit of the sources, where they are a checkout."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=12", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
