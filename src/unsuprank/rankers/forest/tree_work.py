"""How many trees a forest may take that decides on its size itself.

A bound in seconds would give another ranking on another machine, and a bound that is the same
number of trees for all tables would be a moment for one and an hour for another. So the bound is
a number of trees that come to a fixed amount of work. What a tree costs is known once a few are
grown: every node values a test of each column that it draws on each of its rows, and so ::

    work of a tree = columns drawn in a node x rows of all nodes that were split

with a factor for what is asked of the trees beyond that. A unit takes 5 to 9 nanoseconds on tables
from 60 x 10,000 to 9,000 x 256, and less on those of rare words. The first trees of the forest
tell the rows, so that the bound depends on the table, the settings and the seed alone.
"""

from __future__ import annotations

import numpy as np

from .growing import Grower

#: Work that a forest may come to: about 20 seconds of processor time.
WORK = 3e9
#: Trees whose work is looked at.
SAMPLE = 16
#: There are never fewer trees than the paper grew, and hardly more would ever be of use.
FEWEST, MOST = 100, 1_000_000
#: Rows that a node costs besides its own.
NODE_ROWS = 4.0
#: Coordinates with missing values that take as long as all those without (measured).
MISSING_WIDTH = 50
#: What a tree costs in which all tests of a column are tried, against one of random tests.
EXHAUSTIVE = 8.0
#: What it costs to grow and score a tree, by the kind of score, against the plainest.
SCORING = {"genie3_out_of_bag": 1.5, "random_forest": 2.0, "random_forest_cumulative": 2.0}


def most_trees(grower: Grower, kind: str, share: float = 1.0) -> int:
    """The bound for a forest, or for a `share` of the work that one may take."""
    return int(np.clip(share * WORK / tree_work(grower, kind), FEWEST, MOST))


def tree_work(grower: Grower, kind: str) -> float:
    """What it takes to grow and to score a tree, on average over the first few."""
    trees, settings = grower.grow(0, SAMPLE), grower.settings
    split = trees.feature >= 0
    rows = trees.weight[split].sum() + NODE_ROWS * (split.sum() + SAMPLE)
    work = settings.max_features * rows / SAMPLE * SCORING.get(kind, 1.0)
    if settings.exhaustive:
        work *= EXHAUSTIVE
    partial = grower.space.partial
    return float(work if partial is None else work * (1 + partial.shape[1] / MISSING_WIDTH))
