"""A race for the places at the top: what is not settled is looked at more closely.

A plain forest of a wide table credits a column in few of its trees, and takes hundreds of
thousands of them to tell the columns at the border of the selected ones apart. Probes credit a
column in every tree with what it can expect there (the kernel's probes.hpp has the idea), at a
hundredth or a thousandth of the variance a tree, but every probe costs time. So few columns are
probed in many trees, and many in few:

1. A plain forest tells which columns may be among the k best: all whose interval reaches up to the
   k-th best lower bound. Probes tell more for the time that they take, but the fewest trees that
   can be probed take theirs, so that the forest grows until it has taken a small part of it.
2. These are probed in fresh trees, and whenever what is known of them cuts the cost of a tree by
   half, a new round begins with those that are left.
3. A round ends the race when its ranking is stable (see :mod:`.convergence`).

The columns of the last round are scored by its own trees alone. They were chosen by others, so
that no column has its score because it was lucky: means and standard errors are as honest as those
of a plain forest. Columns that have dropped out keep what was known of them when they did: the mean
over all rounds that they were in, or of the plain forest if no probe was spent on them.

The budget is counted in plain trees; a tree that probes p columns counts as ``tree_cost(p)`` of
them. Every step depends on the seed and on numbers of trees only.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ..._progress import Progress, clock
from .convergence import (
    FIRST_LOOK,
    N_BLOCKS,
    Convergence,
    StabilitySum,
    StoppingRule,
    Watch,
    grow_until_stable,
    stability_note,
)
from .growing import Grower
from .tree_scores import Batch, ScoreSum, dense_scores, grow_scores

#: Standard errors that a column must be away from the border to drop out.
MARGIN = 3.0
#: The fewest trees of a round, and the share of their cost that plain trees may take before.
FEWEST_TREES, PLAIN_SHARE = N_BLOCKS, 0.125
#: How much a new list must save of the cost of a tree to be worth a new round.
WORTH_A_ROUND = 0.5
#: Probes that take as long as a tree, as multiples of the columns that its nodes draw (measured);
#: those of out-of-bag gains have more rows to look at than the tree itself.
PROBES_A_TREE, OUT_OF_BAG_PROBES_A_TREE = 1.5, 0.6
#: What a race comes to, in plain trees, as long as nothing is known (that of small wide tables).
USUAL_COST = 16_000.0
#: Whoever may wait for this many seconds is told so, once this many trees have been timed.
LONG_SECONDS, TREES_TO_TIME = 30.0, 1000


def can_probe(kind: str, grower: Grower) -> bool:
    """Whether columns can be probed: the score is a sum over nodes of trees of random tests."""
    settings = grower.settings
    fair = not settings.exhaustive and not settings.first_of_ties
    return fair and kind in ("genie3", "symbolic", "genie3_out_of_bag")


def tree_cost(n_probes: int, max_features: int, kind: str) -> float:
    """The time that a tree with probes takes, as that of plain trees."""
    a_tree = OUT_OF_BAG_PROBES_A_TREE if kind == "genie3_out_of_bag" else PROBES_A_TREE
    return 1.0 + n_probes / (a_tree * max_features)


def in_reach(total: ScoreSum, n_top: int) -> np.ndarray:
    """Columns that may be among the `n_top` best."""
    mean, margin = total.mean(), MARGIN * total.standard_error()
    if len(mean) <= n_top:
        return np.arange(len(mean))
    border = np.partition(mean - margin, -n_top)[-n_top]
    return np.flatnonzero(mean + margin >= border)


@dataclass
class Race:
    """The state of a race, and its result: `scores`, `sem` and what was seen on the way."""

    grower: Grower
    kind: str
    rule: StoppingRule
    n_jobs: int | None
    progress: Progress
    seen: Convergence = field(default_factory=Convergence)
    n_trees: int = 0
    spent: float = 0.0

    def __post_init__(self) -> None:
        self.n_columns = self.grower.space.table.n_columns
        self.scores, self.sem = np.zeros(self.n_columns), np.zeros(self.n_columns)
        self.probed = np.zeros(self.n_columns, dtype=bool)
        self._started = time.monotonic()
        self._warned = False
        self._needed = float(FIRST_LOOK)

    def run(self) -> None:
        columns = self._plain_forest()
        known = StabilitySum(len(columns))
        while self.seen.ended == "enough":
            left, known = self._probe(columns, known)
            columns, known = columns[left], known.of(left)

    def _plain_forest(self) -> np.ndarray:
        """Grow plain trees; returns the columns to probe."""
        total = StabilitySum(self.n_columns)
        varies = np.flatnonzero(self.grower.space.table.varies)

        def reached() -> np.ndarray:
            return np.intersect1d(in_reach(total, self.rule.n_top), varies)

        def enough() -> bool:
            if not can_probe(self.kind, self.grower):
                self._warn_if_long(total.n_trees)
                return False
            cost = self._cost(len(reached()))
            dear_enough = total.n_trees >= PLAIN_SHARE * FEWEST_TREES * cost
            return dear_enough and self._affords(cost, total.n_trees)

        work = partial(grow_scores, self.kind, self.grower)
        self._grow(work, Watch(total, self._rule(1.0), enough=enough), 1.0)
        self._note(np.arange(self.n_columns), total)
        return reached()

    def _probe(self, columns: np.ndarray, known: StabilitySum) -> tuple[np.ndarray, StabilitySum]:
        """A round: returns those of the columns that are left, and what is known of all."""
        fresh = StabilitySum(len(columns))
        cost, first_tree = self._cost(len(columns)), self.n_trees

        def left() -> np.ndarray:
            return in_reach(known.plus(fresh), self.rule.n_top)

        def enough() -> bool:
            less = self._cost(len(left()))
            return less <= WORTH_A_ROUND * cost and self._affords(less, fresh.n_trees * cost)

        def work(first: int, last: int) -> Batch:
            credits = self.grower.probe(columns, self.kind, first_tree + first, first_tree + last)
            return dense_scores(credits), last - first

        watch = Watch(fresh, self._rule(cost), FEWEST_TREES, enough)
        self._grow(work, watch, cost)
        self.probed[columns] = True
        both = known.plus(fresh)
        if self.seen.ended == "spent":
            # The race did not end by itself, and no round was left alone: all rounds count.
            stability = both.stability(self.rule.n_top)
            self.seen.stability[-1] = stability
            self.seen.converged = stability >= self.rule.stability
        self._note(columns, fresh if self.seen.ended == "stable" else both)
        return left(), both

    def _grow(self, work: Callable[[int, int], Batch], watch: Watch, cost: float) -> None:
        with closing(self._batches(work, watch, cost)) as batches:
            seen = grow_until_stable(batches, watch)
        self.seen.n_trees += [self.n_trees + n for n in seen.n_trees]
        self.seen.stability += seen.stability
        self.seen.converged, self.seen.ended = seen.converged, seen.ended
        self.n_trees += watch.total.n_trees
        self.spent += watch.total.n_trees * cost

    def _batches(
        self, work: Callable[[int, int], Batch], watch: Watch, cost: float
    ) -> Generator[Batch, None, None]:
        """Trees up to the next look, and the next: none is grown that may not be wanted."""
        while True:
            first = watch.total.n_trees
            self._tell_progress(watch, cost)

            def shifted(a: int, b: int, first: int = first) -> Batch:
                return work(first + a, first + b)

            for batch in self.grower.run(shifted, watch.next_look - first, self.n_jobs):
                self.progress.advance(batch[1] * cost)
                yield batch

    def _tell_progress(self, watch: Watch, cost: float) -> None:
        """Say about how much is left, and how stable the ranking is by now.

        A round needs about as many trees as the one before would have; nobody knows while plain
        trees make the list of the first.
        """
        if cost == 1.0 and can_probe(self.kind, self.grower):
            needed = USUAL_COST
        else:
            needed = self._needed = watch.seen.needed_trees(watch.rule) or self._needed
        note = stability_note(self.seen.stability + watch.seen.stability, self.rule)
        self.progress.expect(watch.trees_left(needed) * cost, note)

    def _warn_if_long(self, n_trees: int) -> None:
        """Say how long plain trees may take, as soon as that is known, if it is long."""
        if self._warned or n_trees < TREES_TO_TIME or self.rule.max_time is not None:
            return
        self._warned = True
        most = self.rule.max_estimators
        seconds = (time.monotonic() - self._started) / n_trees * most
        if seconds > LONG_SECONDS:
            warnings.warn(
                "A stable ranking takes many trees, and there is no short cut for these: up to "
                f"{clock(seconds)} for {most} trees. Set max_time or max_estimators to end "
                "earlier.",
                stacklevel=2,
            )

    def _note(self, columns: np.ndarray, total: ScoreSum) -> None:
        self.scores[columns], self.sem[columns] = total.mean(), total.standard_error()

    def _cost(self, n_probes: int) -> float:
        return tree_cost(n_probes, self.grower.settings.max_features, self.kind)

    def _affords(self, cost: float, now: float) -> bool:
        """Whether a round of trees of this cost is left, after what this one has spent by now."""
        return self.rule.max_estimators - self.spent - now >= FEWEST_TREES * cost

    def _rule(self, cost: float) -> StoppingRule:
        """What is left of the budget, in trees of this cost."""
        left = self.rule.max_time
        if left is not None:
            left -= time.monotonic() - self._started
        trees = int((self.rule.max_estimators - self.spent) / cost)
        return replace(self.rule, max_estimators=trees, max_time=left)
