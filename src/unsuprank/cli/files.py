"""From the options of a command to a table, and from rows to a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..io import DataFile, FileProblem, LargeFile, check_ending, read_file, write_rows
from ..ranker import Ranker
from ..row_source import RowSource
from ..table import Table
from . import console
from .options import FileOptions, TableOptions

#: Columns that are spoken of one by one.
SHOWN = 8


def read(options: FileOptions) -> DataFile:
    """Read a file, and say what there is to say of how it was read."""
    return _told(read_file(options.file, options))


def load(options: TableOptions) -> DataFile:
    """Read a file, set columns aside, and point out what looks odd."""
    return _set_aside(read(options), options)


def load_rows(large: LargeFile, options: TableOptions) -> tuple[DataFile, RowSource]:
    """Look at a sample of a file that is read in parts as at a small file; and give its rows."""
    data = _set_aside(_told(large.sample()), options)
    return data, large.rows.select(data.names)


def _told(data: DataFile) -> DataFile:
    for text in data.notes:
        console.note(f"{data.source}: {text}")
    return data


def _set_aside(data: DataFile, options: TableOptions) -> DataFile:
    """Set columns aside, and point out what looks odd."""
    data = data.without(options.drop).with_label(options.label).with_nominal(options.nominal)
    found = {} if options.keep_ids else data.identifiers()
    ids = {name: why for name, why in found.items() if name not in options.nominal}
    if len(ids) == len(data.columns) > 0:
        raise FileProblem(
            f"{data.source}: every column looks like an identifier; rank them with --keep-ids"
        )
    data = data.without(ids)
    about_ids = []
    if ids:
        listed = [f"{console.shorten(name)!r} ({why})" for name, why in ids.items()]
        shown = f"{', '.join(listed[:SHOWN])}{_and_more(listed)}"
        about_ids = [
            f"left out because they look like identifiers: {shown}; rank them with --keep-ids"
        ]
    for texts in (data.column_notes(), about_ids, _suspects(data)):
        for text in texts[:SHOWN]:
            console.note(text)
        if len(texts) > SHOWN:
            console.note(f"similar notes apply to other columns{_and_more(texts)}")
    return replace(data, notes=[*data.notes, *about_ids])  # for the page


def _and_more(texts: Sequence[str]) -> str:
    return f" and {len(texts) - SHOWN:,} more" if len(texts) > SHOWN else ""


def _suspects(data: DataFile) -> list[str]:
    return [f"column {name!r} {why}" for name, why in data.suspects()]


def check_target(path: str | Path | None, source: str | Path | None = None) -> None:
    """Refuse before the work a directory that is not there after it, or to overwrite a source."""
    if not path or str(path) == "-":
        return
    target = Path(path).absolute()
    if not target.parent.is_dir():
        raise FileProblem(f"{Path(path).parent} is not a directory; make it first")
    if target.is_dir():
        raise FileProblem(f"{path} is a directory; name a file in it")
    if source is not None and target.exists() and Path(source).exists() and target.samefile(source):
        raise FileProblem(f"{path} is read by this command and would be overwritten; name another")


def check_outputs(source: str, out: str | None, report: Path | None = None) -> None:
    """Refuse before the work an ``--out`` or ``--report`` that would fail after it."""
    check_target(out, source)
    if out and out != "-":
        check_ending(out)
    check_target(report, source)
    if report and report.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(f"{report}: the report is a web page; name it .html, and print it to PDF")


def write_page(ranker: Ranker, data: DataFile, table: Table, path: Path, seed: int) -> None:
    """Write the page about a ranking of the table of a file."""
    ranker.report(
        table,
        path,
        title=data.source,
        labels=data.label.texts() if data.label else None,
        label_name=data.label.name if data.label else None,
        notes=[*data.notes, *data.column_notes(), *_suspects(data)],
        seed=seed,
    )
    say_written(path)


def save(
    rows: Sequence[dict[str, Any]], out: str | None, write: Callable[..., None] = write_rows
) -> None:
    """Write rows to where ``--out`` says, if it says so."""
    if out:
        write(rows, out)
        say_written(out)


def say_written(path: str | Path) -> None:
    """Name a file that was written."""
    if str(path) != "-":
        console.say("Written:", str(path))
