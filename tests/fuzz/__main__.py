"""``python -m fuzz``: see the package."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path

from .campaign import fuzz
from .doors import DOORS
from .mutants import dice


def main() -> int:
    parser = argparse.ArgumentParser(description="Send damaged input through every front door.")
    parser.add_argument("--count", type=int, default=300, help="mutants of each door")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one by default")
    parser.add_argument("--doors", default=",".join(DOORS), help="some of the doors")
    parser.add_argument("--keep", default="fuzz-findings", help="where inputs of findings go")
    wanted = parser.parse_args()
    seed = secrets.randbelow(2**31) if wanted.seed is None else wanted.seed
    doors, started, total = wanted.doors.split(","), time.monotonic(), 0
    for finding in fuzz(doors, wanted.count, seed):
        total += 1
        print(f"{finding.door} {finding.number}: {finding.what}", flush=True)
        _keep(Path(wanted.keep), finding.door, seed, finding.number)
    seconds = time.monotonic() - started
    print(f"{wanted.count} mutants for each of {len(doors)} doors, seed {seed}:", end=" ")
    print(f"{total} findings in {seconds:.0f} s")
    return 1 if total else 0


def _keep(place: Path, name: str, seed: int, number: int) -> None:
    place.mkdir(exist_ok=True)
    door = DOORS[name]
    content = door.mutant(dice(seed, name, number), door.valid())
    (place / f"{seed}-{number}.{name}").write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
