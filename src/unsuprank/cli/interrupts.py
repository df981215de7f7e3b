"""Ctrl-C ends the program within a second, whatever it is doing.

Python tells of an interrupt between two steps of the main thread. It arrives late where a step is
one long call of linear algebra, and the program ends later still, since Python waits at its end for
threads that are at such calls. Neither is worth waiting for: results are written whole or not at
all, and what the program has on the disk beside them is known by name. So a thread watches for the
interrupt and ends the process if that has not ended by itself soon after.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from typing import NoReturn

from .._temporary import remove_all

INTERRUPTED = 130
#: Seconds in which an interrupted command may end in order.
PATIENCE = 0.5

_leaving = threading.Event()


def watch() -> None:
    """From now on, an interrupt ends the process."""
    ours, theirs = os.pipe()
    if sys.platform != "win32":  # which does not ask for it, and learnt it in Python 3.12 only
        os.set_blocking(theirs, False)
    # Signals are written there when they come, not when the main thread is ready for them.
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(ours,), name="interrupts", daemon=True).start()


def _wait(signals: int) -> None:
    while signal.SIGINT not in os.read(signals, 1):
        pass
    time.sleep(PATIENCE)
    if not _leaving.is_set():
        say()
    remove_all()
    os._exit(INTERRUPTED)


def say() -> None:
    """Say so, past all that the program may be writing just now."""
    # A bar of progress has hidden the cursor, and stands where the message goes.
    clear = "\r\033[2K\033[?25h" if sys.stderr.isatty() else ""
    with contextlib.suppress(OSError):
        os.write(2, f"{clear}error: interrupted\n".encode())


def leave() -> NoReturn:
    """End the process now: everything is said, and no thread does anything of use any more."""
    _leaving.set()
    remove_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads it
            stream.flush()
    os._exit(INTERRUPTED)
