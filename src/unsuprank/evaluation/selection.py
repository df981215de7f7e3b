"""Rankers, orders and sizes: what the evaluation functions take, read into one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

#: A ranker to fit, or column indices, best first.
RankerOrOrder = Any


def geometric_sizes(n_features: int) -> np.ndarray:
    """1, 2, 4, ..., the largest power of two that is not above `n_features`, and that.

    Examples
    --------
    >>> from unsuprank.evaluation import geometric_sizes
    >>> geometric_sizes(20)
    array([ 1,  2,  4,  8, 16, 20])
    """
    powers = 2 ** np.arange(int(n_features).bit_length())
    return np.unique(np.append(powers, n_features))


def read_sizes(sizes: str | Sequence[int], n_features: int) -> np.ndarray:
    """Ascending numbers of leading columns."""
    if isinstance(sizes, str):
        if sizes != "geometric":
            raise ValueError(f"sizes must be 'geometric' or a list of counts, got {sizes!r}.")
        return geometric_sizes(n_features)
    wanted = np.unique(np.asarray(sizes))
    if wanted.dtype.kind not in "iu" or len(wanted) == 0:
        raise TypeError("sizes must be whole numbers of features.")
    if wanted[0] < 1 or wanted[-1] > n_features:
        raise ValueError(f"sizes must be from 1 to the number of features ({n_features}).")
    return wanted


def size_index(sizes: np.ndarray, size: int) -> int:
    """Where ascending sizes come nearest to `size` from below; 0 where all are above it."""
    return max(0, int(np.searchsorted(sizes, size, side="right")) - 1)


def read_methods(methods: RankerOrOrder | Mapping[str, RankerOrOrder]) -> dict[str, RankerOrOrder]:
    """Rankers or orders by name."""
    if isinstance(methods, Mapping):
        if not methods:
            raise ValueError("There is nothing to evaluate: the mapping of rankers is empty.")
        return {str(name): method for name, method in methods.items()}
    return {type(methods).__name__ if hasattr(methods, "fit") else "order": methods}


def learn_order(method: RankerOrOrder, X: Any, n_features: int) -> np.ndarray:
    """The order of a clone of `method` fitted to `X`; an order stands for itself."""
    if hasattr(method, "fit"):
        return np.asarray(clone(method).fit(X).order_)
    order = np.asarray(method)
    if sorted(order.tolist()) != list(range(n_features)):
        raise ValueError(f"An order must list every column index from 0 to {n_features - 1} once.")
    return order


def random_order(n_features: int, random_state: int, *where: int) -> np.ndarray:
    """A permutation that depends on the seed and on where it is used, on nothing else."""
    return np.random.default_rng([random_state, *where]).permutation(n_features)
