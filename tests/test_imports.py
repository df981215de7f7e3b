"""The plan of the house: which room may import which, and no cycles, lazy imports included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import unsuprank

PACKAGE = Path(unsuprank.__file__).parent
#: Rooms from the ground up. A module may import from its own room and from rooms below; rooms on
#: one floor know nothing of each other, unless `NEIGHBOURS` says so.
FLOORS = (
    {"_kernels", "_testing_kernels", "_version", "_checks", "_parallel", "_progress", "_views"}
    | {"_weights", "_cluster", "_temporary"},
    {"table"},
    {"row_source"},
    {"dask_rows"},
    {"column_totals", "input_rows"},
    {"ranker"},
    {"rankers"},
    {"registry"},
    {"describe", "evaluation", "io"},
    {"plot", "report", "sc", "study"},
    {"cli"},
    {""},  # the front door, unsuprank/__init__.py
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
#: Pairs on one floor of which the first may import the second.
NEIGHBOURS = {("evaluation", "describe"), ("_parallel", "_kernels"), ("_cluster", "_version")}


def module_name(path: Path) -> str:
    """Dotted name below the package; empty for the front door."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(p): p for p in sorted(PACKAGE.rglob("*.py"))}


def type_checking_only(tree: ast.AST) -> set[ast.AST]:
    """Imports that only type checkers see."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }


def imported_modules(name: str) -> set[str]:
    """Modules of the package that a module imports anywhere in its text."""
    path = MODULES[name]
    tree = ast.parse(path.read_text("utf-8"))
    hidden = type_checking_only(tree)
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    package = [part for part in package if part]
    found = set()
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            base += node.module.split(".") if node.module else []
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unsuprank"):
            base = node.module.split(".")[1:]
        else:
            continue
        for alias in node.names:
            full = ".".join([*base, alias.name])
            known = full in MODULES or full == "_kernels"
            found.add(full if known else ".".join(base))
    return found - {name}


def room(name: str) -> str:
    return name.split(".")[0]


@pytest.mark.parametrize("name", MODULES, ids=lambda n: n or "unsuprank")
def test_imports_point_downwards(name):
    here = room(name)
    for other in imported_modules(name):
        there = room(other)
        allowed = here == there or FLOOR[there] < FLOOR[here] or (here, there) in NEIGHBOURS
        assert allowed, f"{name} imports {other}, which is not below it"


def test_there_is_no_cycle():
    graph = {name: imported_modules(name) & set(MODULES) for name in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_file_names_are_unique():
    names = [p.name for p in MODULES.values() if p.name != "__init__.py"]
    assert sorted({n for n in names if names.count(n) > 1}) == []


def test_class_names_are_unique():
    names = [
        node.name
        for path in MODULES.values()
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert sorted({n for n in names if names.count(n) > 1}) == []


def test_type_checkers_see_every_public_name():
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    for_them = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in for_them.body for alias in node.names}
    assert seen == set(unsuprank.__all__) - {"__version__"}
