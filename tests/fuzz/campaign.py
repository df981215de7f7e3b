"""Mutants by the thousand: workers are started, watched and replaced; findings are kept."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from untraced import untraced

#: Seconds without a word after which a worker hangs; its own limit is one of processor time.
PATIENCE = 120
#: One thread, so that processor time is that of the input, and lines of one width.
QUIET = {"OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100", "NO_COLOR": "1"}
QUIET |= {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # which sets no addresses aside


@dataclass(frozen=True)
class Finding:
    """An input that did what none may do."""

    door: str
    number: int
    what: str


def fuzz(doors: Sequence[str], count: int, seed: int) -> Iterator[Finding]:
    """Send `count` mutants through each of the doors, and yield what must not be."""
    start = 0
    while start < len(doors) * count:
        reached, said, ended = _run_worker(doors, seed, count, start)
        for index, what in [*said, *([(reached, ended)] if ended else [])]:
            yield Finding(doors[index // count], index % count, what)
        start = reached + 1


def _run_worker(
    doors: Sequence[str], seed: int, count: int, start: int
) -> tuple[int, list[tuple[int, str]], str]:
    """How far a worker came, what it found, and what ended it before its time."""
    here = Path(__file__).parent.parent
    found: list[tuple[int, str]] = []
    reached = start - 1
    with tempfile.TemporaryDirectory() as home:
        numbers = map(str, (seed, count, start))
        running = subprocess.Popen(
            [sys.executable, "-m", "fuzz.worker", ",".join(doors), *numbers],
            cwd=home,
            env=_environment(here),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = _Tail(running)
        for line in said.lines():
            what, number, *rest = line.split(" ", 2)
            reached = int(number)
            if what == "finding":
                found.append((reached, rest[0].strip()))
        code = running.wait()
    if reached < start or (code == 0 and reached < len(doors) * count - 1):
        raise RuntimeError(f"the worker ended at {reached} with {code}:\n{said.errors}")
    return reached, found, f"ended by {code}: {said.errors[-300:]}" if code else ""


def _environment(here: Path) -> dict[str, str]:
    path = f"{here}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    return {**untraced(), "PYTHONPATH": path, **QUIET}


class _Tail:
    """The lines of a process; one that is silent for too long is killed."""

    def __init__(self, process: subprocess.Popen) -> None:
        self._process = process
        self.errors = ""
        self._reader = threading.Thread(target=self._read_errors)
        self._reader.start()

    def _read_errors(self) -> None:
        self.errors = self._process.stderr.read()

    def lines(self):
        while True:
            timer = threading.Timer(PATIENCE, self._process.kill)
            timer.start()
            line = self._process.stdout.readline()
            timer.cancel()
            if not line:
                break
            yield line
        self._reader.join()
