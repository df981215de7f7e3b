"""Real tables with labels, and what the top columns of a ranking are good for on them.

Rankings never see the labels. Three judges: the accuracy of a linear support vector machine on
the top columns (are the classes still there?), the normalised mutual information of k-means
clusters with the classes, and the share of the variance of all columns that a ridge regression
on the top columns explains on rows left aside (do they stand for all?). A random choice of as
many columns always stands beside.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.io import loadmat
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

SETS = (
    *("ALLAML", "COIL20", "GLIOMA", "Isolet", "ORL", "Prostate-GE", "TOX-171", "USPS", "Yale"),
    *("arcene", "colon", "leukemia", "lymphoma", "madelon", "nci9", "pixraw10P", "warpPIE10P"),
)
#: Rows of larger sets that are looked at.
MOST_ROWS = 800
#: Columns that the ridge regression has to predict, at most.
MOST_TARGETS = 500


def labelled(name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """A data set and its classes, or None where UNSUPRANK_DATA does not have it."""
    place = Path(os.environ.get("UNSUPRANK_DATA", ""))
    if (place / f"{name}.mat").is_file():
        stored = loadmat(place / f"{name}.mat")
        X, y = stored["X"], stored["Y"].ravel()
    elif (place / f"{name}.npz").is_file():
        with np.load(place / f"{name}.npz") as archive:
            X, y = archive["X"], archive["y" if "y" in archive.files else "Y"].ravel()
    else:
        return None
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
    rows = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
    return X[rows], y[rows]


def svm_accuracy(X: np.ndarray, y: np.ndarray, columns: np.ndarray, seed: int) -> float:
    """Accuracy of a linear support vector machine, cross-validated."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    model = make_pipeline(StandardScaler(), LinearSVC(C=0.1, dual="auto", random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of fewer rows than folds, slow convergence
        return float(cross_val_score(model, X[:, columns], y, cv=folds).mean())


def kmeans_agreement(X: np.ndarray, y: np.ndarray, columns: np.ndarray, seed: int) -> float:
    """Normalised mutual information of k-means clusters with the classes, mean of 5 starts."""
    Z = StandardScaler().fit_transform(X[:, columns])
    k = len(np.unique(y))
    found = [KMeans(k, n_init=1, random_state=seed + s).fit_predict(Z) for s in range(5)]
    return float(np.mean([normalized_mutual_info_score(y, labels) for labels in found]))


def ridge_share(X: np.ndarray, columns: np.ndarray, seed: int) -> float:
    """Share of the variance of all standardised columns that the chosen ones explain."""
    Z = StandardScaler().fit_transform(X)
    targets = np.random.default_rng(seed).permutation(Z.shape[1])[:MOST_TARGETS]
    left = total = 0.0
    for train, test in KFold(3, shuffle=True, random_state=seed).split(Z):
        model = Ridge(alpha=0.1 * len(columns)).fit(Z[train][:, columns], Z[train][:, targets])
        error = Z[test][:, targets] - model.predict(Z[test][:, columns])
        left += float((error**2).sum())
        total += float((Z[test][:, targets] ** 2).sum())
    return 1.0 - left / total


def judged(X: np.ndarray, y: np.ndarray, order: np.ndarray, size: int, seed: int = 0) -> np.ndarray:
    """Accuracy, agreement and share of the top columns."""
    columns = order[:size]
    return np.array(
        [
            svm_accuracy(X, y, columns, seed),
            kmeans_agreement(X, y, columns, seed),
            ridge_share(X, columns, seed),
        ]
    )
