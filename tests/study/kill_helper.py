"""Runs a suite of small jobs in child processes, kills them, and tells what happened.

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

from unsuprank.study.data.data_sets import find_data_sets
from unsuprank.study.engine import places
from unsuprank.study.engine.runner import Runner
from unsuprank.study.engine.store import Store, key_of
from unsuprank.study.plan.suites import jobs_of

KILLS = 50
PAUSE = 0.005


def run(data: Path, store: Path, journal: Path) -> None:
    attempt = places.attempt

    def noted(job, file, seconds):
        with journal.open("a") as stream:
            stream.write(f"{key_of(job.identity(file.checksum))}\n")
        time.sleep(PAUSE)
        return attempt(job, file, seconds)

    places.attempt = noted
    files = find_data_sets(data)
    Runner(Store(store), files).run(jobs_of(["sota"], list(files), ["variance", "random"]))


def fork(*arguments: Path) -> int:
    child = os.fork()
    if child == 0:
        run(*arguments)
        os._exit(0)
    return child


def finished(store: Path) -> set[str]:
    """Jobs with a file, looked at without any help of the store."""
    whole = (path.read_bytes().splitlines()[1] for path in store.glob("[!.]*.json"))
    return {key_of(json.loads(body)["job"]) for body in whole}


def wait_for_jobs(child: int, journal: Path, n_begun: int) -> None:
    """Until so many jobs were begun: a kill then hits a run on fast and slow machines alike."""
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
        wait_for_jobs(child, journal, noted + rng.randint(0, 3))
        time.sleep(rng.uniform(0.0, 1.5 * PAUSE))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        interrupted += os.WIFSIGNALED(status)
        begun = journal.read_text().splitlines()[noted:]
        repeated += sum(job in kept for job in begun)
        now = finished(store)
        lost += len(kept - now)
        kept = now
    noted = len(journal.read_text().splitlines())
    os.waitpid(fork(data, store, journal), 0)
    repeated += sum(job in kept for job in journal.read_text().splitlines()[noted:])
    return {
        "interrupted": interrupted,
        "before_last_run": len(kept),
        "finished": len(finished(store)),
        "lost": lost,
        "repeated": repeated,
    }


def pair(data: Path, store: Path, journal: Path) -> dict:
    children = [fork(data, store, journal) for _ in range(2)]
    return {"codes": [os.waitpid(child, 0)[1] for child in children]}


def calm(data: Path, store: Path, journal: Path) -> dict:
    run(data, store, journal)
    return {}


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    paths = [Path(p) for p in paths]
    paths[2].touch()
    print(json.dumps({"kills": kills, "pair": pair, "calm": calm}[what](*paths)))
