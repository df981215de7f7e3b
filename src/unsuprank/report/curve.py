"""The error curve: how well the top features predict all others, beside random orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ranker import Ranker
from ..table import Table


@dataclass(frozen=True)
class Curve:
    """Errors at growing numbers of top features, and the band of random orders."""

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
        return [
            {
                "features": int(size),
                "error": float(error),
                "random_low": float(low),
                "random_high": float(high),
            }
            for size, error, low, high in zip(
                self.sizes, self.error, self.random_low, self.random_high, strict=True
            )
        ]


def no_curve_because(table: Table) -> str | None:
    """Why a table has no error curve, or None if it has one."""
    if table.n_rows < 4:
        return f"An error curve needs at least 4 rows; there are {table.n_rows}"
    if table.n_columns < 2:
        return "An error curve needs at least 2 columns; there is 1"
    from ..evaluation.measures import squares_overflow

    return squares_overflow(table)


def measured_curve(
    table: Table,
    ranker: Ranker,
    *,
    cv: int,
    n_random: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Curve:
    """The curve of a ranker; only where :func:`no_curve_because` finds nothing to say.

    The error is relative to predicting every column by its mean: 1 is no better than that.
    """
    from ..evaluation import error_curve

    nominal = table.n_values > 0
    result = error_curve(
        table.values,
        {"ranking": ranker},
        cv=cv,
        measure="relative",
        nominal_features=nominal if nominal.any() else None,
        n_random=n_random,
        n_jobs=n_jobs,
        random_state=seed,
    )
    low, high = result.band()
    return Curve(result.sizes, result.mean("ranking"), low, high)
