"""Squared distances between all pairs of rows, in bands.

A band is a few rows against themselves and all rows after them, so that what is right of the
diagonal is all that is made. Distances follow from products of rows, by BLAS.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .graph import within_range

#: Bytes of a band, at the most; but it has at least so many rows, or products would be slow.
BAND_BYTES = 2**22
BAND_ROWS = 64
#: Multiply-adds of one call of BLAS: a fraction of a second, so that Ctrl-C is heard.
BLOCK_WORK = 1e10


@dataclass(frozen=True)
class RowDistances:
    """Of any table, in double precision."""

    rows: np.ndarray
    #: What 1 is in the rows; a power of two.
    unit: float
    #: In place of distances of pairs that do not count.
    none: ClassVar[float] = np.inf

    @classmethod
    def of(cls, X: np.ndarray) -> RowDistances:
        rows, unit = within_range(np.ascontiguousarray(X))
        return cls(rows - rows.mean(axis=0), unit)

    def among(self, some: np.ndarray) -> RowDistances:
        """Distances among some of the rows."""
        return RowDistances(self.rows[some], self.unit)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @cached_property
    def norms(self) -> np.ndarray:
        return np.einsum("ij,ij->i", self.rows, self.rows)

    def bands(self) -> list[slice]:
        m = len(self.rows)
        height = max(BAND_ROWS, BAND_BYTES // (8 * m))
        return [slice(a, min(a + height, m)) for a in range(0, m, height)]

    def of_band(self, band: slice) -> np.ndarray:
        """Of its rows to all rows from its first on.

        Infinite up to the diagonal, so that weights are 0 there and every pair counts once.
        """
        height, below = band.stop - band.start, self.rows[band.start :]
        found = self.norms[band, None] + self.norms[band.start :]
        for part in column_blocks(self.rows, found.size):
            found -= (2.0 * below[:height, part]) @ below[:, part].T
        np.maximum(found, 0.0, out=found)
        found[:, :height][np.tri(height, dtype=bool)] = np.inf
        return found

    def exponents(self, squared: np.ndarray, gamma: float) -> np.ndarray:
        """``-gamma d^2`` of the distances of a band."""
        return squared * -gamma


def column_blocks(X: np.ndarray, pairs: int) -> Iterator[slice]:
    """Columns of `X` of which products over so many pairs of rows take a moment each."""
    width = max(1, int(BLOCK_WORK / pairs))
    for a in range(0, X.shape[1], width):
        yield slice(a, a + width)
