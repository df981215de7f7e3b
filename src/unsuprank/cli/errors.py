"""How a command ends: 0 done, 1 a fault of ours, 2 a wrong option, 3 bad data, 130 Ctrl-C.

Commands only raise. What the package raises when data or files cannot be used are Python's own
kinds of errors, so that no module below needs to know of the command line.
"""

from __future__ import annotations

import typer

from .interrupts import INTERRUPTED

OK, FAULT, USAGE, BAD_DATA = 0, 1, 2, 3

_BAD_DATA = (ValueError, TypeError, OSError, MemoryError, ImportError)


def exit_code(error: BaseException) -> int:
    """Tell the exit code of the program when a command raises `error`."""
    if isinstance(error, BrokenPipeError):  # who read our output has seen enough
        return OK
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return INTERRUPTED
    if isinstance(error, _BAD_DATA):
        return BAD_DATA
    return USAGE if _usage(error) else FAULT


def message(error: BaseException) -> str:
    """Say of an error in one line what a person should know."""
    code = exit_code(error)
    if code == INTERRUPTED:
        return "interrupted"
    if code == BAD_DATA:
        return str(error) or type(error).__name__
    return _usage(error) or f"{type(error).__name__}: {error} (see it all with --debug)"


def _usage(error: BaseException) -> str:
    """Say what is wrong with the options; return an empty text for other errors."""
    # The class lives in click or in typer, depending on typer's version.
    said = getattr(error, "format_message", None)
    return "" if said is None else f"{said()} (see unsuprank --help)"
