"""Disks that are full, directories that cannot be written to, kills, files that change.

What was finished stays, what failed says so, and nothing is ever half there.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest

from unsuprank import VarianceRanker
from unsuprank.cli.app import run
from unsuprank.io import (
    ReadOptions,
    add_scores,
    atomic_write,
    read_scores,
    write_rows,
)
from unsuprank.study.data.data_sets import find_data_sets
from unsuprank.study.engine import places
from unsuprank.study.engine.runner import Limits, Runner
from unsuprank.study.engine.store import Store
from unsuprank.study.plan.suites import jobs_of

resource = pytest.importorskip("resource", reason="limits are those of POSIX")

ROWS = [{"feature": f"x{j}", "rank": j + 1, "score": 1.0 / (j + 1)} for j in range(40)]


@contextlib.contextmanager
def full_after(n_bytes: int):
    """A disk on which no file can be longer than so: writes end there, as on a full one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "table.csv"
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd")).round(3).to_csv(path, index=False)
    return path


def files_of(directory: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in directory.iterdir() if p.is_file()}


class TestFullDisk:
    @pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet"])
    def test_scores_stay_what_they_were_wherever_the_disk_ends(self, tmp_path, ending):
        path = tmp_path / f"scores{ending}"
        write_rows(ROWS[:3], path)
        write_rows(ROWS, tmp_path / f"whole{ending}")
        needed = (tmp_path / f"whole{ending}").stat().st_size
        before = files_of(tmp_path)
        for n_bytes in {0, 1, needed // 3, needed // 2, needed - 1}:
            with full_after(n_bytes), pytest.raises(OSError):
                write_rows(ROWS, path)
            assert files_of(tmp_path) == before
        assert read_scores(path) == ["x0", "x1", "x2"]

    def test_a_report_stays_what_it_was(self, table, tmp_path):
        page = tmp_path / "page.html"
        ranker = VarianceRanker().fit(pd.read_csv(table))
        ranker.report(pd.read_csv(table), page)
        before = files_of(tmp_path)
        for n_bytes in (0, 4096, len(before["page.html"]) - 1):
            with full_after(n_bytes), pytest.raises(OSError):
                ranker.report(pd.read_csv(table), page)
            assert files_of(tmp_path) == before

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of h5py
    def test_an_h5ad_stays_what_it_was(self, tmp_path):
        path = tmp_path / "cells.h5ad"
        adata = anndata.AnnData(np.random.default_rng(0).normal(size=(20, 5)))
        adata.write_h5ad(path)
        ranker = VarianceRanker().fit(adata)
        before = files_of(tmp_path)
        with full_after(2000), pytest.raises(OSError):
            add_scores(path, list(adata.var_names), ranker, ReadOptions())
        assert files_of(tmp_path) == before

    def test_the_command_line_says_so(self, table, tmp_path, capsys):
        out = tmp_path / "scores.csv"
        out.write_text("old\n")
        with full_after(10):
            code = run(["rank", str(table), "--method", "variance", "--out", str(out)])
        assert code == 3
        assert "File too large" in capsys.readouterr().err
        assert out.read_text() == "old\n"

    def test_a_device_that_is_full(self):
        if not Path("/dev/full").exists():
            pytest.skip("there is no /dev/full")
        with pytest.raises(OSError, match="No space left"):
            atomic_write("/dev/full", "x" * 100_000)

    def test_results_that_were_stored_stay(self, tmp_path):
        store = Store(tmp_path / "store")
        store.put({"job": 1}, {"status": "done"})
        with full_after(20), pytest.raises(OSError):
            store.put({"job": 2}, {"status": "done"})
        assert store.get({"job": 1}) == {"status": "done"}
        assert store.get({"job": 2}) is None


def test_a_directory_that_cannot_be_written_to_is_named(table, tmp_path, capfd):
    closed = Path("/proc")  # also for those who may write anywhere
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
    elif not closed.is_dir():
        pytest.skip("there is no directory that cannot be written to")
    code = run(["rank", str(table), "--method", "variance", "--out", str(closed / "scores.csv")])
    assert code == 3
    assert str(closed / "scores.csv") in capfd.readouterr().err


def test_kills_at_any_moment_of_a_write_leave_the_old_or_the_new(tmp_path):
    path = tmp_path / "scores.csv"
    old, new = b"o" * 3_000_000, b"n" * 3_000_000
    seen = set()
    rng = random.Random(0)
    for _ in range(30):
        atomic_write(path, old)
        child = os.fork()
        if child == 0:
            atomic_write(path, new)
            os._exit(0)
        time.sleep(rng.uniform(0.0, 0.01))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        content = path.read_bytes()
        assert content in (old, new)
        seen.add(content[:1])
    left = [p.name for p in tmp_path.iterdir() if p != path]
    assert all(name.startswith(".") for name in left)  # hidden, and nobody reads them


SLOW = """
import sys, time
from unsuprank.cli import app
from unsuprank.ranker import Ranker
score = Ranker._finite
def slowly(self, scores, table):
    print("fitting", flush=True)
    time.sleep(600)
    return score(self, scores, table)
Ranker._finite = slowly
sys.exit(app.run(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_end_from_outside_leaves_what_was_there(table, tmp_path, number):
    out = tmp_path / "scores.csv"
    out.write_text("old\n")
    before = files_of(tmp_path)
    command = [sys.executable, "-c", SLOW, "rank", str(table), "--method", "variance"]
    running = subprocess.Popen(
        [*command, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that runs tests in the background has them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"fitting\n"
    running.send_signal(number)
    said = running.communicate()[1]
    assert running.returncode == (130 if number == signal.SIGINT else -signal.SIGTERM)
    assert b"Traceback" not in said
    assert files_of(tmp_path) == before


class TestFilesThatChange:
    def test_results_of_a_file_that_changed_during_a_run_are_not_kept(self, tmp_path, monkeypatch):
        write_sets(tmp_path / "data")
        files = find_data_sets(tmp_path / "data")
        jobs = jobs_of(["sota"], list(files), ["variance"])
        attempt, changed = places.attempt, files["set1"]
        content = changed.read_bytes()

        def change_one(job, *arguments):
            outcome = attempt(job, *arguments)
            changed.write_bytes(content + b"\n")
            return outcome

        store = Store(tmp_path / "store")
        with monkeypatch.context() as patched:
            patched.setattr(places, "attempt", change_one)
            done = Runner(store, files).run(jobs)
        assert done.computed == len(done.failed) == len(jobs) // 2
        assert all("changed during the run" in line for line in done.failed)
        changed.write_bytes(content)
        again = Runner(store, files).run(jobs)
        assert (again.found, again.computed, again.failed) == (len(jobs) // 2, len(jobs) // 2, [])


def test_a_worker_that_runs_out_of_memory_costs_its_job(tmp_path):
    """The large data set cannot be read within the limit; all jobs on the small one are done."""
    write_sets(tmp_path / "data")
    vast = np.random.default_rng(0).integers(9, size=(60_000, 1000), dtype=np.int8)
    np.savez(tmp_path / "data" / "vast.npz", X=vast)
    files = find_data_sets(tmp_path / "data")
    jobs = jobs_of(["sota"], ["set0", "vast"], ["variance"])
    limits = Limits(seconds=None, gigabytes=0.7, grid_seconds=None)
    runner = Runner(Store(tmp_path / "store"), files, limits)
    done = runner.run(jobs, n_jobs=1)
    small = [job for job in jobs if job.data_set == "set0"]
    assert all(runner.stored(job)["status"] == "done" for job in small)
    assert not done.failed
    assert [line.endswith("memory") for line in done.over_limit] == [True]
    assert "vast" in done.over_limit[0]


def write_sets(directory: Path) -> None:
    directory.mkdir()
    rng = np.random.default_rng(0)
    for i in range(2):
        frame = pd.DataFrame(rng.integers(0, 9, size=(20, 5)), columns=list("abcde"))
        frame.to_csv(directory / f"set{i}.csv", index=False)
