"""`unsuprank reproduce` and `unsuprank data list|check|fetch`: the study of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io import FileProblem
from ..study.data.collection import BASE_URL, COLLECTION, fetch, problem
from ..study.data.data_sets import find_data_sets, load_data_set
from ..study.engine.runner import Limits
from ..study.plan.suites import PARTS, check_methods, check_parts
from . import console
from .options import LISTED, Scheduler, checked, split_names

data_app = typer.Typer(help="The data sets of the study.", no_args_is_help=True)


def _named(check: Callable[[Sequence[str]], list[str]]) -> Callable[[str], Any]:
    """A parser of names by comma."""
    return checked(lambda text: check(split_names(text)))


def reproduce(
    data: Annotated[Path, typer.Option(help="Directory of .mat, .npz, .arff or .csv files.")],
    out: Annotated[Path, typer.Option(help="Where results, tables and pictures go.")],
    only: Annotated[
        Any,
        typer.Option(parser=_named(check_parts), metavar="A,B", help=f"Parts: {', '.join(PARTS)}."),
    ] = None,
    methods: Annotated[
        Any, typer.Option(parser=_named(check_methods), metavar="A,B", help="Methods.")
    ] = None,
    data_sets: Annotated[Any, typer.Option(**LISTED, help="Data sets.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Jobs at once, a process for each.")] = 2,
    scheduler: Scheduler = None,
    time_limit: Annotated[float, typer.Option(help="Seconds that one job may take.")] = 90.0,
    grid_time_limit: Annotated[
        float, typer.Option(help="Seconds of a job of the hyper-parameter studies.")
    ] = 15.0,
    memory_limit: Annotated[float, typer.Option(help="Gigabytes that a worker may take.")] = 6.0,
    full: Annotated[bool, typer.Option("--full", help="Run jobs without limits.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try failed jobs again.")
    ] = False,
) -> None:
    """Run the study of the paper; an interrupted run goes on where it stopped."""
    from ..study.reproduce import reproduce as run_study  # other commands do without Jinja2

    try:
        summary = run_study(
            data,
            out,
            only=only,
            methods=methods,
            data_sets=data_sets,
            jobs=jobs,
            scheduler=scheduler,
            full=full,
            limits=Limits(time_limit, memory_limit, grid_time_limit),
            retry_failed=retry_failed,
            verbose=True,  # unless quiet
            say=console.note,
        )
    except KeyboardInterrupt:
        console.say(console.NOTE, "what was finished is kept; the same command goes on from there")
        raise
    typer.echo(
        f"{summary.computed} jobs computed, {summary.found} found, {len(summary.failed)} failed, "
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
    verdicts = {path.name: _verdict(name, path) for name, path in find_data_sets(directory).items()}
    for file_name, verdict in verdicts.items():
        typer.echo(f"{file_name:<18} {verdict}")
    wrong = sum(verdict.startswith("wrong") for verdict in verdicts.values())
    if wrong:
        raise FileProblem(f"{wrong} of {len(verdicts)} files are wrong; fetch them again")


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
        path = fetch(name, to, base_url=base_url, verify=not no_verify, verbose=True)
        typer.echo(f"{name}: {path}")


def _verdict(name: str, path: Path) -> str:
    known = COLLECTION.get(name) if path.suffix == ".mat" else None
    if known is not None:
        wrong = problem(known, path)
        if wrong is not None:
            return f"wrong: {wrong}"
        return "right" if known.checksum else "right shape (no checksum known)"
    try:
        rows, columns = load_data_set(path).table.shape
    except FileProblem as error:
        return f"wrong: {error}"
    return f"readable, {rows} x {columns} (not a file of the collection)"
