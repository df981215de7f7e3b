"""Runs a suite of small cells in child processes, kills them, and tells what happened.

``python experiments_kill_helper.py kills|pair DATA STORE JOURNAL`` prints JSON. A process
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

import numpy as np

from unsuprank.experiments.cells import make_cell
from unsuprank.experiments.datasets import find_data_sets
from unsuprank.experiments.methods import METHODS, Method
from unsuprank.experiments.runner import Runner
from unsuprank.experiments.store import Store

KILLS = 50
PAUSE = 0.01


def suite(data: Path):
    return [
        make_cell(name, fold, "noted", {"name": name, "fold": fold})
        for name in find_data_sets(data)
        for fold in range(10)
    ]


def run(data: Path, store: Path, journal: Path) -> None:
    def rank(X, n_classes, settings, seed):
        with journal.open("a") as stream:
            stream.write(f"{settings['name']} {settings['fold']}\n")
        time.sleep(PAUSE)
        return {"order": np.argsort(-X.var(axis=0), kind="stable")}

    METHODS["noted"] = Method("VarianceRanker", rank)
    with Store(store) as kept:
        Runner(kept, find_data_sets(data), jobs=0).run(suite(data))


def fork(*arguments: Path) -> int:
    child = os.fork()
    if child == 0:
        run(*arguments)
        os._exit(0)
    return child


def finished(data: Path, store: Path) -> set[str]:
    """Cells with a file, looked at without any help of the store."""
    found = set()
    for path in store.glob("??/*.json"):
        cell = json.loads(path.read_bytes().splitlines()[1])["cell"]["settings"]
        found.add(f"{cell['name']} {cell['fold']}")
    return found


def kills(data: Path, store: Path, journal: Path) -> dict:
    rng = random.Random(0)
    lost = repeated = interrupted = 0
    kept: set[str] = set()
    for _ in range(KILLS):
        noted = len(journal.read_text().splitlines())
        child = fork(data, store, journal)
        time.sleep(rng.uniform(0.0, 0.2))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        interrupted += os.WIFSIGNALED(status)
        begun = journal.read_text().splitlines()[noted:]
        repeated += sum(cell in kept for cell in begun)
        now = finished(data, store)
        lost += len(kept - now)
        kept = now
    noted = len(journal.read_text().splitlines())
    os.waitpid(fork(data, store, journal), 0)
    repeated += sum(cell in kept for cell in journal.read_text().splitlines()[noted:])
    return {
        "interrupted": interrupted,
        "before_last_run": len(kept),
        "finished": len(finished(data, store)),
        "lost": lost,
        "repeated": repeated,
    }


def pair(data: Path, store: Path, journal: Path) -> dict:
    children = [fork(data, store, journal) for _ in range(2)]
    codes = [os.waitpid(child, 0)[1] for child in children]
    begun = journal.read_text().splitlines()
    return {"codes": codes, "begun": len(begun), "different": len(set(begun))}


if __name__ == "__main__":
    what, *places = sys.argv[1:]
    places = [Path(p) for p in places]
    places[2].touch()
    print(json.dumps({"kills": kills, "pair": pair}[what](*places)))
