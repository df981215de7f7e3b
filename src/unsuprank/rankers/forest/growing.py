"""Growing forests: settings, and batches of trees from the kernel.

Tree t draws everything from a random stream that is named by (seed, t), so that the first k
trees of a forest are the forest of k trees, and no result depends on how trees are shared out
among threads and batches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _kernels
from ..._checks import as_count
from ..._parallel import in_batches
from ..._progress import Progress
from ..clustering_space import Space, kernel_columns
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
    #: 0: as deep as it goes.
    max_depth: int = 0
    min_leaf: float = 1.0
    bootstrap: bool = True
    first_of_ties: bool = False
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
    return as_count(max_features, n_columns)


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
        self.kernel_space = _kernels.ClusteringSpace(
            kernel_columns(space.table),
            coords=space.coords,
            distances=space.distances,
            partial=space.partial,
            known=space.known,
            row_keys=space.row_keys,
        )
        rows = settings.pair_rows
        rows = pair_rows(space, settings.exhaustive) if rows is None else rows
        self.kernel_settings = _kernels.GrowSettings(**vars(settings) | {"pair_rows": rows})
        self._stop = _kernels.StopFlag()

    def ask(self, kernel: Callable[..., Any], *what: Any) -> Any:
        """Call a kernel about the trees of this forest."""
        return kernel(self.kernel_space, self.kernel_settings, *what, self._stop)

    def grow(self, first: int, last: int) -> Trees:
        """Trees ``first .. last - 1``."""
        return Trees(**self.ask(_kernels.grow, first, last))

    def probe(self, columns: np.ndarray, kind: str, first: int, last: int) -> np.ndarray:
        """What `columns` can expect of trees ``first .. last - 1``: trees x columns."""
        which, space = np.asarray(columns, dtype=np.int32), self.space
        credits = self.ask(_kernels.probe, which, kind, space.norms, space.scales, first, last)
        return credits.reshape(last - first, len(columns))

    def run(
        self, work: Any, total: int, n_jobs: int | None, progress: Progress | None = None
    ) -> Generator[Any, None, None]:
        """``work(first, last)`` over all trees, in order; calls the kernels off if it must end."""
        n_rows = self.space.table.n_rows
        # About how many multiplications a tree takes.
        cost = n_rows * math.log2(n_rows) * self.space.width * self.settings.max_features
        try:
            yield from in_batches(work, total, n_jobs=n_jobs, item_work=cost, progress=progress)
        except BaseException:
            self._stop.set()
            self._stop = _kernels.StopFlag()  # for what is grown after
            raise
