"""A lock on one byte of a file, which the system drops when the process dies."""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def lock_byte(file: IO[bytes], offset: int) -> None:
        """Lock a byte, which need not be there; an OSError if another process has it."""
        file.seek(offset)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def unlock_byte(file: IO[bytes], offset: int) -> None:
        """Give a lock back."""
        file.seek(offset)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def lock_byte(file: IO[bytes], offset: int) -> None:
        """Lock a byte, which need not be there; an OSError if another process has it."""
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)

    def unlock_byte(file: IO[bytes], offset: int) -> None:
        """Give a lock back."""
        fcntl.lockf(file, fcntl.LOCK_UN, 1, offset)
