"""Time and memory of a piece of work in a process of its own.

`python -m benchmarks.fresh_process module function '{"argument": 1}'` calls the function and prints
what it returned and what that took. Memory is the largest resident size above that of the
interpreter with everything imported, so pages of mapped files that were not let go count as well.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Measured:
    """What a piece of work took, and what came of it."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    result: Any

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s ({self.cpu_seconds:.1f} s of CPU), {self.megabytes:.0f} MB"


def measure(module: str, function: str, **arguments: Any) -> Measured:
    """Call ``module.function(**arguments)`` in a new process."""
    command = [sys.executable, "-m", "benchmarks.fresh_process", module, function]
    done = subprocess.run(
        [*command, json.dumps(arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


#: What memory and clocks showed when the work began.
_begun: dict[str, float] = {}


def begin() -> None:
    """Count from here on; work that has to make its data first calls it when they are there."""
    with contextlib.suppress(OSError):  # of Linux only: else the peak is that of the data as well
        Path("/proc/self/clear_refs").write_text("5")
    _begun.update(peak=_peak(), wall=time.perf_counter(), cpu=time.process_time())


def _peak() -> float:
    """The largest resident size so far, in MB."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(module: str, function: str, arguments: str) -> None:
    """Call a function and print what it took."""
    work = getattr(importlib.import_module(module), function)
    begin()
    result = work(**json.loads(arguments))
    took = {
        "seconds": time.perf_counter() - _begun["wall"],
        "cpu_seconds": time.process_time() - _begun["cpu"],
        "megabytes": _peak() - _begun["peak"],
    }
    print(json.dumps({**took, "result": result}))


if __name__ == "__main__":
    from benchmarks import fresh_process  # the module that work imports, not this copy of it

    fresh_process.main(*sys.argv[1:])
