"""The commands. Exit codes: 0 done, 1 a fault of ours, 2 a wrong option, 3 bad data, 130 Ctrl-C."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import registry as methods
from .._version import __version__
from ..io import FORMATS, FileProblem, ReadOptions, read_scores, write_rows
from . import console
from .console import Prose
from .load import Choice, fit, load

OK, FAULT, USAGE, BAD_DATA, INTERRUPTED = 0, 1, 2, 3, 130

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

_state = {"debug": False, "quiet": False}


def _complete_method(incomplete: str) -> list[tuple[str, str]]:
    return [(m.name, m.what) for m in methods.available() if m.name.startswith(incomplete)]


def _tree_count(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is neither a whole number from 1 on nor auto")
    return int(text)


File = Annotated[str, typer.Argument(help="A table, or - for standard input.", show_default=False)]
Drop = Annotated[str, typer.Option(help="Columns to leave out: a,b,c.", metavar="A,B")]
Label = Annotated[str | None, typer.Option(help="The column with labels: shown, never ranked.")]
Nominal = Annotated[str, typer.Option(help="Columns of numbers that are names.", metavar="A,B")]
Format = Annotated[str | None, typer.Option(help=f"Instead of the ending: {', '.join(FORMATS)}.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Instead of finding it out.")
]
Key = Annotated[str | None, typer.Option(help="Which variable of a .mat or .npz file.")]
Layer = Annotated[str | None, typer.Option(help="Which layer of an .h5ad file.")]
Raw = Annotated[bool, typer.Option("--raw", help="The raw matrix of an .h5ad file.")]
MethodName = Annotated[
    str, typer.Option(help="See `unsuprank methods`.", autocompletion=_complete_method)
]
Top = Annotated[int, typer.Option(min=1, help="How many features to show.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same ranking.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; all cores if not given.")]
Trees = Annotated[
    Any,
    typer.Option(
        parser=_tree_count,
        metavar="N|auto",
        help="Trees of a forest method; auto: until the ranking is stable.",
    ),
]
Out = Annotated[str | None, typer.Option(help="Write .csv, .json or .parquet; - prints CSV.")]


@app.callback(invoke_without_command=True)
def _common(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
) -> None:
    _state.update(debug=debug, quiet=quiet)
    if version:
        typer.echo(f"unsuprank {__version__}")
        raise typer.Exit


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _choice(path: str, drop: str, label: str | None, nominal: str, read: ReadOptions) -> Choice:
    return Choice(path, read, _names(drop), label, _names(nominal), _state["quiet"])


@app.command(
    epilog="Examples: [bold]unsuprank rank mine.csv[/bold] · "
    "[bold]unsuprank rank cells.h5ad --raw --report cells.html --write[/bold] · "
    "[bold]unsuprank rank mine.csv.gz --drop id --label class --out scores.csv[/bold] · "
    "[bold]cat mine.tsv | unsuprank rank - --out -[/bold]"
)
def rank(
    file: File,
    method: MethodName = methods.DEFAULT,
    top: Top = 16,
    out: Out = None,
    report: Annotated[Path | None, typer.Option(help="Write a page to look at (.html).")] = None,
    drop: Drop = "",
    label: Label = None,
    nominal: Nominal = "",
    seed: Seed = 0,
    jobs: Jobs = None,
    trees: Trees = None,
    write: Annotated[bool, typer.Option("--write", help="Put scores into the .h5ad.")] = False,
    format: Format = None,
    header: Header = None,
    key: Key = None,
    layer: Layer = None,
    raw: Raw = False,
) -> None:
    """Rank the columns of a table, the most telling first."""
    methods.find(method)
    _check_targets(out, report, write, file)
    data = load(_choice(file, drop, label, nominal, ReadOptions(format, header, key, layer, raw)))
    table = data.table()
    ranker = fit(method, table, seed=seed, jobs=jobs, n_estimators=trees)
    from ..describe import score_rows

    rows = score_rows(ranker, table)
    if out:
        write_rows(rows, out)
    if out != "-":
        shown = [
            [r["rank"], r["feature"], r["score"], _typical(r), r["spread"]] for r in rows[:top]
        ]
        columns = [("rank", "right"), ("feature", "left"), ("score", "right")]
        columns += [("mean/mode", "right"), ("spread", "right")]
        console.print_table(
            f"The top {len(shown)} of {len(rows)} columns of {data.source}, by {method}",
            columns,
            shown,
        )
    if report:
        _write_report(ranker, data, table, report, seed)
    if write:
        _write_back(Path(file), data.names, ranker)
    for target in (out, report):
        if target and str(target) != "-":
            console.err().print(f"Written: {console.escape(str(target))}", soft_wrap=True)


def _typical(row: dict[str, Any]) -> Any:
    return row["mode"] if row["mode"] is not None else row["mean"]


def _check_targets(out: str | None, report: Path | None, write: bool, file: str) -> None:
    """Refuse before the work what would fail after it."""
    for target in (out, report):
        if target and str(target) != "-" and not Path(target).absolute().parent.is_dir():
            raise FileProblem(f"{Path(target).parent} is not a directory; make it first")
    if out and out != "-" and Path(out).suffix.lower() not in _WRITABLE:
        raise FileProblem(f"{out}: scores are written as .csv, .tsv, .json or .parquet")
    if write and not file.endswith(".h5ad"):
        raise FileProblem("--write puts scores back into an .h5ad file; use --out for others")


_WRITABLE = (".csv", ".tsv", ".txt", ".json", ".parquet", ".pq")


def _write_report(ranker: Any, data: Any, table: Any, path: Path, seed: int) -> None:
    from ..report import write_report

    labels = data.label.texts() if data.label else None
    write_report(
        ranker,
        table,
        path,
        title=data.source,
        labels=labels,
        label_name=data.label.name if data.label else None,
        notes=[*data.notes, *(f"column {n!r} {why}" for n, why in data.suspects())],
        seed=seed,
    )


def _write_back(path: Path, names: list[str], ranker: Any) -> None:
    from ..io.h5ad import open_h5ad, store_scores, write_h5ad

    adata = open_h5ad(path, path.name)
    store_scores(adata, names, ranker, {"method": type(ranker).__name__, "version": __version__})
    write_h5ad(adata, path)
    console.err().print(f"Scores are in var of {console.escape(str(path))}", soft_wrap=True)


@app.command("methods", epilog="Example: [bold]unsuprank methods[/bold]")
def show_methods() -> None:
    """What each method is, when to use it, what it accepts and what it costs."""
    rows = [
        [m.name, Prose(m.what), Prose(m.when), Prose(m.accepts), Prose(m.cost)]
        for m in methods.available()
    ]
    columns = [(c, "left") for c in ("method", "what it is", "when to use it", "accepts", "cost")]
    console.print_table("", columns, rows)


@app.command(
    epilog="Example: [bold]unsuprank transform mine.csv --scores scores.csv --top 50 "
    "--out small.csv[/bold]"
)
def transform(
    file: File,
    scores: Annotated[Path, typer.Option(help="What `unsuprank rank --out` wrote.")],
    top: Annotated[int, typer.Option(min=1, help="How many features to keep.")] = 50,
    out: Annotated[str, typer.Option(help="Write .csv, .json or .parquet; - prints CSV.")] = "-",
    format: Format = None,
    header: Header = None,
    key: Key = None,
    layer: Layer = None,
    raw: Raw = False,
) -> None:
    """Keep the top features of a table, in the order of the file."""
    best = read_scores(scores)[:top]
    data = load(_choice(file, "", None, "", ReadOptions(format, header, key, layer, raw)))
    kept = data.only(best)
    cells = [_plain(c) for c in kept.columns]
    write_rows([dict(zip(kept.names, row, strict=True)) for row in zip(*cells, strict=True)], out)


def _plain(column: Any) -> list[Any]:
    if column.categories is not None:
        return [text or None for text in column.texts()]
    return [None if v != v else int(v) if v == int(v) else v for v in column.values.tolist()]


@app.command(
    epilog="Example: [bold]unsuprank compare mine.csv --methods genie3,urelief,variance[/bold]"
)
def compare(
    file: File,
    methods_: Annotated[
        str, typer.Option("--methods", help="Methods to compare: a,b,c.", metavar="A,B")
    ] = f"{methods.DEFAULT},variance,random",
    top: Top = 16,
    out: Out = None,
    drop: Drop = "",
    label: Label = None,
    nominal: Nominal = "",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: Format = None,
    header: Header = None,
    key: Key = None,
    layer: Layer = None,
    raw: Raw = False,
) -> None:
    """Compare the rankings of several methods: agreement and shared top features."""
    names = _names(methods_)
    for name in names:
        methods.find(name)
    data = load(_choice(file, drop, label, nominal, ReadOptions(format, header, key, layer, raw)))
    table = data.table()
    from ..describe import agreement_rows, rank_rows

    fitted = {name: fit(name, table, seed=seed, jobs=jobs) for name in names}
    rows = rank_rows(data.names, fitted)
    if out:
        write_rows(rows, out)
    if out != "-":
        console.print_table(
            "Spearman correlation of the ranks, and how many of the "
            f"top {min(top, len(rows))} two methods share",
            [("method", "left"), *[(name, "right") for name in names]],
            agreement_rows(fitted, top),
        )
        console.print_table(
            f"Ranks of the {min(top, len(rows))} features that are best on average",
            [("feature", "left"), *[(name, "right") for name in names]],
            [[r["feature"], *[r[f"{name}_rank"] for name in names]] for r in rows[:top]],
        )


@app.command(
    epilog="Example: [bold]unsuprank curve mine.csv --method genie3 --out curve.csv[/bold]"
)
def curve(
    file: File,
    method: MethodName = methods.DEFAULT,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 10,
    out: Out = None,
    drop: Drop = "",
    label: Label = None,
    nominal: Nominal = "",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: Format = None,
    header: Header = None,
    key: Key = None,
    layer: Layer = None,
    raw: Raw = False,
) -> None:
    """Show how well the top 1, 2, 4, ... features predict all others, against random order."""
    methods.find(method)
    data = load(_choice(file, drop, label, nominal, ReadOptions(format, header, key, layer, raw)))
    table = data.table()
    from ..evaluation.prediction_curve import no_curve_because, prediction_curve
    from .load import make_for

    reason = no_curve_because(table)
    if reason is not None:
        raise FileProblem(reason)
    ranker = make_for(method, table, seed=seed, jobs=jobs)
    result = prediction_curve(table, ranker, cv=min(folds, table.n_rows), seed=seed, n_jobs=jobs)
    rows = result.rows()
    if out:
        write_rows(rows, out)
    if out != "-":
        console.print_table(
            f"Error of predicting all columns from the top ones, {method} on {data.source}",
            [(name, "right") for name in rows[0]],
            [list(row.values()) for row in rows],
        )


def _mount() -> None:
    """Commands of the experiments, where they are installed."""
    try:
        extra = importlib.import_module("unsuprank.study.commands")
    except ImportError:
        return
    if hasattr(extra, "reproduce"):
        app.command("reproduce")(extra.reproduce)
    if hasattr(extra, "data_app"):
        app.add_typer(extra.data_app, name="data")


_mount()


def _common_first(arguments: list[str]) -> list[str]:
    """Options of all commands may stand anywhere; typer wants them before the command."""
    if "reproduce" in arguments:  # which has a --quiet of its own
        return arguments
    common = [a for a in arguments if a in ("--debug", "--quiet")]
    return [*common, *[a for a in arguments if a not in common]]


def run(arguments: list[str]) -> int:
    """Run a command; errors become one line on stderr and an exit code."""
    arguments = _common_first(arguments)
    debug = "--debug" in arguments
    quiet = "--quiet" in arguments
    try:
        with console.showing_progress(quiet), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: console.warn(str(message))
            code = app(args=arguments, prog_name="unsuprank", standalone_mode=False)
        if code == INTERRUPTED:  # typer's own answer to Ctrl-C
            return _fail("interrupted", INTERRUPTED)
        return code if isinstance(code, int) else OK
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has gone; there is nobody to tell
        return OK
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        if debug:
            raise
        return _fail(str(error) or type(error).__name__, BAD_DATA)
    except Exception as error:
        # Wrong options: the class lives in click or in typer, depending on typer's version.
        if hasattr(error, "format_message"):
            return _fail(f"{error.format_message()} (see unsuprank --help)", USAGE)
        if debug:
            raise
        return _fail(f"{type(error).__name__}: {error} (see it all with --debug)", FAULT)


def _fail(text: str, code: int) -> int:
    console.err().print(
        f"[bold red]error:[/bold red] {console.escape(console.shorten(text, 500))}", soft_wrap=True
    )
    return code
