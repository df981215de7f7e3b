"""Ctrl-C ends the program whatever it is doing, says so, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import systems
from untraced import untraced

from unsuprank import registry

pytestmark = systems.posix

HELPER = Path(__file__).parent.parent / "interrupt_helper.py"
METHODS = [method.name for method in registry.available()]
#: Only guards against a hang.
SECONDS = 60


@pytest.fixture(scope="module")
def ends(tmp_path_factory) -> dict:
    """How `rank` ended by method, and what was in the directory then."""
    place = tmp_path_factory.mktemp("interrupted")
    rng = np.random.default_rng(0)
    np.save(place / "table.npy", rng.normal(size=(700, 2000)))
    (place / "scores.csv").write_text("old\n")
    command = [sys.executable, HELPER, place / "table.npy", place / "scores.csv", *METHODS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=untraced())
    ends = json.loads(done.stdout)
    ends["files"] = sorted(p.name for p in place.iterdir())
    ends["scores"] = (place / "scores.csv").read_text()
    return ends


@pytest.mark.parametrize("method", METHODS)
def test_in_the_middle_of_a_fit(ends, method):
    assert ends[method]["code"] == 130
    assert ends[method]["said"].endswith("error: interrupted\n")
    assert "Traceback" not in ends[method]["said"]


def test_nothing_is_left_of_it(ends):
    assert ends["files"] == ["said.txt", "scores.csv", "table.npy"]
    assert ends["scores"] == "old\n"


def interrupt(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a program, interrupt it after its first line, and wait for its end."""
    running = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        # A shell that runs tests in the background has them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert running.stdout is not None
        first = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=SECONDS)[1]
    finally:
        running.kill()
    return subprocess.CompletedProcess(code, running.returncode, first, said)


def test_while_modules_are_imported(tmp_path):
    (tmp_path / "typer.py").write_text(
        "import time; print('importing', flush=True); time.sleep(600)"
    )
    code = "from unsuprank.cli import main; main()"
    ended = interrupt(code, "methods", PYTHONPATH=str(tmp_path))
    assert (ended.stdout, ended.stderr) == ("importing\n", "error: interrupted\n")
    assert ended.returncode == 130


LONG_CALL = """
import hashlib, pathlib, sys
from unsuprank._temporary import TemporaryDirectory
from unsuprank.cli import app, main
from unsuprank.io import atomic_path
def run(arguments):
    copies = TemporaryDirectory()
    with atomic_path(arguments[0]) as path:
        pathlib.Path(copies.name, "copy").touch()
        path.write_text("half")
        print(copies.name, flush=True)
        hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # hours, and deaf to signals
app.run = run
main()
"""


def test_during_a_call_that_does_not_hear_of_it(tmp_path):
    out = tmp_path / "scores.csv"
    out.write_text("old\n")
    ended = interrupt(LONG_CALL, str(out))
    assert (ended.returncode, ended.stderr) == (130, "error: interrupted\n")
    assert [p.name for p in tmp_path.iterdir()] == ["scores.csv"]
    assert out.read_text() == "old\n"
    assert not Path(ended.stdout.strip()).exists()


SWALLOWED = """
import sys, time, types
from unsuprank.cli import main
app = sys.modules["unsuprank.cli.app"] = types.ModuleType("app")
def run(arguments):
    try:
        print("busy", flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        time.sleep(600)
app.run = run
main()
"""


def test_that_somebody_else_has_taken():
    ended = interrupt(SWALLOWED, "methods")
    assert (ended.returncode, ended.stderr) == (130, "error: interrupted\n")
