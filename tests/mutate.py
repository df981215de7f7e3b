"""Small faults put into the code that reckons, one at a time: do the tests notice?

A mutant is a function with one operator, comparison, constant or condition changed. All tests are
collected once. A fork of this process runs those of a file and notes the lines that each reaches
and how long it takes. Then every mutant gets a fork of its own, which exchanges the code of the
function where it stands and runs the tests that reach the changed lines until one fails, a few
cases of every test and the quickest first. A mutant that costs more than it should is thus paid for
by its tests alone: nothing is imported or collected again. Mutants that survive are named: a test
is missing, or the change makes no difference.

    python tests/mutate.py --count 200 --seed 0
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import hashlib
import importlib
import itertools
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import coverage
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "unsuprank"
#: What reckons scores, evaluation and statistics.
TARGETS = (
    "ranker.py",
    "_weights.py",
    "column_totals.py",
    "describe/*.py",
    "evaluation/*.py",
    "rankers/**/*.py",
)
#: What draws and words: nothing in it is reckoned.
LEFT_OUT = ("__init__", "plots", "notebook", "frames", "heat", "tree_drawing", "tree_text")
#: Variables for how long something takes, or how much is done at a time: not what comes of it.
HOW_LONG = {"step", "block", "per_block", "per_group", "per_tile", "height", "n_jobs", "seconds"}
#: The tests that answer for it.
TESTS = (
    "rankers",
    "evaluation",
    "describe",
    "properties/test_evaluation_properties.py",
    "properties/test_every_ranker.py",
    "properties/test_what_columns_are_worth.py",
    "test_column_totals.py",
    "test_include_exclude.py",
    "test_ranker.py",
    "test_sample_weight.py",
    "test_scale_free.py",
    "test_sparse.py",
)
#: CPU seconds after which a test is not asked at all.
LONGEST = 20.0
#: Seconds after which a process that does nothing is given up.
DEADLOCK = 600
#: Cases of one test that are asked before those of others have been.
VARIANTS = 8

_SWAPS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
#: For limits that could as well be a little larger or smaller: to be on the other side of them.
_TURNS: dict[type, type] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
}


class Mutant(NamedTuple):
    """One place of one file."""

    path: Path
    #: Among the places of the file.
    number: int
    #: The lines of the statement that it is in.
    lines: range


def mutants() -> list[Mutant]:
    """Every mutant of every target."""
    files = sorted({path for pattern in TARGETS for path in PACKAGE.glob(pattern)})
    return [
        Mutant(path, number, lines)
        for path in files
        if path.stem not in LEFT_OUT
        for number, (_, lines) in enumerate(places(ast.parse(path.read_text("utf-8"))))
    ]


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, range]]:
    """What can be changed inside of functions, and the lines of the statement around it."""
    seen = set()
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        for statement in (n for body in function.body for n in ast.walk(body)):
            if not isinstance(statement, ast.stmt) or statement in seen or _how_long(statement):
                continue
            seen.add(statement)
            nodes = [n for n in _own(statement) if _change(copy.copy(n))]
            last = max([statement.lineno, *(n.end_lineno for n in nodes)])
            yield from ((node, range(statement.lineno, last + 1)) for node in nodes)


def _how_long(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return bool(targets) and all(isinstance(t, ast.Name) and t.id in HOW_LONG for t in targets)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement and the expressions in it, without the statements in it."""
    yield statement
    waiting = [n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]


def _change(node: ast.AST) -> str:
    """Change a node in place; say how, or nothing if there is nothing to change."""
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in _SWAPS:
        before, node.op = node.op, _SWAPS[type(node.op)]()
        return f"{type(before).__name__} -> {type(node.op).__name__}"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPS:
        swaps = _SWAPS | _TURNS if _has_free_limit(node) else _SWAPS
        before, node.ops = node.ops[0], [swaps[type(node.ops[0])](), *node.ops[1:]]
        return f"{type(before).__name__} -> {type(node.ops[0]).__name__}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        before = type(node.op).__name__
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        return f"{before} left out"
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
        return "branches swapped"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        before = node.value
        # What takes the place of a divisor that is 0 may be any number but 0.
        node.value = 0.0 if repr(before) == "1.0" else before + 1
        return f"{before} -> {node.value}"
    return ""


def _has_free_limit(comparison: ast.Compare) -> bool:
    """Whether it is with a constant of the module or a number that need not be whole."""
    return any(
        (isinstance(n, ast.Name) and n.id.strip("_").isupper())
        or (isinstance(n, ast.Constant) and isinstance(n.value, float))
        for n in ast.walk(comparison)
    )


