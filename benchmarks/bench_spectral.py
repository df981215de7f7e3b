"""The spectral baselines against plain transcriptions of the published formulas in NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LassoLars
from sklearn.metrics.pairwise import euclidean_distances

from unsuprank import MCFS, NDFS, SPEC, AgnoSS, LaplacianScore
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.spectral.graph import GraphOptions, neighbour_graph
from unsuprank.rankers.spectral.ndfs_solver import (
    NDFSOptions,
    ndfs,
    normalised_laplacian,
    starting_clusters,
)

from .harness import alternate, best_of, load, report, report_ratio


def plain_spec(X: np.ndarray) -> np.ndarray:
    """Style 0 from the full spectrum of the normalised Laplacian, one column at a time.

    The trivial eigenvector is written down: where rows are isolated it is one of many with
    eigenvalue 0, and not the one that comes first.
    """
    squared = euclidean_distances(X, squared=True)
    W = np.exp(-squared / np.median(squared[np.triu_indices(len(X), 1)]))
    d = W.sum(axis=1)
    s, U = np.linalg.eigh(np.eye(len(X)) - W / np.sqrt(np.outer(d, d)))
    trivial = np.sqrt(d / d.sum())
    scores = np.empty(X.shape[1])
    for j, f in enumerate(X.T):
        F = np.sqrt(d) * f
        F /= np.linalg.norm(F)
        scores[j] = np.sum((U.T @ F) ** 2 * s) / (1 - (trivial @ F) ** 2)
    return scores


def plain_mcfs(X: np.ndarray, n_clusters: int, n_nonzero: int) -> np.ndarray:
    """All eigenvectors of the dense graph, then one regression after the other."""
    W = neighbour_graph(ColumnMatrix(X), GraphOptions()).toarray()
    d = W.sum(axis=1)
    _, U = np.linalg.eigh(np.eye(len(X)) - W / np.sqrt(np.outer(d, d)))
    Y = U[:, 1 : n_clusters + 1] / np.sqrt(d)[:, None]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    lars = LassoLars(alpha=0.0, max_iter=n_nonzero, precompute=False)
    return np.abs([lars.fit(Z, y).coef_ for y in Y.T]).max(axis=0)


def plain_ndfs_steps(X: np.ndarray, L: np.ndarray, F: np.ndarray, gamma: float, steps: int):
    """Steps of NDFS with the published inverse of columns x columns."""
    m, n = X.shape
    D = np.eye(n)
    for _ in range(steps):
        inverse = np.linalg.inv(X.T @ X + D)
        W = inverse @ X.T @ F
        D = np.diag(0.5 / np.sqrt(np.sum(W**2, axis=1) + 1e-16))
        M = L + np.eye(m) - X @ inverse @ X.T
        F = F * (gamma * F / (M @ F + gamma * F @ F.T @ F))
    return W


def bench_ndfs() -> None:
    X = load("lymphoma")
    if X is None:
        X = np.random.default_rng(0).normal(size=(96, 4026))
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    L = normalised_laplacian(neighbour_graph(ColumnMatrix(X), GraphOptions()))
    F = starting_clusters(ColumnMatrix(X), 9, np.random.RandomState(0))
    options = NDFSOptions(max_iter=2, tol=0.0)
    ours, plain = alternate(
        lambda: ndfs(ColumnMatrix(X), L, F, options),
        lambda: plain_ndfs_steps(X, L.toarray(), F, 1e8, 2),
        2,
    )
    report_ratio(f"NDFS, 2 steps, {X.shape[1]} columns, {len(X)} rows", ours, plain, 30)


def bench_spec() -> None:
    """SPEC on tables of many rows: of whole numbers, of others, and of mostly zeros."""
    for name, floor in (("madelon", 12), ("Isolet", None), ("PCMAC", None)):
        X = load(name)
        if X is not None:
            found = SPEC(standardize=False).fit(X).raw_scores_
            np.testing.assert_allclose(found, plain_spec(X), rtol=1e-8)
            ours, plain = alternate(
                lambda X=X: SPEC(standardize=False).fit(X), lambda X=X: plain_spec(X), 3
            )
            report_ratio(f"SPEC, {name}", ours, plain, floor)


def bench_mcfs() -> None:
    X = load("Isolet")
    if X is not None:
        X = (X - X.mean(axis=0)) / X.std(axis=0)  # as the ranker does first
        ranker = MCFS(n_clusters=26, n_nonzero=100)
        ours, plain = alternate(lambda: ranker.fit(X), lambda: plain_mcfs(X, 26, 100), 4)
        report_ratio("MCFS, Isolet, 26 targets, 100 steps", ours, plain, 5)
        np.testing.assert_allclose(ranker.scores_, plain_mcfs(X, 26, 100), rtol=1e-5, atol=1e-9)
        report("Laplacian score, Isolet", f"{best_of(lambda: LaplacianScore().fit(X)):.2f} s")


_PEAK_OF_NDFS = """
from pathlib import Path
from benchmarks.harness import load
from unsuprank import NDFS
NDFS(random_state=0).fit(load("arcene"))
print(next(line.split()[1] for line in Path("/proc/self/status").open() if "VmHWM" in line))
"""


def bench_memory() -> None:
    if load("arcene") is not None and sys.platform == "linux":
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _PEAK_OF_NDFS],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ,
        )
        report(
            "NDFS, arcene, peak memory of the process",
            f"{float(ran.stdout) / 1024:.0f} MB",
            "< 1 GB",
        )


def bench_agnos() -> None:
    X = load("ALLAML")
    if X is not None:
        ranker = AgnoSS(max_epochs=150, tol=0.0, random_state=0, n_jobs=2)
        seconds = best_of(lambda: ranker.fit(X), 1)
        report(
            "AgnoS-S, ALLAML",
            f"{seconds:.1f} s",
            "< 60 s",
            f"{ranker.n_iter_} epochs, {ranker.n_hidden_} hidden units",
        )


def bench_clustered_tables(kind: str, table: Callable[[int], tuple[np.ndarray, set]]) -> None:
    """How many of five columns that bear clusters are among the best five, in ten tables."""
    rankers = {
        "Laplacian score": LaplacianScore(),
        "SPEC": SPEC(),
        "MCFS": MCFS(),
        "NDFS": NDFS(random_state=0),
        "AgnoS-S": AgnoSS(random_state=0),
        "AgnoS-S, 10 restarts": AgnoSS(n_restarts=10, random_state=0),
    }
    for name, ranker in rankers.items():
        found = []
        for seed in range(10):
            X, columns = table(seed)
            found.append(len(columns & set(ranker.fit(X).order_[:5])))
        report(f"{name}: found of 5, {kind}", f"{np.mean(found):.1f}", detail=str(found))


def clustered_table(seed: int) -> tuple[np.ndarray, set]:
    """300 x 50, three clusters in five columns that each arrange them differently."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 50))
    columns = rng.choice(50, 5, replace=False)
    cluster = rng.integers(3, size=300)
    X[:, columns] += 3 * ((cluster[:, None] + np.arange(5)) % 3)
    return X, set(columns)


def blobs(seed: int) -> tuple[np.ndarray, set]:
    """300 x 50, three clusters around random centres in five columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 50))
    columns = rng.choice(50, 5, replace=False)
    X[:, columns] += rng.normal(scale=3, size=(3, 5))[rng.integers(3, size=300)]
    return X, set(columns)


def run() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bench_ndfs()
        bench_spec()
        bench_mcfs()
        bench_memory()
        bench_agnos()
        bench_clustered_tables("arranged clusters", clustered_table)
        bench_clustered_tables("random centres", blobs)
