"""Groups of options, and what is said for all commands."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import pytest

pytest.importorskip("typer")

import typer

from unsuprank.cli.app import ending, run
from unsuprank.cli.options import FileOptions, TableOptions, with_groups
from unsuprank.io import FileProblem


@dataclass(frozen=True, kw_only=True)
class Point:
    x: Annotated[float, typer.Argument()]
    y: Annotated[float, typer.Option(help="How high.")] = 2.0


def test_a_group_is_shown_as_its_fields_and_given_as_one():
    given = []

    @with_groups
    def move(context: typer.Context, to: Point, fast: bool = False) -> None:
        """Move."""
        given.append((to, fast))

    app = typer.Typer()
    app.command()(move)
    app(["3", "--y", "4", "--fast"], standalone_mode=False)
    app(["1"], standalone_mode=False)
    assert given == [(Point(x=3.0, y=4.0), True), (Point(x=1.0), False)]
    assert move.__doc__ == "Move."


@pytest.mark.parametrize(
    ("command", "group"),
    [
        ("rank", TableOptions),
        ("compare", TableOptions),
        ("curve", TableOptions),
        ("explain", TableOptions),
        ("transform", FileOptions),
    ],
)
def test_commands_read_files_with_the_same_options(command, group, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for field in fields(group):
        assert field.name.replace("_", "-") in shown


@pytest.mark.parametrize("place", [0, 1, 2, 6])
def test_quiet_may_stand_anywhere(place, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(",a,b\nr,1,2\ns,3,9\n")
    args = ["rank", str(path), "--method", "variance", "--out", "-"]
    assert run(args) == 0
    assert "note:" in capsys.readouterr().err
    assert run([*args[:place], "--quiet", *args[place:]]) == 0
    assert capsys.readouterr().err == ""
    assert run(args) == 0  # one call says nothing to the next
    assert "note:" in capsys.readouterr().err


class WrongOption(Exception):
    def format_message(self) -> str:
        return "there is no --such"


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (FileProblem("t.csv is empty"), 3, "t.csv is empty"),
        (FileNotFoundError(2, "No such file", "t.csv"), 3, "t.csv"),
        (MemoryError(), 3, "MemoryError"),
        (WrongOption(), 2, "there is no --such (see unsuprank --help)"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("oops"), 1, "ZeroDivisionError: oops (see it all with --debug)"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_exit_codes(error, code, says):
    found, message = ending(error)
    assert found == code
    assert says in message
