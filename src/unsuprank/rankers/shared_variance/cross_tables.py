"""Inner products of the coordinates of two nominal columns, without the coordinates.

With E the indicators of a column's names, J its known rows and s the shares of its names, its
coordinates are f (E - J s'). Those of two columns have the inner products f f' (N + low rank), with
N = E'E' the table of counts, which has at most one entry per row however many names there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .columns import CategoricalColumn


def members(
    names: CategoricalColumn, n_rows: int, weights: np.ndarray | None = None
) -> sparse.csr_array:
    """E' as a sparse matrix; with weights, E' diag(weights)."""
    entries = np.ones(len(names.rows)) if weights is None else weights[names.rows]
    shape = len(names.counts), n_rows
    return sparse.csr_array((entries, (names.codes, names.rows)), shape=shape)


def with_coordinates(
    names: CategoricalColumn, Z: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """(E - J s')' diag(weights) Z."""
    sums = members(names, len(Z), weights) @ Z
    return sums - np.outer(names.shares, sums.sum(axis=0))


@dataclass(frozen=True)
class CrossTable:
    """The matrix counts - left right', for two nominal columns."""

    counts: sparse.csr_array
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def of(
        cls,
        a: CategoricalColumn,
        b: CategoricalColumn,
        n_rows: int,
        weights: np.ndarray | None = None,
    ) -> CrossTable:
        """(E - J s')' diag(weights) (E' - J' s'')."""
        counts = members(a, n_rows, weights) @ members(b, n_rows).T
        of_a, of_b = counts.sum(axis=1), counts.sum(axis=0)
        left = np.column_stack([a.shares, of_a - of_a.sum() * a.shares])
        return cls(counts.tocsr(), left, np.column_stack([of_b, b.shares]))

    def inner(self, other: CrossTable, weights: np.ndarray | None = None) -> float:
        """The sum over all entries of their products, rows weighted."""
        w = np.ones(len(self.left)) if weights is None else weights
        mine, theirs = w[:, None] * self.left, w[:, None] * other.left
        return (
            w @ (self.counts * other.counts).sum(axis=1)
            - np.sum(theirs * (self.counts @ other.right))
            - np.sum(mine * (other.counts @ self.right))
            + np.sum((mine.T @ other.left) * (self.right.T @ other.right))
        )
