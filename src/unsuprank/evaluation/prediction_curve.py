"""How well the top columns of one ranking predict all others, beside random orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ranker import Ranker
from ..table import Table
from .curve import error_curve
from .measures import squares_overflow


@dataclass(frozen=True)
class PredictionCurve:
    """Errors at growing numbers of top columns, and the band of random orders.

    Errors are relative to predicting every column by its mean: 1 is no better than that.
    """

    sizes: np.ndarray
    error: np.ndarray
    random_low: np.ndarray
    random_high: np.ndarray

    @property
    def enough(self) -> int:
        """The smallest size whose error is within 5% of the curve's range from its best."""
        reach = self.error.min() + 0.05 * (self.error.max() - self.error.min())
        return int(self.sizes[np.flatnonzero(self.error <= reach)[0]])

    def rows(self) -> list[dict[str, Any]]:
        """One row per size, for files and screens."""
        columns = {
            "features": self.sizes,
            "error": self.error,
            "random_low": self.random_low,
            "random_high": self.random_high,
        }
        values = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values]


def no_curve_because(table: Table) -> str | None:
    """Why a table has no error curve, or None if it has one."""
    if table.n_rows < 4:
        return f"An error curve needs at least 4 rows; there are {table.n_rows}"
    if table.n_columns < 2:
        return "An error curve needs at least 2 columns; there is 1"
    return squares_overflow(table)


def prediction_curve(
    table: Table,
    ranker: Ranker,
    *,
    cv: int,
    n_random: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
) -> PredictionCurve:
    """Measure the curve of a ranker; only where :func:`no_curve_because` finds nothing to say."""
    curves = error_curve(
        table,
        {"ranking": ranker},
        cv=cv,
        measure="relative",
        n_random=n_random,
        n_jobs=n_jobs,
        random_state=seed,
    )
    low, high = curves.band()
    return PredictionCurve(curves.sizes, curves.mean("ranking"), low, high)
