"""From the options of a command to a table and a fitted ranker."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import registry as methods
from ..io import DataFile, ReadOptions, read_file
from ..ranker import Ranker, rankers_that
from ..table import Table
from .console import note, warn


@dataclass(frozen=True)
class Choice:
    """Which columns of which file."""

    path: str
    options: ReadOptions
    drop: tuple[str, ...] = ()
    label: str | None = None
    nominal: tuple[str, ...] = ()
    quiet: bool = False


def load(choice: Choice) -> DataFile:
    """Read a file, set columns aside, and point out what looks odd."""
    data = read_file(choice.path, choice.options)
    data = data.without(choice.drop).with_label(choice.label).with_nominal(choice.nominal)
    if not choice.quiet:
        for text in data.notes:
            note(f"{data.source}: {text}")
    for name, reason in data.suspects()[:5]:
        warn(
            f"column {name!r} {reason}, and is ranked like the others; leave it out with "
            f"--label {name!r} or --drop {name!r}"
        )
    return data


def fit(name: str, table: Table, *, seed: int | None, jobs: int | None, **params: Any) -> Ranker:
    """Fit the method called `name` on a table."""
    return fit_ranker(make_for(name, table, seed=seed, jobs=jobs, **params), table)


def make_for(
    name: str, table: Table, *, seed: int | None, jobs: int | None, **params: Any
) -> Ranker:
    """An unfitted ranker for a table; refuses what the method cannot take."""
    nominal = table.n_values > 0
    nominal[list(table.schema.boolean)] = False
    jobs = jobs or os.cpu_count() or 1
    ranker = methods.make(
        name, seed=seed, n_jobs=jobs, nominal=nominal if nominal.any() else None, **params
    )
    if not ranker.accepts_missing:
        table.require_complete(type(ranker).__name__, rankers_that("accepts_missing"))
    if not ranker.accepts_nominal:
        table.require_numeric(type(ranker).__name__, rankers_that("accepts_nominal"))
    return ranker


def fit_ranker(ranker: Ranker, table: Table) -> Ranker:
    # Codes and a mask say the same as a DataFrame would, and repeat no work.
    return ranker.fit(np.asarray(table.values))