class Change(NamedTuple):
    """A mutant in words, and the code of all functions of its file."""

    said: str
    codes: dict[tuple[str, int], CodeType]

    @classmethod
    def of(cls, mutant: Mutant) -> Change:
        tree = ast.parse(mutant.path.read_text("utf-8"))
        node, _ = list(places(tree))[mutant.number]
        before, how = " ".join(ast.unparse(node).split()), _change(node)
        module = compile(ast.fix_missing_locations(tree), mutant.path, "exec", dont_inherit=True)
        codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(module)}
        said = f"{mutant.path.relative_to(ROOT)}:{node.lineno}: {how} in `{before[:60]}`"
        return cls(said, codes)

    def put_in(self, path: Path) -> None:
        """Exchange the code of the functions of a file, wherever they are referred to."""
        for function in gc.get_objects():
            if type(function) is FunctionType and function.__code__.co_filename == str(path):
                place = function.__code__.co_qualname, function.__code__.co_firstlineno
                function.__code__ = self.codes.get(place, function.__code__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


class Reach:
    """What the tests are like when nothing is changed: what they cost and where they come.

    The tests of a file are run once, in a fork of its own. With a directory to keep what is found,
    only files of tests that were changed since are run again, or all if a target was.
    """

    def __init__(
        self, items: list[pytest.Item], targets: list[Path], kept: Path | None, jobs: int
    ) -> None:
        #: CPU seconds of every test that passes.
        self.seconds: dict[str, float] = {}
        self._tests: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._targets, self._kept = targets, kept
        files = [list(group) for _, group in itertools.groupby(items, key=lambda item: item.path)]
        for found in shared_out(self._of_file, files, jobs):
            self.seconds |= found["seconds"]
            for target, line, test in found["lines"]:
                self._tests[target, line].add(test)

    def by(self, mutant: Mutant) -> set[str]:
        """The tests that come to a mutant."""
        path = str(mutant.path)
        return set().union(*(self._tests.get((path, line), ()) for line in mutant.lines))

    def _of_file(self, items: list[pytest.Item]) -> dict:
        path = items[0].path
        digest = hashlib.sha256(b"".join(p.read_bytes() for p in [path, *self._targets]))
        kept = self._kept and self._kept / f"{path.stem}-{digest.hexdigest()[:16]}.json"
        if kept and kept.exists():
            return json.loads(kept.read_text("utf-8"))
        work = partial(_run_traced, items, self._targets)
        found = in_fork(work, LONGEST * len(items)) or {"seconds": {}, "lines": []}
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(found), "utf-8")
        return found


def _run_traced(items: list[pytest.Item], targets: list[Path]) -> dict:
    """What tests that pass cost, and the lines of the targets that they reach."""
    tracer = coverage.Coverage(
        data_file=None, include=[str(t) for t in targets], config_file=False, messages=False
    )
    tracer.set_option("run:disable_warnings", ["no-data-collected"])
    seconds = {}
    tracer.start()
    for item, following in zip(items, [*items[1:], None], strict=True):
        failed, begun = item.session.testsfailed, _cpu_seconds()
        tracer.switch_context(item.nodeid)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed == failed and _cpu_seconds() - begun < LONGEST:
            seconds[item.nodeid] = _cpu_seconds() - begun
    tracer.stop()
    data = tracer.get_data()
    lines = [
        (path, line, test)
        for path in data.measured_files()
        for line, tests in data.contexts_by_lineno(path).items()
        for test in tests
        if test in seconds
    ]
    return {"seconds": seconds, "lines": lines}


def _cpu_seconds() -> float:
    """Of this process and of those that it started and waited for."""
    return sum(os.times()[:4])


class Fork:
    """A fork of this process that does some work and says what came of it."""

    def __init__(self, work: Callable[[], Any], cpu_seconds: float = 0.0, seconds: int = 0) -> None:
        self._out, into = os.pipe()
        self._child = os.fork()
        if self._child:
            os.close(into)
            return
        os.close(self._out)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)  # other processes take no part in it
        signal.alarm(seconds)
        try:
            with os.fdopen(into, "w") as pipe:
                json.dump(work(), pipe)
        finally:
            os._exit(0)

    def answer(self) -> Any:
        """What the work returned, or None if the process died before."""
        with os.fdopen(self._out) as pipe:
            text = pipe.read()
        os.waitpid(self._child, 0)
        return json.loads(text) if text else None


