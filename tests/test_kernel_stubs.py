"""The stubs of the compiled modules say what these hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import unsuprank

#: By name: the arguments of every overload, or none for what is not called.
Names = dict[str, set[tuple[str, ...]]]


def stub_names(body: list[ast.stmt], prefix: str = "") -> Names:
    found: Names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= stub_names(node.body, f"{node.name}.")
        if isinstance(node, ast.FunctionDef):
            arguments = [a.arg for a in node.args.args + node.args.kwonlyargs]
            known = found.setdefault(prefix + node.name, set())
            known.add(tuple(a for a in arguments if a != "self"))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[prefix + node.target.id] = set()
    return found


def compiled_names(held: Any, prefix: str = "") -> Names:
    found: Names = {}
    for name, thing in vars(held).items():
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(thing, type):
            found |= compiled_names(thing, f"{name}.")
            continue
        overloads = getattr(thing, "__nb_signature__", ())
        found[prefix + name] = {tuple(re.findall(r"(\w+): ", o[0])) for o in overloads}
    return found


@pytest.mark.parametrize("name", ["_kernels", "_testing_kernels"])
def test_a_stub_names_what_the_module_holds(name):
    module = pytest.importorskip(f"unsuprank.{name}", reason="wheels leave it out")
    stub = Path(unsuprank.__file__).with_name(f"{name}.pyi").read_text("utf-8")
    assert stub_names(ast.parse(stub).body) == compiled_names(module)
