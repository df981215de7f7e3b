"""Forests that grow until they agree: overlap of seeds, seconds a fit, and honest errors.

A line per data set of Genie3 with ``n_estimators="auto"``: how much of their top 16 pairs of
seeds share, and the slowest fit. Two pairs by default, five with UNSUPRANK_BENCH_ALL=1. Then
the share of columns whose 95% interval, from ``scores_sem_``, has the mean of 100,000 trees
in it.
"""

from __future__ import annotations

import os
import time

import numpy as np

from unsuprank import Genie3

from .harness import load, report

SETS = ("colon", "Yale", "lymphoma", "nci9")
N_SELECTED = 16


def run() -> None:
    n_pairs = 5 if os.environ.get("UNSUPRANK_BENCH_ALL") else 2
    for name in SETS:
        X = load(name)
        if X is not None:
            _report_overlap(name, X, n_pairs)
    X = load("colon")
    if X is not None:
        for n_trees in (100, 1000, 4000):
            _report_coverage("colon", X, n_trees)


def _report_overlap(name: str, X: np.ndarray, n_pairs: int) -> None:
    fits, seconds = [], []
    for seed in range(2 * n_pairs):
        start = time.perf_counter()
        ranker = Genie3("auto", stability=0.9, n_features_to_select=N_SELECTED, random_state=seed)
        fits.append(ranker.set_params(n_jobs=2).fit(X))
        seconds.append(time.perf_counter() - start)
    tops = [set(r.order_[:N_SELECTED]) for r in fits]
    shared = [len(a & b) / N_SELECTED for a, b in zip(tops[::2], tops[1::2], strict=True)]
    trees = [r.n_estimators_ for r in fits]
    report(f"{name}: shared top 16, mean of {n_pairs} pairs", f"{np.mean(shared):.2f}", ">= 0.8")
    report(f"{name}: shared top 16, least", f"{min(shared):.2f}", ">= 0.7")
    report(
        f"{name}: seconds of the slowest fit",
        f"{max(seconds):.0f}",
        "<= 60",
        f"{min(trees)} to {max(trees)} trees, {sum(r.converged_ for r in fits)} of "
        f"{len(fits)} converged",
    )


def _report_coverage(name: str, X: np.ndarray, n_trees: int, n_seeds: int = 50) -> None:
    truth = Genie3(100_000, random_state=n_seeds, n_jobs=2).fit(X).scores_
    covered = [
        np.abs(ranker.scores_ - truth) <= 1.96 * ranker.scores_sem_
        for ranker in (Genie3(n_trees, random_state=s, n_jobs=2).fit(X) for s in range(n_seeds))
    ]
    report(
        f"{name}: covered by 95% intervals of {n_trees} trees, {n_seeds} seeds",
        f"{np.mean(covered):.3f}",
        "0.90 to 0.98",
    )
