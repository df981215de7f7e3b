"""Progress on anything that takes more than a second, silent unless asked for.

Library code opens ``progress("growing trees", total, verbose)`` and calls ``advance``.
What is shown is somebody else's choice: plain text on standard error by default, or
whatever :func:`use_display` installed (the command line installs a richer bar).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TextIO


class Display(Protocol):
    """Where progress is shown."""

    def update(self, done: float, total: float, note: str = "") -> None:
        """Show that `done` of `total` units of work are done, and a few words on how it goes."""

    def close(self) -> None:
        """End the display, whether the work was finished or not."""


DisplayFactory = Callable[[str], Display]


class TextDisplay:
    """One line on a terminal, rewritten in place; it appears after a second of work."""

    def __init__(self, label: str, stream: TextIO | None = None, patience: float = 1.0) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._start = self._last = time.monotonic()
        self._patience = patience
        self._shown = False
        self._width = 0

    def update(self, done: float, total: float, note: str = "") -> None:
        """Rewrite the line, at most five times a second."""
        now = time.monotonic()
        if now - self._start < self._patience or (now - self._last < 0.2 and done < total):
            return
        self._last = now
        share = done / total if total else 1.0
        bar = "#" * int(24 * share)
        left = (now - self._start) * (1 - share) / share if share else float("inf")
        self._write(f"{self._label} [{bar:<24}] {share:4.0%}  {clock(left)} left  {note}")
        self._shown = True

    def close(self) -> None:
        """Say how long it took, if anything was shown."""
        if self._shown:
            self._write(f"{self._label}: done in {clock(time.monotonic() - self._start)}", "\n")

    def _write(self, line: str, end: str = "") -> None:
        """Put a line in the place of the one before, all of which it covers."""
        self._stream.write(f"\r{line:<{self._width}}{end}")
        self._stream.flush()
        self._width = len(line)


def silent(label: str) -> Display:
    """A display that shows nothing."""
    return TextDisplay(label, patience=float("inf"))


_display: ContextVar[DisplayFactory | None] = ContextVar("unsuprank_display", default=None)


@contextmanager
def use_display(factory: DisplayFactory) -> Iterator[None]:
    """Show all progress inside the block with `factory`, whatever ``verbose`` says."""
    token = _display.set(factory)
    try:
        yield
    finally:
        _display.reset(token)


class Progress:
    """Counts work done and passes it on to a display."""

    def __init__(self, display: Display, total: float) -> None:
        self._display = display
        self._total = total
        self._done = 0.0
        self._note = ""

    def advance(self, amount: float = 1) -> None:
        """Count `amount` more units of work as done."""
        self._done += amount
        self._total = max(self._total, self._done)  # an estimate, and sums round
        self._display.update(self._done, self._total, self._note)

    def expect(self, left: float, note: str = "") -> None:
        """Correct the total: about this much work is left; a note says how it goes."""
        self._total, self._note = self._done + left, note


@contextmanager
def progress(label: str, total: float, verbose: int | bool = 0) -> Iterator[Progress]:
    """Report progress on `total` units of work."""
    factory = _display.get() or (TextDisplay if verbose else silent)
    display = factory(label)
    try:
        yield Progress(display, total)
    finally:
        display.close()


def clock(seconds: float) -> str:
    """A time as people say it, in seconds or in minutes and seconds."""
    if seconds == float("inf"):
        return "?"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes} min {seconds:02d} s"
