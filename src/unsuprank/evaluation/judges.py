"""What the leading features are good for: rebuilding the rest, or finding the labels.

A judge is told of a fold, the rows to learn from and the rows to be judged on, and answers with
a function for that fold: of an order and sizes, to an array of shape (n_repetitions, n_sizes).
What all orders of a fold share is done once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.neighbors import KNeighborsClassifier

from .._parallel import one_blas_thread
from ..table import SparseTable, Table
from .measures import (
    RECONSTRUCTION,
    Values,
    feature_errors,
    make_fold,
    squares_overflow,
    summarise,
    written_out,
)
from .neighbours import PrefixNeighbours

#: A custom measure: ``(X, X_selected, y) -> float``, higher is better.
Measure = Callable[[np.ndarray, np.ndarray, Any], float]
#: Judges an order of one fold at several sizes.
JudgeOrder = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: The judge of the orders of a fold, given its training and its test rows.
OnFold = Callable[[np.ndarray, np.ndarray], JudgeOrder]
#: Starts of k-means in the clustering protocol.
KMEANS_STARTS = 20
#: Bytes up to which selected columns of a sparse table are written out.
WRITTEN_BYTES = 2**26


@dataclass(frozen=True)
class Judge:
    """Judges leading features; see the module's prose."""

    name: str
    on_fold: OnFold
    higher_is_better: bool = True
    default_cv: int | None = None


def _each_size(judge: Callable[[np.ndarray], Any]) -> JudgeOrder:
    """Judge the leading columns of every size, in the order of the table."""
    return lambda order, sizes: np.transpose(
        [np.atleast_1d(judge(np.sort(order[:size]))) for size in sizes]
    )


def _by_nearest_row(table: Table, measure: str, train: np.ndarray, test: np.ndarray) -> JudgeOrder:
    """The error of copying all features of the row that is nearest in the leading ones."""
    fold = make_fold(table, train, test)
    neighbours = PrefixNeighbours(fold.train, fold.test, fold.nominal)

    def error(nearest: np.ndarray) -> float:
        errors = feature_errors(fold, lambda rows: written_out(fold.train[nearest[rows]]))
        return summarise(fold, errors, measure)

    return lambda order, sizes: np.array([[*map(error, neighbours.nearest(order, sizes))]])


def _by_regressor(
    table: Table, measure: str, model: Any, train: np.ndarray, test: np.ndarray
) -> JudgeOrder:
    """The error of a scikit-learn regressor that predicts all features."""
    fold = make_fold(table, train, test)

    def error(columns: np.ndarray) -> float:
        fitted = clone(model).fit(fold.train[:, columns], fold.train)
        predicted = np.asarray(fitted.predict(fold.test[:, columns])).reshape(fold.test.shape)
        return summarise(fold, feature_errors(fold, lambda rows: predicted[rows]), measure)

    return _each_size(error)


def _by_classifier(
    table: Table, y: np.ndarray, model: Any, train: np.ndarray, test: np.ndarray
) -> JudgeOrder:
    """Accuracy of predicting the labels."""
    model = KNeighborsClassifier(n_neighbors=1) if model == "1nn" else model

    def accuracy(columns: np.ndarray) -> float:
        with one_blas_thread():
            fitted = clone(model).fit(_selected(table, train, columns), y[train])
            return fitted.score(_selected(table, test, columns), y[test])

    return _each_size(accuracy)


def _by_clusters(
    table: Table, y: np.ndarray, measure: str, seed: int, _train: np.ndarray, test: np.ndarray
) -> JudgeOrder:
    """Agreement of k-means on the leading features with the labels, per start."""

    def agreements(columns: np.ndarray) -> list[float]:
        X = _selected(table, test, columns)
        found = (kmeans_labels(X, y[test], seed + start) for start in range(KMEANS_STARTS))
        return [CLUSTERING[measure](y[test], labels) for labels in found]

    return _each_size(agreements)


