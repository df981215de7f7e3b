"""A job is one piece of work: rank one training fold with one method, and judge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._version import __version__
from ...evaluation import cluster_hypothesis, geometric_sizes
from ...evaluation.folds import judge_fold, split_rows
from ...evaluation.judges import make_judge
from ..data.data_sets import DataSet
from . import recipes
from .code_digest import code_digest

N_FOLDS = 10
FOLD_SEED = 0
#: The number of features that the paper's tables are about.
TABLE_SIZE = 16
#: Leading features that a grid keeps of each order.
GRID_KEEPS = 64
#: The method name of the jobs that test the cluster hypothesis.
CLUSTER_HYPOTHESIS = "cluster-hypothesis"


@dataclass(frozen=True)
class Job:
    """What to compute; `fold` is -1 for work on the whole data set."""

    data_set: str
    fold: int
    method: str
    settings: tuple[tuple[str, Any], ...] = ()
    seed: int = 0

    @property
    def group(self) -> tuple[Any, ...]:
        """The jobs that differ by fold and seed alone."""
        return self.data_set, self.method, self.settings

    def identity(self, data_checksum: str) -> dict[str, Any]:
        """Everything that the result depends on."""
        return {
            "data": data_checksum,
            "fold": [self.fold, N_FOLDS, FOLD_SEED],
            "method": self.method,
            "settings": dict(self.settings),
            "seed": self.seed,
            "version": __version__,
            "code": code_digest(),
        }

    def __str__(self) -> str:
        settings = ", ".join(f"{k}={v}" for k, v in self.settings)
        place = "" if self.fold < 0 else f", fold {self.fold}"
        return f"{self.method}({settings}) on {self.data_set}{place}, seed {self.seed}"


def compute(job: Job, data: DataSet) -> dict[str, Any]:
    """The result of a job, as something that JSON can hold."""
    if job.method == CLUSTER_HYPOTHESIS:
        if data.y is None:
            raise ValueError(f"{data.name} has no labels to compare clusters to.")
        return {"ari": cluster_hypothesis(data.table, data.y, random_state=job.seed)}
    rank, table, is_grid = recipes.find(job.method), data.table, job.method in recipes.GRIDS
    sizes = geometric_sizes(table.n_columns)
    if is_grid:
        sizes = sizes[sizes <= TABLE_SIZE]

    def learn(train: np.ndarray) -> recipes.Orders:
        return rank(table.take(rows=train), data.n_classes, dict(job.settings), job.seed)

    rows = split_rows(N_FOLDS, table.n_rows, FOLD_SEED)[job.fold]
    judged = judge_fold(rows, learn, make_judge("rmse", "1nn", table, None, FOLD_SEED), sizes)
    keep = GRID_KEEPS if is_grid else table.n_columns
    return {
        "sizes": sizes.tolist(),
        "rankings": {
            label: {"order": order[:keep].tolist(), "rmse": judged.values[label][0].tolist()}
            for label, order in judged.orders.items()
        },
        "seconds": round(judged.seconds, 4),
    }
