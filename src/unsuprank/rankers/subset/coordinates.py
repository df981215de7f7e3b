"""The clustering space with columns on a scale between their own and a common one."""

from __future__ import annotations

import numpy as np

from ..._parallel import blas_threads
from ...table import SparseTable, Table
from ..centred_matrix import Matrix
from ..clustering_space import embed, embed_sparse, embedding_widths
from ..large_tables import Rows
from ..shared_variance.by_chunks import sums_by_chunks
from .column_subset import root_of

#: Power of a column's standard deviation that its coordinates are multiplied by.
SCALES = {"standard": 0.0, "half": 0.5, "raw": 1.0}


def scaled_coordinates(table: Rows, scale: str) -> tuple[Matrix, np.ndarray]:
    """Coordinates of all columns (missing values at the centre), and the width of each column.

    Of rows that come some at a time, other coordinates with the same inner products of columns.
    """
    if not isinstance(table, Table):
        return _from_products(table, scale)
    widths = embedding_widths(table)
    if isinstance(table, SparseTable):
        embedded = embed_sparse(table, relative_spreads(table) ** SCALES[scale])
        return embedded[:, table.varies], widths
    coordinates = embed(table)
    power = SCALES[scale]
    if power and coordinates.shape[1]:
        spreads = relative_spreads(table)[widths > 0]
        coordinates *= np.repeat(spreads**power, widths[widths > 0])
    return coordinates, widths


def _from_products(rows: Rows, scale: str) -> tuple[np.ndarray, np.ndarray]:
    """A square matrix of coordinates with the inner products that all rows have."""
    found = sums_by_chunks(rows, blas_threads())
    spreads = found.totals.spread[found.varies]
    weights = np.repeat((spreads / spreads.max(initial=1e-300)) ** SCALES[scale], found.widths)
    widths = np.zeros(rows.n_columns, dtype=np.int32)
    widths[found.varies] = found.widths
    return root_of(found.sums.G * np.outer(weights, weights)), widths


def relative_spreads(table: Table) -> np.ndarray:
    """Standard deviation (root of the Gini index if nominal) of each column; the largest is 1."""
    if isinstance(table, SparseTable):
        return table.moments.spread / (table.moments.spread.max() or 1.0)
    nominal = table.n_values > 0
    spreads = np.zeros(table.n_columns)
    for j in np.flatnonzero(nominal):
        codes = table.values[:, j]
        shares = np.bincount(codes[~np.isnan(codes)].astype(np.intp)) / max(1, table.n_rows)
        known = shares.sum()
        spreads[j] = np.sqrt(1.0 - np.sum((shares / known) ** 2)) if known else 0.0
    spreads[~nominal] = _standard_deviations(table.values[:, ~nominal])
    return spreads / (spreads.max() or 1.0)


def filled_values(table: Table) -> np.ndarray:
    """The columns on the scale they come in, up to one factor for all; means where unknown.

    Columns start at 0 and the factor is a power of two that keeps squares from overflowing,
    so that whole numbers stay exact and ties stay ties.
    """
    values, _ = _from_zero(table.values)
    largest = np.fmax.reduce(values, axis=None, initial=0.0)
    values = np.ldexp(values, -np.frexp(largest)[1])
    for j in np.flatnonzero(table.missing):
        unknown = np.isnan(values[:, j])
        values[unknown, j] = 0.0 if unknown.all() else values[~unknown, j].mean()
    return values


def _standard_deviations(values: np.ndarray) -> np.ndarray:
    """Of the known values; halved throughout, and 0 where nothing is known."""
    values, spans = _from_zero(values)
    values /= np.where(spans > 0.0, spans, 1.0)
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / counts
    squares = np.where(known, (values - means) ** 2, 0.0).sum(axis=0)
    return np.sqrt(squares / counts) * spans


def _from_zero(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half of each value, less half of its column's minimum, and the largest of each column."""
    # The range of finite numbers may overflow, that of their halves cannot.
    low = np.fmin.reduce(values, axis=0) * 0.5
    shifted = values * 0.5 - low
    return shifted, np.nan_to_num(np.fmax.reduce(shifted, axis=0))
