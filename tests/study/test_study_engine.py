"""The result store, and suites that are killed, disturbed and shared."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np
import pytest
import systems
from untraced import untraced

import unsuprank
from unsuprank.study.data.data_sets import find_data_sets
from unsuprank.study.engine import workers
from unsuprank.study.engine.run_log import RunLog
from unsuprank.study.engine.runner import NO_LIMITS, Limits, Runner
from unsuprank.study.engine.store import Store, key_of
from unsuprank.study.plan.cells import CLUSTER_HYPOTHESIS, make_cell, pack_order, unpack_order
from unsuprank.study.plan.code_digest import digest_of
from unsuprank.study.plan.suites import cells_of
from unsuprank.study.reproduce import reproduce

HELPER = Path(__file__).parent / "kill_helper.py"
N_SETS = 11
N_CELLS = 2 * 10 * N_SETS
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
    found = {}
    for path in sorted(store.glob("??/[!.]*.json")):
        stored = json.loads(path.read_bytes().splitlines()[1])
        stored["result"].pop("seconds", None)
        found[path.name] = stored
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
    assert found["finished"] == N_CELLS >= 200
    assert found["interrupted"] >= 40  # most kills hit a run, not its end
    assert found["before_last_run"] > 0
    assert found["lost"] == 0
    assert found["repeated"] == 0
    helper("calm", data, tmp_path / "calm" / "store", tmp_path / "journal 2")
    assert results_of(tmp_path / "wild" / "store") == results_of(tmp_path / "calm" / "store")
    assert tables_of(data, tmp_path / "wild") == tables_of(data, tmp_path / "calm")


@systems.posix
def test_two_runs_share_the_work(data, tmp_path):
    found = helper("pair", data, tmp_path / "store", tmp_path / "journal")
    assert found["codes"] == [0, 0]
    assert found["begun"] == found["different"] == N_CELLS


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
    while len(list(store.glob("??/[!.]*.json"))) < 3 and running.poll() is None:
        time.sleep(0.01)
    workers_of = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert len(workers_of) >= 2
    deadline = time.monotonic() + 60  # from the death of their parent on
    while any(_runs(int(pid)) for pid in workers_of) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_runs(int(pid)) for pid in workers_of)
    before = {p: p.read_bytes() for p in store.glob("??/[!.]*.json")}
    summary = reproduce(few, out, only=["sota"], methods=["random"], jobs=0)
    assert summary.found == len(before) >= 3
    assert all(p.read_bytes() == content for p, content in before.items())


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def damage_truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def damage_flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


def damage_foreign(path: Path) -> None:
    path.write_bytes(b'{"something": "else"}\n[1, 2]\n')


def damage_swap(path: Path) -> None:
    """A whole, valid result of another cell under this name."""
    other = next(p for p in path.parent.parent.glob("??/[!.]*.json") if p != path)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize(
    "damage", [damage_truncate, damage_flip, damage_empty, damage_foreign, damage_swap]
)
def test_damage_is_reported_set_aside_and_recomputed(few, tmp_path, damage):
    warnings: list[str] = []
    files, cells = find_data_sets(few), cells_of(["sota"], list(find_data_sets(few)), ["variance"])
    with Store(tmp_path / "store", warnings.append) as store:
        assert Runner(store, files, jobs=0).run(cells).computed == len(cells)
        right = results_of(tmp_path / "store")
        victim = sorted((tmp_path / "store").glob("??/[!.]*.json"))[3]
        damage(victim)
        stranger = tmp_path / "store" / "notes.txt"
        stranger.write_text("hello")
        left_over, fresh = (victim.with_name(f".{digit * 16}.json") for digit in "ab")
        for half in (left_over, fresh):
            half.write_text("half")
        os.utime(left_over, (0, 0))
        again = Runner(store, files, jobs=0).run(cells)
    assert again.computed == 1
    assert again.found == len(cells) - 1
    assert results_of(tmp_path / "store") == right
    assert {p.name for p in (tmp_path / "store" / "aside").iterdir()} == {
        f"{victim.name}.0",
        "notes.txt.0",
    }
    assert len(warnings) == 2
    assert not left_over.exists()
    assert fresh.exists()  # another run may be writing it


def test_the_key_depends_on_everything(monkeypatch):
    base = make_cell("a", 0, "forest", {"x": 1}, seed=0)
    keys = {
        key_of(cell.identity(checksum))
        for cell, checksum in [
            (base, "1"),
            (base, "2"),
            (make_cell("a", 1, "forest", {"x": 1}), "1"),
            (make_cell("a", 0, "other", {"x": 1}), "1"),
            (make_cell("a", 0, "forest", {"x": 2}), "1"),
            (make_cell("a", 0, "forest", {"x": 1}, seed=1), "1"),
        ]
    }
    monkeypatch.setattr("unsuprank.study.plan.cells.__version__", "next")
    keys.add(key_of(base.identity("1")))
    monkeypatch.setattr("unsuprank.study.plan.cells.code_digest", lambda: "changed")
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
    with Store(tmp_path / "store") as store:
        cells = cells_of(["sota"], ["set00", "set01"], ["variance"])
        done = Runner(store, find_data_sets(few), jobs=1).run(cells)
    assert done.computed == len(cells)
    assert len(done.failed) == len(cells) // 2
    assert all("set00.csv is empty" in line for line in done.failed)


def test_a_failure_is_a_result_and_the_run_goes_on(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "bare.csv").write_text("a,b\n" + "\n".join(f"{i},{i % 3}" for i in range(20)) + "\n")
    cells = [make_cell("bare", -1, CLUSTER_HYPOTHESIS, {}), make_cell("bare", 0, "variance", {})]
    files = find_data_sets(data)
    with Store(tmp_path / "store") as store:
        first = Runner(store, files, jobs=1).run(cells)
        assert first.computed == 2
        assert len(first.failed) == 1
        assert "no labels" in first.failed[0]
        runner = Runner(store, files, jobs=0)
        assert "Traceback" in runner.stored(cells[0])["traceback"]
        assert runner.run(cells).computed == 0
        assert Runner(store, files, jobs=0, retry_failed=True).run(cells).computed == 1


def test_a_cell_over_its_limit_is_named_and_its_kind_not_tried_again(few, tmp_path):
    files = find_data_sets(few)
    cells = cells_of(["sota"], ["set00"], ["variance"])
    with Store(tmp_path / "store") as store:
        hurried = Runner(store, files, jobs=1, limits=Limits(0.0, None)).run(cells)
        assert hurried.computed == 1
        assert "more than 0 s" in hurried.over_limit[0]
        assert Runner(store, files, jobs=1, limits=Limits(0.0, None)).run(cells).computed == 0
        assert Runner(store, files, jobs=0, limits=NO_LIMITS).run(cells).computed == len(cells)


def test_memory_and_crashes_are_outcomes(few, monkeypatch):
    def too_much(cell, data):
        raise MemoryError

    monkeypatch.setattr(workers, "compute", too_much)
    cell, shelf = make_cell("set00", 0, "variance", {}), workers.DataShelf(find_data_sets(few))
    assert workers.attempt(cell, shelf) == {"status": "limit", "reason": "memory"}
    worker = workers.Worker(find_data_sets(few), memory_limit=None)
    try:
        worker.give(cell)
        worker._process.kill()
        outcome = worker.take()
        while outcome["status"] == "done":  # it was faster than the kill
            outcome = worker.take()
        assert "died" in outcome["reason"]
        worker.give(cell)
        assert worker.take()["status"] == "done"
    finally:
        worker.stop()


def test_orders_survive_packing():
    order = np.random.default_rng(0).permutation(70000)
    assert np.array_equal(unpack_order(pack_order(order)), order)


def test_wall_times_of_killed_runs_count(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("unsuprank.study.engine.run_log.time.monotonic", lambda: now[0])
    killed = RunLog(tmp_path / "runs.json", ["sota"])
    for computed in range(1, 30):
        now[0] += 1.0
        killed.note(computed)
    # Noted every five seconds, from the first cell on: at most that much is lost.
    assert killed.seconds() == {"sota": 26.0}
    other = RunLog(tmp_path / "runs.json", ["sota"])
    now[0] += 0.5
    other.note(0, last=True)  # found everything: nothing to tell
    assert len(other.runs()) == 1
    other.note(3, last=True)
    third = RunLog(tmp_path / "runs.json", ["curves", "ari"])
    now[0] += 2.0
    third.note(1)
    assert third.seconds() == {"sota": 26.5, "curves, ari": 2.0}
    (tmp_path / "runs.json").write_text("{")
    third.note(2, last=True)
    assert third.seconds() == {"curves, ari": 2.0}
    assert [p.name for p in tmp_path.iterdir()] == ["runs.json"]


def test_settings_are_tried_for_a_shorter_time():
    limits = Limits(90.0, None, 15.0)
    assert limits.seconds_for(make_cell("x", 0, "forest-grid", {})) == 15.0
    assert limits.seconds_for(make_cell("x", 0, "forest", {})) == 90.0
    assert limits.seconds_for(make_cell("x", -1, CLUSTER_HYPOTHESIS, {})) == 90.0


def test_cells_of_a_busy_group_wait_while_there_are_others(few, tmp_path):
    with Store(tmp_path / "store") as store:
        runner = Runner(store, find_data_sets(few))
        slow, slow_too, quick = cells = [
            make_cell("set00", fold, method, {})
            for fold, method in ((0, "random"), (1, "random"), (1, "variance"))
        ]
        queue = deque(cells)
        finished = []
        assert runner._next(queue, lambda *told: finished.append(told)) == slow
        assert runner._next(queue, finished.append, {slow.group}) == quick
        assert runner._next(queue, finished.append, {slow.group}) == slow_too
        assert not queue
        assert not finished


def test_all_methods_take_a_fold_before_the_next():
    cells = cells_of(["sota"], ["a", "b"])
    first = [c for c in cells if c.seed == 0]
    assert [c.data_set for c in first] == sorted(c.data_set for c in first)
    folds = [c.fold for c in first if c.data_set == "a"]
    assert folds == sorted(folds)
    assert len({c.method for c in first if c.data_set == "a" and c.fold == 0}) > 5
