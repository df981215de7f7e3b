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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from scipy.linalg import hadamard

from .tree_scores import ScoreSum, TreeScores

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


@dataclass
class Convergence:
    """What was seen on the way: one entry per look."""

    n_trees: list[int] = field(default_factory=list)
    stability: list[float] = field(default_factory=list)
    converged: bool = False

    def trace(self) -> dict[str, np.ndarray]:
        return {
            "n_estimators": np.array(self.n_trees),
            "stability": np.array(self.stability),
        }


def grow_until_stable(
    batches: Iterable[tuple[TreeScores, int]], total: ScoreSum, rule: StoppingRule
) -> Convergence:
    """Add batches of trees to `total` until the ranking is stable or the budget is spent.

    What a batch has beyond the last look is left out, so that the result does not depend on
    the size of batches. Only a `max_time` that runs out makes it depend on the clock.
    """
    seen = Convergence()
    blocks = BlockSums(total.n_features)
    upcoming = looks(rule.max_estimators)
    look = next(upcoming)
    started = time.monotonic()

    def stable_now() -> bool:
        seen.n_trees.append(total.n_trees)
        seen.stability.append(blocks.stability(rule.n_top))
        seen.converged = seen.stability[-1] >= rule.stability
        latest = seen.stability[-LOOKS_IN_A_ROW:]
        return len(latest) == LOOKS_IN_A_ROW and min(latest) >= rule.stability

    for scores, n_trees in batches:
        done = 0
        while done < n_trees:
            cut = min(n_trees, done + look - total.n_trees)
            part = scores.between(done, cut)
            blocks.add(part, cut - done)
            total.add(part, cut - done)
            done = cut
            if total.n_trees == look:
                if stable_now() or look == rule.max_estimators:
                    return seen
                look = next(upcoming)
        late = rule.max_time is not None and time.monotonic() - started >= rule.max_time
        if late and total.n_trees >= N_BLOCKS:
            if not seen.n_trees or seen.n_trees[-1] != total.n_trees:
                stable_now()
            return seen
    return seen


def looks(max_estimators: int) -> Iterator[int]:
    """Numbers of trees at which stability is looked at; whole rounds of blocks but the last."""
    look = FIRST_LOOK
    while look < max_estimators:
        yield look
        look = math.ceil(look * LOOK_GROWTH / N_BLOCKS) * N_BLOCKS
    yield max_estimators


@dataclass
class BlockSums:
    """Sums of scores over the trees of each block."""

    n_features: int
    n_trees: int = 0
    sums: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.sums = np.zeros((N_BLOCKS, self.n_features))

    def add(self, scores: TreeScores, n_trees: int) -> None:
        block = (self.n_trees + scores.tree) % N_BLOCKS
        np.add.at(self.sums, (block, scores.feature), scores.value)
        self.n_trees += n_trees

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
        n_trees = np.sum((self.n_trees - 1 - blocks) // N_BLOCKS + 1)
        return top_mask(self.sums[blocks].sum(axis=0) / n_trees, n_top)


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
