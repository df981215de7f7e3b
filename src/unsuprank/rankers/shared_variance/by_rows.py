"""The sums by way of K, the inner products of the rows: for tables with few rows.

K is multiplied by a block of columns at a time, which gives z'Kz of each coordinate. Names of many
values are not made coordinates, since all that is asked for are sums of K over groups of rows.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from ...table import SparseTable, Table
from ..clustering_space import embed_sparse, embedded_blocks, embedding_widths, gram
from .columns import Names
from .cross_tables import members
from .shuffles import Sums
from .sums import (
    MANY_VALUES,
    Found,
    diagonal_sums,
    found,
    names_diagonal_sums,
    names_of,
    projection_weights,
    traces,
)

#: Rows that are multiplied with all rows at a time.
ROWS = 1024


def sums_by_rows(table: Table, n_jobs: int) -> Found:
    """All sums of a table in which every column varies."""
    grouped = table.n_values > MANY_VALUES
    embedded = table.take(columns=~grouped)
    names = names_of(table, embedded.n_columns)
    kernel = _kernel(embedded, n_jobs)
    for j in np.flatnonzero(grouped).tolist():
        _add_products(kernel, names[j])
    diagonal = np.diagonal(kernel).copy()
    rows = np.empty((9, table.n_columns))
    weights = projection_weights(embedded, names, ~grouped)
    rows[:, ~grouped] = _embedded_sums(embedded, weights, kernel, diagonal)
    for j in np.flatnonzero(grouped).tolist():
        rows[:, j] = _grouped_sums(names[j], kernel, diagonal)
    return found(_sums_over(kernel), rows, names)


def _kernel(table: Table, n_jobs: int) -> np.ndarray:
    """All inner products of the rows."""
    if not table.n_columns:
        return np.zeros((table.n_rows, table.n_rows))
    if table.is_sparse:
        return gram(table, n_jobs)
    upper = np.triu(gram(table, n_jobs))
    upper += np.triu(upper, 1).T
    return upper


def _add_products(kernel: np.ndarray, names: Names) -> None:
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


def _sums_over(kernel: np.ndarray) -> Sums:
    diagonal = np.diagonal(kernel)
    lengths = np.einsum("ij,ij->i", kernel, kernel)
    return Sums(
        trace=diagonal.sum(),
        diagonal2=np.sum(diagonal**2),
        diagonal3=np.sum(diagonal**3),
        squares=lengths.sum(),
        triangles=_triangles(kernel),
        diagonal_form=diagonal @ kernel @ diagonal,
        diagonal_squares=diagonal @ lengths,
        cubes=np.einsum("ij,ij,ij->", kernel, kernel, kernel),
    )


def _triangles(kernel: np.ndarray) -> float:
    """tr K^3, some rows at a time: K K takes as much memory as K."""
    parts = (kernel[first : first + ROWS] for first in range(0, len(kernel), ROWS))
    return float(sum(np.vdot(part @ kernel.T, part) for part in parts))


def _embedded_sums(
    table: Table, weights: np.ndarray, kernel: np.ndarray, diagonal: np.ndarray
) -> np.ndarray:
    """The sums of columns that are made coordinates, a block at a time."""
    widths = embedding_widths(table)
    ends = np.cumsum(widths)
    forms = None
    if isinstance(table, SparseTable):
        forms = embed_sparse(table).quadratic_forms(kernel)
    else:  # z'Kz = 2 z'Tz, and T has half as many entries
        triangle = np.asfortranarray(np.triu(kernel))
        np.fill_diagonal(triangle, 0.5 * diagonal)
    sums = np.empty((9, table.n_columns))
    first = 0
    for Z in embedded_blocks(table) if table.n_columns else ():
        start = ends[first] - widths[first]
        columns = slice(first, first := np.searchsorted(ends, start + Z.shape[1]) + 1)
        if forms is None:
            quadratic = 2.0 * np.einsum("ij,ij->j", Z, blas.dtrmm(1.0, triangle, Z))
        else:
            quadratic = forms[columns]
        of_z = weights[start : start + Z.shape[1]]
        sums[:2, columns] = traces(quadratic, widths[columns], of_z)
        sums[2:, columns] = diagonal_sums(Z, widths[columns], diagonal)
    return sums


def _grouped_sums(names: Names, kernel: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """The same sums of a nominal column, from sums of K over its groups of rows."""
    sums = members(names, len(kernel)) @ kernel
    all_rows, by_share = sums.sum(axis=0)[names.rows], (names.shares @ sums)[names.rows]
    s, s2 = names.shares[names.codes], np.sum(names.shares**2)
    same = sums[names.codes, names.rows]
    projected = np.sum(same / names.counts[names.codes]) - all_rows.sum() / len(names.rows)
    products = names.factor * np.sum(same - by_share + (s2 - s) * all_rows)
    return np.array([projected, products, *names_diagonal_sums(names, diagonal)])
