"""Nearest training rows of test rows of a sparse table."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .measures import Values
from .neighbours import BLOCK_NUMBERS, PrefixNeighbours, whole_number_scale


class SparsePrefixNeighbours(PrefixNeighbours):
    """What :class:`PrefixNeighbours` is for dense rows, from the values that are not zero.

    Parameters
    ----------
    train, test : csr_array of shape (n_train, n_columns), (n_test, n_columns)
    """

    def __init__(self, train: sparse.csr_array, test: sparse.csr_array) -> None:
        self._nominal = np.zeros(train.shape[1], dtype=bool)
        parts = (test.data[:, None], train.data[:, None])
        scale = whole_number_scale(parts, np.ones(1, dtype=bool), train.shape[1])
        self._exact = scale is not None
        # By columns, because leading columns are picked from them for every block of test rows.
        self._train = _on_scale(train, scale).tocsc()
        self._test = _on_scale(test, scale)
        self._of_all = None

    def _add_numeric(self, distance, test, columns, train_norm):
        a, b = test[:, columns], self._train[:, columns]
        a_norm, b_norm = a.power(2).sum(axis=1), b.power(2).sum(axis=1)
        distance += a_norm[:, None]
        distance += b_norm
        distance -= 2.0 * (a @ b.T).toarray()
        train_norm += b_norm
        return a_norm

    def _direct(self, test, rows, candidates, columns):
        result = np.empty(len(rows))
        test, train = test[:, columns], self._train[:, columns].tocsr()
        step = max(1, BLOCK_NUMBERS // len(columns))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            difference = test[rows[part]] - train[candidates[part]]
            result[part] = difference.power(2).sum(axis=1)
        return result


def prefix_neighbours(train: Values, test: Values, nominal: np.ndarray) -> PrefixNeighbours:
    """The nearest training rows of test rows, dense or sparse."""
    if sparse.issparse(train):
        return SparsePrefixNeighbours(train, test)
    return PrefixNeighbours(train, test, nominal)


def _on_scale(values: sparse.csr_array, scale: int | None) -> sparse.csr_array:
    if scale is None:
        return values
    data = np.rint(values.data * float(scale))
    return sparse.csr_array((data, values.indices, values.indptr), shape=values.shape)
