"""The sums by way of G = Z'Z, the inner products of the coordinates: for tables with many rows.

z'Kz is on the diagonal of G^2, and tr K^3 = tr G^3. The one sum that has to see the rows again is
sum K_ii (K^2)_ii = <Z' diag(K) Z, G>. The sum of all K_ij^3 would cost the product of all rows;
it is left to be the sum over columns, which is what it is on average for columns that have nothing
to do with each other. All else is summed up in one pass over the rows
(:mod:`...coordinates.row_sums`).

Categorical columns of many values are not made coordinates: their parts of G and of Z' diag(K) Z
come from sums over groups of rows and from tables of counts, and their part of tr K^3 is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...table import Table
from ..coordinates import Coordinates, RowSums
from .columns import CategoricalColumn
from .cross_tables import CrossTable, with_coordinates
from .shuffles import Sums
from .sums import (
    TableSums,
    categorical_columns,
    category_diagonal_sums,
    mixed_triangles,
    projection_weights,
    table_sums,
    traces,
)


def sums_by_columns(coordinates: Coordinates) -> TableSums:
    """All sums over the columns that vary."""
    over_rows, embedding = coordinates.over_rows, coordinates.embedding
    names = categorical_columns(coordinates, embedding.scale)
    varies = embedding.varies.tolist()
    grouped = np.isin(embedding.varies, embedding.grouped)
    rows = np.empty((9, len(varies)))
    rows[2:, ~grouped] = over_rows.of_columns
    groups = [names[k] for k in np.flatnonzero(grouped).tolist()]
    if groups:
        part = _of_groups(coordinates, groups, rows, grouped)
    else:
        part = _categorical_part([], np.empty((0, len(over_rows.G))), np.empty(0))
    weights = projection_weights(embedding.widths, names, ~grouped)
    quadratic = np.diagonal(over_rows.GG) + part.of_coordinates
    rows[:2, ~grouped] = traces(quadratic, embedding.widths, weights)
    rows[:2, grouped] = part.projected, part.with_coordinates + part.products.sum(axis=1)
    return table_sums(_sums_over(over_rows, part, groups, rows[1].sum()), rows, names)


def _sums_over(
    over_rows: RowSums, part: _CategoricalPart, groups: list[CategoricalColumn], squares: float
) -> Sums:
    """Sums over K, given that of its squares."""
    trace, diagonal2, diagonal3 = over_rows.powers
    along, weighted = over_rows.along, over_rows.weighted
    return Sums(
        trace=trace,
        diagonal2=diagonal2,
        diagonal3=diagonal3,
        squares=squares,
        triangles=_triangles(over_rows.G, over_rows.GG, groups, part),
        diagonal_form=along @ along + part.diagonal_form,
        diagonal_squares=np.vdot(weighted, over_rows.G) + part.diagonal_squares,
        cubes=np.nan,
    )


def _of_groups(
    coordinates: Coordinates, groups: list[CategoricalColumn], rows: np.ndarray, grouped: np.ndarray
) -> _CategoricalPart:
    """What columns of many values add to the sums; their own sums are written to `rows`."""
    table, embedding = coordinates.rows, coordinates.embedding
    assert isinstance(table, Table)
    Z = embedding.coordinates(table)
    diagonal = embedding.squared_lengths(table, Z)
    for k, names in zip(np.flatnonzero(grouped).tolist(), groups, strict=True):
        rows[2:, k] = category_diagonal_sums(names, diagonal)
    return _categorical_part(groups, Z, diagonal)


@dataclass(frozen=True)
class _CategoricalPart:
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


def _categorical_part(
    groups: list[CategoricalColumn], Z: np.ndarray, diagonal: np.ndarray
) -> _CategoricalPart:
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
    return _CategoricalPart(of_coordinates, projected, with_z, products, form, squares)


def _triangles(
    G: np.ndarray, GG: np.ndarray, groups: list[CategoricalColumn], part: _CategoricalPart
) -> float:
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
