"""A job is one piece of work: rank one training fold with one method, and judge it.

A version string stays the same while an algorithm changes under it, and outcomes that were kept
would then be taken for those of the new code. So the identity of every job holds the digest of
the package's own code: all modules but those that only show or explain results, and the compiled
kernels. To change a comment is to compute again; to trust a stale figure would be worse.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ... import _kernels
from ..._version import __version__
from ...evaluation import cluster_hypothesis, geometric_sizes
from ...evaluation.folds import judge_fold, split_rows
from ...evaluation.judges import make_judge
from ..data.data_sets import DataSet
from . import recipes

N_FOLDS = 10
FOLD_SEED = 0
#: The number of features that the paper's tables are about.
TABLE_SIZE = 16
#: Leading features that a grid keeps of each order.
GRID_KEEPS = 64
#: The method name of the jobs that test the cluster hypothesis.
CLUSTER_HYPOTHESIS = "cluster-hypothesis"
_PACKAGE = Path(__file__).parents[2]
#: What no score depends on, by path in the package.
_WITHOUT_INFLUENCE = ("cli", "describe", "plot.py", "report", "sc.py", "study/publish")


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


@cache
def code_digest() -> str:
    """The digest of this installation, computed once per process."""
    return digest_of(_PACKAGE, Path(_kernels.__file__))


def digest_of(package: Path, kernels: Path) -> str:
    """SHA-256 of the modules of a package that scores depend on, and of its compiled kernels."""
    total = hashlib.sha256(kernels.read_bytes())
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        if not any(inside.is_relative_to(part) for part in _WITHOUT_INFLUENCE):
            total.update(f"\n{inside.as_posix()}\n".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
