"""`python -m benchmarks [name ...]` runs every bench_*.py here, or those that are named.

What takes many minutes and gigabytes runs only if it is named.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from pathlib import Path

ONLY_IF_NAMED = {"scale"}


def main(names: list[str]) -> None:
    found = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))
    unknown = set(names) - set(found)
    if unknown:
        sys.exit(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(found)}.")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    for name in names or sorted(set(found) - ONLY_IF_NAMED):
        print(f"\n# {name}")
        importlib.import_module(f"benchmarks.bench_{name}").run()


if __name__ == "__main__":
    main(sys.argv[1:])