def in_fork(work: Callable[[], Any], cpu_seconds: float) -> Any:
    """What `work()` returns in a fork of this process, or None if that dies or never ends."""
    return Fork(work, cpu_seconds, DEADLOCK).answer()


def shared_out(work: Callable[[Any], Any], things: list, jobs: int) -> list:
    """What `work` returns for each of some things, in as many processes as there are jobs."""
    forks = [Fork(lambda k=k: [work(thing) for thing in things[k::jobs]]) for k in range(jobs)]
    answers: list = [None] * len(things)
    for k, fork in enumerate(forks):
        answers[k::jobs] = fork.answer()
    return answers


class Trial:
    """A plugin of pytest that tries mutants in place of running the tests once."""

    def __init__(self, wanted: argparse.Namespace) -> None:
        self._wanted = wanted
        self.n_mutants, self.seconds = 0, 0.0
        #: What was changed in each mutant that was tried, and whether a test noticed.
        self.tried: list[tuple[str, bool]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        everything = mutants()
        targets = sorted({mutant.path for mutant in everything})
        for path in targets:
            name = path.relative_to(PACKAGE.parent).with_suffix("").as_posix()
            importlib.import_module(name.replace("/", "."))
        wanted = self._wanted
        self._reach = Reach(session.items, targets, wanted.reach, wanted.jobs)
        chosen = random.Random(wanted.seed).sample(everything, len(everything))[: wanted.count]
        self._started = time.monotonic()
        answers = shared_out(partial(self._try, session), chosen, wanted.jobs)
        self.tried = [answer for answer in answers if answer]
        self.seconds, self.n_mutants = time.monotonic() - self._started, len(everything)
        return True

    def _try(self, session: pytest.Session, mutant: Mutant) -> tuple[str, bool] | None:
        begun = time.monotonic()
        if begun - self._started > self._wanted.seconds:
            return None
        change, items = Change.of(mutant), self._answering(session, mutant)

        def first_failure() -> str:
            change.put_in(mutant.path)
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if item.session.testsfailed:
                    return item.nodeid
            return ""

        due = sum(self._reach.seconds[item.nodeid] for item in items)
        noticed = in_fork(first_failure, 30.0 + 5.0 * due)
        survived = noticed == ""
        fate = f"noticed by {noticed}" if noticed else "ended the process"
        fate = f"SURVIVED {len(items)} tests" if survived else fate
        print(f"{change.said}: {fate}, {time.monotonic() - begun:.1f} s", flush=True)
        return change.said, not survived

    def _answering(self, session: pytest.Session, mutant: Mutant) -> list[pytest.Item]:
        """The tests that reach a mutant, as many as there is time for."""
        took = {test: self._reach.seconds[test] for test in self._reach.by(mutant)}
        items = [item for item in session.items if item.nodeid in took]
        seen: dict[str, int] = defaultdict(int)
        order = {}
        for item in sorted(items, key=lambda i: took[i.nodeid]):
            test = item.nodeid.split("[")[0]
            order[item.nodeid] = seen[test] // VARIANTS, took[item.nodeid]
            seen[test] += 1
        left, chosen = self._wanted.each, []
        for item in sorted(items, key=lambda i: order[i.nodeid]):
            if took[item.nodeid] <= left:
                left -= took[item.nodeid]
                chosen.append(item)
        return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults?")
    parser.add_argument("--count", type=int, default=200, help="mutants, chosen by chance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600, help="begin no other one after that")
    parser.add_argument(
        "--each", type=float, default=60, help="CPU seconds of tests for one mutant"
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants that are tried at a time")
    parser.add_argument("--least", type=float, default=85.0, help="percent to be noticed")
    parser.add_argument("--reach", type=Path, help="directory to keep which test reaches what")
    wanted = parser.parse_args()
    trial = Trial(wanted)
    os.chdir(ROOT)
    quiet = ["-o", "addopts=", "-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:xdist"]
    code = pytest.main([*quiet, *(str(ROOT / "tests" / t) for t in TESTS)], plugins=[trial])
    if not trial.tried:
        return int(code)
    survivors = [said for said, noticed in trial.tried if not noticed]
    n_killed = len(trial.tried) - len(survivors)
    share = 100.0 * n_killed / len(trial.tried)
    print("", *survivors, sep="\nsurvived: ")
    print(
        f"{n_killed} of {len(trial.tried)} mutants were noticed ({share:.0f}%) in"
        f" {trial.seconds:.0f} s; there are {trial.n_mutants}"
    )
    return int(share < wanted.least)


if __name__ == "__main__":
    sys.exit(main())
