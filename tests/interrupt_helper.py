"""Interrupts `unsuprank rank` in the middle of fits, and tells how each of them ended.

``python interrupt_helper.py TABLE OUT METHOD...`` prints JSON, by method. A process of its own, so
that the program can be forked without the threads of a test runner, and starts without importing
anything. No fit ever ends: after its last step there is a long sleep.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from pathlib import Path

from unsuprank.cli import app, main  # noqa: F401 - imported once for all
from unsuprank.ranker import Ranker

#: How long after its beginning a fit is interrupted.
MOMENT = 0.05
#: Seconds after which nobody waits any longer for the end.
PATIENCE = 60.0


def rank(begun: int, said: Path, *arguments: str) -> None:
    """Be the program; tell when the fit begins."""
    fit, finite = Ranker.fit, Ranker._finite

    def noted(self, *args, **options):
        os.write(begun, b"!")
        return fit(self, *args, **options)

    def last(self, scores, table):
        time.sleep(600)
        return finite(self, scores, table)

    Ranker.fit, Ranker._finite = noted, last
    os.dup2(os.open(said, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
    sys.argv = ["unsuprank", "rank", *arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    finally:
        os._exit(99)  # the program did not leave


def interrupted(table: str, out: Path, method: str) -> dict:
    said = out.with_name("said.txt")
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        rank(theirs, said, table, "--method", method, "--out", str(out))
    os.read(ours, 1)
    time.sleep(MOMENT)
    os.kill(child, signal.SIGINT)
    os.close(theirs)
    ended, _, _ = select.select([ours], [], [], PATIENCE)  # it closes when the process is no more
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ours)
    return {"code": os.waitstatus_to_exitcode(status), "said": said.read_text()}


if __name__ == "__main__":
    table, out, *methods = sys.argv[1:]
    print(json.dumps({method: interrupted(table, Path(out), method) for method in methods}))
