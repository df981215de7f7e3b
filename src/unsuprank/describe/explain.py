"""Which columns set given clusters apart?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rankers.shared_variance import LEAST_ROWS
from ..table import ColumnChoice, Table, code_values, read_table
from .cluster_shares import cluster_shares
from .frames import as_frame

#: The chance that any column is called beyond chance, of any cluster, when none has to do with it.
LEVEL = 0.05
#: What the rows of an explanation are called, and the attributes of a contrast that they are from.
ROW_KEYS = {
    "score": "scores",
    "low": "low",
    "high": "high",
    "direction": "direction",
    "inside": "inside",
    "outside": "outside",
    "deviations": "deviations",
    "p_value": "p_values",
    "adjusted_p_value": "adjusted_p_values",
    "beyond_chance": "beyond",
}


@dataclass(frozen=True)
class ClusterContrast:
    """The columns of a table, by how well each tells a cluster from the other rows.

    Attributes
    ----------
    cluster : object
        The label of the cluster; None for all clusters together.
    size : int
        Its rows.
    order : ndarray of int
        Columns, best first: those beyond chance by their scores, then the others by their p-values.
    scores : ndarray
        The share of the cluster (1 inside, 0 outside) that a column explains, beyond what it would
        explain by chance: 1 if it tells the cluster exactly, around 0 for noise.
    low, high : ndarray
        Ends of the interval of 95% for the scores.
    deviations : ndarray
        The score in standard deviations over all orders of the rows, from their mean.
    p_values : ndarray
        How often a column explains as much if it has nothing to do with the cluster.
    adjusted_p_values : ndarray
        The same, corrected for the number of columns and clusters by Holm's procedure.
    beyond : ndarray of bool
        Columns that are beyond chance: adjusted p-values of at most 0.05.
    direction : list of str
        For numbers, where the rows of the cluster lie: "higher", "lower", "between" or "at both
        ends". For categories, of which one they have more or less than other rows.
    inside, outside : ndarray
        The mean of numbers, or the share of the category that `direction` names, in the cluster and
        in all other rows. For all clusters together these are NaN, and `direction` is empty.
    """

    cluster: Any
    size: int
    order: np.ndarray
    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
    deviations: np.ndarray
    p_values: np.ndarray
    adjusted_p_values: np.ndarray
    beyond: np.ndarray
    direction: list[str]
    inside: np.ndarray
    outside: np.ndarray


@dataclass(frozen=True)
class ClusterExplanation:
    """What sets clusters apart, overall and for each of them.

    Attributes
    ----------
    columns : list of str
        Names of the columns.
    overall : ClusterContrast
        For all clusters together.
    per_cluster : dict
        The same for each cluster against all other rows, by label.
    """

    columns: list[str]
    overall: ClusterContrast
    per_cluster: dict[Any, ClusterContrast]

    def top(self, k: int = 5) -> dict[Any, list[str]]:
        """Names of the first `k` columns that are beyond chance, by label of the cluster."""
        return {
            label: [self.columns[j] for j in found.order[:k] if found.beyond[j]]
            for label, found in self.per_cluster.items()
        }

    def rows(self) -> list[dict[str, Any]]:
        """Everything as rows, best first, all clusters together (cluster None) before each one."""
        contrasts = [self.overall, *self.per_cluster.values()]
        return [row for contrast in contrasts for row in self.rows_of(contrast)]

    def rows_of(self, contrast: ClusterContrast) -> list[dict[str, Any]]:
        """One contrast as rows, best first."""
        rows = []
        for rank, j in enumerate(contrast.order.tolist(), 1):
            row = {"cluster": contrast.cluster, "rank": rank, "feature": self.columns[j]}
            for key, name in ROW_KEYS.items():
                value = np.asarray(getattr(contrast, name)[j]).item()
                row[key] = None if value != value else value  # NaN is nothing to say
            rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """`rows` as a pandas DataFrame."""
        return as_frame(self.rows())


def explain_clusters(
    X: Any, labels: Any, *, nominal_features: ColumnChoice = None
) -> ClusterExplanation:
    """Find the columns that set clusters apart, overall and for each cluster.

    Every column is asked how much of a cluster it explains: numbers by their ranks and the squares
    of these, categories as they are. Numbers and categories are on one scale, missing values say
    nothing, and neither units nor outliers matter. What a column would explain with its rows in any
    other order is known in closed form, so the comparison with chance is exact in mean, variance
    and skewness, the answer takes no longer than a sort of each column, and it is always the same.

    Parameters
    ----------
    X : array-like, DataFrame, AnnData or Table
        Columns of any kind, with or without gaps.
    labels : array-like of shape (n_rows,)
        The cluster of each row: numbers or names. Rows whose label is missing (None or NaN) are
        left out; a label for noise, such as -1, is a cluster like any other.
    nominal_features : sequence of names, indices, or mask, optional
        Nominal columns of a plain array; those of a DataFrame are found by their type.

    Returns
    -------
    ClusterExplanation
        With a :class:`ClusterContrast` for all clusters and for each one, ``top`` and ``to_frame``.

    Notes
    -----
    Chance means clusters that have nothing to do with the columns. Clusters that were found by
    means of the same columns differ in some of them even where there is only noise: then the
    scores say in which columns they differ, and the p-values do not show that the clusters are
    real.

    Of tables that hold nothing but noise, about one in twenty or fewer have any column beyond
    chance, also where clusters are of a few rows. The intervals hold the score of the whole
    population in about 94% of samples of 600 rows and 88% of samples of 60, and only in 78 to 87%
    of these for a cluster of a dozen rows (300 samples of a mixed table each, November 2026).

    Each column is looked at by itself. What two columns tell together and neither alone, such as
    the squares of a chessboard, is not found here; a :class:`~unsuprank.PredictiveClusteringForest`
    that takes the labels for its clustering column finds it.

    Examples
    --------
    >>> import pandas as pd
    >>> from unsuprank import explain_clusters
    >>> pets = pd.DataFrame({
    ...     "weight": [4.0, 5.0, 3.5, None, 20.0, 31.0, 12.0, 25.0, 0.1, 0.2, 0.1, 0.3],
    ...     "sex": ["f", "m", "f", "m", "f", "m", "m", "f", None, "f", "m", "m"],
    ... })
    >>> kind = ["cat"] * 4 + ["dog"] * 4 + ["bird"] * 4
    >>> found = explain_clusters(pets, kind)
    >>> found.top()
    {'bird': ['weight'], 'cat': [], 'dog': ['weight']}
    >>> found.per_cluster["dog"].direction[0], found.per_cluster["cat"].direction[0]
    ('higher', 'between')
    """
    table = read_table(X, nominal_features=nominal_features)
    codes, values = _read_labels(labels, table.n_rows)
    known = ~np.isnan(codes)
    table = table if known.all() else table.take(rows=known)
    return _explain(table, codes[known].astype(int), values)


def _read_labels(labels: Any, n_rows: int) -> tuple[np.ndarray, list[Any]]:
    """Codes of the labels that occur, NaN where one is missing, and the labels."""
    labels = np.asarray(labels)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {labels.shape}; give one label for each of the {n_rows} rows of X."
        )
    codes, values = code_values(labels)
    known = int((~np.isnan(codes)).sum())
    present = np.unique(codes[~np.isnan(codes)]).astype(int)
    if known < LEAST_ROWS or not 2 <= len(present) <= known // 2:
        raise ValueError(
            f"labels has {len(present)} different values in {known} labelled rows; clusters are at "
            f"least two groups in at least {LEAST_ROWS} rows, with two rows each on average."
        )
    place = np.append(np.searchsorted(present, np.arange(len(values))), np.nan)
    return place[np.where(np.isnan(codes), -1, codes).astype(int)], values[present].tolist()


def _explain(table: Table, clusters: np.ndarray, labels: list[Any]) -> ClusterExplanation:
    found = cluster_shares(table, clusters)
    found["adjusted_p_values"] = holm(found["p_values"])
    found["beyond"] = found["adjusted_p_values"] <= LEVEL
    sizes = [len(clusters), *np.bincount(clusters).tolist()]
    overall, *contrasts = (
        _contrast(label, size, {name: values[c] for name, values in found.items()})
        for c, (label, size) in enumerate(zip([None, *labels], sizes, strict=True))
    )
    return ClusterExplanation(table.names, overall, dict(zip(labels, contrasts, strict=True)))


def _contrast(label: Any, size: int, own: dict[str, Any]) -> ClusterContrast:
    beyond = own["beyond"]
    order = np.lexsort((-own["scores"], np.where(beyond, 0.0, own["p_values"]), ~beyond))
    return ClusterContrast(label, size, order, **own | {"direction": own["direction"].tolist()})


def p_text(p_value: float) -> str:
    """A p-value as people read it; what is below 1e-16 is not known better than that."""
    return "< 1e-16" if p_value < 1e-16 else f"{p_value:.2g}"


def holm(p_values: np.ndarray) -> np.ndarray:
    """P-values of a family of tests, adjusted by the procedure of Holm."""
    flat = p_values.ravel()
    order = np.argsort(flat, kind="stable")
    stepped = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1))
    adjusted = np.empty_like(flat)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.reshape(p_values.shape)
