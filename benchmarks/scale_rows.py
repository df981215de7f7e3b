"""Rows without end: 10 million rows x 50 columns in a mapped file and in Parquet.

Six of the columns share a hidden factor, from 90% of their variance down to 15%. Genie3 with "auto"
and blocks of 1,024 rows, and SharedVariance, rank them from disk; the order of the six is compared
with that from 200,000 rows in memory, for Genie3 with trees grown on all of these.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet  # here, so that its libraries are not counted as memory of the work

from unsuprank import Genie3, SharedVariance
from unsuprank.io import ReadOptions, open_large, read_file
from unsuprank.io.parquet_rows import ParquetRows

from .fresh_process import measure
from .harness import best_of, report

N_ROWS, N_COLUMNS, N_PLANTED = 10_000_000, 50, 6
PLANTED = 7 * np.arange(N_PLANTED)
STEP = 250_000
HERE = "benchmarks.scale_rows"


def rows_between(first: int, last: int) -> np.ndarray:
    """Some rows of the table; `first` is a multiple of the step."""
    rng = np.random.default_rng(first)
    X = rng.standard_normal((last - first, N_COLUMNS), dtype=np.float32)
    factor = rng.standard_normal((last - first, 1), dtype=np.float32)
    shared = np.linspace(0.9, 0.15, N_PLANTED, dtype=np.float32)
    X[:, PLANTED] += factor * np.sqrt(shared / (1.0 - shared))
    return X


def write_files(place: Path, n_rows: int) -> None:
    """The same table as a mapped file and as Parquet."""
    stored = np.memmap(place / "x.f32", np.float32, "w+", shape=(n_rows, N_COLUMNS))
    schema = pyarrow.schema([(f"x{j}", pyarrow.float32()) for j in range(N_COLUMNS)])
    path = place / "x.parquet"
    with pyarrow.parquet.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for first in range(0, n_rows, STEP):
            X = rows_between(first, min(first + STEP, n_rows))
            stored[first : first + len(X)] = X
            columns = [np.ascontiguousarray(x) for x in X.T]
            writer.write_table(pyarrow.table(columns, schema=schema))
    stored.flush()


def rank(place: str, kind: str, method: str, n_rows: int) -> list[int]:
    """The columns, best first, from a file."""
    if kind == "Parquet":
        X = ParquetRows(Path(place) / "x.parquet")
    else:
        X = np.memmap(Path(place) / "x.f32", np.float32, "r", shape=(n_rows, N_COLUMNS))
    if method == "Genie3":
        ranker = Genie3(
            "auto", max_samples=1024, n_features_to_select=N_PLANTED, random_state=0, n_jobs=2
        )
    else:
        ranker = SharedVariance(n_jobs=2)
    return ranker.fit(X).order_.tolist()


def from_disk(place: Path) -> None:
    X = rows_between(0, 200_000)
    in_memory = {
        "Genie3": Genie3(n_estimators=50, n_jobs=2, random_state=1).fit(X),
        "SharedVariance": SharedVariance(n_jobs=2).fit(X),
    }
    for method, known in in_memory.items():
        for kind in ("mapped file", "Parquet"):
            took = measure(HERE, "rank", place=str(place), kind=kind, method=method, n_rows=N_ROWS)
            same = took.result[:N_PLANTED] == known.order_[:N_PLANTED].tolist()
            order = "same order" if same else f"order {took.result[:N_PLANTED]}"
            what = f"{method}, 10,000,000 x 50 from a {kind}"
            report(what, f"{took.seconds:.1f} s", "60 s, 500 MB", f"{took}; {order}")


def growth(place: Path) -> None:
    """Time does not grow with rows but for the pass that finds means and spreads."""
    for n_rows in (100_000, 1_000_000, 3_000_000, 10_000_000):
        took = measure(
            HERE, "rank", place=str(place), kind="mapped file", method="Genie3", n_rows=n_rows
        )
        report(f"Genie3, the first {n_rows:,} rows of it", f"{took.seconds:.1f} s", "", str(took))


def fit_in_memory() -> float:
    """Seconds of a fit of 300,000 rows, the least of three."""
    X, ranker = rows_between(0, 300_000), SharedVariance(n_jobs=2)
    return best_of(lambda: ranker.fit(X))


def beside_others() -> None:
    """A fit does not wait in a spin for threads that others keep from running."""
    idle = measure(HERE, "fit_in_memory")
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        busy = measure(HERE, "fit_in_memory")
    finally:
        for process in spinning:
            process.kill()
    what = "SharedVariance, 300,000 x 50 beside four busy processes"
    report(what, f"{busy.result / idle.result:.1f}x", "< 4x", f"{idle}; beside others {busy}")


def text_file(place: Path) -> None:
    path = place / "x.csv"
    header = ",".join(f"x{j}" for j in range(30))
    np.savetxt(path, rows_between(0, 200_000)[:, :30], "%.6g", ",", header=header, comments="")
    started = time.perf_counter()
    read_file(path)
    report("200,000 x 30 from CSV, read whole", f"{time.perf_counter() - started:.1f} s")
    started = time.perf_counter()
    large = open_large(path, ReadOptions(), memory=1)
    Genie3(max_samples=1024, random_state=0, n_jobs=2).fit(large.rows)
    took = f"{time.perf_counter() - started:.1f} s"
    report("the same in parts, and Genie3 with 100 trees", took)


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_files(place, N_ROWS)
        from_disk(place)
        growth(place)
        text_file(place)
    beside_others()
