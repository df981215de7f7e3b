"""What a column can tell of given clusters: the part of the space of rows that it spans.

- A number spans its ranks and their squares, so that outliers and units do not matter, and a
  cluster in the middle of a column is seen as well as one at an end.
- Categories span one indicator for each.

Missing values are at the centre: they say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from ..table import Table

#: Squares of ranks that are shorter than this once the ranks are taken out of them are rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Contrast:
    """How the rows of each cluster differ from the others in one column."""

    #: "higher", "lower", "between" or "at both ends"; for categories "more" or "less" of one.
    direction: list[str]
    #: Mean of a number, share of the category of `direction`; NaN if nothing is known.
    inside: np.ndarray
    outside: np.ndarray


def column_span(table: Table, j: int) -> ColumnSpan:
    """The span of a column; one that does not vary spans nothing."""
    values = table.column(j)
    if not table.varies[j]:
        return NumericSpan(np.full(len(values), np.nan), np.zeros((len(values), 0)))
    categories = table.schema.categories[j]
    if categories is None:
        return NumericSpan(values, rank_vectors(values))
    present, occurrences = category_rows(values)
    return CategorySpan(values, occurrences, [str(categories[i]) for i in present])


def category_rows(codes: np.ndarray) -> tuple[np.ndarray, sparse.csr_array]:
    """The codes that occur, and which rows have each: categories x rows."""
    rows = np.flatnonzero(~np.isnan(codes))
    present, places = np.unique(codes[rows].astype(int), return_inverse=True)
    shape = len(present), len(codes)
    return present, sparse.csr_array((np.ones(len(rows)), (places, rows)), shape=shape)


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
class NumericSpan:
    """The span of a column of numbers."""

    values: np.ndarray
    vectors: np.ndarray

    def project(self, indicators: np.ndarray) -> np.ndarray:
        """Project the indicators of clusters, rows x clusters, onto the span."""
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
class CategorySpan:
    """The span of a nominal column: its codes, the rows of each category, and their names."""

    values: np.ndarray
    occurrences: sparse.csr_array
    categories: list[str]

    @cached_property
    def sizes(self) -> np.ndarray:
        """How often each category occurs."""
        return self.occurrences.sum(axis=1)

    def project(self, indicators: np.ndarray) -> np.ndarray:
        """Project the indicators of clusters, rows x clusters, onto the span."""
        counts = self.occurrences @ indicators
        shares = counts / self.sizes[:, None] - counts.sum(axis=0) / self.sizes.sum()
        return self.occurrences.T @ shares

    def contrast(self, indicators: np.ndarray) -> Contrast:
        """How the clusters differ: in the share of which category most."""
        counts = self.occurrences @ indicators
        others = self.sizes[:, None] - counts
        inside, outside = (
            _ratio(c, np.broadcast_to(c.sum(axis=0), c.shape)) for c in (counts, others)
        )
        difference = np.nan_to_num(inside - outside)
        most, every = np.abs(difference).argmax(axis=0), np.arange(counts.shape[1])
        signs = np.where(difference[most, every] >= 0.0, "more", "less")
        direction = [f"{sign} {self.categories[i]}" for sign, i in zip(signs, most, strict=True)]
        return Contrast(direction, inside[most, every], outside[most, every])


#: Numbers and categories have in common that they `project` clusters, and say how these `contrast`.
ColumnSpan: TypeAlias = NumericSpan | CategorySpan
