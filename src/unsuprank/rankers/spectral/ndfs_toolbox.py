"""NDFS as scikit-feature's published defaults have it, for the reproduction of studies.

The method is that of :mod:`.ndfs_solver` with four departures, which are facts about that
toolbox and not part of the method:

- in place of the Laplacian stands a matrix whose rows all hold the degrees, minus the graph;
- the multiplicative step is taken whole, and the columns of F are then scaled to norm 1;
- penalties are those of the coefficients before the step, and a small number is added to them;
- what decides when to stop leaves out the penalty and does not square the departure of F'F
  from the identity, so it is not what the steps lower.

Everything is computed as in the right method, from systems of the smaller size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from ..._progress import progress
from ...table import Table
from ..centred_matrix import ColumnMatrix
from ..scaling import LARGEST
from .graph import degrees
from .ndfs_solver import NDFSOptions, NDFSResult, Regression, Ridge, threads_for

#: Defaults of the toolbox: the smallest norms it divides by, what it adds to penalties, the
#: weight of the departure per gamma, and the change at which it stops.
SMALLEST = 1e-16
ADDED_PENALTY = 1e-6
DEPARTURE_WEIGHT = 0.25
LEAST_CHANGE = 1e-3


def require_squarable(table: Table) -> None:
    """Refuse a table with values that are too large to be taken as they come."""
    largest = np.maximum(np.abs(table.moments.low), np.abs(table.moments.high))
    large = np.flatnonzero(largest > LARGEST)
    if len(large):
        raise ValueError(
            f"{table.schema.label(int(large[0])).capitalize()} has values too large to "
            "square; rescale it, or use preset=None and standardize=True."
        )


@dataclass(frozen=True)
class ToolboxLaplacian:
    """The symmetric part of (degree of the column) - (weight), all that F' L F depends on.

    It is dense, but a product with it needs the sums of F, the degrees and the sparse graph only.
    """

    graph: sparse.csr_array

    @cached_property
    def _degree(self) -> np.ndarray:
        return degrees(self.graph)

    def __matmul__(self, F: np.ndarray) -> np.ndarray:
        degree = self._degree
        return 0.5 * (np.outer(degree, F.sum(axis=0)) + degree @ F) - self.graph @ F


def toolbox_ndfs(
    X: ColumnMatrix, laplacian: ToolboxLaplacian, F: np.ndarray, options: NDFSOptions
) -> NDFSResult:
    """Steps from the start `F` until the toolbox would stop; `options.tol` is not used."""
    history: list[float] = []
    with threads_for(X), progress("finding clusters", options.max_iter, options.verbose) as bar:
        ridge = Ridge(X)
        penalty = np.full(X.shape[1], options.beta)
        converged = False
        while not converged and len(history) < options.max_iter:
            regression = ridge.penalised(penalty + ADDED_PENALTY)
            coef, residual = regression.solve(F)
            penalty = 0.5 * options.beta / np.maximum(np.linalg.norm(coef, axis=1), SMALLEST)
            F = _whole_step(F, laplacian @ F + options.alpha * residual, options.gamma)
            history.append(_criterion(F, laplacian, regression, options))
            converged = len(history) > 1 and abs(history[-1] - history[-2]) < LEAST_CHANGE
            bar.advance()
    return NDFSResult(coef, F, np.array(history), len(history), converged)


def _whole_step(F: np.ndarray, pulled: np.ndarray, gamma: float) -> np.ndarray:
    stepped = gamma * F**2 / (pulled + gamma * (F @ (F.T @ F)))
    return stepped / np.sqrt(np.square(stepped).sum(axis=0) + SMALLEST)


def _criterion(
    F: np.ndarray, laplacian: ToolboxLaplacian, regression: Regression, options: NDFSOptions
) -> float:
    unexplained = options.alpha * regression.residual(F)
    departure = np.linalg.norm(F.T @ F - np.eye(F.shape[1]))
    weight = DEPARTURE_WEIGHT * options.gamma
    return float(np.vdot(F, laplacian @ F + unexplained) + weight * departure)
