"""How much of given clusters each column explains, with chance in closed form.

A cluster is a column of its own, 1 for its rows and 0 for the others, and all clusters together are
a nominal column. A column explains the share of its variance (for all clusters: of their Gini
impurity) that lies in the span of the column. With P the projection onto the span and H the inner
products of the cluster's coordinates, the share is tr PH / tr H. Its mean, variance and third
moment over all orders of the rows are known (:mod:`..rankers.shared_variance.shuffles`), whatever
the column is and however small the cluster.

For the tail of its law this gives a gamma distribution, which ends too soon for skewed columns and
small clusters, at p-values of 1e-6, where tests of thousands of columns look. But a share is no
rarer than one of its parts: with f the direction in the span along which the cluster y lies, |Py| =
f'y, and f'y alone is as large or larger with at most the same chance. Its skewness is known too,
and its tail is that of sampling without replacement, not of a square: the larger of both is taken.

The standard error comes from the influence of single rows. A share is 1 - E e^2 / E y^2 with y the
centred indicator and e what is left of it. Since e is the least possible, its change with the
coefficients is of second order, and row i moves the share by ((1 - share) y_i^2 - e_i^2) / E y^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rankers.shared_variance.chance import scores_and_tails
from ..rankers.shared_variance.columns import CategoricalColumn, stack
from ..rankers.shared_variance.others import ROUNDING, Relations
from ..rankers.shared_variance.shuffles import Sums, mean, parts, upper_tail, variance
from ..table import Table
from .column_spans import ColumnSpan, Contrast, column_span

#: What is left to explain, as a share of all, below which nothing is.
NOTHING = 1e-9


@dataclass(frozen=True)
class ClusterShares:
    """What columns explain of all clusters (first row) and of each one: clusters x columns."""

    #: Beyond chance: 0 on average for noise, 1 for all that there is.
    share: np.ndarray
    standard_error: np.ndarray
    #: Standard deviations beyond chance.
    deviations: np.ndarray
    p_values: np.ndarray
    #: How each cluster differs from other rows, see `Contrast`; nothing of all clusters.
    direction: np.ndarray
    inside: np.ndarray
    outside: np.ndarray


def cluster_shares(table: Table, clusters: np.ndarray) -> ClusterShares:
    """What each column explains of clusters, given by codes 0, 1, ... that all occur.

    There have to be at least four rows.
    """
    n, indicators = table.n_rows, (clusters[:, None] == np.arange(clusters.max() + 1)).astype(float)
    columns = [_column_shares(indicators, column_span(table, j)) for j in range(table.n_columns)]
    projections = stack([column.projection for column in columns])
    explained = np.column_stack([column.share for column in columns])
    tested = [
        scores_and_tails(n, _relations(n, share, projections, _label_sums(codes)))
        for share, codes in zip(explained, (clusters, *indicators.T), strict=True)
    ]
    scores, p_values = np.moveaxis(np.array(tested), 1, 0)
    by_chance = projections.trace / (n - 1)
    room = np.where(1.0 - by_chance > NOTHING, 1.0 - by_chance, np.inf)
    return ClusterShares(
        (explained - by_chance) / room,
        np.column_stack([column.standard_error for column in columns]) / room,
        scores,
        np.maximum(p_values, np.column_stack([[0.0, *column.least_p] for column in columns])),
        np.column_stack([["", *column.contrast.direction] for column in columns]),
        np.column_stack([[np.nan, *column.contrast.inside] for column in columns]),
        np.column_stack([[np.nan, *column.contrast.outside] for column in columns]),
    )


@dataclass(frozen=True)
class _ColumnShares:
    """What one column explains of all clusters and of each one, and sums over its projection."""

    share: np.ndarray
    standard_error: np.ndarray
    #: Bounds of the p-values of each cluster.
    least_p: np.ndarray
    contrast: Contrast
    projection: Sums


def _column_shares(indicators: np.ndarray, span: ColumnSpan) -> _ColumnShares:
    projected = span.project(indicators)
    centred = indicators - indicators.mean(axis=0)
    total, left = _with_all(centred**2), _with_all((centred - projected) ** 2)
    share = 1.0 - left.sum(axis=0) / total.sum(axis=0)
    influence = ((1.0 - share) * total - left) / total.mean(axis=0)
    return _ColumnShares(
        share,
        np.sqrt(np.mean(influence**2, axis=0) / len(indicators)),
        _least_p_values(centred, projected),
        span.contrast(indicators),
        span.sums(),
    )


def _least_p_values(centred: np.ndarray, projected: np.ndarray) -> np.ndarray:
    """How often clusters lie as far along their own direction in the span of a column."""
    n = len(centred)
    deviation = np.sqrt(np.sum(centred**2, axis=0) / (n - 1))
    length = np.sqrt(np.sum(projected**2, axis=0))
    cubes = np.einsum("ij,ij,ij->j", projected, projected, projected)
    cubes /= np.where(length > 0.0, length, 1.0) ** 3
    third = n / ((n - 1) * (n - 2)) * cubes * np.sum(centred**3, axis=0)
    return upper_tail(length / deviation, third / deviation**3)


def _with_all(squares: np.ndarray) -> np.ndarray:
    """Squares of each cluster, after their sums over all clusters."""
    return np.column_stack([squares.sum(axis=1), squares])


def _label_sums(codes: np.ndarray) -> Sums:
    return CategoricalColumn.of(codes.astype(float), 1.0).products()


def _relations(n: int, share: np.ndarray, projections: Sums, labels: Sums) -> Relations:
    """Columns beside labels.

    The order makes no difference not only for a column, or labels, with a value of its own in
    every row: it makes none for one row that is special among two clusters of equal size.
    """
    column, others = parts(n, projections), parts(n, labels)
    varies = variance(n, column, others) > ROUNDING * mean(n, column, others) ** 2
    return Relations(share * others.trace, column, others, varies)
