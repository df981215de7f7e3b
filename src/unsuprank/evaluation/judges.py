"""What the leading features are good for: rebuilding the rest, or finding the labels.

A judge is told of a fold, the rows to learn from and the rows to be judged on, and answers with
a function for that fold: of an order and sizes, to an array of shape (n_repetitions, n_sizes).
What all orders of a fold share is done once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

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
    Fold,
    Values,
    feature_errors,
    make_fold,
    squares_overflow,
    summarise,
    written_out,
)
from .sparse_neighbours import prefix_neighbours

#: A custom measure: ``(X, X_selected, y) -> float``, higher is better.
Measure = Callable[[np.ndarray, np.ndarray, Any], float]
#: Judges an order of one fold at several sizes.
JudgeOrder = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: Starts of k-means in the clustering protocol.
KMEANS_STARTS = 20
#: Bytes up to which selected columns of a sparse table are written out.
WRITTEN_BYTES = 2**26


class Judge(ABC):
    """Judges leading features; see the module's prose."""

    higher_is_better: ClassVar[bool] = True
    default_cv: ClassVar[int | None] = None

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def on_fold(self, train: np.ndarray, test: np.ndarray) -> JudgeOrder:
        """The judge of the orders of one fold."""


class NearestNeighbourJudge(Judge):
    """The error of copying all features of the row that is nearest in the leading ones."""

    higher_is_better = False
    default_cv = 10

    def __init__(self, name: str, table: Table) -> None:
        super().__init__(name)
        self._table = table

    def on_fold(self, train, test):
        fold = make_fold(self._table, train, test)
        neighbours = prefix_neighbours(fold.train, fold.test, fold.nominal)

        def error(nearest: np.ndarray) -> float:
            errors = feature_errors(fold, lambda rows: written_out(fold.train[nearest[rows]]))
            return summarise(fold, errors, self.name)

        return lambda order, sizes: np.array(
            [[error(nearest) for nearest in neighbours.nearest(order, sizes)]]
        )


class RegressorJudge(Judge):
    """The error of a scikit-learn regressor that predicts all features."""

    higher_is_better = False
    default_cv = 10

    def __init__(self, name: str, table: Table, model: Any) -> None:
        super().__init__(name)
        if table.is_sparse:
            raise TypeError(
                "A regressor predicts all columns at once, and the table is sparse; use the "
                "default model, 1nn, or pass X.toarray() if that fits into memory."
            )
        table.require_complete("A regressor", ["the default model, 1nn"])
        table.require_numeric("A regressor", ["the default model, 1nn"])
        self._table, self._model = table, model

    def on_fold(self, train, test):
        fold = make_fold(self._table, train, test)
        return lambda order, sizes: np.array(
            [[self._error(fold, np.sort(order[:size])) for size in sizes]]
        )

    def _error(self, fold: Fold, columns: np.ndarray) -> float:
        model = clone(self._model).fit(fold.train[:, columns], fold.train)
        predicted = np.asarray(model.predict(fold.test[:, columns])).reshape(fold.test.shape)
        return summarise(fold, feature_errors(fold, lambda rows: predicted[rows]), self.name)


class ClassificationJudge(Judge):
    """Accuracy of predicting the labels."""

    default_cv = 10

    def __init__(self, table: Table, y: np.ndarray, model: Any) -> None:
        super().__init__("classification")
        table.require_complete("A classifier", ["the reconstruction measures"])
        self._table, self._y = table, y
        self._model = KNeighborsClassifier(n_neighbors=1) if model == "1nn" else model

    def on_fold(self, train, test):
        table, y = self._table, self._y

        def accuracy(columns: np.ndarray) -> float:
            with one_blas_thread():
                model = clone(self._model).fit(_selected(table, train, columns), y[train])
                return model.score(_selected(table, test, columns), y[test])

        return lambda order, sizes: np.array([[accuracy(np.sort(order[:size])) for size in sizes]])


class ClusteringJudge(Judge):
    """Agreement of k-means on the leading features with the labels, per start."""

    def __init__(self, name: str, table: Table, y: np.ndarray, random_state: int) -> None:
        super().__init__(name)
        table.require_complete("k-means", ["the reconstruction measures"])
        self._table, self._y, self._seed = table, y, random_state

    def on_fold(self, train, test):  # noqa: ARG002 - k-means learns nothing
        y = self._y[test]

        def agreements(columns: np.ndarray) -> list[float]:
            X = _selected(self._table, test, columns)
            found = (kmeans_labels(X, y, self._seed + start) for start in range(KMEANS_STARTS))
            return [CLUSTERING[self.name](y, labels) for labels in found]

        return lambda order, sizes: np.transpose(
            [agreements(np.sort(order[:size])) for size in sizes]
        )


class CustomJudge(Judge):
    """Any function of (X, X_selected, y)."""

    def __init__(self, function: Measure, table: Table, y: Any) -> None:
        super().__init__(getattr(function, "__name__", "custom"))
        self._function, self._values, self._y = function, table.values, y

    def on_fold(self, train, test):  # noqa: ARG002 - the function learns nothing
        X = self._values[test]
        y = None if self._y is None else self._y[test]
        return lambda order, sizes: np.array(
            [[self._function(X, X[:, np.sort(order[:size])], y) for size in sizes]], float
        )


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
        return CustomJudge(measure, table, labels)
    known = (*RECONSTRUCTION, "classification", *CLUSTERING)
    if measure not in known:
        raise ValueError(
            f"measure must be a function or one of {', '.join(known)}, got {measure!r}."
        )
    too_large = squares_overflow(table)
    if too_large is not None:
        raise ValueError(too_large)
    if measure in RECONSTRUCTION:
        if not isinstance(model, str):
            return RegressorJudge(measure, table, model)
        if model != "1nn":
            raise ValueError(f"model must be '1nn' or a scikit-learn estimator, got {model!r}.")
        return NearestNeighbourJudge(measure, table)
    if labels is None:
        raise ValueError(f"measure {measure!r} compares to labels: give them as y.")
    if measure == "classification":
        return ClassificationJudge(table, labels, model)
    return ClusteringJudge(measure, table, labels, random_state)
