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

from typing import Any

import numpy as np

from ..rankers.shared_variance import share_against_chance, upper_tail
from ..table import Table
from .column_spans import project

#: What is left to explain, as a share of all, below which nothing is.
NOTHING = 1e-9
#: Standard errors to either side of a score that make an interval of 95%.
WIDTH = 1.96


def cluster_shares(table: Table, clusters: np.ndarray) -> dict[str, np.ndarray]:
    """What each column explains of clusters, given by codes 0, 1, ... that all occur.

    There have to be at least four rows. The arrays are named as those of a `ClusterContrast`, and
    have a row for all clusters together and one for each.
    """
    n, indicators = table.n_rows, (clusters[:, None] == np.arange(clusters.max() + 1)).astype(float)
    columns = [_column_shares(table, j, indicators) for j in range(table.n_columns)]
    projections = [column.pop("sums") for column in columns]
    found = {name: np.column_stack([column[name] for column in columns]) for name in columns[0]}
    explained, error, least_p = (found.pop(name) for name in ("share", "error", "least_p"))
    tested = [
        share_against_chance(n, share, projections, codes)
        for share, codes in zip(explained, (clusters, *indicators.T), strict=True)
    ]
    deviations, p_values = np.moveaxis(np.array(tested), 1, 0)
    by_chance = np.array([sums.trace for sums in projections]) / (n - 1)
    room = np.where(1.0 - by_chance > NOTHING, 1.0 - by_chance, np.inf)
    scores, margin = (explained - by_chance) / room, WIDTH * error / room
    return found | {
        "scores": scores,
        "low": scores - margin,
        "high": np.minimum(scores + margin, 1.0),
        "deviations": deviations,
        "p_values": np.maximum(p_values, least_p),
    }


def _column_shares(table: Table, j: int, indicators: np.ndarray) -> dict[str, Any]:
    """What one column explains of all clusters and of each one, and how these differ in it."""
    found = project(table, j, indicators)
    centred = indicators - indicators.mean(axis=0)
    total, left = _with_all(centred**2), _with_all((centred - found.indicators) ** 2)
    share = 1.0 - left.sum(axis=0) / total.sum(axis=0)
    influence = ((1.0 - share) * total - left) / total.mean(axis=0)
    return {
        "share": share,
        "error": np.sqrt(np.mean(influence**2, axis=0) / len(indicators)),
        "least_p": [0.0, *_least_p_values(centred, found.indicators)],
        "direction": ["", *found.direction],
        "inside": [np.nan, *found.inside],
        "outside": [np.nan, *found.outside],
        "sums": found.sums,
    }


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
