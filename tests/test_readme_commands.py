"""Every command and every Python example in README and docs runs."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

from unsuprank.cli.app import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
_BLOCK = re.compile(r"^```(console|bash|sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Commands that need a network or hours: their options are checked, nothing else.
_LONG = ("reproduce", "data")


def blocks(page):
    return [m.groups() for m in _BLOCK.finditer(page.read_text("utf-8"))]


def commands(text):
    """Shell commands of a block, with continued lines joined and output left out."""
    joined = text.replace("\\\n", " ").splitlines()
    marked = [line[2:] for line in joined if line.startswith("$ ")]
    found = marked or joined
    return [line.split(" #")[0].strip() for line in found if line.strip() and line[0] != "#"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with the files that the pages speak of."""
    place = tmp_path_factory.mktemp("docs")
    rng = np.random.default_rng(0)
    base = rng.normal(size=(40, 2))
    frame = pd.DataFrame(
        base @ rng.normal(size=(2, 6)) + rng.normal(size=(40, 6)), columns=list("abcdef")
    )
    frame.insert(0, "id", [f"row{i % 39}" for i in range(40)])
    frame["class"] = np.where(base[:, 0] > 0, "yes", "no")
    frame.to_csv(place / "mine.csv", index=False)
    frame.drop(columns=["id"]).to_csv(place / "table.csv", index=False)
    frame.to_csv(place / "mine.csv.gz", index=False)
    frame.to_csv(place / "mine.tsv", index=False, sep="\t")
    frame.to_parquet(place / "mine.parquet")
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(
        frame[list("abcdef")].to_numpy(), var=pd.DataFrame(index=list("abcdef"))
    )
    adata.raw = adata
    adata.write_h5ad(place / "cells.h5ad")
    return place


def check(command, place):
    words = command.split()
    if words[0] == "make":
        targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert {w for w in words[1:] if "=" not in w} <= set(targets), command
        return
    if "unsuprank" not in words:
        return  # pip, git, cd: not ours
    if words[0] == "unsuprank" and words[1] in _LONG:
        command = " ".join([*words[: 3 if words[1] == "data" else 2], "--help"])
    if words[0] == "unsuprank" and not set(command) & set("|<>;&$"):
        with contextlib.chdir(place):  # no other program is needed, and no other process
            assert run(shlex.split(command)[1:]) == 0, command
    else:
        check_in_a_shell(command, place)


def check_in_a_shell(command, place):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=place, env={**os.environ, "PATH": path}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_of(page, place):
    for language, text in blocks(page):
        if language != "python":
            for command in commands(text):
                check(command, place)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_of(page, place, monkeypatch):
    monkeypatch.chdir(place)
    namespace: dict = {}
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, str(page), "exec"), namespace)
    namespace.clear()
    gc.collect()  # a ranker that a page defines is known for as long as its class is there
