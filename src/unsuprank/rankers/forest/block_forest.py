"""A forest whose trees are grown on blocks of rows.

Every block (see :mod:`..row_blocks`) is a small table with a space of its own, in which columns
have the spread that they have in the whole table, and trees are grown on it as on any table. The
score of a column is the mean over blocks of its mean over the block's trees. Blocks are
independent, so that their spread tells the standard error, and for the question whether a ranking
is stable a block counts as what a tree is in a plain forest (see :mod:`.convergence`).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..._progress import Progress
from ...table import Table
from ..clustering_space import Space, coordinate_factors
from ..row_blocks import RowBlocks
from .convergence import (
    N_BLOCKS,
    Convergence,
    StabilitySum,
    StoppingRule,
    Watch,
    grow_until_stable,
    stability_note,
)
from .growing import Grower, GrowSettings
from .tree_scores import EXTRA_USES, Batch, ScoreSum, dense_scores, grow_scores
from .tree_work import most_trees

#: Trees of a block, where the number of blocks is not given: by then most of the time goes into
#: trees, not into what a block costs before the first of them.
TREES_A_BLOCK = 100

Batches = Generator[Batch, None, None]


def count_blocks(n_trees: int) -> int:
    """How many blocks a number of trees is dealt out to: of 100 trees each, but at least 16."""
    return min(n_trees, max(N_BLOCKS, math.ceil(n_trees / TREES_A_BLOCK)))


@dataclass(frozen=True)
class BlockForest:
    """Grows trees on a block; depends on nothing but what is here and on the block."""

    kind: str
    settings: GrowSettings
    #: Spreads of the columns of the whole table.
    spread: np.ndarray

    def grower(self, seed: int, table: Table) -> Grower:
        """What grows the trees of a block."""
        space = Space.of(table, n_jobs=1, stretch=self.stretch(table))
        return Grower(space, replace(self.settings, seed=seed))

    def score(self, seed: int, table: Table, n_trees: int) -> ScoreSum:
        """The scores of `n_trees` trees grown on a block."""
        grower = self.grower(seed, table)
        total = ScoreSum(table.n_columns)
        for batch in grower.run(partial(grow_scores, self.kind, grower), n_trees, n_jobs=1):
            total.add(*batch)
        return total

    def most_trees(self, seed: int, table: Table, patience: float) -> int:
        """How many trees are enough in any case, from what those of a block cost."""
        return most_trees(self.grower(seed, table), self.kind, patience)

    def stretch(self, table: Table) -> np.ndarray:
        """A column's spread in the block as a multiple of its spread in the whole table."""
        scales = coordinate_factors(table, 1.0)
        return np.divide(1.0, scales * self.spread, out=np.zeros(len(scales)), where=scales > 0.0)


class RowBlockSum(StabilitySum):
    """The sum over blocks of rows; one of them counts as a tree does elsewhere."""

    extra_square: float = 0.0

    def note(self, block: ScoreSum) -> None:
        """Take note of what one more use in a block would add to its mean."""
        self.extra_square += block.mean_square() / block.n_trees**2

    def _extra_squares(self) -> float:
        return EXTRA_USES * self.extra_square / max(self.n_trees, 1)


@dataclass
class BlockRun:
    """Works through blocks, and what comes of it."""

    blocks: RowBlocks
    forest: BlockForest
    n_jobs: int | None
    progress: Progress
    #: Trees grown, and what was seen of their stability if that was looked at.
    n_trees: int = 0
    seen: Convergence | None = None

    def __post_init__(self) -> None:
        self.total = RowBlockSum(self.blocks.source.n_columns)

    def fixed(self, n_trees: int, n_blocks: int) -> None:
        """Deal out `n_trees` trees to `n_blocks` blocks, as evenly as can be."""
        self.blocks.n_blocks = n_blocks
        few, rest = divmod(n_trees, n_blocks)
        for first, last, trees in ((0, rest, few + 1), (rest, n_blocks, few)):
            for scores, one in self._scores(first, last, trees):
                self.total.add(scores, one)

    def until_stable(self, rule: StoppingRule) -> None:
        """Add blocks until the ranking is stable; `rule` counts blocks."""
        watch = Watch(self.total, rule, first_look=N_BLOCKS)
        with closing(self._up_to_looks(watch)) as batches:
            self.seen = grow_until_stable(batches, watch)
        self.seen.n_trees = [n * TREES_A_BLOCK for n in self.seen.n_trees]

    def _up_to_looks(self, watch: Watch) -> Batches:
        """Blocks up to the next look, and the next: none is grown that may not be wanted."""
        while True:
            seen, rule = watch.seen, watch.rule
            left = watch.trees_left(seen.needed_trees(rule) or rule.fewest)
            self.progress.expect(left * TREES_A_BLOCK, stability_note(seen.stability, rule))
            yield from self._scores(self.total.n_trees, watch.next_look, TREES_A_BLOCK)

    def _scores(self, first: int, last: int, n_trees: int) -> Batches:
        work = partial(self.forest.score, n_trees=n_trees)
        for block in self.blocks.map(work, first, last, self.n_jobs):
            self.total.note(block)
            self.n_trees += n_trees
            self.progress.advance(n_trees)
            yield dense_scores(block.mean()[None]), 1
