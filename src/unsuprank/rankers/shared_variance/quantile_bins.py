"""Numbers cut into bins of about equal counts, so that what they share need not be linear."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ...table import Table


def with_bins(table: Table, bins: int) -> Table:
    """The table with its numbers replaced by the nominal values of at most `bins` bins."""
    numeric = np.flatnonzero(table.n_values == 0).tolist()
    values = table.values.copy(order="F")
    for j in numeric:
        values[:, j] = bin_codes(table.column(j), bins)
    found = [np.arange(np.nanmax(values[:, j], initial=-1.0) + 1.0) for j in numeric]
    return Table(values, table.schema.with_nominal(table.n_values == 0, found))


def bin_codes(column: np.ndarray, bins: int) -> np.ndarray:
    """The bin of each value, 0, 1, ...; NaN stays, and equal values have one bin.

    A value goes where the middle of its run of equals goes in order, so that the smallest and the
    largest value never share a bin: what varies still varies.
    """
    codes = np.full(len(column), np.nan)
    known = ~np.isnan(column)
    if known.any():
        middle = (rankdata(column[known]) - 0.5) / known.sum()
        codes[known] = np.unique(np.floor(bins * middle), return_inverse=True)[1]
    return codes
