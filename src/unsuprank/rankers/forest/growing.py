"""Growing forests: settings, and batches of trees from the kernel.

Tree t draws everything from a random stream that is named by (seed, t), so that the first k
trees of a forest are the forest of k trees, and no result depends on how trees are shared out
among threads and batches.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _kernels
from ..._parallel import in_batches
from ..._progress import Progress
from ..clustering_space import Space
from .trees import Trees

#: Without a matrix of all distances, nodes of at most this many rows (and an eighth of the
#: number of coordinates) get one of their own.
OWN_DISTANCE_ROWS = 64


@dataclass(frozen=True)
class GrowSettings:
    """How trees are grown; see `PredictiveClusteringForest` for the meaning."""

    seed: int
    max_features: int
    exhaustive: bool = False
    max_depth: int | None = None
    min_samples_leaf: float = 1.0
    bootstrap: bool = True
    tie_break: str = "fair"
    #: Nodes of at most this many rows are split by distances; None: what is fastest.
    pair_rows: int | None = None


def n_candidates(max_features: Any, n_columns: int) -> int:
    """Size of the random subset of features, from what the user said."""
    if max_features is None:
        return n_columns
    if max_features == "log2":
        return max(1, math.ceil(math.log2(n_columns)))
    if max_features == "sqrt":
        return math.ceil(math.sqrt(n_columns))
    if isinstance(max_features, (float, np.floating)):
        return max(1, round(max_features * n_columns))
    return min(int(max_features), n_columns)


def pair_rows(space: Space, exhaustive: bool) -> int:
    """The size of node from which on coordinates are faster than distances."""
    if space.coords is None:
        return space.table.n_rows
    if space.distances is None:
        return min(OWN_DISTANCE_ROWS, space.width // 8)
    return 2 * space.width if exhaustive else space.width // 3


class Grower:
    """Grows ranges of trees of one forest; may be called from several threads."""

    def __init__(self, space: Space, settings: GrowSettings) -> None:
        self.space = space
        self.settings = settings
        self._stop = np.zeros(1, dtype=np.uint8)
        self._coarse = _kernels.coarse_codes(space.table.values, space.table.n_values)
        rows = settings.pair_rows
        self._pair_rows = pair_rows(space, settings.exhaustive) if rows is None else rows

    def grow(self, first: int, last: int) -> Trees:
        """Trees ``first .. last - 1``."""
        return self.grow_recorded(first, last, record=False)[0]

    def grow_recorded(
        self, first: int, last: int, record: bool = True
    ) -> tuple[Trees, dict[str, np.ndarray]]:
        """Trees, and every candidate test that was valued on the way."""
        s = self.settings
        trees, candidates = _kernels.grow(
            **self.space.arguments(),
            stop=self._stop,
            coarse=self._coarse,
            seed=s.seed,
            max_features=s.max_features,
            max_depth=s.max_depth or 0,
            min_leaf=s.min_samples_leaf,
            bootstrap=s.bootstrap,
            exhaustive=s.exhaustive,
            first_of_ties=s.tie_break == "first",
            record=record,
            pair_rows=self._pair_rows,
            first=first,
            last=last,
        )
        return Trees(**trees), candidates

    def permutation_scores(
        self, trees: Trees, first_tree: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Relative increases of the out-of-bag error: offsets per tree, features, values."""
        return _kernels.permutation_scores(
            **self.space.arguments(),
            stop=self._stop,
            coarse=self._coarse,
            scales=self.space.scales,
            trees=trees.as_dict(),
            seed=self.settings.seed,
            first_tree=first_tree,
        )

    def run(
        self, work: Any, total: int, n_jobs: int | None, progress: Progress
    ) -> Generator[Any, None, None]:
        """``work(first, last)`` over all trees, in order; calls the kernels off if it must end."""
        try:
            yield from in_batches(work, total, n_jobs=n_jobs, progress=progress)
        except BaseException:
            self._stop[0] = 1
            raise
