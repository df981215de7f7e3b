"""What a column can tell of given clusters: the part of the space of rows that it spans.

- A number spans its ranks and their squares, so that outliers and units do not matter, and a
  cluster in the middle of a column is seen as well as one at an end.
- Categories span one indicator for each.

Missing values are at the centre: they say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from ..rankers.shared_variance import Sums, category_sums, span_sums
from ..table import Table

#: Squares of ranks that are shorter than this once the ranks are taken out of them are rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Projection:
    """What a column tells of clusters."""

    #: The indicators of the clusters, rows x clusters, projected onto what the column spans.
    indicators: np.ndarray
    #: Sums over that projection, for what it shares with others by chance.
    sums: Sums
    #: "higher", "lower", "between" or "at both ends"; for categories "more" or "less" of one.
    direction: list[str]
    #: Mean of a number, share of the category of `direction`; NaN if nothing is known.
    inside: np.ndarray
    outside: np.ndarray


def project(table: Table, j: int, indicators: np.ndarray) -> Projection:
    """Project the indicators of clusters onto the span of a column; if constant, it is nothing."""
    values, categories = table.column(j), table.schema.categories[j]
    if not table.varies[j]:
        return _by_vectors(np.full(len(values), np.nan), np.zeros((len(values), 0)), indicators)
    if categories is None:
        return _by_vectors(values, rank_vectors(values), indicators)
    return _by_category(values, categories, indicators)


def rank_vectors(values: np.ndarray) -> np.ndarray:
    """Orthonormal vectors that span the ranks of known values, and their squares if there are."""
    known = ~np.isnan(values)
    ranks = rankdata(values[known])
    ranks -= ranks.mean()
    ranks /= np.linalg.norm(ranks)
    squares = ranks**2
    squares -= squares.mean()
    length = np.linalg.norm(squares)
    squares -= ranks * (ranks @ squares)
    rest = np.linalg.norm(squares)
    vectors = np.zeros((len(values), 2 if rest > ROUNDING * length else 1))
    vectors[known, 0] = ranks
    if vectors.shape[1] == 2:
        vectors[known, 1] = squares / rest
    return vectors


def _by_vectors(values: np.ndarray, vectors: np.ndarray, indicators: np.ndarray) -> Projection:
    """Clusters in a number: at which ends there is more of them, and their means."""
    known = ~np.isnan(values)
    along = vectors.T @ indicators
    low = vectors[np.where(known, values, np.inf).argmin()] @ along
    high = vectors[np.where(known, values, -np.inf).argmax()] @ along
    direction = np.select(
        [(low > 0) & (high > 0), (low < 0) & (high < 0), high > low, high < low],
        ["at both ends", "between", "higher", "lower"],
        "",
    )
    return Projection(
        vectors @ along,
        span_sums(vectors),
        direction.tolist(),
        _means(values[known], indicators[known]),
        _means(values[known], 1.0 - indicators[known]),
    )


def _means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean of the values for each column of weights; NaN where all of them are 0."""
    return _ratio(values @ weights, weights.sum(axis=0))


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0.0)


def _by_category(codes: np.ndarray, categories: np.ndarray, indicators: np.ndarray) -> Projection:
    """Clusters in a nominal column: in the share of which category they differ most."""
    rows = np.flatnonzero(~np.isnan(codes))
    present, places = np.unique(codes[rows].astype(int), return_inverse=True)
    shape = len(present), len(codes)
    occurrences = sparse.csr_array((np.ones(len(rows)), (places, rows)), shape=shape)
    sizes, counts = occurrences.sum(axis=1)[:, None], occurrences @ indicators
    inside, outside = (
        _ratio(c, np.broadcast_to(c.sum(axis=0), c.shape)) for c in (counts, sizes - counts)
    )
    difference = np.nan_to_num(inside - outside)
    most, every = np.abs(difference).argmax(axis=0), np.arange(counts.shape[1])
    signs = np.where(difference[most, every] >= 0.0, "more", "less")
    return Projection(
        occurrences.T @ (counts / sizes - counts.sum(axis=0) / sizes.sum()),
        category_sums(codes),
        [f"{sign} {categories[present[i]]}" for sign, i in zip(signs, most, strict=True)],
        inside[most, every],
        outside[most, every],
    )
