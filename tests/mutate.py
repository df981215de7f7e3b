"""Small faults put into the code that reckons, one at a time: do the tests notice?

A mutant is a module with one operator, comparison, constant or condition changed. It is imported in
place of the true one by a fork of this process, in which the heavy packages are there already, and
the tests that answer for the module are run until one fails. Mutants that survive are named: a test
is missing, or the change makes no difference.

    python tests/mutate.py --count 200 --seed 0
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import io
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "unsuprank"
#: Modules, and the tests that answer for them.
TARGETS = {
    **dict.fromkeys(
        ("shuffles", "sums", "others", "by_rows", "by_coordinates", "columns"),
        ("rankers/shared_variance", ["rankers/test_shared_variance.py"]),
    ),
    **dict.fromkeys(
        ("stability", "comparison", "measures", "selection", "folds"),
        (
            "evaluation",
            [
                "properties/test_evaluation_properties.py",
                "evaluation/test_statistics.py",
                "evaluation/test_error_curve.py",
            ],
        ),
    ),
    **dict.fromkeys(
        ("ranks", "association", "agreement", "groups", "summary"),
        (
            "describe",
            [
                "properties/test_evaluation_properties.py",
                "describe/test_describe_columns.py",
                "describe/test_describe_rankings.py",
            ],
        ),
    ),
}
#: What forks need not import again.
HEAVY = ("hypothesis", "pandas", "polars", "pyarrow", "scipy.stats", "sklearn.cluster", "pytest")
#: Seconds after which a mutant that never ends counts as noticed.
PATIENCE = 180

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


def places(tree: ast.Module) -> Iterator[ast.AST]:
    """What can be changed inside of functions."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    for function in functions:
        for statement in function.body:
            for node in ast.walk(statement):
                if _change(copy.deepcopy(node)):
                    yield node


def _change(node: ast.AST) -> str:
    """Change a node in place; say how, or nothing if there is nothing to change."""
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in _SWAPS:
        before, node.op = node.op, _SWAPS[type(node.op)]()
        return f"{type(before).__name__} -> {type(node.op).__name__}"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPS:
        before, node.ops[0] = node.ops[0], _SWAPS[type(node.ops[0])]()
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
        before, node.value = node.value, node.value + 1
        return f"{before} -> {node.value}"
    return ""


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a tree."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self._name, self._path, self._tree = name, path, tree

    def find_spec(self, name, path, target=None):
        if name == self._name:
            return importlib.util.spec_from_file_location(name, self._path, loader=self)
        return None

    def exec_module(self, module) -> None:
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def noticed(module: str, path: Path, tree: ast.Module, tests: list[str]) -> bool:
    """Whether the tests fail with a module made of `tree`, in a fork."""
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        sys.meta_path.insert(0, _Instead(module, path, tree))
        import pytest

        quiet = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            code = pytest.main([*quiet, *(str(ROOT / "tests" / t) for t in tests)])
        os._exit(int(code))
    return os.waitpid(child, 0)[1] != 0


def mutants() -> Iterator[tuple[str, Path, int]]:
    """Every mutant: its module's name, file, and the number of its place."""
    for stem, (folder, _) in TARGETS.items():
        path = PACKAGE / folder / f"{stem}.py"
        tree = ast.parse(path.read_text("utf-8"))
        name = f"unsuprank.{folder.replace('/', '.')}.{stem}"
        for number in range(len(list(places(tree)))):
            yield name, path, number


def main() -> int:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults?")
    parser.add_argument("--count", type=int, default=200, help="mutants, chosen by chance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1800, help="begin no other one after that")
    parser.add_argument("--least", type=float, default=85.0, help="percent to be noticed")
    wanted = parser.parse_args()
    for heavy in HEAVY:
        importlib.import_module(heavy)
    os.chdir(ROOT)
    everything = list(mutants())
    chosen = random.Random(wanted.seed).sample(everything, min(wanted.count, len(everything)))
    started, tried, killed = time.monotonic(), 0, 0
    for name, path, number in chosen:
        if time.monotonic() - started > wanted.seconds:
            break
        tree = ast.parse(path.read_text("utf-8"))
        node = list(places(tree))[number]
        line, how = node.lineno, _change(node)
        tests = TARGETS[path.stem][1]
        tried += 1
        if noticed(name, path, ast.fix_missing_locations(tree), tests):
            killed += 1
        else:
            print(f"survived: {path.relative_to(ROOT)}:{line}: {how}", flush=True)
    share = 100.0 * killed / max(tried, 1)
    print(f"{killed} of {tried} mutants were noticed ({share:.0f}%); there are {len(everything)}")
    return int(share < wanted.least)


if __name__ == "__main__":
    sys.exit(main())
