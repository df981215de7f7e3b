"""What a column shares with the table, and what the table is without it.

K is the sum of the products H_k = Z_k Z_k' over all columns k. Once per table: its diagonal and
the sums over its entries. Once per column: tr PK, tr HK, and sums over the diagonal h of H
together with that of K. The sums over the *other* columns, L = K - H, follow without another
product:

    |L|^2 = |K|^2 - 2 tr KH + |H|^2,    sum (K_ii - h_i)^2,    sum (K_ii - h_i)^3.

Mean and variance under shuffling need no more than that, and are exact. The third moment also
needs sums of L that would cost further products of the size of the table. sum a_i a_j Q_ij, sum
a_i Q_ij^2 and sum Q_ij^3 are taken to be those of K less those of H: this is what they are on
average if the column has nothing to do with the others, which is what a p-value supposes. In tr
L^3 = tr K^3 - 3 tr LLH - 3 tr LHH - tr H^3 the mixed terms are estimated from tr LH, see
`mixed_triangles`. The p-values of noise are the same to a few percent of themselves; those of
columns that share much come out too large, 1e-8 for 1e-9.

There are three ways to these sums (:mod:`...coordinates.coordinates`): `by_rows` makes K,
`by_columns` the inner products of the coordinates, and `by_products` neither.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..coordinates import Coordinates
from .by_columns import sums_by_columns
from .by_products import sums_by_products
from .by_rows import sums_by_rows
from .columns import Powers, put
from .shuffles import Parts, Sums, diagonal_and_rest, parts, triangles_of_rest
from .sums import ColumnSums, TableSums, mixed_triangles

#: Differences between rows below this share of all products are rounding.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Relations:
    """The columns of a table, each beside all others."""

    #: tr PK with the other columns' K.
    explained: np.ndarray
    #: Invariants of the projections P, and of the other columns' K.
    column: Parts
    others: Parts
    #: Whether what is explained depends on the order of the rows at all.
    depends_on_order: np.ndarray


def sums_of_table(coordinates: Coordinates) -> TableSums:
    """The sums over all columns, in the way that was chosen."""
    way = {"rows": sums_by_rows, "columns": sums_by_columns, "products": sums_by_products}
    return way[coordinates.way](coordinates)


def relations(coordinates: Coordinates) -> Relations:
    """What each column that varies explains of the others."""
    return relations_of(sums_of_table(coordinates), coordinates.n_rows)


def relations_of(sums: TableSums, n_rows: Any, show: Powers | None = None) -> Relations:
    """The same from sums that were found in one way or another.

    Columns may show something else than what they are to the others: numbers with powers `show`,
    which have no part in what K holds of the same column.
    """
    own, projection = sums.powers.products(), (show or sums.powers).projection()
    for j, names in sums.names.items():
        put(own, j, names.products())
        put(projection, j, names.projection())
    others = _without(n_rows, sums.whole, own, sums.shared)
    uneven = np.maximum(others.aa, others.qq) > ROUNDING * sums.whole.squares
    return Relations(
        sums.shared.projected - (own.trace if show is None else 0.0),
        parts(n_rows, projection),
        others,
        uneven & (projection.trace < n_rows - 1.5),
    )


def _without(n: Any, whole: Sums, own: Sums, shared: ColumnSums) -> Parts:
    """The invariants of the other columns' K."""
    all_columns, alone = parts(n, whole), parts(n, own)
    if np.isnan(whole.cubes).any():
        all_columns = replace(all_columns, cubes=alone.cubes.sum())
    rest = Sums(
        trace=whole.trace - own.trace,
        diagonal2=whole.diagonal2 - 2 * shared.h_k + own.diagonal2,
        diagonal3=whole.diagonal3 - 3 * shared.h_kk + 3 * shared.hh_k - own.diagonal3,
        squares=whole.squares - 2 * shared.products + own.squares,
        triangles=None,
    )
    mixed = mixed_triangles(shared.products - own.squares, rest.squares, rest.trace, own)
    rest = replace(rest, triangles=whole.triangles - mixed - own.triangles)
    aa, qq, aaa = diagonal_and_rest(n, rest)
    aaq, aqq = all_columns.aaq - alone.aaq, all_columns.aqq - alone.aqq
    triangles = triangles_of_rest(n, rest, aaa, aaq, aqq)
    return Parts(rest.trace, aa, qq, aaa, aaq, aqq, triangles, all_columns.cubes - alone.cubes)
