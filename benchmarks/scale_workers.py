"""Rows on a cluster: the memory of the client, and time by the number of workers."""

from __future__ import annotations

import time
from contextlib import contextmanager

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

from unsuprank import Genie3, SharedVariance

from .fresh_process import begin, measure
from .harness import report

#: The table: 400 MB in partitions of 10 MB, which never leave the workers.
N_ROWS, N_COLUMNS, ROWS_A_PART = 2_000_000, 50, 50_000
HERE = "benchmarks.scale_workers"


@contextmanager
def cluster(n_workers: int):
    """Worker processes of one thread on this machine, and a client of theirs."""
    place = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,
    )
    with place, Client(place) as client:
        yield client


def table() -> da.Array:
    """Numbers with a signal in some columns, made where they are needed."""
    rng = da.random.default_rng(0)
    chunks = (ROWS_A_PART, N_COLUMNS)
    X = rng.standard_normal((N_ROWS, N_COLUMNS), dtype=np.float32, chunks=chunks)
    signal = rng.standard_normal((N_ROWS, 1), dtype=np.float32, chunks=(ROWS_A_PART, 1))
    return X + signal * np.where(np.arange(N_COLUMNS) < 5, 1.0, 0.0).astype(np.float32)


def rank(method: str, n_workers: int, n_trees: int) -> dict:
    """The best columns of a table that the workers hold, and CPU seconds of the busiest worker."""
    with cluster(n_workers) as client:
        X = table().persist()
        wait(X)
        client.run(_warm_up)
        ranker = SharedVariance()
        if method == "Genie3":
            ranker = Genie3(n_trees, max_samples=1024, random_state=0)
        before = client.run(time.process_time)
        begin()
        top = ranker.fit(X).order_[:5].tolist()
        after = client.run(time.process_time)
        return {"top": top, "busiest": max(after[w] - before[w] for w in before)}


def _warm_up() -> None:
    Genie3(1, max_samples=2).fit(np.eye(3))


def client_memory() -> None:
    megabytes = 4 * N_ROWS * N_COLUMNS / 2**20
    for method in ("Genie3", "SharedVariance"):
        took = measure(HERE, "rank", method=method, n_workers=2, n_trees=400)
        what = f"{method}, {megabytes:.0f} MB on 2 workers: memory of the client"
        top = sorted(took.result["top"])
        found = "signal found" if top == list(range(5)) else f"top columns {top}"
        goal = f"< {megabytes / 10:.0f} MB"
        report(what, f"{took.megabytes:.0f} MB", goal, f"{took}; {found}")


def growth() -> None:
    for n_workers in (1, 2, 4):
        took = measure(HERE, "rank", method="Genie3", n_workers=n_workers, n_trees=6400)
        busiest = f"{took.result['busiest']:.1f} s of CPU of the busiest worker"
        what = f"Genie3, 6,400 trees in 64 blocks, {n_workers} workers"
        report(what, f"{took.seconds:.1f} s", "", busiest)


def run() -> None:
    client_memory()
    growth()
