"""The one writer of files: whatever is written appears whole or not at all.

Content goes into a temporary file in the same directory, reaches the disk, and then takes the
place of the old file in one step. So neither a full disk nor an interruption leaves half a file,
and who reads the old one meanwhile reads it to its end.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .._temporary import temporary_file


def atomic_write(path: str | Path, content: str | bytes) -> None:
    """Write a text (as UTF-8) or bytes to `path` in one step."""
    raw = content.encode("utf-8") if isinstance(content, str) else content
    with atomic_path(path) as temporary:
        temporary.write_bytes(raw)


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Give a temporary path to write to; it takes the place of `path` if the block ends well.

    The permissions of a file that is replaced are kept, a link goes on pointing to its file, and
    what is no file (a pipe, a device) is written to as it is.
    """
    target = Path(path).resolve()
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        yield target
        return
    with temporary_file(_beside(target)) as temporary:
        _reserve(temporary, target)
        yield temporary
        with temporary.open("r+b") as stream:  # Windows asks for the right to write
            os.fsync(stream.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)


def _mode(path: Path) -> int | None:
    return path.stat().st_mode if path.exists() else None


def _beside(target: Path) -> Path:
    """A name in the directory of `target` that nobody has, with its ending."""
    return target.with_name(f".{secrets.token_hex(8)}{target.suffix}")


def _reserve(temporary: Path, target: Path) -> None:
    """Make an empty file with the permissions of a new one."""
    try:
        temporary.open("xb").close()
    except OSError as error:  # the user knows the target, not the temporary file
        raise OSError(error.errno, error.strerror, str(target)) from None
