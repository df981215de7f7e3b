"""What people see on the terminal: progress, notes, tables. Results alone go to stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from .._progress import SilentDisplay, use_display
from ..io import shorten


def out() -> Console:
    """Return the console that results go to."""
    return Console(file=sys.stdout, highlight=False)


def err() -> Console:
    """Return the console that everything but results goes to."""
    return Console(file=sys.stderr, highlight=False)


def note(text: str) -> None:
    """Say in one line what may be good to know."""
    _say("[dim]note:[/dim]", text)


def warn(text: str) -> None:
    """Say in one line what is probably not meant."""
    _say("[yellow]warning:[/yellow]", text)


def fail(text: str) -> None:
    """Say in one line why there is no result."""
    _say("[bold red]error:[/bold red]", text, 500)


def _say(mark: str, text: str, width: int = 400) -> None:
    err().print(f"{mark} {escape(shorten(text, width))}", soft_wrap=True)


class RichDisplay:
    """A bar with the time left, which appears after a second of work."""

    def __init__(self, label: str, console: Console, patience: float = 1.0) -> None:
        self._label = escape(label)
        self._console = console
        self._start = time.monotonic()
        self._patience = patience
        self._bar: Progress | None = None
        self._task: Any = None

    def update(self, done: float, total: float, note: str = "") -> None:
        """Show how much is done, once it is worth it."""
        if self._bar is None:
            if time.monotonic() - self._start < self._patience:
                return
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                TextColumn("left"),
                TextColumn("{task.fields[note]}"),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=total, note="")
        self._bar.update(self._task, completed=done, total=total, note=escape(note))

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def showing_progress(quiet: bool) -> Iterator[None]:
    """Show bars on a terminal, and nothing at all if asked to be quiet.

    Where standard error goes elsewhere, work that is told to be verbose writes plain lines.
    """
    console = err()
    if quiet:
        with use_display(lambda _: SilentDisplay()):
            yield
        return
    if not console.is_terminal:
        yield
        return
    open_bars: list[RichDisplay] = []

    def display(label: str) -> RichDisplay:
        # Rich shows one live bar at a time: an inner piece of work stays silent.
        patience = 1.0 if not any(bar._bar for bar in open_bars) else float("inf")
        bar = RichDisplay(label, console, patience)
        open_bars.append(bar)
        return bar

    with use_display(display):
        yield


def print_table(
    title: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]
) -> None:
    """Print a table on stdout; `columns` are names and justification."""
    table = RichTable(
        title=escape(shorten(title, 200)) or None, title_justify="left", header_style="bold"
    )
    for name, justify in columns:
        side: Any = justify
        table.add_column(name, justify=side, overflow="fold")
    for row in rows:
        table.add_row(*[escape(_cell(value)) for value in row])
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
