"""The clustering space: where normalised impurity is a squared distance.

Every attribute becomes a vector:

- numeric x: one coordinate, ``x / sd(x)`` over the training rows;
- nominal x: one coordinate per value, the indicator scaled by ``1 / sqrt(Gini(x))``;
- all of it scaled by ``1 / sqrt(n)`` for n attributes, and centred. Constant columns drop out.

Write z_i for row i. The sum over attributes of normalised variance and normalised Gini
index of a set E of rows is then the mean squared distance of its z_i to their centre, so
that the heuristic of a split of E (weights w, N = sum w, S = sum w z) into L and R is

    h = |S_L|^2 / N_L + |S_R|^2 / N_R - |S|^2 / N.

Targets enter through inner products only. What is more, h does not change if the kernel
``z_i . z_j`` is replaced by ``-d_ij / 2`` with the squared distance ``d_ij = |z_i - z_j|^2``
(the terms that depend on one row alone cancel), and in terms of distances nothing large is
subtracted from something large: ``2 h = q / N - q_L / N_L - q_R / N_R`` with ``q`` the sum of
``w_i w_j d_ij`` over pairs in the set. So trees are grown from squared distances.

Missing values have no place in one matrix of distances: attributes with missing values form
a part of their own, coordinates plus a mask, for which sums and counts are kept per attribute.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import blas

from . import _kernels
from .table import Table

#: Bytes of coordinates that are made at a time on the way to a Gram matrix.
BLOCK_BYTES = 2**24
#: Distances below this share of the squared norms have lost digits to cancellation.
CANCELLATION = 1e-5


def embedding_widths(table: Table) -> np.ndarray:
    """Number of coordinates of each column; 0 for constant columns."""
    return _kernels.embedding_widths(table.values, table.n_values)


def embed(table: Table, first: int = 0, last: int | None = None) -> np.ndarray:
    """Coordinates of columns ``first .. last-1``: float64, rows x coordinates, Fortran order.

    Missing values are at 0, the centre of their coordinate.
    """
    last = table.n_columns if last is None else last
    widths = _kernels.embedding_widths(table.values[:, first:last], table.n_values[first:last])
    out = np.empty((table.n_rows, int(widths.sum())), order="F")
    scale = 1.0 / np.sqrt(table.n_columns)
    _kernels.embed(table.values, table.n_values, first, last, scale, out)
    return out


def embedded_blocks(table: Table) -> Iterator[np.ndarray]:
    """The coordinates of all columns, a block of columns at a time."""
    columns = np.cumsum(np.maximum(embedding_widths(table), 1))
    per_block = max(1, BLOCK_BYTES // (8 * table.n_rows))
    first = 0
    while first < table.n_columns:
        limit = (columns[first - 1] if first else 0) + per_block
        last = max(first + 1, int(np.searchsorted(columns, limit, side="right")))
        yield embed(table, first, last)
        first = last


def gram(table: Table) -> np.ndarray:
    """Inner products of the rows in the clustering space; only the upper triangle is set."""
    m = table.n_rows
    total = np.zeros((m, m), order="F")
    for block in embedded_blocks(table):
        if block.shape[1]:
            blas.dsyrk(1.0, block, beta=1.0, c=total, overwrite_c=True)
    return total


def squared_distances(table: Table) -> np.ndarray:
    """Squared distances of the rows in the clustering space, to full relative precision."""
    products = gram(table)
    norms = np.diagonal(products).copy()
    distances = np.add.outer(norms, norms)
    lost = distances * CANCELLATION
    products = np.triu(products, 1)
    distances -= 2.0 * (products + products.T)
    np.fill_diagonal(distances, 0.0)
    left, right = np.nonzero(np.triu(distances < lost, 1))
    if len(left):
        exact = np.zeros(len(left))
        for block in embedded_blocks(table):
            _kernels.add_pair_distances(block, left, right, exact)
        distances[left, right] = distances[right, left] = exact
    return distances
