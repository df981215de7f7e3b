"""What people see on the terminal: progress, notes, tables. Results alone go to stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from .._progress import silent, use_display
from ..io import shorten

#: What a line is.
NOTE, WARNING = "[dim]note:[/dim]", "[yellow]warning:[/yellow]"
ERROR = "[bold red]error:[/bold red]"
#: Columns of tables that hold words.
WORDS = ("feature", "method", "direction")

_quiet: ContextVar[bool] = ContextVar("unsuprank_quiet", default=False)


def out() -> Console:
    """Return the console that results go to."""
    return Console(file=sys.stdout, highlight=False)


def err() -> Console:
    """Return the console that everything but results goes to."""
    return Console(file=sys.stderr, highlight=False)


def note(text: str) -> None:
    """Say in one line what may be good to know, unless asked to be quiet."""
    if not _quiet.get():
        say(NOTE, text)


def say(mark: str, text: str, width: int = 500) -> None:
    """Say something in one line, after a mark of what it is."""
    err().print(f"{mark} {escape(shorten(text, width))}", soft_wrap=True)


class RichDisplay:
    """A bar with the time left, which appears after a second of work."""

    #: Rich shows one bar at a time: other pieces of work stay silent meanwhile.
    _any_shown = False

    def __init__(self, label: str, console: Console, patience: float = 1.0) -> None:
        self._shown = False
        self._appears = time.monotonic() + patience
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("left {task.fields[note]}"),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task(escape(label), total=None, note="")

    def update(self, done: float, total: float, note: str = "") -> None:
        """Show how much is done, once it is worth it."""
        if not RichDisplay._any_shown and time.monotonic() >= self._appears:
            self._bar.start()
            self._shown = RichDisplay._any_shown = True
        self._bar.update(self._task, completed=done, total=total, note=escape(note))

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._bar.stop()
            self._shown = RichDisplay._any_shown = False


@contextmanager
def told_to_be(quiet: bool) -> Iterator[None]:
    """Show bars on a terminal, or neither bars nor notes if asked to be quiet.

    Where standard error goes elsewhere, work that is told to be verbose writes plain lines.
    """
    token, console = _quiet.set(quiet), err()
    display: AbstractContextManager[None] = nullcontext()
    if quiet:
        display = use_display(silent)
    elif console.is_terminal:
        display = use_display(lambda label: RichDisplay(label, console))
    try:
        with display:
            yield
    finally:
        _quiet.reset(token)


def print_table(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table on stdout, words on the left and numbers on the right."""
    table = RichTable(
        title=escape(shorten(title, 200)) or None, title_justify="left", header_style="bold"
    )
    for name in rows[0]:
        table.add_column(name, justify="left" if name in WORDS else "right", overflow="fold")
    for row in rows:
        table.add_row(*[escape(_cell(value)) for value in row.values()])
    out().print(table)


def print_entries(title: str, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Print names with a paragraph beside each on stdout; the first line of it stands out."""
    grid = RichTable.grid(padding=(0, 2), expand=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for name, (first, *more) in entries:
        rest = "".join(f"\n[dim]{escape(line)}[/dim]" for line in more if line)
        grid.add_row(escape(name), escape(first) + rest)
    console = out()
    console.print(f"\n[bold]{escape(title)}[/bold]")
    console.print(Padding(grid, (0, 0, 0, 2)))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return shorten(str(value), 48)
