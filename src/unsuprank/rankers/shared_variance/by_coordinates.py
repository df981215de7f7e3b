"""The sums by way of G = Z'Z, the inner products of the coordinates: for tables with many rows.

z'Kz is on the diagonal of G^2, and tr K^3 = tr G^3. The one sum that has to see the rows again is
sum K_ii (K^2)_ii = <Z' diag(K) Z, G>. The sum of all K_ij^3 would cost the product of all rows; it is
left to be the sum over columns, which is what it is on average for columns that have nothing to do
with each other.
"""

from __future__ import annotations

import numpy as np

from ..._parallel import in_batches
from ...table import Table
from ..clustering_space import embed, embedding_widths
from .shuffles import Sums
from .sums import (
    BLOCK,
    Found,
    column_blocks,
    diagonal_sums,
    found,
    names_of,
    projection_weights,
    traces,
)

#: Rows that are weighted at a time.
ROWS = 4096


def sums_by_coordinates(table: Table, n_jobs: int) -> Found:
    """All sums of a table in which every column varies."""
    names = names_of(table, table.n_columns)
    widths = embedding_widths(table)
    Z = embed(table)
    G = Z.T @ Z
    GG = G @ G.T
    diagonal = np.einsum("ij,ij->i", Z, Z)
    along = Z.T @ diagonal
    whole = Sums(
        trace=diagonal.sum(),
        diagonal2=np.sum(diagonal**2),
        diagonal3=np.sum(diagonal**3),
        squares=np.vdot(G, G),
        triangles=np.vdot(G, GG),
        diagonal_form=along @ along,
        diagonal_squares=np.vdot(_weighted_gram(Z, diagonal), G),
        cubes=np.nan,
    )
    weights = projection_weights(table, names)
    of_k = traces(np.diagonal(GG), widths, weights)
    return found(whole, np.concatenate([of_k, _own_sums(Z, widths, diagonal, n_jobs)]), names)


def _weighted_gram(Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Z' diag(weights) Z, a block of rows at a time.

    It is for the skewness only, which needs no more than single precision.
    """
    total = np.zeros((Z.shape[1], Z.shape[1]))
    roots = np.sqrt(weights).astype(np.float32)
    for first in range(0, len(Z), ROWS):
        part = Z[first : first + ROWS].T.astype(np.float32)
        part *= roots[first : first + ROWS]
        total += part @ part.T
    return total


def _own_sums(Z: np.ndarray, widths: np.ndarray, diagonal: np.ndarray, n_jobs: int) -> np.ndarray:
    """`diagonal_sums` of all columns, a block of columns at a time."""
    ends = np.cumsum(widths)
    cuts = column_blocks(widths, max(1, BLOCK // len(Z)))

    def block(first: int, last: int) -> np.ndarray:
        columns = slice(cuts[first], cuts[last])
        start = ends[columns.start] - widths[columns.start]
        return diagonal_sums(Z[:, start : ends[columns.stop - 1]], widths[columns], diagonal)

    blocks = in_batches(block, len(cuts) - 1, n_jobs=n_jobs, batch_size=1)
    return np.concatenate(list(blocks), axis=1)
