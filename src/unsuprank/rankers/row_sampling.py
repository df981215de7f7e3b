"""Rankers with `max_samples`: they look at samples of the rows, by blocks or at one sample.

Either is mixed into a class of rankers, before :class:`~unsuprank.ranker.Ranker`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._checks import check_count, check_fraction_or_count, parameter, with_parameters
from ..input_rows import rows_of, spread_out
from .row_blocks import RowBlocks, block_size


@with_parameters
class RowBlocksMixin:
    """Of rankers whose scores are means over blocks of rows, where `max_samples` says so.

    A ranker has the parameters `max_samples`, `n_blocks` and `scheduler`, and is given a table or,
    with `max_samples`, whatever has rows.
    """

    samples_rows: ClassVar[int] = 1024

    max_samples: int | float | None = parameter(check_fraction_or_count, default=None)
    n_blocks: int | None = parameter(check_count, default=None)
    scheduler: Any = None

    def _check_parameters(self) -> None:
        if self.max_samples is None and self.scheduler is not None:
            raise ValueError("scheduler hands out blocks of rows; say how large: set max_samples.")
        if self.max_samples is None and self.n_blocks is not None:
            raise ValueError("n_blocks needs to know how many rows a block has; set max_samples.")

    def _read(self, X: Any) -> Any:
        if self.max_samples is None:
            return super()._read(X)  # type: ignore[misc]
        rows = rows_of(X, getattr(self, "nominal_features", None), self, self.scheduler)
        if block_size(self.max_samples, rows.n_rows) < rows.n_rows:
            return spread_out(rows, self.scheduler)
        return super()._read(rows.take(np.arange(rows.n_rows)))  # type: ignore[misc]


@with_parameters
class RowSampleMixin:
    """Of rankers that rank a sample of rows, where `max_samples` says so.

    The sample depends on the number of rows only.
    """

    samples_rows: ClassVar[int] = 4096

    max_samples: int | float | None = parameter(check_fraction_or_count, default=None)

    def _read(self, X: Any) -> Any:
        self.rows_used_ = "all rows"
        if self.max_samples is None:
            return super()._read(X)  # type: ignore[misc]
        rows = rows_of(X, getattr(self, "nominal_features", None), self)
        size = block_size(self.max_samples, rows.n_rows)
        if size < rows.n_rows:
            self.rows_used_ = f"a sample of {size:,} of {rows.n_rows:,} rows"
        sample = RowBlocks(rows, size, seed=0).read(0)
        return super()._read(sample)  # type: ignore[misc]
