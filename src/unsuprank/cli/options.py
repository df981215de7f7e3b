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
from dataclasses import MISSING, dataclass, fields
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


def checked(check: Callable[[str], Any]) -> Callable[[str], Any]:
    """Make a parser of an option of what `check` does; what it refuses is a wrong option."""

    def parse(text: str) -> Any:
        try:
            return check(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


def _method_name(text: str) -> str:
    return registry.find(text).name


def _method_names(text: str) -> tuple[str, ...]:
    return tuple(_method_name(name) for name in split_names(text))


def _decimal_sign(text: str) -> str:
    if text not in (".", ","):
        raise typer.BadParameter(f"{text!r} is neither a point nor a comma")
    return text


class OptionGroup:
    """Base of dataclasses whose fields are options of a command."""


@dataclass
class Session:
    """What was said for all commands; the object of typer's context."""

    debug: bool = False
    quiet: bool = False


@dataclass(frozen=True, kw_only=True)
class FileOptions(ReadOptions, OptionGroup):
    """Which file to read, and how."""

    file: Annotated[
        str, typer.Argument(help="A table, or - for standard input.", show_default=False)
    ]
    format: Annotated[
        str | None, _reading(help=f"Instead of the ending: {', '.join(FORMATS)}.")
    ] = None
    header: Annotated[
        bool | None, _reading("--header/--no-header", help="Instead of finding it out.")
    ] = None
    key: Annotated[
        str | None, _reading(help="Which variable of a .mat or .npz file, or sheet of a workbook.")
    ] = None
    layer: Annotated[str | None, _reading(help="Which layer of an .h5ad file.")] = None
    raw: Annotated[bool, _reading("--raw", help="The raw matrix of an .h5ad file.")] = False
    sep: Annotated[
        str | None, _reading(help="What separates cells: one character, tab or space.")
    ] = None
    decimal: Annotated[
        Any, _reading(parser=_decimal_sign, metavar=".|,", help="The decimal sign.")
    ] = None
    na: Annotated[
        Any,
        _reading(
            parser=split_names,
            metavar="A,B",
            help="Cells that mean a missing value, beside NA, ? and the like: -999,none.",
        ),
    ] = ""


def _byte_count(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", text.upper())
    if not found or not float(found[1]):
        raise typer.BadParameter(f"{text!r} is no amount of memory; say for instance 500MB or 2GB")
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

    drop: Annotated[str, _reading(help="Columns to leave out: a,b,c.", metavar="A,B")] = ""
    label: Annotated[
        str | None,
        _reading(
            help="Labels, which are shown and never ranked: a column, a vector of a .mat or .npz "
            "file, or a column of obs of an .h5ad file."
        ),
    ] = None
    nominal: Annotated[str, _reading(help="Columns of numbers that are names.", metavar="A,B")] = ""
    keep_ids: Annotated[
        bool,
        _reading("--keep-ids", help="Rank columns whose values hardly repeat, such as names, too."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class FitOptions(OptionGroup):
    """What every method may be told."""

    seed: Annotated[int, _fitting(min=0, help="The same seed gives the same ranking.")] = 0
    jobs: Annotated[int | None, _fitting(min=1, help="Threads; all cores if not given.")] = None
    include: Annotated[
        str, _fitting(metavar="A,B", help="Columns to put first, whatever they score: CD3E,HLA-*.")
    ] = ""
    exclude: Annotated[
        str, _fitting(metavar="A,B", help="Columns to put last, whatever they score: MT-*,RP[LS]*.")
    ] = ""

    def make(self, method: str, **params: Any) -> Ranker:
        """Make an unfitted ranker."""
        jobs = self.jobs or os.cpu_count() or 1
        forced = {"include": split_names(self.include), "exclude": split_names(self.exclude)}
        params |= {name: wanted for name, wanted in forced.items() if wanted}
        return registry.make(method, seed=self.seed, n_jobs=jobs, **params)


def check_trees(method: str, trees: Any) -> None:
    """Refuse a number of trees for a method that grows none."""
    ranker = registry.make(method)
    if trees is not None and not parameters_called(ranker, "n_estimators"):
        raise typer.BadParameter(f"{method} grows no trees; leave out --trees, or use genie3")


def check_scheduler(method: str, scheduler: str | None) -> None:
    """Refuse a scheduler for a method that has nothing to hand out."""
    if scheduler is not None and not parameters_called(registry.make(method), "scheduler"):
        raise typer.BadParameter(
            f"{method} runs on one machine; leave out --scheduler, or use shared-variance or genie3"
        )


def _complete_method(incomplete: str) -> list[tuple[str, str]]:
    return [(m.name, m.what) for m in registry.available() if m.name.startswith(incomplete)]


def _tree_count(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a whole number from 1 on nor auto")
    return int(text)


MethodName = Annotated[
    Any,
    typer.Option(
        parser=checked(_method_name),
        metavar="NAME",
        help="See `unsuprank methods`.",
        autocompletion=_complete_method,
    ),
]
MethodNames = Annotated[
    Any,
    typer.Option(parser=checked(_method_names), metavar="A,B", help="Methods to compare: a,b,c."),
]
Top = Annotated[int, typer.Option(min=1, help="How many features to show.")]
Trees = Annotated[
    Any,
    _fitting(
        parser=_tree_count,
        metavar="N|auto",
        help="Trees of a forest method; auto, and if not given: until the top columns hold still.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler whose workers do the work, such as tcp://10.0.0.1:8786.",
    ),
]
ReportPath = Annotated[
    Path | None, typer.Option("--report", help="Write a page to look at (.html).")
]
Out = Annotated[str | None, typer.Option(help="Write .csv, .json or .parquet; - prints CSV.")]


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command that takes groups of options one that takes their fields."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}
    shown: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            shown += _fields_of(groups[parameter.name])
        else:
            shown.append(_parameter(parameter.name, hints[parameter.name], parameter.default))

    def called(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        command(**given)

    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__annotations__ = {p.name: p.annotation for p in shown}
    called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return called


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, OptionGroup)


def _fields_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(f.name, hints[f.name], f.default) for f in fields(group)]


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
