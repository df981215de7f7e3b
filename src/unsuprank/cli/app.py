"""The program: its commands, the options of all of them, and how it ends.

A command ends with 0 if it is done, 1 for a fault of ours, 2 for a wrong option, 3 for bad data,
and 130 for Ctrl-C. Commands only raise. What the package raises when data or files cannot be used
are Python's own kinds of errors, so that no module below needs to know of the command line.
"""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer
from sklearn.exceptions import ConvergenceWarning

from .._version import __version__
from . import console
from .compare_command import compare
from .curve_command import curve
from .explain_command import explain
from .interrupts import INTERRUPTED
from .methods_command import methods
from .rank_command import rank
from .study_commands import data_app, reproduce
from .transform_command import transform

OK, FAULT, USAGE, BAD_DATA = 0, 1, 2, 3

_BAD_DATA = (ValueError, TypeError, OSError, MemoryError, ImportError)

DEBUG = "--debug"

app = typer.Typer(
    name="unsuprank",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Which columns of a table matter, when there are no labels?",
    epilog="Exit codes: 0 done, 1 a fault of the program, 2 a wrong option, 3 data that cannot be "
    "used, 130 interrupted. Complete names with the tabulator key after "
    "[bold]unsuprank --install-completion[/bold].",
)


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    _debug: Annotated[bool, typer.Option(DEBUG, help="Show tracebacks of ")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
) -> None:
    context.with_resource(console.told_to_be(quiet))
    if version:
        typer.echo(f"unsuprank {__version__}")
        raise typer.Exit


_EXAMPLES = {
    rank: (
        "rank mine.csv",
        "rank cells.h5ad --raw --label cell_type --report cells.html --write",
        "rank mine.csv.gz --drop id --label class --out scores.csv",
        "rank - --out - < mine.tsv",
    ),
    methods: ("methods",),
    transform: ("transform mine.csv --scores scores.csv --top 50 --out small.csv",),
    compare: ("compare mine.csv --methods genie3,urelief,variance",),
    curve: ("curve mine.csv --method genie3 --out curve.csv",),
    explain: (
        "explain mine.csv --label cluster",
        "explain cells.h5ad --label leiden --out markers.csv",
    ),
}
for _command, _lines in _EXAMPLES.items():
    _shown = " · ".join(f"[bold]unsuprank {line}[/bold]" for line in _lines)
    app.command(epilog=f"Examples: {_shown}")(_command)
app.command()(reproduce)
app.add_typer(data_app, name="data")


def _common_first(arguments: list[str]) -> list[str]:
    """Put the options of all commands, which may stand anywhere, where typer wants them."""
    common = [a for a in arguments if a in (DEBUG, "--quiet")]
    return [*common, *[a for a in arguments if a not in common]]


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


def run(arguments: list[str]) -> int:
    """Run a command; errors become one line on stderr and an exit code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: console.say(
                console.WARNING, str(message)
            )
            # That a forest is not stable is left to a note.
            warnings.filterwarnings("ignore", "Two fits of", ConvergenceWarning)
            given = _common_first(arguments)
            code = app(args=given, prog_name="unsuprank", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:
        code, message = ending(error)
        if DEBUG in arguments and code in (FAULT, BAD_DATA):
            raise
        if code == OK:
            sys.stderr.close()  # the reader of the pipe has gone; there is nobody to tell
        else:
            console.say(console.ERROR, message)
        return code
    if code == INTERRUPTED:  # typer's own answer to Ctrl-C
        console.say(console.ERROR, "interrupted")
    return code if isinstance(code, int) else OK
