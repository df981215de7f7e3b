"""The sums by way of G = Z'Z, the inner products of the coordinates: for tables with many rows.

z'Kz is on the diagonal of G^2, and tr K^3 = tr G^3. The one sum that has to see the rows again is
sum K_ii (K^2)_ii = <Z' diag(K) Z, G>. The sum of all K_ij^3 would cost the product of all rows;
it is left to be the sum over columns, which is what it is on average for columns that have nothing
to do with each other.

Names of many values are not made coordinates: their parts of G and of Z' diag(K) Z come from sums
over groups of rows and from tables of counts, and their part of tr K^3 is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._parallel import in_batches
from ...table import Table
from ..clustering_space import embed, embedding_widths
from .columns import Names
from .cross_tables import CrossTable, with_coordinates
from .shuffles import Sums
from .sums import (
    MANY_VALUES,
    Found,
    diagonal_sums,
    found,
    mixed_triangles,
    names_diagonal_sums,
    names_of,
    projection_weights,
    traces,
)

#: Rows that are weighted at a time.
ROWS = 4096


def sums_by_coordinates(table: Table, n_jobs: int) -> Found:
    """All sums of a table in which every column varies."""
    grouped = table.n_values > MANY_VALUES
    embedded = table.take(columns=~grouped)
    names = names_of(table, embedded.n_columns)
    groups = [names[j] for j in np.flatnonzero(grouped).tolist()]
    Z = embed(embedded) if embedded.n_columns else np.zeros((table.n_rows, 0))
    diagonal = np.einsum("ij,ij->i", Z, Z)
    for column in groups:
        diagonal[column.rows] += column.lengths
    widths, weights = embedding_widths(embedded), projection_weights(embedded, names, ~grouped)
    over_rows = RowSums(widths, n_jobs)
    over_rows.add(Z, diagonal)
    part = _names_part(groups, Z, diagonal)
    rows = np.empty((9, table.n_columns))
    rows[:, ~grouped] = over_rows.of_columns(weights, part.of_coordinates)
    rows[:2, grouped] = part.projected, part.with_coordinates + part.products.sum(axis=1)
    for j in np.flatnonzero(grouped).tolist():
        rows[2:, j] = names_diagonal_sums(names[j], diagonal)
    whole = over_rows.of_all(rows[1].sum())
    whole = replace(
        whole,
        triangles=_triangles(over_rows.G, over_rows.GG, groups, part),
        diagonal_form=whole.diagonal_form + part.diagonal_form,
        diagonal_squares=whole.diagonal_squares + part.diagonal_squares,
    )
    return found(whole, rows, names)


class RowSums:
    """Sums over the rows of coordinates, which may come some rows at a time.

    Parameters
    ----------
    widths : ndarray
        Coordinates of each column.
    n_jobs : int
        Threads.
    """

    def __init__(self, widths: np.ndarray, n_jobs: int) -> None:
        self._widths, self._n_jobs = widths, n_jobs
        width = int(widths.sum())
        #: Z'Z, and Z' diag(K) Z.
        self.G, self._weighted = np.zeros((2, width, width))
        self._along = np.zeros(width)
        self._own = np.zeros((7, len(widths)))
        self._powers = np.zeros(3)

    def add(self, Z: np.ndarray, diagonal: np.ndarray) -> None:
        """Add rows, of which `diagonal` are the squared lengths."""
        self.G += Z.T @ Z
        self._weighted += _weighted_gram(Z, diagonal)
        self._along += Z.T @ diagonal
        self._own += _own_sums(Z, self._widths, diagonal, self._n_jobs)
        self._powers += [np.sum(diagonal**p) for p in (1, 2, 3)]

    def add_sums(self, others: RowSums) -> None:
        """Add the sums over other rows."""
        self.G += others.G
        self._weighted += others._weighted
        self._along += others._along
        self._own += others._own
        self._powers += others._powers

    @cached_property
    def GG(self) -> np.ndarray:
        """The square of Z'Z, once all rows are added."""
        return self.G @ self.G.T

    def of_columns(self, weights: np.ndarray, others: np.ndarray | float = 0.0) -> np.ndarray:
        """The rows of `traces` and of `diagonal_sums`; `others` is what else is in z'Kz."""
        return np.vstack([traces(np.diagonal(self.GG) + others, self._widths, weights), self._own])

    def of_all(self, squares: float) -> Sums:
        """Sums over K, given that of its squares."""
        trace, diagonal2, diagonal3 = self._powers
        return Sums(
            trace=trace,
            diagonal2=diagonal2,
            diagonal3=diagonal3,
            squares=squares,
            triangles=np.vdot(self.G, self.GG),
            diagonal_form=self._along @ self._along,
            diagonal_squares=np.vdot(self._weighted, self.G),
            cubes=np.nan,
        )


@dataclass(frozen=True)
class _NamesPart:
    """What columns that are not made coordinates add to the sums."""

    #: z'Hz of each coordinate, summed over these columns.
    of_coordinates: np.ndarray
    #: tr PK of each of these columns.
    projected: np.ndarray
    #: tr HK with the K of the coordinates, and with that of each of these columns.
    with_coordinates: np.ndarray
    products: np.ndarray
    diagonal_form: float
    diagonal_squares: float


def _names_part(groups: list[Names], Z: np.ndarray, diagonal: np.ndarray) -> _NamesPart:
    of_coordinates, form, squares = np.zeros(Z.shape[1]), 0.0, 0.0
    projected, with_z = np.zeros((2, len(groups)))
    products = np.zeros((len(groups), len(groups)))
    for i, a in enumerate(groups):
        inner = with_coordinates(a, Z)
        of_coordinates += a.factor * np.sum(inner**2, axis=0)
        projected[i] = np.sum(inner**2 / a.counts[:, None])
        with_z[i] = a.factor * np.sum(inner**2)
        squares += 2 * a.factor * np.sum(inner * with_coordinates(a, Z, diagonal))
        form += a.factor * np.sum(with_coordinates(a, diagonal[:, None]) ** 2)
        for k, b in enumerate(groups):
            table = CrossTable.of(a, b, len(Z))
            weighted = CrossTable.of(a, b, len(Z), diagonal)
            projected[i] += b.factor * table.inner(table, 1.0 / a.counts)
            products[i, k] = a.factor * b.factor * table.inner(table)
            squares += a.factor * b.factor * table.inner(weighted)
    return _NamesPart(of_coordinates, projected, with_z, products, form, squares)


def _triangles(G: np.ndarray, GG: np.ndarray, groups: list[Names], part: _NamesPart) -> float:
    """tr K^3: exact without names of many values, which are added one after the other."""
    total, squares, trace = np.vdot(G, GG), np.vdot(G, G), np.trace(G)
    common = part.with_coordinates.copy()  # tr HK with what has been added
    owns = [column.products() for column in groups]
    for i in np.argsort([own.squares for own in owns], kind="stable"):
        own = owns[i]
        total += mixed_triangles(common[i], squares, trace, own) + own.triangles
        squares += 2 * common[i] + own.squares
        trace += own.trace
        common += part.products[i]
    return total


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
    """`diagonal_sums` of all columns, some of them at a time."""
    ends = np.cumsum(widths)

    def block(first: int, last: int) -> np.ndarray:
        coordinates = slice(ends[first] - widths[first], ends[last - 1])
        return diagonal_sums(Z[:, coordinates], widths[first:last], diagonal)

    blocks = in_batches(block, len(widths), n_jobs=n_jobs)
    return np.concatenate(list(blocks), axis=1) if len(widths) else np.empty((7, 0))
