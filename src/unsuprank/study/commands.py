"""`unsuprank reproduce` and `unsuprank data list|check|fetch`, for the command line to mount.

This module alone needs typer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from .data.collection import BASE_URL, COLLECTION
from .data.data_sets import find_data_sets, load_data_set
from .data.fetch import FetchError, fetch, problem
from .engine.runner import Limits
from .plan.suites import PARTS
from .reproduce import reproduce as run_study

data_app = typer.Typer(help="The data sets of the study.", no_args_is_help=True)


def reproduce(
    data: Annotated[Path, typer.Option(help="Directory of .mat, .npz, .arff or .csv files.")],
    out: Annotated[Path, typer.Option(help="Where results, tables and pictures go.")],
    only: Annotated[str | None, typer.Option(help=f"Parts, by comma: {', '.join(PARTS)}.")] = None,
    methods: Annotated[str | None, typer.Option(help="Methods, by comma.")] = None,
    data_sets: Annotated[str | None, typer.Option(help="Data sets, by comma.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 2,
    time_limit: Annotated[float, typer.Option(help="Seconds that one cell may take.")] = 90.0,
    grid_time_limit: Annotated[
        float, typer.Option(help="Seconds of a cell of the hyper-parameter studies.")
    ] = 15.0,
    memory_limit: Annotated[float, typer.Option(help="Gigabytes that a worker may take.")] = 6.0,
    full: Annotated[bool, typer.Option("--full", help="Run cells without limits.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try failed cells again.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Run the study of the paper; an interrupted run goes on where it stopped."""
    try:
        summary = run_study(
            data,
            out,
            only=_split(only),
            methods=_split(methods),
            data_sets=_split(data_sets),
            jobs=jobs,
            full=full,
            limits=Limits(time_limit, memory_limit, grid_time_limit),
            retry_failed=retry_failed,
            verbose=0 if quiet else 1,
            say=lambda line: typer.echo(line, err=True),
        )
    except (ValueError, FileNotFoundError) as error:
        _stop(str(error))
    except KeyboardInterrupt:
        _stop("Interrupted. What was finished is kept; the same command goes on from there.", 130)
    typer.echo(
        f"{summary.computed} cells computed, {summary.found} found, {len(summary.failed)} failed, "
        f"{len(summary.over_limit)} over their limit. The page: {out / 'index.html'}"
    )


@data_app.command("list")
def list_data() -> None:
    """Name the data sets of the scikit-feature collection."""
    for file in COLLECTION.values():
        known = f"{file.size:>9} bytes" if file.size else "no checksum known"
        typer.echo(f"{file.name:<12} {file.rows:>5} x {file.columns:<6} {known}")


@data_app.command("check")
def check_data(directory: Path) -> None:
    """Check the files of a directory: readable, and those of the collection unchanged."""
    try:
        files = find_data_sets(directory)
    except FileNotFoundError as error:
        _stop(str(error))
    bad = 0
    for name, path in files.items():
        verdict = _verdict(name, path)
        bad += verdict.startswith("wrong")
        typer.echo(f"{path.name:<18} {verdict}")
    if bad:
        _stop(f"{bad} of {len(files)} files are wrong.")


@data_app.command("fetch")
def fetch_data(
    names: Annotated[list[str], typer.Argument(help="Names, or 'all' with known checksums.")],
    to: Annotated[Path, typer.Option(help="Directory.")],
    base_url: Annotated[str, typer.Option(help="Where the files are published.")] = BASE_URL,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Check the shape only, not the SHA-256.")
    ] = False,
) -> None:
    """Download data sets of the collection."""
    if names == ["all"]:
        names = [f.name for f in COLLECTION.values() if no_verify or f.checksum]
    for name in names:
        try:
            path = fetch(name, to, base_url=base_url, verify=not no_verify, verbose=1)
        except (FetchError, ValueError) as error:
            _stop(str(error))
        typer.echo(f"{name}: {path}")


def _verdict(name: str, path: Path) -> str:
    known = COLLECTION.get(name) if path.suffix == ".mat" else None
    if known is not None:
        wrong = problem(known, path)
        if wrong is not None:
            return f"wrong: {wrong}"
        return "right" if known.checksum else "right shape (no checksum known)"
    try:
        rows, columns = load_data_set(path).X.shape
    except ValueError as error:
        return f"wrong: {error}"
    return f"readable, {rows} x {columns} (not a file of the collection)"


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _stop(message: str, code: int = 1) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(code)


app = typer.Typer(no_args_is_help=True, add_completion=False)
app.command("reproduce")(reproduce)
app.add_typer(data_app, name="data")
