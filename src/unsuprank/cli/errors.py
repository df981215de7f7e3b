"""How a command ends: 0 done, 1 a fault of ours, 2 a wrong option, 3 bad data, 130 Ctrl-C.

Commands only raise. What the package raises when data or files cannot be used are Python's own
kinds of errors, so that no module below needs to know of the command line.
"""

from __future__ import annotations

import typer

from .interrupts import INTERRUPTED

OK, FAULT, USAGE, BAD_DATA = 0, 1, 2, 3

_BAD_DATA = (ValueError, TypeError, OSError, MemoryError, ImportError)


def ending(error: BaseException) -> tuple[int, str]:
    """Tell the exit code when a command raises `error`, and in one line what to know of it."""
    name = type(error).__name__
    if isinstance(error, BrokenPipeError):  # who read our output has seen enough
        return OK, ""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return INTERRUPTED, "interrupted"
    if isinstance(error, _BAD_DATA):
        return BAD_DATA, str(error) or name
    # The class of wrong options lives in click or in typer, depending on typer's version.
    said = getattr(error, "format_message", None)
    if said is not None:
        return USAGE, f"{said()} (see unsuprank --help)"
    return FAULT, f"{name}: {error} (see it all with --debug)"
