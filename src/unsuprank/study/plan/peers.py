"""Selectors of other packages, as controls; importing this fails where they are not installed."""

from __future__ import annotations

import numpy as np
from fastcan import FastCan
from sklearn.decomposition import PCA


def fastcan_order(X: np.ndarray, n_selected: int = 16) -> np.ndarray:
    """The columns that fastcan selects for the principal components of `X`, then the others.

    Principal components of the standardised columns as targets are its documented way to
    select without labels.
    """
    varying = np.flatnonzero(X.std(axis=0) > 0)
    Z = (X[:, varying] - X[:, varying].mean(axis=0)) / X[:, varying].std(axis=0)
    count = min(n_selected, len(Z) - 1, len(varying))
    targets = PCA(count, random_state=0).fit_transform(Z)
    picked = varying[FastCan(count, verbose=0).fit(Z, targets).indices_]
    return np.concatenate([picked, np.setdiff1d(np.arange(X.shape[1]), picked)])
