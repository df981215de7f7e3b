"""How well the top columns of one ranking predict all others, beside random orders."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._parallel import one_blas_thread
from ..describe.refits import for_refits
from ..ranker import Ranker
from ..table import Table
from .curve import error_curve
from .measures import squares_overflow

#: Random orders beside a ranking; another one is better than all of them in one of twenty cases.
N_RANDOM = 19


@dataclass(frozen=True)
class PredictionCurve:
    """Errors at growing numbers of top columns, and the band of random orders.

    Numbers are in units of their standard deviations. Errors are relative to predicting every
    column by its mean: 1 is no better than that. The band holds nine tenths of the random orders.
    """

    sizes: np.ndarray
    error: np.ndarray
    random_low: np.ndarray
    random_high: np.ndarray
    #: Rows and folds of the cross-validation, and random orders in the band.
    n_rows: int
    n_folds: int
    n_random: int

    @property
    def n_compared(self) -> int:
        """Sizes at which orders can differ: all but that of all columns."""
        return len(self.sizes) - 1

    @property
    def n_better(self) -> int:
        """Sizes at which the error is below the band."""
        return int((self.error < self.random_low)[:-1].sum())

    @property
    def n_worse(self) -> int:
        """Sizes at which the error is above the band."""
        return int((self.error > self.random_high)[:-1].sum())

    @property
    def enough(self) -> int | None:
        """The smallest size whose error is within 5% of the curve's range from its best.

        None if the curve does not tell: where it never falls below 1, and where that takes
        all columns.
        """
        reach = self.error.min() + 0.05 * (self.error.max() - self.error.min())
        first = int(np.flatnonzero(self.error <= reach)[0])
        tells = self.error.min() < 1.0 and first < self.n_compared
        return int(self.sizes[first]) if tells else None

    def rows(self) -> list[dict[str, Any]]:
        """One row per size, for files and screens."""
        keys = ("features", "error", "random_low", "random_high")
        columns = (self.sizes, self.error, self.random_low, self.random_high)
        values = zip(*(column.tolist() for column in columns), strict=True)
        return [dict(zip(keys, row, strict=True)) for row in values]


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
    n_random: int = N_RANDOM,
    seed: int = 0,
    n_jobs: int | None = None,
) -> PredictionCurve:
    """Measure the curve of a ranker; only where :func:`no_curve_because` finds nothing to say.

    The ranker is fitted once a fold, as far as :func:`~unsuprank.describe.refits.for_refits` lets
    it.
    """
    with (
        one_blas_thread(),  # the products are many and small
        warnings.catch_warnings(),
    ):
        # How stable a forest is matters where its ranking is shown.
        warnings.simplefilter("ignore", ConvergenceWarning)
        curves = error_curve(
            table,
            {"ranking": for_refits(ranker)},
            cv=cv,
            measure="relative",
            scale="standard",
            n_random=n_random,
            n_jobs=n_jobs,
            random_state=seed,
        )
    low, high = curves.band()
    return PredictionCurve(
        curves.sizes, curves.mean("ranking"), low, high, table.n_rows, cv, n_random
    )
