"""Do clusters resemble classes? Where they do not, labels cannot judge a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from .._checks import check_count
from ..table import read_table
from .judges import kmeans_labels


def cluster_hypothesis(X: Any, y: Any, *, n_runs: int = 10, random_state: int = 0) -> float:
    """Median adjusted Rand index of k-means against the classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numeric, without missing values; used on the scale it comes in.
    y : array-like of shape (n_samples,)
        Classes; k-means gets as many clusters.
    n_runs : int, default=10
        Runs of k-means, each from one start.
    random_state : int, default=0
        Seed of the first run; the others follow it.

    Returns
    -------
    float
        1 for clusters that are the classes, about 0 where they have nothing in common.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank.evaluation import cluster_hypothesis
    >>> X = np.repeat([[0.0], [5.0]], 20, axis=0)
    >>> cluster_hypothesis(X, np.repeat([0, 1], 20))
    1.0
    """
    check_count("n_runs", n_runs)
    table = read_table(X)
    table.require_complete("k-means", [])
    table.require_numeric("k-means", [])
    labels = np.asarray(y).ravel()
    if len(labels) != table.n_rows:
        raise ValueError(f"y has {len(labels)} labels, but X has {table.n_rows} rows.")
    values = np.ascontiguousarray(table.values)
    runs = [
        adjusted_rand_score(labels, kmeans_labels(values, labels, random_state + run))
        for run in range(n_runs)
    ]
    return float(np.median(runs))
