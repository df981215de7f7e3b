"""The three scores as sums over trees.

Every score is a mean over trees of something that each tree has for a few features only. A
batch of trees gives these as a sparse list, in tree order, and :class:`ScoreSum` adds them up
one tree after the other: the result does not depend on the batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ... import _kernels
from .growing import Grower
from .trees import Trees

#: Relative increases of an error up to here are none: rows in another order add up otherwise.
ROUNDING = 1e-12


@dataclass(frozen=True)
class TreeScores:
    """Score of each feature that a tree uses, tree by tree."""

    tree: np.ndarray
    feature: np.ndarray
    value: np.ndarray

    def between(self, first: int, last: int) -> TreeScores:
        """Those of trees ``first .. last - 1``, counted from there."""
        a, b = np.searchsorted(self.tree, (first, last))
        return TreeScores(self.tree[a:b] - first, self.feature[a:b], self.value[a:b])


#: Scores of some trees, and how many trees they are.
Batch = tuple[TreeScores, int]


def dense_scores(values: np.ndarray) -> TreeScores:
    """Scores that every tree (row) has for every feature (column)."""
    tree, feature = np.indices(values.shape)
    return TreeScores(tree.ravel(), feature.ravel(), values.ravel())


def tree_scores(kind: str, trees: Trees, grower: Grower, first_tree: int) -> TreeScores:
    """One of the scores of a batch of trees."""
    if kind.startswith("random_forest"):
        return _permutation_scores(kind, trees, grower, first_tree)
    if kind == "genie3_out_of_bag":
        # What the splits explain of other columns on the rows that their trees did not see.
        norms, scales = grower.space.norms, grower.space.scales
        gain = grower.ask(_kernels.out_of_bag_gains, norms, scales, trees.as_dict(), first_tree)
        return _node_scores(trees, gain)
    return plain_scores(kind, trees)


def grow_scores(kind: str, grower: Grower, first: int, last: int) -> Batch:
    """Grow trees ``first .. last - 1`` and score them; returns their number as well."""
    trees = grower.grow(first, last)
    return tree_scores(kind, trees, grower, first), last - first


def _permutation_scores(kind: str, trees: Trees, grower: Grower, first_tree: int) -> TreeScores:
    """The relative increase of the out-of-bag error when a feature is permuted (eq. 2).

    If cumulative, features stay permuted while those after them in a tree are looked at.
    """
    cumulative = kind == "random_forest_cumulative"
    scales, given = grower.space.scales, trees.as_dict()
    found = grower.ask(_kernels.permutation_scores, scales, given, first_tree, cumulative)
    offset, feature, value = found
    value = np.where(np.abs(value) > ROUNDING, value, 0.0)
    return TreeScores(np.repeat(np.arange(trees.size), np.diff(offset)), feature, value)


def plain_scores(kind: str, trees: Trees) -> TreeScores:
    """The gains h* of a feature's tests (eq. 1), or the shares of the rows that reach them."""
    share = trees.weight / trees.weight[trees.roots()]
    return _node_scores(trees, trees.gain if kind == "genie3" else share)


def _node_scores(trees: Trees, value: np.ndarray) -> TreeScores:
    """Tests of the same feature in the same tree become one entry."""
    return TreeScores(*_kernels.node_scores(trees.node_offset, trees.feature, value))


#: Uses of a column that its standard error counts besides those that occurred.
EXTRA_USES = 2


@dataclass
class ScoreSum:
    """Sum and sum of squares over trees, added up in tree order."""

    n_features: int
    n_trees: int = 0
    #: Trees that use a column, summed over all columns.
    n_uses: int = 0
    total: np.ndarray = field(init=False)
    squares: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.total = np.zeros(self.n_features)
        self.squares = np.zeros(self.n_features)

    def add(self, scores: TreeScores, n_trees: int) -> None:
        # ufunc.at adds entry by entry, in order.
        np.add.at(self.total, scores.feature, scores.value)
        np.add.at(self.squares, scores.feature, scores.value * scores.value)
        self.n_trees += n_trees
        self.n_uses += len(scores.value)

    def mean(self) -> np.ndarray:
        """The score: the mean over trees."""
        return self.total / max(self.n_trees, 1)

    def standard_error(self) -> np.ndarray:
        """Standard error of the mean, from the spread over trees.

        A wide table's column is used by few trees, and the spread of a few numbers, or of none,
        says little. As Agresti and Coull do for shares, two uses are added to those that
        occurred, with a value whose square is that of a mean use of any column.
        """
        n = self.n_trees
        if n < 2:
            return np.full(self.n_features, np.inf)
        squares = self.squares + self._extra_squares()
        variance = np.maximum(squares - self.total**2 / n, 0.0) / (n - 1)
        return np.sqrt(variance / n)

    def mean_square(self) -> float:
        """The square of what a tree credits a column with, where it does; the mean of all."""
        return float(self.squares.sum()) / max(self.n_uses, 1)

    def _extra_squares(self) -> float:
        return EXTRA_USES * self.mean_square()
