"""The store of outcomes, and runs that are killed and disturbed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import systems
from untraced import untraced

import unsuprank
from unsuprank.study.data.data_sets import find_data_sets
from unsuprank.study.engine import places, runner
from unsuprank.study.engine.runner import NO_LIMITS, Limits, Runner
from unsuprank.study.engine.store import Store, key_of
from unsuprank.study.plan.jobs import CLUSTER_HYPOTHESIS, Job, digest_of
from unsuprank.study.plan.suites import jobs_of
from unsuprank.study.publish.study_page import wall_seconds
from unsuprank.study.reproduce import reproduce

HELPER = Path(__file__).parent / "kill_helper.py"
N_SETS = 11
N_JOBS = 2 * 10 * N_SETS
METHODS = ["variance", "random"]


def write_data(directory: Path, n_sets: int) -> Path:
    directory.mkdir()
    rng = np.random.default_rng(0)
    for i in range(n_sets):
        X = rng.integers(0, 9, size=(20, 6))
        lines = ["a,b,c,d,e,f,class"]
        lines += [",".join(map(str, [*row, i % 2 + r % 2])) for r, row in enumerate(X)]
        (directory / f"set{i:02d}.csv").write_text("\n".join(lines) + "\n")
    return directory


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("suite") / "data", N_SETS)


@pytest.fixture
def few(tmp_path):
    return write_data(tmp_path / "few", 2)


def helper(what: str, *places: Path) -> dict:
    # Many short runs are cut off: what they reach, the other tests reach as well.
    environment = untraced() if what == "kills" else None
    command = [sys.executable, str(HELPER), what, *map(str, places)]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def results_of(store: Path) -> dict[str, dict]:
    """What is in the files of a store, but for times."""
    found = {}
    for path in sorted(store.glob("[!.]*.json")):
        stored = json.loads(path.read_bytes().splitlines()[1])
        found[path.name] = stored
        stored["outcome"] = {
            k: v for k, v in stored["outcome"].items() if k not in ("seconds", "run")
        }
    return found


def tables_of(data: Path, out: Path) -> dict[str, bytes]:
    """All tables, made from what the store has; nothing is left to compute."""
    made = reproduce(data, out, only=["sota"], methods=METHODS, jobs=0)
    assert made.computed == 0
    files = sorted(p for p in out.iterdir() if p.suffix in (".csv", ".tex", ".png"))
    assert len(files) >= 8
    return {p.name: p.read_bytes() for p in files}


@systems.posix
def test_fifty_kills(data, tmp_path):
    found = helper("kills", data, tmp_path / "wild" / "store", tmp_path / "journal")
    assert found["finished"] == N_JOBS >= 200
    assert found["interrupted"] >= 40  # most kills hit a run, not its end
    assert found["before_last_run"] > 0
    assert found["lost"] == 0
    assert found["repeated"] == 0
    helper("calm", data, tmp_path / "calm" / "store", tmp_path / "journal 2")
    assert results_of(tmp_path / "wild" / "store") == results_of(tmp_path / "calm" / "store")
    assert tables_of(data, tmp_path / "wild") == tables_of(data, tmp_path / "calm")


@systems.posix
def test_two_runs_at_once_do_no_harm(data, tmp_path):
    assert helper("pair", data, tmp_path / "store", tmp_path / "journal")["codes"] == [0, 0]
    assert len(results_of(tmp_path / "store")) == N_JOBS
    assert tables_of(data, tmp_path)


@systems.linux
def test_workers_die_with_their_parent_and_the_next_run_goes_on(few, tmp_path):
    out = tmp_path / "out"
    program = "from unsuprank.cli import main; main()"
    command = [sys.executable, "-c", program, "reproduce", "--jobs", "2", "--quiet"]
    command += ["--data", str(few), "--out", str(out), "--only", "sota", "--methods", "random"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=untraced()
    )
    store = out / "store"
    while len(list(store.glob("[!.]*.json"))) < 3 and running.poll() is None:
        time.sleep(0.01)
    threads = Path(f"/proc/{running.pid}/task").glob("*/children")
    workers = [pid for thread in threads for pid in thread.read_text().split()]
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert len(workers) >= 2
    deadline = time.monotonic() + 60  # from the death of their parent on
    while any(_runs(int(pid)) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_runs(int(pid)) for pid in workers)
    before = {p: p.read_bytes() for p in store.glob("[!.]*.json")}
    summary = reproduce(few, out, only=["sota"], methods=["random"], jobs=0)
    assert summary.found == len(before) >= 3
    assert all(p.read_bytes() == content for p, content in before.items())


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "foreign", "swapped"])
def test_damage_is_reported_and_computed_again(few, tmp_path, damage):
    files, jobs = find_data_sets(few), jobs_of(["sota"], list(find_data_sets(few)), ["variance"])
    warnings: list[str] = []
    store = Store(tmp_path / "store", warnings.append)
    assert Runner(store, files).run(jobs).computed == len(jobs)
    right = results_of(store.directory)
    other, victim = sorted(store.directory.glob("[!.]*.json"))[2:4]
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    damaged = {
        "truncated": victim.read_bytes()[:-20],
        "flipped": content,
        "empty": b"",
        "foreign": b'{"something": "else"}\n[1, 2]\n',
        "swapped": other.read_bytes(),  # a whole, valid outcome of another job
    }
    victim.write_bytes(damaged[damage])
    again = Runner(store, files).run(jobs)
    assert (again.computed, again.found) == (1, len(jobs) - 1)
    assert results_of(store.directory) == right
    assert len(warnings) == 1
    assert victim.name in warnings[0]


def test_the_key_depends_on_everything(monkeypatch):
    base = Job("a", 0, "forest", (("x", 1),), seed=0)
    keys = {
        key_of(job.identity(checksum))
        for job, checksum in [
            (base, "1"),
            (base, "2"),
            (Job("a", 1, "forest", (("x", 1),)), "1"),
            (Job("a", 0, "other", (("x", 1),)), "1"),
            (Job("a", 0, "forest", (("x", 2),)), "1"),
            (Job("a", 0, "forest", (("x", 1),), seed=1), "1"),
        ]
    }
    monkeypatch.setattr("unsuprank.study.plan.jobs.__version__", "next")
    keys.add(key_of(base.identity("1")))
    monkeypatch.setattr("unsuprank.study.plan.jobs.code_digest", lambda: "changed")
    keys.add(key_of(base.identity("1")))
    assert len(keys) == 8


def test_the_digest_changes_with_the_code_that_makes_scores(tmp_path):
    package, kernels = tmp_path / "unsuprank", tmp_path / "_kernels.so"
    shutil.copytree(Path(unsuprank.__file__).parent, package)
    kernels.write_bytes(b"compiled")
    seen = [digest_of(package, kernels)]
    assert digest_of(package, kernels) == seen[0]
    for name in ("rankers/forest/model.py", "table.py", "evaluation/judges.py", "study/new.py"):
        path = package / name
        path.write_text((path.read_text("utf-8") if path.exists() else "") + "# changed\n")
        seen.append(digest_of(package, kernels))
    (package / "study" / "new.py").rename(package / "study" / "newer.py")
    seen.append(digest_of(package, kernels))
    kernels.write_bytes(b"compiled again")
    seen.append(digest_of(package, kernels))
    assert len(set(seen)) == len(seen)
    for name in ("cli/app.py", "report/page.py", "plot.py", "study/publish/study_page.py"):
        with (package / name).open("a") as stream:
            stream.write("# only shown\n")
    assert digest_of(package, kernels) == seen[-1]


def test_a_data_file_that_cannot_be_read_is_a_failure_with_its_reason(few, tmp_path):
    (few / "set00.csv").write_text("")
    jobs = jobs_of(["sota"], ["set00", "set01"], ["variance"])
    done = Runner(Store(tmp_path), find_data_sets(few)).run(jobs, n_jobs=1)
    assert done.computed == len(jobs)
    assert len(done.failed) == len(jobs) // 2
    assert all("set00.csv is empty" in line for line in done.failed)


def test_a_failure_is_a_result_and_the_run_goes_on(few, tmp_path):
    (few / "bare.csv").write_text("a,b\n" + "\n".join(f"{i},{i % 3}" for i in range(20)) + "\n")
    jobs = [Job("bare", -1, CLUSTER_HYPOTHESIS), Job("bare", 0, "variance")]
    files, store = find_data_sets(few), Store(tmp_path / "store")
    first = Runner(store, files).run(jobs, n_jobs=1)
    assert first.computed == 2
    assert len(first.failed) == 1
    assert "no labels" in first.failed[0]
    here = Runner(store, files)
    assert "Traceback" in here.stored(jobs[0])["traceback"]
    assert here.run(jobs).computed == 0
    assert Runner(store, files, retry_failed=True).run(jobs).computed == 1


def test_a_job_over_its_limit_is_named_and_its_kind_not_tried_again(few, tmp_path):
    files, store = find_data_sets(few), Store(tmp_path / "store")
    jobs = jobs_of(["sota"], ["set00"], ["variance"])
    hurried = Runner(store, files, limits=Limits(0.0, None)).run(jobs, n_jobs=1)
    assert hurried.computed == 1
    assert "more than 0 s" in hurried.over_limit[0]
    assert Runner(store, files, limits=Limits(0.0, None)).run(jobs, n_jobs=1).computed == 0
    assert Runner(store, files, limits=NO_LIMITS).run(jobs).computed == len(jobs)


class Trap:
    """A file that calls a function when it reaches a worker."""

    checksum = "none"

    def __init__(self, function, argument):
        self._call = function, (argument,)

    def __reduce__(self):
        return self._call

    def is_unchanged(self):
        return True


def test_a_job_over_its_time_is_killed(few, tmp_path):
    running = Runner(Store(tmp_path / "store"), find_data_sets(few), Limits(0.5, None))
    running._files["set00"] = Trap(time.sleep, 600)
    jobs = [Job("set00", 0, "variance"), Job("set01", 0, "variance")]
    done = running.run(jobs, n_jobs=1)
    assert done.over_limit == ["variance() on set00, fold 0, seed 0: more than 0.5 s"]
    assert done.computed == 2


def test_a_worker_that_dies_costs_its_job_which_is_named(few, tmp_path):
    """Jobs on the other data set are computed, before and after."""
    jobs = [Job(f"set{i % 2:02d}", i, "variance") for i in range(4)]
    store = Store(tmp_path / "store")
    running = Runner(store, find_data_sets(few))
    # Not os._exit, which coverage puts a function in the place of that no process can be sent.
    running._files["set01"] = Trap(signal.raise_signal, signal.SIGTERM)
    done = running.run(jobs, n_jobs=2)
    assert done.computed == 4
    assert [running.stored(job)["status"] for job in jobs] == ["done", "failed"] * 2
    assert sorted(done.failed) == [
        f"variance() on set01, fold {fold}, seed 0: its worker died (TerminatedWorkerError)"
        for fold in (1, 3)
    ]


def test_memory_is_a_limit(few, monkeypatch):
    def too_much(job, data):
        raise MemoryError

    monkeypatch.setattr(places, "compute", too_much)
    file = places.VersionedFile.of(few / "set00.csv")
    outcome = places.attempt(Job("set00", 0, "variance"), file, None)
    assert outcome == {"status": "limit", "reason": "memory"}


def test_wall_times_of_killed_runs_count_up_to_their_last_jobs():
    runs = [("sota", 10.0, 26.0), ("sota", 10.0, 3.0), ("curves, ari", 99.0, 2.0)]
    runs.append(("sota", 50.0, 0.5))
    names = ("parts", "started", "seconds")
    found = wall_seconds(dict(zip(names, run, strict=True)) for run in runs)
    assert found == {"sota": 26.5, "curves, ari": 2.0}


def test_settings_are_tried_for_a_shorter_time():
    limits = Limits(90.0, None, 15.0)
    assert limits.seconds_for(Job("x", 0, "forest-grid")) == 15.0
    assert limits.seconds_for(Job("x", 0, "forest")) == 90.0
    assert limits.seconds_for(Job("x", -1, CLUSTER_HYPOTHESIS)) == 90.0


def test_jobs_of_a_busy_group_wait_while_there_are_others():
    slow, slow_too, quick = jobs = [
        Job("set00", fold, method)
        for fold, method in ((0, "random"), (1, "random"), (1, "variance"))
    ]
    queue = dict.fromkeys(jobs)
    assert runner._next(queue, []) == slow
    assert runner._next(queue, [slow]) == quick
    assert runner._next(queue, [slow]) == slow_too
    assert not queue


def test_all_methods_take_a_fold_before_the_next():
    jobs = jobs_of(["sota"], ["a", "b"])
    first = [job for job in jobs if job.seed == 0]
    assert [c.data_set for c in first] == sorted(c.data_set for c in first)
    folds = [c.fold for c in first if c.data_set == "a"]
    assert folds == sorted(folds)
    assert len({c.method for c in first if c.data_set == "a" and c.fold == 0}) > 5
