"""What a column can tell of given clusters: the part of the space of rows that it spans.

- A number spans its ranks and their squares, so that outliers and units do not matter, and a
  cluster in the middle of a column is seen as well as one at an end.
- Names span one indicator for each.

Missing values are at the centre: they say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.stats import rankdata

from ..rankers.shared_variance.columns import CategoricalColumn, span_sums
from ..rankers.shared_variance.cross_tables import members
from ..rankers.shared_variance.shuffles import Sums
from ..table import Table

#: Squares of ranks that are shorter than this once the ranks are taken out of them are rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Contrast:
    """How the rows of each cluster differ from the others in one column."""

    #: "higher", "lower", "between" or "at both ends"; for names "more" or "less" of which one.
    direction: list[str]
    #: Mean of a number, share of the name that `direction` speaks of; NaN if nothing is known.
    inside: np.ndarray
    outside: np.ndarray


class ColumnSpan(Protocol):
    """What numbers and names have in common."""

    def sums(self) -> Sums:
        """Sums over the projection onto the span."""

    def project(self, indicators: np.ndarray) -> np.ndarray:
        """The projection of the indicators of clusters, rows x clusters."""

    def contrast(self, indicators: np.ndarray) -> Contrast:
        """How the clusters differ."""


def column_span(table: Table, j: int) -> ColumnSpan:
    """The span of a column; one that does not vary spans nothing."""
    values = table.column(j)
    if not table.varies[j]:
        return NumberSpan(np.full(len(values), np.nan), np.zeros((len(values), 0)))
    categories = table.schema.categories[j]
    if categories is None:
        return NumberSpan(values, rank_vectors(values))
    return NameSpan(CategoricalColumn.of(values, 1.0), [str(c) for c in categories], len(values))


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


@dataclass(frozen=True)
class NumberSpan:
    """The span of a column of numbers."""

    values: np.ndarray
    vectors: np.ndarray

    def sums(self) -> Sums:
        """Sums over the projection onto the span."""
        return span_sums(self.vectors)

    def project(self, indicators: np.ndarray) -> np.ndarray:
        """The projection of the indicators of clusters."""
        return self.vectors @ (self.vectors.T @ indicators)

    def contrast(self, indicators: np.ndarray) -> Contrast:
        """How the clusters differ: at which ends there is more of them, and in their means."""
        known = ~np.isnan(self.values)
        along = self.vectors.T @ indicators
        low = self.vectors[np.where(known, self.values, np.inf).argmin()] @ along
        high = self.vectors[np.where(known, self.values, -np.inf).argmax()] @ along
        direction = np.select(
            [(low > 0) & (high > 0), (low < 0) & (high < 0), high > low, high < low],
            ["at both ends", "between", "higher", "lower"],
            "",
        )
        return Contrast(
            direction.tolist(),
            _means(self.values[known], indicators[known]),
            _means(self.values[known], 1.0 - indicators[known]),
        )


def _means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean of the values for each column of weights; NaN where all of them are 0."""
    return _ratio(values @ weights, weights.sum(axis=0))


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0.0)


@dataclass(frozen=True)
class NameSpan:
    """The span of a nominal column."""

    names: CategoricalColumn
    words: list[str]
    n_rows: int

    def sums(self) -> Sums:
        """Sums over the projection onto the span."""
        return self.names.projection()

    def counts(self, indicators: np.ndarray) -> np.ndarray:
        """How often each name occurs in each cluster."""
        return members(self.names, self.n_rows) @ indicators

    def project(self, indicators: np.ndarray) -> np.ndarray:
        """The projection of the indicators of clusters."""
        counts = self.counts(indicators)
        shares = counts / self.names.counts[:, None] - counts.sum(axis=0) / len(self.names.rows)
        projected = np.zeros(indicators.shape)
        projected[self.names.rows] = shares[self.names.codes]
        return projected

    def contrast(self, indicators: np.ndarray) -> Contrast:
        """How the clusters differ: in the share of which name most."""
        counts = self.counts(indicators)
        others = self.names.counts[:, None] - counts
        inside, outside = (
            _ratio(c, np.broadcast_to(c.sum(axis=0), c.shape)) for c in (counts, others)
        )
        difference = np.nan_to_num(inside - outside)
        most, every = np.abs(difference).argmax(axis=0), np.arange(counts.shape[1])
        words = [self.words[i] for i in self.names.present[most]]
        signs = np.where(difference[most, every] >= 0.0, "more", "less")
        direction = [f"{sign} {word}" for sign, word in zip(signs, words, strict=True)]
        return Contrast(direction, inside[most, every], outside[most, every])
