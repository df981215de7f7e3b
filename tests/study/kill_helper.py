"""Runs a suite of small cells in child processes, kills them, and tells what happened.

``python kill_helper.py kills|pair|calm DATA STORE JOURNAL`` prints JSON. A process
of its own, so that children can be forked without the threads of a test runner, and
start without importing anything.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from unsuprank.study.data.data_sets import file_checksum, find_data_sets
from unsuprank.study.engine import runner
from unsuprank.study.engine.store import Store
from unsuprank.study.plan.suites import cells_of

KILLS = 50
PAUSE = 0.005


def run(data: Path, store: Path, journal: Path) -> None:
    attempt = runner.attempt
    files = find_data_sets(data)

    def noted(cell, shelf):
        with journal.open("a") as stream:
            stream.write(f"{name_of(cell.identity(file_checksum(files[cell.data_set])))}\n")
        time.sleep(PAUSE)
        return attempt(cell, shelf)

    runner.attempt = noted
    with Store(store) as kept:
        cells = cells_of(["sota"], list(files), ["variance", "random"])
        runner.Runner(kept, files, jobs=0).run(cells)


def name_of(identity: dict) -> str:
    return json.dumps(identity, sort_keys=True)


def fork(*arguments: Path) -> int:
    child = os.fork()
    if child == 0:
        run(*arguments)
        os._exit(0)
    return child


def finished(store: Path) -> set[str]:
    """Cells with a file, looked at without any help of the store."""
    files = store.glob("??/[!.]*.json")
    return {name_of(json.loads(p.read_bytes().splitlines()[1])["cell"]) for p in files}


def wait_for_cells(child: int, journal: Path, n_begun: int) -> None:
    """Until so many cells were begun: a kill then hits a run on fast and slow machines alike."""
    while len(journal.read_text().splitlines()) < n_begun and not _ended(child):
        time.sleep(0.0005)


def _ended(child: int) -> bool:
    """Whether a child came to its end; its status stays there to be read."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kills(data: Path, store: Path, journal: Path) -> dict:
    rng = random.Random(0)
    lost = repeated = interrupted = 0
    kept: set[str] = set()
    for _ in range(KILLS):
        noted = len(journal.read_text().splitlines())
        child = fork(data, store, journal)
        wait_for_cells(child, journal, noted + rng.randint(0, 3))
        time.sleep(rng.uniform(0.0, 1.5 * PAUSE))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        interrupted += os.WIFSIGNALED(status)
        begun = journal.read_text().splitlines()[noted:]
        repeated += sum(cell in kept for cell in begun)
        now = finished(store)
        lost += len(kept - now)
        kept = now
    noted = len(journal.read_text().splitlines())
    os.waitpid(fork(data, store, journal), 0)
    repeated += sum(cell in kept for cell in journal.read_text().splitlines()[noted:])
    return {
        "interrupted": interrupted,
        "before_last_run": len(kept),
        "finished": len(finished(store)),
        "lost": lost,
        "repeated": repeated,
    }


def pair(data: Path, store: Path, journal: Path) -> dict:
    children = [fork(data, store, journal) for _ in range(2)]
    codes = [os.waitpid(child, 0)[1] for child in children]
    begun = journal.read_text().splitlines()
    return {"codes": codes, "begun": len(begun), "different": len(set(begun))}


def calm(data: Path, store: Path, journal: Path) -> dict:
    run(data, store, journal)
    return {}


if __name__ == "__main__":
    what, *places = sys.argv[1:]
    places = [Path(p) for p in places]
    places[2].touch()
    print(json.dumps({"kills": kills, "pair": pair, "calm": calm}[what](*places)))
