"""What is on the disk for a while only, known by name to whoever ends the process at once.

Files that are being written and directories of copies are removed by whoever made them. A process
that is left without going back to them, as on Ctrl-C during a long call, asks for it here.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from weakref import WeakSet

_files: set[Path] = set()
_directories: WeakSet[TemporaryDirectory] = WeakSet()


@contextlib.contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Give `path` back, and remove what is there in the end."""
    _files.add(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        _files.discard(path)


class TemporaryDirectory(tempfile.TemporaryDirectory):
    """The one of the standard library, removed with its object, or by `remove_all`."""

    def __init__(self) -> None:
        super().__init__(prefix="unsuprank-", ignore_cleanup_errors=True)
        _directories.add(self)


def remove_all() -> None:
    """Remove what is left, whoever may still be at work with it."""
    for file in list(_files):
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
    for directory in list(_directories):
        directory.cleanup()
