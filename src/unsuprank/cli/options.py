"""The options of the commands, each in one place, in groups that commands share.

A command takes a group of options as one argument: a dataclass whose fields are annotated the way
typer wants it. :func:`with_groups` shows typer the fields of every group as options of the
command, so that its ``--help`` is complete, and puts the groups together when it is called.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from .. import registry
from ..describe.fitted import parameters_called
from ..io import FORMATS, ReadOptions
from ..ranker import Ranker

_reading = partial(typer.Option, rich_help_panel="Reading the table")
_fitting = partial(typer.Option, rich_help_panel="Fitting")


def split_names(text: str) -> tuple[str, ...]:
    """Split a list like ``a,b,c``."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


#: What an option that takes a list of names is to typer.
LISTED: Any = {"parser": split_names, "metavar": "A,B"}


def checked(check: Callable[[str], Any]) -> Callable[[str], Any]:
    """Make a parser of an option of what `check` does; what it refuses is a wrong option."""

    def parse(text: str) -> Any:
        try:
            return check(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


@checked
def _method_name(text: str) -> str:
    return registry.find(text).name


def _method_names(text: str) -> tuple[str, ...]:
    return tuple(_method_name(name) for name in split_names(text))


@checked
def _decimal_mark(text: str) -> str:
    if text not in (".", ","):
        raise ValueError(f"{text!r} is neither a point nor a comma")
    return text


@dataclass(frozen=True, kw_only=True)
class FileOptions(ReadOptions):
    """Which file to read, and how."""

    file: Annotated[
        str, typer.Argument(help="A table, or - for standard input.", show_default=False)
    ]
    format: Annotated[
        str | None, _reading(help=f"Format of the file, detected by default: {', '.join(FORMATS)}.")
    ] = None
    header: Annotated[
        bool | None, _reading("--header/--no-header", help="Detected by default.")
    ] = None
    key: Annotated[
        str | None, _reading(help="Which variable of a .mat or .npz file, or sheet of a workbook.")
    ] = None
    layer: Annotated[str | None, _reading(help="Which layer of an .h5ad file.")] = None
    raw: Annotated[bool, _reading("--raw", help="The raw matrix of an .h5ad file.")] = False
    sep: Annotated[
        str | None, _reading(help="Separator: one character, tab or space; detected by default.")
    ] = None
    decimal: Annotated[
        Any,
        _reading(parser=_decimal_mark, metavar=".|,", help="Decimal mark, detected by default."),
    ] = None
    na: Annotated[
        Any, _reading(**LISTED, help="Further missing values, beside NA, ? and the like: -999,-.")
    ] = ""


@checked
def _byte_count(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", text.upper())
    if not found or not float(found[1]):
        raise ValueError(f"{text!r} is no amount of memory; say for instance 500MB or 2GB")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2] or " "))


Memory = Annotated[
    Any,
    _reading(
        parser=_byte_count,
        metavar="2GB",
        help="Read files that would take more than this in parts; all rows or samples, by method.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class TableOptions(FileOptions):
    """Which file to read, and what its columns are."""

    drop: Annotated[Any, _reading(**LISTED, help="Columns to leave out: a,b,c.")] = ""
    label: Annotated[
        str | None,
        _reading(
            help="Labels, which are shown and never ranked: a column, a vector of a .mat or .npz "
            "file, or a column of obs of an .h5ad file."
        ),
    ] = None
    nominal: Annotated[Any, _reading(**LISTED, help="Numeric columns to treat as categorical.")] = (
        ""
    )
    keep_ids: Annotated[
        bool, _reading("--keep-ids", help="Also rank columns that look like identifiers.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """What every method may be told."""

    seed: Annotated[int, _fitting(min=0, help="The same seed gives the same ranking.")] = 0
    jobs: Annotated[int | None, _fitting(min=1, help="Threads; all cores if not given.")] = None
    include: Annotated[
        Any, _fitting(**LISTED, help="Columns to put first, whatever they score: CD3E,HLA-*.")
    ] = ""
    exclude: Annotated[
        Any, _fitting(**LISTED, help="Columns to put last, whatever they score: MT-*,RP[LS]*.")
    ] = ""

    def make(self, method: str, **params: Any) -> Ranker:
        """Make an unfitted ranker."""
        jobs = self.jobs or os.cpu_count() or 1
        forced = {"include": self.include, "exclude": self.exclude}
        params |= {name: wanted for name, wanted in forced.items() if wanted}
        return registry.make(method, seed=self.seed, n_jobs=jobs, **params)


#: Parameters that only some methods have: why a method has none, and how to go on without it.
_NOT_TAKEN = {
    "n_estimators": "grows no trees; leave out --trees, or use genie3",
    "scheduler": "runs on one machine; leave out --scheduler, or use shared-variance or genie3",
}


def check_takes(method: str, parameter: str, value: Any) -> None:
    """Refuse an option for a method that has no such parameter."""
    if value is not None and not parameters_called(registry.make(method), parameter):
        raise typer.BadParameter(f"{method} {_NOT_TAKEN[parameter]}")


def _complete_method(incomplete: str) -> list[tuple[str, str]]:
    return [(m.name, m.what) for m in registry.available() if m.name.startswith(incomplete)]


@checked
def _tree_count(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{text!r} is neither a whole number from 1 on nor auto")
    return int(text)


MethodName = Annotated[
    Any,
    typer.Option(
        parser=_method_name,
        metavar="NAME",
        help="See `unsuprank methods`.",
        autocompletion=_complete_method,
    ),
]
MethodNames = Annotated[
    Any, typer.Option(parser=_method_names, metavar="A,B", help="Methods to compare: a,b,c.")
]
Top = Annotated[int, typer.Option(min=1, help="How many features to show.")]
Trees = Annotated[
    Any,
    _fitting(
        parser=_tree_count,
        metavar="N|auto",
        help="Trees of a forest method; by default (auto) until the top columns are stable.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler whose workers do the work, such as tcp://10.0.0.1:8786.",
    ),
]
ReportPath = Annotated[Path | None, typer.Option("--report", help="Write an HTML report.")]
Out = Annotated[str | None, typer.Option(help="Write .csv, .json or .parquet; - prints CSV.")]


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command that takes groups of options one that takes their fields."""
    groups, shown = {}, []
    for parameter in _parameters(command):
        hint = parameter.annotation
        if isinstance(hint, type) and is_dataclass(hint):
            groups[parameter.name] = hint
            shown += _parameters(hint)
        else:
            shown.append(parameter)

    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{p.name: given.pop(p.name) for p in _parameters(group)})
        command(**given)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__annotations__ = {p.name: p.annotation for p in shown}
    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return called


def _parameters(of: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a command, or the fields of a group, with their hints as objects."""
    hints, named = get_type_hints(of, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    parameters = inspect.signature(of).parameters.values()
    return [p.replace(annotation=hints[p.name], kind=named) for p in parameters]
