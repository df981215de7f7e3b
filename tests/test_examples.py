"""The worked examples run, on their own data and on real files where there are some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from untraced import untraced

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=untraced(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_digits(tmp_path):
    pytest.importorskip("bokeh")
    assert "pixel_" in run("digits.py", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 1e6


def test_mixed():
    printed = run("mixed_arff.py")
    assert "% of the values are missing" in printed
    assert printed.splitlines()[1].split()[1:3] == ["species", "nominal"]


def test_single_cell():
    pytest.importorskip("anndata")
    assert run("single_cell.py").count("marker") == 15


def test_choose_k():
    assert "Best:" in run("choose_k.py")


@pytest.mark.data
def test_mixed_with_real_file(data_dir):
    assert "numeric" in run("mixed_arff.py", data_dir / "mixed" / "labor.arff", "class")
