"""How many trees a ranking needs: grow until two forests of this size would agree.

The stability of a forest of T trees is the share of its k best columns that another forest of
T trees, grown from another seed, is expected to have among its own k best. One forest is
enough to estimate it, because its trees are independent. Tree t goes to block t mod 16, and
blocks are put together to forests of half and of a quarter of the trees:

- ``half``, the mean disagreement (1 - overlap) of the two halves of all trees, over the 15
  splits that the rows of a Hadamard matrix give: any two of them are as different as can be;
- ``quarter``, the same of two quarters.

Whole forests disagree less than halves do. By how much less is taken from how much less halves
disagree than quarters, but never more than a factor of sqrt(2)::

    stability = 1 - half * min(1, max(half / quarter, 1 / sqrt(2)))

Noise falls with the square root of the number of trees, and the columns that it can carry
across the border between k and k + 1 fall with it; sqrt(2) is thus what to expect once the
columns around the border are sorted roughly. Before that, or if all columns are worth the
same, the disagreement falls more slowly, and so does what is subtracted here. (To rank the
mean of all trees with smaller noise added instead would be wrong: the noise that this mean has
would pass for differences between columns.)

The estimate is noisy, and whoever looks often enough sees any value once. So growing ends when
the estimate has reached the wanted stability at two looks in a row; if the budget ends it, the
last look alone tells whether the forest has converged. Looks are at fixed numbers of trees,
which makes the result independent of threads and batches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Self

import numpy as np
from scipy.linalg import hadamard

from .tree_scores import Batch, ScoreSum, TreeScores

#: Blocks that the trees are dealt out to; the fewest trees whose stability has a meaning.
N_BLOCKS = 16
#: Trees at the first look, and how many times more there are at each next one.
FIRST_LOOK, LOOK_GROWTH = 256, 1.25
#: Looks in a row that must find the ranking stable.
LOOKS_IN_A_ROW = 2


@dataclass(frozen=True)
class StoppingRule:
    """When a forest is large enough, and when it must end all the same."""

    n_top: int
    stability: float
    max_estimators: int
    max_time: float | None = None
    #: The fewest trees that may be called enough.
    fewest: int = FIRST_LOOK


@dataclass
class Convergence:
    """What was seen on the way: one entry per look."""

    n_trees: list[int] = field(default_factory=list)
    stability: list[float] = field(default_factory=list)
    converged: bool = False
    #: Why growing has ended: "stable", "enough" (whoever asked for the trees has), or "spent".
    ended: str = "spent"

    def is_stable(self, rule: StoppingRule) -> bool:
        latest = self.stability[-LOOKS_IN_A_ROW:]
        many = len(latest) == LOOKS_IN_A_ROW and self.n_trees[-1] >= rule.fewest
        return many and min(latest) >= rule.stability

    def needed_trees(self, rule: StoppingRule) -> float | None:
        """About how many trees it takes if disagreement falls as noise does, after a look."""
        if not self.n_trees:
            return None
        reached, wanted = 1 - self.stability[-1], max(1 - rule.stability, 1e-3)
        # The last of the looks that must find the ranking stable is one too many, as a rule.
        more = LOOK_GROWTH * max((reached / wanted) ** 2, 1.0)
        return max(self.n_trees[-1] * more, rule.fewest)


def stability_note(stability: list[float], rule: StoppingRule) -> str:
    """The latest of some estimates, for those who wait."""
    return f"{stability[-1]:.0%} stable, {rule.stability:.0%} wanted" if stability else ""


@dataclass
class Watch:
    """Adds trees to a sum, and looks at it at fixed numbers of trees."""

    total: StabilitySum
    rule: StoppingRule
    first_look: int = FIRST_LOOK
    #: Asked at each look that finds too little stability: are there enough trees all the same?
    enough: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        self.seen = Convergence()
        self._looks = looks(self.rule.max_estimators, self.first_look)
        self.next_look = next(self._looks)

    def add(self, scores: TreeScores, n_trees: int) -> bool:
        """Add a batch of trees; true if that was all.

        What the batch has beyond the last look is left out, so that the result does not depend
        on the size of batches.
        """
        done = 0
        while done < n_trees:
            cut = min(n_trees, done + self.next_look - self.total.n_trees)
            self.total.add(scores.between(done, cut), cut - done)
            done = cut
            if self.total.n_trees == self.next_look:
                if self._look():
                    return True
                self.next_look = next(self._looks)
        return False

    def trees_left(self, needed: float) -> float:
        """Trees that are left of those needed: all up to the next look, none beyond the last."""
        return max(min(needed, self.rule.max_estimators), self.next_look) - self.total.n_trees

    def stop(self) -> None:
        """End here, if there are trees enough for a last look."""
        if self.seen.n_trees[-1:] != [self.total.n_trees]:
            self._look()

    def _look(self) -> bool:
        seen = self.seen
        seen.n_trees.append(self.total.n_trees)
        seen.stability.append(self.total.stability(self.rule.n_top))
        seen.converged = seen.stability[-1] >= self.rule.stability
        if seen.is_stable(self.rule):
            seen.ended = "stable"
        elif not seen.converged and self.enough():
            seen.ended = "enough"
        return seen.ended != "spent" or self.total.n_trees == self.rule.max_estimators


def grow_until_stable(batches: Iterable[Batch], watch: Watch) -> Convergence:
    """Add batches of trees until the ranking is stable or the budget is spent.

    Only a `max_time` that runs out makes the result depend on the clock.
    """
    max_time = watch.rule.max_time
    started = time.monotonic()
    for scores, n_trees in batches:
        if watch.add(scores, n_trees):
            break
        late = max_time is not None and time.monotonic() - started >= max_time
        if late and watch.total.n_trees >= N_BLOCKS:
            watch.stop()
            break
    return watch.seen


def looks(max_estimators: int, first: int = FIRST_LOOK) -> Iterator[int]:
    """Numbers of trees at which stability is looked at; whole rounds of blocks but the last."""
    look = first
    while look < max_estimators:
        yield look
        look = math.ceil(look * LOOK_GROWTH / N_BLOCKS) * N_BLOCKS
    yield max_estimators


@dataclass
class StabilitySum(ScoreSum):
    """A sum of scores that tells how stable its ranking is, by its parts from blocks of trees."""

    sums: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sums = np.zeros((N_BLOCKS, self.n_features))

    def add(self, scores: TreeScores, n_trees: int) -> None:
        block = (self.n_trees + scores.tree) % N_BLOCKS
        np.add.at(self.sums, (block, scores.feature), scores.value)
        super().add(scores, n_trees)

    def plus(self, other: Self) -> Self:
        """The sum over the trees of both; those here are whole rounds of blocks."""
        n_trees, n_uses = self.n_trees + other.n_trees, self.n_uses + other.n_uses
        both = type(self)(self.n_features, n_trees, n_uses)
        both.total, both.squares = self.total + other.total, self.squares + other.squares
        both.sums = self.sums + other.sums
        return both

    def of(self, columns: np.ndarray) -> Self:
        """That of some columns, where every tree has credited every column."""
        part = type(self)(len(columns), self.n_trees, self.n_trees * len(columns))
        part.total, part.squares = self.total[columns], self.squares[columns]
        part.sums = self.sums[:, columns]
        return part

    def stability(self, n_top: int) -> float:
        """Expected overlap of the top of two independent forests of this many trees."""
        half = self.disagreement(HALVES, n_top)
        quarter = self.disagreement(QUARTERS, n_top)
        if half == 0.0:
            return 1.0
        rate = max(half / quarter, math.sqrt(0.5)) if quarter else 1.0
        return 1.0 - half * min(rate, 1.0)

    def disagreement(self, pairs: list[tuple[np.ndarray, np.ndarray]], n_top: int) -> float:
        """Share of the top that differs between two sets of blocks; mean over pairs of sets."""
        shared = [np.sum(self._top(a, n_top) & self._top(b, n_top)) for a, b in pairs]
        return 1.0 - float(np.mean(shared)) / n_top

    def _top(self, blocks: np.ndarray, n_top: int) -> np.ndarray:
        return top_mask(self.sums[blocks].sum(axis=0), n_top)


def _pairs_of_blocks() -> tuple[list, list]:
    signs = hadamard(N_BLOCKS)[1:] > 0
    halves = [(np.flatnonzero(s), np.flatnonzero(~s)) for s in signs]
    quarters = [
        (np.flatnonzero(side & s), np.flatnonzero(side & ~s))
        for s, other in zip(signs, np.roll(signs, 1, axis=0), strict=True)
        for side in (other, ~other)
    ]
    return halves, quarters


HALVES, QUARTERS = _pairs_of_blocks()


def top_mask(scores: np.ndarray, n_top: int) -> np.ndarray:
    """The `n_top` best; of equal scores the first, as in a ranking."""
    if n_top >= len(scores):
        return np.ones(len(scores), dtype=bool)
    border = np.partition(scores, len(scores) - n_top)[len(scores) - n_top]
    mask = scores > border
    mask[np.flatnonzero(scores == border)[: n_top - np.sum(mask)]] = True
    return mask


def rank_intervals(scores: np.ndarray, sem: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Lowest and highest rank of each score that its standard error leaves open.

    The scores get intervals that all hold at once with probability `level` (normal
    distribution, Bonferroni). A rank is at least 1 + the number of intervals that lie above
    its own, and at most n - the number of those below, so that all ranks hold at once, too.
    """
    n = len(scores)
    # A score of 0 that no tree has changed is no surer than the least unsure of the others.
    positive = sem[sem > 0]
    sem = np.maximum(sem, positive.min() if len(positive) else 0.0)
    margin = NormalDist().inv_cdf(1 - (1 - level) / (2 * n)) * sem
    lower, upper = scores - margin, scores + margin
    above = n - np.searchsorted(np.sort(lower), upper, side="right")
    below = np.searchsorted(np.sort(upper), lower, side="left")
    return np.stack([1 + above, n - below], axis=1)
