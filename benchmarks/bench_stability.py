"""Forests that grow until they agree: overlap of seeds, time of a fit, and honest errors.

A few lines per data set of Genie3 with ``n_estimators="auto"``: how much of their top 16 pairs of
seeds share, what ``stability_`` had promised, and the processor time of a fit against that of a
plain forest, which grows until it is as stable or has a million trees, as "auto" was before it had
probes and a bound of its own. Two pairs on four sets by
default; five on six sets with UNSUPRANK_BENCH_ALL=1, which takes ten minutes. Then the share of
columns whose 95% interval, from ``scores_sem_``, has the mean in it that many trees give: of plain
forests, and of the columns at the top that "auto" has probed.
"""

from __future__ import annotations

import os
import time
import warnings
from unittest.mock import patch

import numpy as np

from unsuprank import Genie3
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest import race
from unsuprank.rankers.forest.growing import Grower
from unsuprank.rankers.forest.parameters import grow_settings
from unsuprank.table import read_table

from .harness import load, report, report_ratio

SETS = ("colon", "Yale", "lymphoma", "nci9")
LONG_SETS = ("ALLAML", "pixraw10P")
N_SELECTED = 16


def run() -> None:
    everything = bool(os.environ.get("UNSUPRANK_BENCH_ALL"))
    for name in SETS + (LONG_SETS if everything else ()):
        X = load(name)
        if X is not None:
            _report_agreement(name, X, 5 if everything else 2)
    for name in ("colon", "Yale") if everything else ("colon",):
        X = load(name)
        if X is not None:
            for n_trees in (100, 1000, 4000):
                _report_coverage(name, X, n_trees)
            _report_probed_coverage(name, X)


def _stable(seed: int, **how: int) -> Genie3:
    return Genie3(
        "auto", stability=0.9, n_features_to_select=N_SELECTED, n_jobs=2, random_state=seed, **how
    )


def _timed(X: np.ndarray, seed: int, **how: int) -> tuple[Genie3, float, float]:
    """A fit, its processor time and its seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it takes long, and may not be enough, is known
        fit = _stable(seed, **how).fit(X)
    return fit, time.process_time() - cpu, time.perf_counter() - wall


def _report_agreement(name: str, X: np.ndarray, n_pairs: int) -> None:
    fits, cpu, wall = zip(*(_timed(X, seed) for seed in range(2 * n_pairs)), strict=True)
    with patch.object(race, "can_probe", return_value=False):
        plain, plain_cpu, _ = _timed(X, 0, max_estimators=1_000_000)
    tops = [set(r.order_[:N_SELECTED]) for r in fits]
    shared = [len(a & b) / N_SELECTED for a, b in zip(tops[::2], tops[1::2], strict=True)]
    promised = float(np.mean([r.stability_ for r in fits]))
    report(f"{name}: shared top 16, mean of {n_pairs} pairs", f"{np.mean(shared):.2f}", ">= 0.85")
    report(f"{name}: shared top 16, least", f"{min(shared):.2f}", ">= 0.75")
    every = [len(a & b) / N_SELECTED for i, a in enumerate(tops) for b in tops[:i]]
    report(
        f"{name}: promised less shared by all pairs",
        f"{promised - np.mean(every):+.3f}",
        "within 0.07",
        f"{promised:.3f} promised, {sum(r.converged_ for r in fits)} of {len(fits)} converged",
    )
    trees = [r.n_estimators_ for r in fits]
    slowest = f"{max(cpu):.1f} of processor time, {trees} trees"
    report(f"{name}: seconds of the slowest fit", f"{max(wall):.1f}", "<= 3", slowest)
    end = "stable" if plain.converged_ else "not stable"
    what = f"{name}: processor time, plain {plain.n_estimators_} trees ({end})"
    report_ratio(what, float(np.mean(cpu)), plain_cpu, 10)


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


def _report_probed_coverage(name: str, X: np.ndarray, n_seeds: int = 50) -> None:
    """Of the 32 best columns of each fit; a plain forest would be no truth to measure it by."""
    fits = [_stable(seed).fit(X) for seed in range(n_seeds)]
    best = [r.order_[: 2 * N_SELECTED] for r in fits]
    columns = np.unique(best)
    table = read_table(X)
    grower = Grower(Space.of(table), grow_settings(_stable(n_seeds), table.n_columns))
    truth = np.zeros(table.n_columns)
    truth[columns] = grower.probe(columns, "genie3", 0, 20_000).mean(axis=0)
    covered = [
        np.abs(r.scores_ - truth)[top] <= 1.96 * r.scores_sem_[top]
        for r, top in zip(fits, best, strict=True)
    ]
    report(
        f"{name}: covered by 95% intervals of probes, {n_seeds} seeds",
        f"{np.mean(covered):.3f}",
        "0.92 to 0.97",
    )
