"""Rows of a file that must stay as it is while they are read.

A file that is read in parts is open for as long as a fit takes. If somebody writes to it or puts
another in its place meanwhile, the parts are not those of one table, and no ranking of them means
anything. So the file is looked at after every part, and a change is an error.

What is damaged in a file may come to light in any of its parts, and in whatever way the library
that reads them stumbles over it. Who asked for rows is told of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..row_source import RowSource
from ..table import Table
from .data_file import FileProblem, wrap_errors

#: What tells a file from another of the same name: its place on the disk, size and last change.
Stamp = tuple[int, int, int]


def file_stamp(path: Path) -> Stamp | None:
    """What tells a file from a later one in its place; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def check_unchanged(path: Path, stamp: Stamp | None) -> None:
    """Refuse a file that is not the one it was."""
    if file_stamp(path) != stamp:
        raise FileProblem(f"{path.name} changed while it was read; start again")


class UnchangedRows(RowSource):
    """The rows of a source that reads them from a file; see the module's prose."""

    def __init__(self, source: RowSource, path: Path) -> None:
        self.source, self._path, self._stamp = source, path, file_stamp(path)
        self.schema, self.n_rows = source.schema, source.n_rows
        self.random_access = source.random_access

    def take(self, rows: np.ndarray) -> Table:
        """The rows with these indices, which increase."""
        check_unchanged(self._path, self._stamp)
        with wrap_errors(f"{self._path.name} cannot be read"):
            table = self.source.take(rows)
        check_unchanged(self._path, self._stamp)
        return table

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        with wrap_errors(f"{self._path.name} cannot be read"):
            for chunk in self.source.chunks(n_rows):
                check_unchanged(self._path, self._stamp)
                yield chunk
