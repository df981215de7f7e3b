"""Nonnegative discriminative feature selection: clusters and coefficients found together.

The method minimises, over F >= 0 (rows x clusters) and W (columns x clusters),

    tr F'LF + alpha (|XW - F|^2 + beta sum_i |w_i|) + gamma/2 |F'F - I|^2.

The norm of row i of W is majorised by ``a_i |w_i|^2`` plus a constant, ``a_i = 1 / (2 |w_i|)``
at the current W. For given a, W follows from F in closed form, and with it the objective is
``tr F'MF + gamma/2 |F'F - I|^2`` with ``M = L + alpha R``, where R F is the residual F - XW.
Neither needs the published inverse of columns x columns: with ``K = X A^-1 X'`` the residual is
``(I + K)^-1 F``, rows x rows. Of the two forms the smaller is used.

A step multiplies F by ``(gamma F + [MF]-) / (gamma FF'F + [MF]+)``. This is a gradient step
scaled by positive numbers, so a part of it always lowers the objective: it is halved until
it does. Hence the objective never increases.
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import linalg, sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..._parallel import interruptible, one_blas_thread, one_openmp_thread
from ..._progress import progress
from ..centred_matrix import ColumnMatrix
from .graph import degrees

#: Added to the squared norm of each row of W, so that the penalty is smooth at 0.
SMOOTHING = 1e-16
#: Rows or columns up to which more than one thread would be in each other's way.
SMALL_SYSTEM = 500
#: How often a step is halved before F is taken to be at its best.
MOST_HALVINGS = 40


@dataclass(frozen=True)
class NDFSOptions:
    """Weights of the terms of the objective, and when to stop."""

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1e8
    max_iter: int = 300
    tol: float = 1e-6
    verbose: int = 0


@dataclass(frozen=True)
class NDFSResult:
    """What was found, and how."""

    #: Coefficients W, columns x clusters.
    coef: np.ndarray
    #: Cluster indicators F, rows x clusters.
    clusters: np.ndarray
    #: The objective after each step, and where it is known before the first one.
    objective: np.ndarray
    n_iter: int
    converged: bool

    @property
    def raw_scores(self) -> np.ndarray:
        """``|w_i|^2`` of each column."""
        return np.einsum("ij,ij->i", self.coef, self.coef)


class Ridge:
    """Regressions on `X` with one quadratic penalty per column, by the smaller system."""

    def __init__(self, X: ColumnMatrix) -> None:
        self._X = X
        self._products = X.all_column_products() if X.shape[1] <= X.shape[0] else None

    def penalised(self, penalty: np.ndarray) -> Regression:
        """The regression for given penalties."""
        if self._products is None:
            return RowSystem(self._X, penalty)
        return ColumnSystem(self._X, self._products, penalty)


class RowSystem:
    """Rows x rows: the residual is ``(I + X A^-1 X')^-1 F``, and A W = X' residual."""

    def __init__(self, X: ColumnMatrix, penalty: np.ndarray) -> None:
        self._X, self._penalty = X, penalty
        products = (X / np.sqrt(penalty)).row_products(slice(0, len(X)))
        # Symmetric, and column after column: LAPACK would make a copy of it otherwise.
        self._factor = _factor_plus_one(products.T)

    def residual(self, F: np.ndarray) -> np.ndarray:
        """What the columns do not explain of `F`."""
        return linalg.cho_solve(self._factor, F, check_finite=False)

    def solve(self, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and residual."""
        residual = self.residual(F)
        return (residual.T @ self._X).T / self._penalty[:, None], residual


class ColumnSystem:
    """Columns x columns: ``(X'X + A) W = X' F``, scaled so that no penalty is too large."""

    def __init__(self, X: ColumnMatrix, products: np.ndarray, penalty: np.ndarray) -> None:
        self._X = X
        self._scale = 1.0 / np.sqrt(penalty)[:, None]
        self._factor = _factor_plus_one(products * self._scale * self._scale.T)

    def residual(self, F: np.ndarray) -> np.ndarray:
        """What the columns do not explain of `F`."""
        return self.solve(F)[1]

    def solve(self, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and residual."""
        right = self._scale * (F.T @ self._X).T
        coef = self._scale * linalg.cho_solve(self._factor, right, check_finite=False)
        return coef, F - self._X @ coef


Regression: TypeAlias = RowSystem | ColumnSystem


def _factor_plus_one(system: np.ndarray) -> tuple[np.ndarray, bool]:
    system[np.diag_indices_from(system)] += 1.0
    work = len(system) ** 3 / 3
    # Not SciPy's: that keeps all other threads waiting, and Ctrl-C with them.
    factor = interruptible(work, np.linalg.cholesky, system, upper=True)
    return np.asfortranarray(factor), False


def threads_for(X: ColumnMatrix) -> AbstractContextManager:
    """One thread while the system is small.

    A step alternates between the BLAS of NumPy and that of SciPy, and the idle threads of each
    keep processors busy that the other waits for: on small systems longer than the work takes.
    """
    return one_blas_thread() if min(X.shape) <= SMALL_SYSTEM else nullcontext()


def starting_clusters(X: ColumnMatrix, n_clusters: int, random_state) -> np.ndarray:
    """k-means indicators with orthonormal columns, lifted off 0 so that all can change."""
    # One thread, so that sums are in one order; fewer distinct rows than clusters is fine.
    with one_blas_thread(), one_openmp_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(n_clusters, n_init=10, random_state=random_state).fit(X.by_rows).labels_
    indicators = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    return indicators / np.sqrt(np.maximum(indicators.sum(axis=0), 1.0)) + 0.02


def normalised_laplacian(graph: sparse.csr_array) -> sparse.csr_array:
    """``I - D^-1/2 W D^-1/2``."""
    scale = sparse.diags_array(1.0 / np.sqrt(np.maximum(degrees(graph), np.finfo(float).tiny)))
    return sparse.csr_array(sparse.eye_array(graph.shape[0]) - scale @ graph @ scale)


def ndfs(
    X: ColumnMatrix, laplacian: sparse.csr_array | np.ndarray, F: np.ndarray, options: NDFSOptions
) -> NDFSResult:
    """Minimise the objective from the start `F`; it never increases."""
    with threads_for(X), progress("finding clusters", options.max_iter, options.verbose) as bar:
        ridge = Ridge(X)
        coef, residual = ridge.penalised(np.full(X.shape[1], options.beta)).solve(F)
        objective = [_objective(F, laplacian @ F, residual, coef, options)]
        converged = False
        while not converged and len(objective) <= options.max_iter:
            regression = ridge.penalised(0.5 * options.beta / _row_norms(coef))
            F = _better_clusters(F, laplacian, regression, options)
            coef, residual = regression.solve(F)
            objective.append(_objective(F, laplacian @ F, residual, coef, options))
            converged = objective[-2] - objective[-1] <= options.tol * abs(objective[-1])
            bar.advance()
    return NDFSResult(coef, F, np.array(objective), len(objective) - 1, converged)


def _row_norms(coef: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", coef, coef) + SMOOTHING)


def _objective(F, LF, residual, coef, options: NDFSOptions) -> float:
    fit = np.vdot(residual, residual) + options.beta * _row_norms(coef).sum()
    return float(np.vdot(F, LF) + options.alpha * fit + _departure(F, options.gamma))


def _departure(F: np.ndarray, gamma: float) -> float:
    products = F.T @ F
    products[np.diag_indices_from(products)] -= 1.0
    return 0.5 * gamma * float(np.vdot(products, products))


def _better_clusters(
    F: np.ndarray, laplacian, regression: Regression, options: NDFSOptions
) -> np.ndarray:
    """One multiplicative step on F, halved until the reduced objective does not grow."""

    def pull(G: np.ndarray) -> np.ndarray:  # M G
        return laplacian @ G + options.alpha * regression.residual(G)

    def reduced(G: np.ndarray, pulled: np.ndarray) -> float:
        return float(np.vdot(G, pulled)) + _departure(G, options.gamma)

    pulled = pull(F)
    now = reduced(F, pulled)
    up = options.gamma * F + np.maximum(-pulled, 0.0)
    down = options.gamma * (F @ (F.T @ F)) + np.maximum(pulled, 0.0)
    step = F * (up / np.maximum(down, np.finfo(float).tiny)) - F
    for _ in range(MOST_HALVINGS):
        trial = F + step
        if reduced(trial, pull(trial)) <= now:
            return trial
        step *= 0.5
    return F
