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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ..progress import progress
from .graph import degrees

#: Added to the squared norm of each row of W, so that the penalty is smooth at 0.
SMOOTHING = 1e-16
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
    """Coefficients (columns x clusters), indicators F, and the objective after each step."""

    coef: np.ndarray
    clusters: np.ndarray
    objective: np.ndarray
    converged: bool


#: Penalty per column -> (F -> coefficients and residual F - X coefficients).
Regression = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def ridge(X: np.ndarray) -> Callable[[np.ndarray], Regression]:
    """Regressions on `X` with one quadratic penalty per column, by the smaller system."""
    m, n = X.shape
    products = X.T @ X if n <= m else None

    def by_columns(penalty: np.ndarray) -> Regression:
        root = 1.0 / np.sqrt(penalty)
        system = products * root[:, None] * root  # of size 1 or more whatever the penalties
        system[np.diag_indices(n)] += 1.0
        factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)

        def solve(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            right = root[:, None] * (X.T @ F)
            coef = root[:, None] * linalg.cho_solve(factor, right, check_finite=False)
            return coef, F - X @ coef

        return solve

    def by_rows(penalty: np.ndarray) -> Regression:
        system = (X / penalty) @ X.T
        system[np.diag_indices(m)] += 1.0
        factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)

        def solve(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            residual = linalg.cho_solve(factor, F, check_finite=False)
            return (X.T @ residual) / penalty[:, None], residual

        return solve

    return by_rows if products is None else by_columns


def starting_clusters(X: np.ndarray, n_clusters: int, random_state) -> np.ndarray:
    """k-means indicators with orthonormal columns, lifted off 0 so that all can change."""
    # One thread, so that sums are in one order; fewer distinct rows than clusters is fine.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(n_clusters, n_init=10, random_state=random_state).fit(X).labels_
    indicators = (labels[:, None] == np.arange(n_clusters)).astype(np.float64)
    return indicators / np.sqrt(np.maximum(indicators.sum(axis=0), 1.0)) + 0.02


def normalised_laplacian(graph: sparse.csr_array) -> sparse.csr_array:
    """``I - D^-1/2 W D^-1/2``."""
    scale = sparse.diags_array(1.0 / np.sqrt(np.maximum(degrees(graph), np.finfo(float).tiny)))
    return sparse.csr_array(sparse.eye_array(graph.shape[0]) - scale @ graph @ scale)


def ndfs(
    X: np.ndarray, laplacian: sparse.csr_array | np.ndarray, F: np.ndarray, options: NDFSOptions
) -> NDFSResult:
    """Minimise the objective from the start `F`; it never increases."""
    regression = ridge(X)
    coef, residual = regression(np.full(X.shape[1], options.beta))(F)
    objective = [_objective(F, laplacian @ F, residual, coef, options)]
    converged = False
    with progress("finding clusters", options.max_iter, options.verbose) as bar:
        for _ in range(options.max_iter):
            solve = regression(0.5 * options.beta / _row_norms(coef))
            F = _better_clusters(F, laplacian, solve, options)
            coef, residual = solve(F)
            objective.append(_objective(F, laplacian @ F, residual, coef, options))
            bar.advance()
            if objective[-2] - objective[-1] <= options.tol * abs(objective[-1]):
                converged = True
                break
    return NDFSResult(coef, F, np.array(objective), converged)


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
    F: np.ndarray, laplacian, solve: Regression, options: NDFSOptions
) -> np.ndarray:
    """One multiplicative step on F, halved until the reduced objective does not grow."""

    def pull(G: np.ndarray) -> np.ndarray:  # M G
        return laplacian @ G + options.alpha * solve(G)[1]

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


def toolbox_laplacian(graph: sparse.csr_array) -> np.ndarray:
    """What the toolbox subtracts the graph from: each column's degree in all of the column."""
    return degrees(graph)[None, :] - graph.toarray()


def toolbox_ndfs(
    X: np.ndarray, laplacian: np.ndarray, F: np.ndarray, options: NDFSOptions
) -> NDFSResult:
    """The iteration of the toolbox, for comparison: F is scaled to unit columns at each step.

    Its own objective, which leaves out the penalty, decides when to stop.
    """
    regression = ridge(X)
    penalty = np.full(X.shape[1], options.beta)
    symmetric = 0.5 * (laplacian + laplacian.T)
    eye = np.eye(F.shape[1])
    objective: list[float] = []
    coef = np.zeros((X.shape[1], F.shape[1]))
    converged = False
    with progress("finding clusters", options.max_iter, options.verbose) as bar:
        for _ in range(options.max_iter):
            solve = regression(penalty + 1e-6)
            coef, residual = solve(F)
            norms = np.sqrt(np.einsum("ij,ij->i", coef, coef))
            penalty = options.beta * 0.5 / np.maximum(norms, 1e-16)
            pulled = symmetric @ F + options.alpha * residual
            F = F * (options.gamma * F / (pulled + options.gamma * (F @ (F.T @ F))))
            F = F / np.sqrt(np.einsum("ij,ij->j", F, F) + 1e-16)
            pulled = symmetric @ F + options.alpha * solve(F)[1]
            departure = np.linalg.norm(F.T @ F - eye)
            objective.append(float(np.vdot(F, pulled) + 0.25 * options.gamma * departure))
            bar.advance()
            if len(objective) > 1 and abs(objective[-2] - objective[-1]) < 1e-3:
                converged = True
                break
    return NDFSResult(coef, F, np.array(objective), converged)
