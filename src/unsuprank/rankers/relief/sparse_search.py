"""The rows of a sparse table for URelief, whose differences are those of the dense table.

Mapping a column to [0, 1] moves its zeros to one place, which differs from 0 where there are
negative values. That place is kept once, and the values that are not zero beside it; how rows are
compared by these is told in sparse_rows.hpp.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ... import _kernels
from ...table import SparseTable
from ..centred_matrix import sparse_lines

#: Values that are mapped in one go.
PIECE = 2**20


class SparseSearch:
    """Finds the neighbours of rows, and adds up their differences, when it is asked for them.

    Parameters
    ----------
    table : SparseTable
    order : ndarray of int
        All rows, those that are drawn first.
    """

    def __init__(self, table: SparseTable, order: np.ndarray) -> None:
        self._order = order
        self._varies = table.varies
        # The same halves as in rows.cpp, so that nothing overflows and nothing rounds differently.
        low, high = table.moments.low[self._varies] / 2, table.moments.high[self._varies] / 2
        span = np.maximum(high - low, np.finfo(float).smallest_subnormal)
        held = table.by_rows if self._varies.all() else table.by_rows[:, self._varies]
        units = sparse.csr_array((_mapped(held, low, span), held.indices, held.indptr), held.shape)
        zeros = _places_of_zeros(held, low, span)
        self._rows = _kernels.SparseReliefRows(
            sparse_lines(units), sparse_lines(units.tocsc()), zeros, table.n_columns
        )

    def term_columns(self) -> np.ndarray:
        """The table's columns that vary."""
        return np.flatnonzero(self._varies)

    def add_sums(
        self, first: int, last: int, counts: np.ndarray, sums: np.ndarray, distances: np.ndarray
    ) -> None:
        """Add up over the drawn rows first .. last-1; see ``ReliefSearch`` in the kernels."""
        self._rows.add_sums(self._order[first:last], counts, sums, distances)


def _mapped(held: sparse.csr_array, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    """The values of `held` in [0, 1]; `low` and `span` are halved."""
    units = np.empty(len(held.data))
    for first in range(0, len(units), PIECE):
        part = slice(first, first + PIECE)
        columns = held.indices[part]
        units[part] = (held.data[part].astype(np.float64) / 2 - low[columns]) / span[columns]
    return np.minimum(units, 1.0, out=units)


def _places_of_zeros(held: sparse.csr_array, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Where zeros are in [0, 1]; at 0 in columns without any, whatever their values."""
    full = np.bincount(held.indices, minlength=held.shape[1]) == held.shape[0]
    return np.where(full, 0.0, np.minimum(-low / span, 1.0))
