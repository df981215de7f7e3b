"""Exact distances, and exact sums by weights, for tables of small whole numbers.

Counts, grey levels, categories and measurements with few decimal places are whole numbers of
some unit. Where they fit into 16 bits, and squared distances into 31, products are exact and take
a quarter of the time of those of doubles.

Weights are rounded to 31 bits, so that sums by them are exact as well, and take half of the time.
What the rounding can do to ``f' L f``, at the worst, is known: it is refused if that is too much,
as where a column differs only in rows that no other row is near.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import _kernels
from ..._parallel import in_batches
from .moments import Moments

#: Whether this processor has the instructions that make exact products the faster ones.
FASTER = _kernels.pair_instruction_sets() != ["generic"]
#: Error of a weight: half a unit of fixed-point numbers, and that of the exponential function.
WEIGHT_ERROR = 0.5 / _kernels.WHOLE_ONE + 1e-11
#: Largest relative error of ``f' L f`` that there may be at the worst. That of ``f' D f``, at least
#: half as large, is twice this, so scores are right to 1e-8.
LARGEST_ERROR = 3e-9


@dataclass(frozen=True)
class WholeDistances:
    """Of a table of small whole numbers; see the module's prose."""

    X: np.ndarray
    table: _kernels.WholeTable
    none: ClassVar[int] = _kernels.NO_PAIR

    @classmethod
    def of(
        cls, X: np.ndarray, n_jobs: int | None = None, like: WholeDistances | None = None
    ) -> WholeDistances | None:
        """None if numbers are not whole or not small, or doubles are as fast on this processor.

        Some rows of a table fit if they are read `like` that one.
        """
        if not FASTER:
            return None
        X = np.asfortranarray(X)
        table = _kernels.WholeTable(X, None if like is None else like.table)
        by_columns = _read(table.read_columns, X.shape[1], _kernels.WHOLE_PANEL, n_jobs)
        by_rows = by_columns and _read(table.read_rows, X.shape[0], _kernels.WHOLE_BAND, n_jobs)
        return cls(X, table) if by_rows else None

    def among(self, some: np.ndarray) -> WholeDistances:
        """Distances among some of the rows."""
        found = WholeDistances.of(self.X[some], like=self)
        assert found is not None
        return found

    @property
    def unit(self) -> float:
        return 1.0 / self.table.per_unit

    @property
    def n_rows(self) -> int:
        return len(self.X)

    def bands(self) -> list[slice]:
        m, height = len(self.X), _kernels.WHOLE_BAND
        return [slice(a, min(a + height, m)) for a in range(0, m, height)]

    def of_band(self, band: slice) -> np.ndarray:
        """Of its rows to all rows from its first on, and to some that are not there.

        `none` up to the diagonal, so that every pair counts once, and beyond the table.
        """
        out = np.empty((_kernels.WHOLE_BAND, self.table.all_rows - band.start), dtype=np.int32)
        self.table.distances(band.start, out)
        return out

    def exponents(self, squared: np.ndarray, gamma: float) -> np.ndarray:
        """``-gamma d^2`` of the distances of a band, or minus infinity."""
        left = len(self.X) - (self.table.all_rows - squared.shape[1])
        squared = squared[:left, :left]
        found = squared * -gamma
        found[squared == self.none] = -np.inf
        return found

    def band_sums(
        self, band: slice, squared: np.ndarray, gamma: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Degrees of the rows from the band on, and ``f' W f`` of the columns, of its pairs."""
        degree = np.zeros(self.table.all_rows - band.start, dtype=np.int64)
        form = np.zeros(self.table.all_cols)
        self.table.add_sums(band.start, squared, gamma, degree, form)
        return degree, form

    def lonely(self, degree: np.ndarray) -> bool:
        """Whether weights of some rows are so small that their rounding may matter."""
        between = degree.min() / _kernels.WHOLE_ONE
        return between * LARGEST_ERROR < len(self.X) * WEIGHT_ERROR

    def moments(self, degree: np.ndarray, form: np.ndarray) -> Moments | None:
        """From the sums of all bands; None if rounding of weights may matter."""
        m, n = self.X.shape
        degree = 1.0 + degree[:m] / _kernels.WHOLE_ONE
        sums = np.zeros((3, self.table.all_cols))
        self.table.weighted_sums(degree, sums)
        norm, linear, square = sums[:, :n]
        form = 2.0 * form[:n] / _kernels.WHOLE_ONE + norm
        found = Moments(
            self.table.centres(), float(degree.sum()), linear, square, form, constant=norm == 0
        )
        # (f_i - f_j)^2 sums to at most m |f|^2, with an error of its weight each.
        precise = m * norm * WEIGHT_ERROR <= LARGEST_ERROR * found.rough
        return found if np.all(precise | found.constant) else None


def _read(read: Callable[[int], bool], count: int, size: int, n_jobs: int | None) -> bool:
    """Read blocks of a table on threads, until one does not fit."""

    def work(first: int, last: int) -> bool:
        return all(read(k * size) for k in range(first, last))

    blocks = -(-count // size)
    batch = -(-blocks // 8)  # short work is slowed down by handovers
    return all(in_batches(work, blocks, n_jobs=n_jobs, batch_size=batch))
