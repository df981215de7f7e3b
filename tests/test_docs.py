"""The documentation: guides compile, links lead somewhere, public names are in the reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

import unsuprank

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
if not DOCS.is_dir():
    pytest.skip("the documentation is not beside these tests", allow_module_level=True)
SCRIPTS = sorted(path for part in ("guides", "how_it_works") for path in (DOCS / part).glob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("**/*.md"))]
#: Folders of pages that are written when the site is built, and where they come from.
GENERATED = {"guide": "guides", "how": "how_it_works", "methods": None, "api": None}
MODULES = ("describe", "evaluation", "io", "plot", "registry", "report", "sc")
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)")
_ENTRY = re.compile(r"^   (\w[\w.]*)$", re.MULTILINE)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_guide_compiles_and_has_a_title(script):
    tree = ast.parse(script.read_text("utf-8"))
    title, underline = ast.get_docstring(tree).splitlines()[:2]
    assert title
    assert underline == "=" * len(title)


@pytest.fixture
def extension(monkeypatch):
    """Import a module of the site by name, and forget it afterwards."""
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    imported = []

    def get(name):
        imported.append(name)
        return importlib.import_module(name)

    yield get
    for name in imported:
        sys.modules.pop(name, None)


def test_guides_have_a_place_in_the_order(extension):
    assert set(extension("reading_order").ORDER) == {path.stem for path in SCRIPTS}


def test_cards_quote_what_stands_on_the_pages(extension):
    evidence = extension("evidence")
    (_, columns, rows), *_ = evidence.quoted("urelief")
    assert columns == ["urelief", "shared-variance", "random"]
    assert all(0 <= float(cell) <= 1 for row in rows for cell in row[1:] if cell)
    assert all(own < best for _, own, best, _ in evidence.weakest("urelief"))
    names = {method.name for method in unsuprank.registry.available()}
    assert set(evidence.IN_STUDY) <= names
    assert all(evidence.better_than_random(name) for name in evidence.IN_STUDY)


def test_formulas_can_be_drawn(extension):
    pytest.importorskip("docutils")
    pytest.importorskip("matplotlib")
    drawing = extension("math_pictures").drawing
    for method in unsuprank.registry.available():
        if method.formula:
            assert "<path d=" in drawing(method.formula.replace(r"\frac", r"\dfrac"))


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link is to a file, or to a page that the build makes of one."""
    target = (page.parent / link).resolve()
    if target.exists() or target.with_suffix(".md").exists():
        return True
    if DOCS not in target.parents or target.relative_to(DOCS).parts[0] not in GENERATED:
        return False
    folder, *rest = target.relative_to(DOCS).parts
    source = GENERATED[folder]
    return source is None or rest == ["index"] or (DOCS / source / f"{rest[0]}.py").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    assert [link for link in _LINK.findall(text) if not leads_somewhere(page, link)] == []


def public_names(name: str) -> list[str]:
    """What a module offers: its ``__all__``, or the functions and classes that it defines."""
    module = importlib.import_module(name)
    if hasattr(module, "__all__"):
        return [n for n in module.__all__ if not n.startswith("__")]
    return [
        n
        for n, value in vars(module).items()
        if not n.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == name
    ]


@pytest.mark.parametrize("module", ["unsuprank", *(f"unsuprank.{m}" for m in MODULES)])
def test_public_names_are_in_the_reference_and_documented(module):
    text = (DOCS / "reference" / "index.md").read_text("utf-8")
    listed = {
        entry
        for part in text.split(".. currentmodule:: ")[1:]
        if part.split()[0] in (module, "unsuprank")
        for entry in _ENTRY.findall(part)
    }
    assert set(public_names(module)) <= listed
    objects = [getattr(importlib.import_module(module), n) for n in public_names(module)]
    undocumented = [o for o in objects if callable(o) and not inspect.getdoc(o)]
    assert undocumented == []


def test_every_method_has_a_formula_or_is_chance():
    without = {method.name for method in unsuprank.registry.available() if not method.formula}
    assert without == {"random"}
