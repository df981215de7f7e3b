"""What the command line costs a person who only looks: processor time of whole processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .harness import report

_MAIN = "from unsuprank.cli import main; main()"


def run() -> None:
    _report("unsuprank --version", ["--version"], 0.3)
    titanic = Path(os.environ.get("UNSUPRANK_DATA", "")) / "mixed" / "titanic_openml40945.arff"
    if titanic.is_file():
        with tempfile.TemporaryDirectory() as place:
            page = str(Path(place) / "page.html")
            _report("a page about 1,309 x 14", ["rank", str(titanic), "--report", page], 6.0)


def _report(what: str, arguments: list[str], most: float) -> None:
    seconds = min(_processor_time(arguments) for _ in range(3))
    report(what, f"{seconds:.2f} s", f"<= {most:g} s", "of processor time")


def _processor_time(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", _MAIN, *arguments]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
