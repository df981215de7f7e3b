"""The sums by way of K, the inner products of the rows: for tables with few rows.

K is multiplied by a block of columns at a time, which gives z'Kz of each coordinate. Names of many
values are not made coordinates, since all that is asked for are sums of K over groups of rows.
"""

from __future__ import annotations

import numpy as np

from ..._parallel import in_batches, one_blas_thread
from ...table import Table
from ..centred_matrix import CentredMatrix
from ..clustering_space import embed, embedding_widths
from ..coordinates import Coordinates, diagonal_sums, trace_of_cube
from .columns import CategoricalColumn
from .cross_tables import members
from .shuffles import Sums
from .sums import (
    TableSums,
    categorical_columns,
    category_diagonal_sums,
    projection_weights,
    table_sums,
    traces,
)

#: Coordinates that are multiplied with K at a time: values, and columns at the most.
BLOCK_VALUES, BLOCK_COLUMNS = 2**20, 512
#: Pieces of the upper half of K, and rows that each has at the least.
TRIANGLE_STEPS, LEAST_ROWS = 8, 128


def sums_by_rows(coordinates: Coordinates) -> TableSums:
    """All sums over the columns that vary."""
    table = coordinates.table
    grouped = coordinates.grouped
    embedded = table.take(columns=~grouped)
    names = categorical_columns(coordinates, 1.0 / np.sqrt(max(embedded.n_columns, 1)))
    kernel = whole_kernel(coordinates, names)
    diagonal = np.diagonal(kernel).copy()
    rows = np.empty((9, table.n_columns))
    weights = projection_weights(embedding_widths(embedded), names, ~grouped)
    rows[:, ~grouped] = _embedded_sums(coordinates, embedded, weights, kernel, diagonal)
    for j in np.flatnonzero(grouped).tolist():
        rows[:, j] = _grouped_sums(names[j], kernel, diagonal)
    return table_sums(sums_over(kernel), rows, names)


def whole_kernel(coordinates: Coordinates, names: dict[int, CategoricalColumn]) -> np.ndarray:
    """K with all columns, those of many values too."""
    grouped = np.flatnonzero(coordinates.grouped).tolist()
    kernel = coordinates.kernel.copy() if grouped else coordinates.kernel
    for j in grouped:
        _add_products(kernel, names[j])
    return kernel


def _add_products(kernel: np.ndarray, names: CategoricalColumn) -> None:
    """Add a nominal column's H."""
    order = np.argsort(names.codes, kind="stable")
    for group in np.split(names.rows[order], np.cumsum(names.counts[:-1]).astype(np.intp)):
        kernel[np.ix_(group, group)] += names.factor
    known, share = np.zeros(len(kernel)), np.zeros(len(kernel))
    known[names.rows] = 1.0
    share[names.rows] = names.shares[names.codes] - 0.5 * np.sum(names.shares**2)
    across = np.outer(names.factor * share, known)
    kernel -= across
    kernel -= across.T


def sums_over(kernel: np.ndarray) -> Sums:
    """Sums over the entries of K."""
    diagonal = np.diagonal(kernel)
    lengths = np.einsum("ij,ij->i", kernel, kernel)
    return Sums(
        trace=diagonal.sum(),
        diagonal2=np.sum(diagonal**2),
        diagonal3=np.sum(diagonal**3),
        squares=lengths.sum(),
        triangles=trace_of_cube(kernel),
        diagonal_form=diagonal @ kernel @ diagonal,
        diagonal_squares=diagonal @ lengths,
        cubes=np.einsum("ij,ij,ij->", kernel, kernel, kernel),
    )


def _embedded_sums(
    coordinates: Coordinates,
    table: Table,
    weights: np.ndarray,
    kernel: np.ndarray,
    diagonal: np.ndarray,
) -> np.ndarray:
    """The sums of columns that are made coordinates, some columns at a time."""
    if table.is_sparse:
        Z = coordinates.matrix
        assert isinstance(Z, CentredMatrix)
        forms = Z.quadratic_forms(kernel)
        return np.vstack(
            [traces(forms, np.ones(len(forms), int), weights), Z.diagonal_sums(diagonal)]
        )
    widths = embedding_widths(table)
    ends = np.cumsum(widths)
    triangle = np.triu(kernel)
    np.fill_diagonal(triangle, 0.5 * diagonal)

    def some(first: int, last: int) -> np.ndarray:
        Z, own = embed(table, first, last), widths[first:last]
        of_z = weights[ends[first] - widths[first] : ends[last - 1]]
        forms = _forms(triangle, Z)
        return np.vstack([traces(forms, own, of_z), diagonal_sums(Z, own, diagonal)])

    step = min(max(1, BLOCK_VALUES // table.n_rows), BLOCK_COLUMNS)
    with one_blas_thread():
        parts = in_batches(some, table.n_columns, n_jobs=coordinates.n_jobs, batch_size=step)
        return np.concatenate([np.empty((9, 0)), *parts], axis=1)


def _forms(triangle: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """z'Kz of each coordinate, 2 z'Tz with T the upper half of K: half of the products."""
    forms = np.zeros(Z.shape[1])
    step = max(LEAST_ROWS, -(-len(Z) // TRIANGLE_STEPS))
    for first in range(0, len(Z), step):
        part = slice(first, first + step)
        forms += np.einsum("ij,ij->j", Z[part], triangle[part, first:] @ Z[first:])
    return 2.0 * forms


def _grouped_sums(names: CategoricalColumn, kernel: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """The same sums of a nominal column, from sums of K over its groups of rows."""
    sums = members(names, len(kernel)) @ kernel
    all_rows, by_share = sums.sum(axis=0)[names.rows], (names.shares @ sums)[names.rows]
    s, s2 = names.shares[names.codes], np.sum(names.shares**2)
    same = sums[names.codes, names.rows]
    projected = np.sum(same / names.counts[names.codes]) - all_rows.sum() / len(names.rows)
    products = names.factor * np.sum(same - by_share + (s2 - s) * all_rows)
    return np.array([projected, products, *category_diagonal_sums(names, diagonal)])
