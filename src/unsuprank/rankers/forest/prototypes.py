"""Predictions of trees: the mean or mode of the training rows in a leaf.

The prediction of a forest for a row is a weighted mean of training rows: each tree spreads a
weight of one over the rows of the leaf that it sends the row to. So no prototype is ever
stored; one sparse matrix of weights times the training table gives all predictions.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...table import Table
from .trees import Trees


def row_weights(trees: Trees, leaves: np.ndarray, n_train: int) -> sparse.csr_array:
    """Weights of the training rows in the prediction of each row, summing to 1.

    Parameters
    ----------
    trees : Trees
    leaves : ndarray of shape (n_rows, n_trees)
        The leaf of each row in each tree.
    n_train : int
        Number of training rows.
    """
    total = sparse.csr_array((len(leaves), n_train))
    for t in range(trees.size):
        total = total + _tree_weights(trees, t, leaves[:, t], n_train)
    return sparse.csr_array(total / trees.size)


def _tree_weights(trees: Trees, t: int, leaves: np.ndarray, n_train: int) -> sparse.csr_array:
    nodes = trees.nodes(t)
    start = int(trees.row_offset[t])
    begin = trees.row_begin[nodes][leaves] + start
    count = trees.row_end[nodes][leaves] + start - begin
    indptr = np.concatenate([[0], np.cumsum(count)])
    # Positions begin[i] .. begin[i] + count[i] - 1 for every row i, end to end.
    position = np.arange(indptr[-1]) - np.repeat(indptr[:-1] - begin, count)
    times = trees.multiplicity[position] / np.repeat(trees.weight[nodes][leaves], count)
    return sparse.csr_array((times, trees.rows[position], indptr), shape=(len(leaves), n_train))


def predict(weights: sparse.csr_array, train: Table) -> np.ndarray:
    """Weighted mean of numeric columns and weighted mode (as a code) of nominal ones."""
    missing = np.isnan(train.values)
    predicted = weights @ np.where(missing, 0.0, train.values)
    if missing.any():
        predicted = _over_known(predicted, weights @ (~missing).astype(float), train)
    for j in np.flatnonzero(train.n_values):
        codes = np.arange(train.n_values[j])
        votes = weights @ (train.values[:, [j]] == codes).astype(float)
        predicted[:, j] = votes.argmax(axis=1)
    return predicted


def _over_known(sums: np.ndarray, known: np.ndarray, train: Table) -> np.ndarray:
    """Means over known values; where a leaf has none, the mean of the training rows."""
    count = (~np.isnan(train.values)).sum(axis=0)
    overall = np.where(np.isnan(train.values), 0.0, train.values).sum(axis=0) / np.maximum(count, 1)
    return np.where(known > 0, sums / np.where(known > 0, known, 1.0), overall)
