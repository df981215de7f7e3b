"""One list of methods: read off the classes, and the same everywhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

import unsuprank
from unsuprank import registry
from unsuprank.ranker import QUESTIONS, known_rankers

ROOT = Path(__file__).parent.parent


def test_every_public_ranker_has_a_card_of_its_own():
    public = {
        c
        for name in unsuprank.__all__
        if isinstance(c := getattr(unsuprank, name), type) and issubclass(c, unsuprank.Ranker)
    }
    assert public - set(known_rankers()) == {unsuprank.Ranker}


def test_cards_are_filled_in_and_names_are_unique():
    methods = registry.available()
    assert len({m.name for m in methods}) == len(methods)
    for m in methods:
        assert m.question in QUESTIONS
        assert m.what
        assert m.when
        assert m.cost
        assert m.meaning
        assert registry.find(m.name) == m


def test_a_slip_of_the_pen_is_answered_with_the_name_that_was_meant():
    with pytest.raises(ValueError, match="did you mean genie3"):
        registry.find("geni3")
    with pytest.raises(ValueError, match="choose one of"):
        registry.find("xyzzy")


def test_methods_can_be_made_and_found_again():
    for m in registry.available():
        assert registry.method_of(registry.make(m.name)) == m


def test_the_table_of_the_readme():
    tables = run_path(str(ROOT / "docs" / "method_tables.py"))
    assert tables["markdown_table"]() in (ROOT / "README.md").read_text("utf-8")


NEW_RANKER_TRIAL = """
import sys
import numpy as np
import spread
from unsuprank.cli.app import run
from unsuprank.study.plan import recipes

assert run(["methods"]) == 0
assert run(["rank", "table.csv", "--method", "spread"]) == 0
X = np.array([[0.0, 5.0, 1.0], [1.0, 9.0, 1.0], [2.0, 1.0, 1.0]])
assert recipes.find("spread")(X, None, {}, 0)["order"].tolist() == [1, 0, 2]
assert "spread" in recipes.names()
"""


@pytest.fixture
def new_ranker(tmp_path):
    """The ranker that the documentation writes in one file."""
    text = (ROOT / "docs" / "development" / "adding.md").read_text("utf-8")
    block = next(b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Spread" in b)
    (tmp_path / "spread.py").write_text(block, "utf-8")
    (tmp_path / "table.csv").write_text("a,b\n1,10\n2,30\n3,20\n", "utf-8")
    return tmp_path


def test_a_new_ranker_in_one_file_is_on_the_command_line_and_in_the_study(new_ranker):
    pytest.importorskip("typer")
    done = subprocess.run(
        [sys.executable, "-c", NEW_RANKER_TRIAL], cwd=new_ranker, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "interquartile" in " ".join(done.stdout.split())


def test_a_new_ranker_in_one_file_meets_the_contract(new_ranker):
    contract = ROOT / "tests" / "test_sklearn_contract.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "spread", "-k", "Spread", str(contract)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", str(ROOT)],
        cwd=new_ranker,
        env={"PYTHONPATH": str(new_ranker), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d\d passed", done.stdout)
