"""From the options of a command to a table, and from rows to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..io import (
    DataFile,
    FileProblem,
    LargeFile,
    check_ending,
    read_file,
    write_rows,
    write_scores,
)
from ..ranker import Ranker
from ..row_source import RowSource
from ..table import Table
from . import console
from .options import FileOptions, TableOptions, split_names

#: Columns that are spoken of one by one.
SHOWN = 8


def read(options: FileOptions, quiet: bool) -> DataFile:
    """Read a file, and say what there is to say of how it was read."""
    data = read_file(options.file, options)
    if not quiet:
        for text in data.notes:
            console.note(f"{data.source}: {text}")
    return data


def load(options: TableOptions, quiet: bool) -> DataFile:
    """Read a file, set columns aside, and point out what looks odd."""
    return set_aside(read(options, quiet), options, quiet)


def load_rows(large: LargeFile, options: TableOptions, quiet: bool) -> tuple[DataFile, RowSource]:
    """Look at a sample of a file that is read in parts as at a small file; and give its rows."""
    sample = large.sample()
    if not quiet:
        for text in sample.notes:
            console.note(f"{sample.source}: {text}")
    data = set_aside(sample, options, quiet)
    return data, large.rows.select(data.names)


def set_aside(data: DataFile, options: TableOptions, quiet: bool) -> DataFile:
    """Set columns aside, and point out what looks odd."""
    data = data.without(split_names(options.drop))
    data = data.with_label(options.label).with_nominal(split_names(options.nominal))
    found = {} if options.keep_ids else data.identifiers()
    left_out = {n: why for n, why in found.items() if n not in split_names(options.nominal)}
    if len(left_out) == len(data.columns) > 0:
        raise FileProblem(
            f"{data.source}: the values of every column hardly repeat; rank them with --keep-ids"
        )
    data = data.without(left_out)
    about_them = _note_of(left_out)
    if not quiet:
        _say_some(data.column_notes())
        _say_some(about_them)
        _say_some([f"column {name!r} {reason}" for name, reason in data.suspects()])
    return replace(data, notes=[*data.notes, *about_them])  # for the page


def _note_of(left_out: Mapping[str, str]) -> list[str]:
    listed = [f"{console.shorten(name)!r} ({why})" for name, why in left_out.items()]
    if not listed:
        return []
    more = f" and {len(listed) - SHOWN:,} more" if len(listed) > SHOWN else ""
    return [
        f"left out because their values hardly repeat: {', '.join(listed[:SHOWN])}{more}; rank "
        "them with --keep-ids"
    ]


def _say_some(texts: Sequence[str]) -> None:
    for text in texts[:SHOWN]:
        console.note(text)
    if len(texts) > SHOWN:
        console.note(f"and the like of {len(texts) - SHOWN:,} more columns")


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


def check_out(out: str | None, source: str | Path | None = None) -> None:
    """Refuse before the work an ``--out`` that would fail after it."""
    check_target(out, source)
    if out and out != "-":
        check_ending(out)


def check_report(path: Path | None, source: str) -> None:
    """Refuse before the work a ``--report`` that would fail after it."""
    check_target(path, source)
    if path and path.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(f"{path}: the report is a web page; name it .html, and print it to PDF")


def write_page(ranker: Ranker, data: DataFile, table: Table, path: Path, seed: int) -> None:
    """Write the page about a ranking of the table of a file."""
    ranker.report(
        table,
        path,
        title=data.source,
        labels=data.label.texts() if data.label else None,
        label_name=data.label.name if data.label else None,
        notes=[
            *data.notes,
            *data.column_notes(),
            *(f"column {name!r} {why}" for name, why in data.suspects()),
        ],
        seed=seed,
    )
    say_written(path)


def save(rows: Sequence[dict[str, Any]], out: str | None, *, guard: bool = True) -> None:
    """Write rows to where ``--out`` says, if it says so."""
    if out:
        write_rows(rows, out, guard=guard)
        say_written(out)


def save_scores(rows: Sequence[dict[str, Any]], out: str | None) -> None:
    """Write a ranking to where ``--out`` says, if it says so."""
    if out:
        write_scores(rows, out)
        say_written(out)


def say_written(path: str | Path) -> None:
    """Name a file that was written."""
    if str(path) != "-":
        console.err().print(
            f"Written: {console.escape(console.shorten(str(path), 500))}", soft_wrap=True
        )
