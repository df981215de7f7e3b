"""From the options of a command to a table, and from rows to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..io import DataFile, FileProblem, check_ending, read_file, write_rows
from . import console
from .options import FileOptions, TableOptions, split_names


def read(options: FileOptions, quiet: bool) -> DataFile:
    """Read a file, and say what there is to say of how it was read."""
    data = read_file(options.file, options)
    if not quiet:
        for text in data.notes:
            console.note(f"{data.source}: {text}")
    return data


def load(options: TableOptions, quiet: bool) -> DataFile:
    """Read a file, set columns aside, and point out what looks odd."""
    data = read(options, quiet).without(split_names(options.drop))
    data = data.with_label(options.label).with_nominal(split_names(options.nominal))
    for name, reason in data.suspects()[:5]:
        console.warn(
            f"column {name!r} {reason}, and is ranked like the others; leave it out with "
            f"--label {name!r} or --drop {name!r}"
        )
    return data


def check_target(path: str | Path | None) -> None:
    """Refuse before the work a directory that is not there after it."""
    if path and str(path) != "-" and not Path(path).absolute().parent.is_dir():
        raise FileProblem(f"{Path(path).parent} is not a directory; make it first")


def check_out(out: str | None) -> None:
    """Refuse before the work an ``--out`` that would fail after it."""
    check_target(out)
    if out and out != "-":
        check_ending(out)


def save(rows: Sequence[dict[str, Any]], out: str | None) -> None:
    """Write rows to where ``--out`` says, if it says so."""
    if out:
        write_rows(rows, out)
        say_written(out)


def say_written(path: str | Path) -> None:
    """Name a file that was written."""
    if str(path) != "-":
        console.err().print(f"Written: {console.escape(str(path))}", soft_wrap=True)
