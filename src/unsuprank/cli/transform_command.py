"""`unsuprank transform`: keep the columns that a ranking found best."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..io import read_scores, write_rows
from .files import check_outputs, check_target, read, save
from .options import FileOptions, with_groups


@with_groups
def transform(
    options: FileOptions,
    scores: Annotated[Path, typer.Option(help="What `unsuprank rank --out` wrote.")],
    top: Annotated[int, typer.Option(min=1, help="How many features to keep.")] = 50,
    out: Annotated[str, typer.Option(help="Write .csv, .json or .parquet; - prints CSV.")] = "-",
) -> None:
    """Keep the top features of a table, in the order of the file."""
    check_outputs(options.file, out)
    check_target(out, scores)
    best = read_scores(scores)[:top]
    save(read(options).only(best).rows(), out, partial(write_rows, guard=False))