def _by_function(
    function: Measure, values: np.ndarray, y: Any, _train: np.ndarray, test: np.ndarray
) -> JudgeOrder:
    """Any function of (X, X_selected, y)."""
    X, labels = values[test], None if y is None else y[test]
    return _each_size(lambda columns: float(function(X, X[:, columns], labels)))


def _selected(table: Table, rows: np.ndarray, columns: np.ndarray) -> Values:
    """Some columns of some rows; sparse only if they are too many to be written out."""
    if not isinstance(table, SparseTable):
        return np.ascontiguousarray(table.values[np.ix_(rows, columns)])
    part = table.by_rows[rows][:, columns].astype(float)
    return part.toarray() if 8 * len(rows) * len(columns) <= WRITTEN_BYTES else part


def kmeans_labels(X: Values, y: np.ndarray, seed: int) -> np.ndarray:
    """Clusters of one start of k-means with as many clusters as there are classes."""
    k = min(len(np.unique(y)), _distinct_rows(X))
    with one_blas_thread():
        return KMeans(n_clusters=k, n_init=1, random_state=seed).fit_predict(X)


def _distinct_rows(X: Values) -> int:
    if isinstance(X, np.ndarray):
        return len(np.unique(X, axis=0))
    ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return len({(X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in ends})


def clustering_accuracy(y: np.ndarray, labels: np.ndarray) -> float:
    """Share of rows in the right class under the best matching of clusters to classes.

    Examples
    --------
    >>> from unsuprank.evaluation import clustering_accuracy
    >>> clustering_accuracy([0, 0, 1, 1], [1, 1, 0, 1])
    0.75
    """
    table = contingency_matrix(y, labels)
    return float(table[linear_sum_assignment(-table)].sum() / len(y))


CLUSTERING: dict[str, Callable[..., float]] = {
    "nmi": normalized_mutual_info_score,
    "ari": adjusted_rand_score,
    "clustering_accuracy": clustering_accuracy,
}


def make_judge(
    measure: str | Measure, model: Any, table: Table, y: Any, random_state: int
) -> Judge:
    """The judge for a measure's name."""
    labels = None if y is None else np.asarray(y).ravel()
    if labels is not None and len(labels) != table.n_rows:
        raise ValueError(f"y has {len(labels)} labels, but X has {table.n_rows} rows.")
    if callable(measure):
        name = getattr(measure, "__name__", "custom")
        return Judge(name, partial(_by_function, measure, table.values, labels))
    known = (*RECONSTRUCTION, "classification", *CLUSTERING)
    if measure not in known:
        raise ValueError(
            f"measure must be a function or one of {', '.join(known)}, got {measure!r}."
        )
    if too_large := squares_overflow(table):
        raise ValueError(too_large)
    if measure in RECONSTRUCTION:
        return Judge(measure, _reconstruction(table, measure, model), False, default_cv=10)
    if labels is None:
        raise ValueError(f"measure {measure!r} compares to labels: give them as y.")
    classifies = measure == "classification"
    who = "A classifier" if classifies else "k-means"
    table.require_complete(who, ["the reconstruction measures"])
    if classifies:
        return Judge(measure, partial(_by_classifier, table, labels, model), default_cv=10)
    return Judge(measure, partial(_by_clusters, table, labels, measure, random_state))


def _reconstruction(table: Table, measure: str, model: Any) -> OnFold:
    if model == "1nn":
        return partial(_by_nearest_row, table, measure)
    if isinstance(model, str):
        raise ValueError(f"model must be '1nn' or a scikit-learn estimator, got {model!r}.")
    if table.is_sparse:
        raise TypeError(
            "A regressor predicts all columns at once, and the table is sparse; use the "
            "default model, 1nn, or pass X.toarray() if that fits into memory."
        )
    table.require_complete("A regressor", ["the default model, 1nn"])
    table.require_numeric("A regressor", ["the default model, 1nn"])
    return partial(_by_regressor, table, measure, model)
