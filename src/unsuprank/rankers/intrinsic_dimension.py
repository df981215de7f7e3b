"""Intrinsic dimension from the two nearest neighbours of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..table import read_table
from .centred_matrix import ColumnMatrix
from .spectral.graph import GraphOptions, nearest_rows

#: The largest ratios are noisy and biased; this share of them is left out.
DROPPED_SHARE = 0.1


def two_nn_dimension(X: np.ndarray) -> float:
    """The estimate of :func:`intrinsic_dimension` for a checked array, from 1 to its width."""
    X = np.unique(X, axis=0)  # duplicates have no nearest neighbour at a distance
    if len(X) < 3:
        return 1.0
    ratios = _log_ratios(X)
    m = len(ratios)
    kept = np.arange(1, m + 1) <= m * (1 - DROPPED_SHARE)
    x = ratios[kept]
    y = -np.log1p(-np.arange(1, m + 1)[kept] / m)
    if not x @ x > 0:  # every second neighbour is as near as the first
        return float(min(X.shape))
    return float(np.clip(x @ y / (x @ x), 1.0, X.shape[1]))


def _log_ratios(X: np.ndarray) -> np.ndarray:
    """Logarithms of the ratios of distances to the second and first neighbour, ascending."""
    rows, _ = ColumnMatrix(X).within_range()
    near = nearest_rows(rows, GraphOptions(n_neighbors=2))
    squared = np.stack([rows.pair_distances(np.arange(len(X)), others) for others in near.T])
    squared.sort(axis=0)
    known = squared[0] > 0
    return np.sort(0.5 * np.log(squared[1, known] / squared[0, known]))


def intrinsic_dimension(X: Any) -> float:
    """Estimate how many coordinates the rows of `X` really have.

    If rows are spread evenly over d dimensions, the ratio mu of the distances to a row's second
    and first nearest neighbour has the distribution ``1 - mu^-d``. The estimate is the slope
    through the origin of ``-log(1 - i/m)`` on the i-th smallest ``log mu``, without the
    largest tenth, kept between 1 and the number of columns. It is biased low in high
    dimensions. Duplicate rows count once.

    Parameters
    ----------
    X : array-like, DataFrame or Table of shape (n_samples, n_features)
        Numbers without missing values, in at least 3 rows.

    Returns
    -------
    float
        The estimated number of dimensions.

    References
    ----------
    Facco, d'Errico, Rodriguez, Laio: Estimating the intrinsic dimension of datasets by a
    minimal neighborhood information. Scientific Reports 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import intrinsic_dimension
    >>> flat = np.random.default_rng(0).uniform(size=(1000, 2)) @ np.array([[1, 0, 1], [0, 1, 1]])
    >>> round(intrinsic_dimension(flat))
    2
    """
    table = read_table(X, min_rows=3)
    table.require_complete("intrinsic_dimension", ["none"])
    table.require_numeric("intrinsic_dimension", ["none"])
    return two_nn_dimension(table.values)
