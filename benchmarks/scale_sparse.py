"""Sparse tables: the scores of dense ones, with a part of their memory; 50 million values.

Texts are BASEHOCK, PCMAC and RELATHE. The large table has 50,000 rows and 20,000 columns, one in
twenty values of it is not zero, and 200 columns follow five hidden programmes, which are strong in
some rows and weak in others, or switched on in one row of a hundred.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import average_precision_score

from unsuprank import Genie3, GreedyCSS, SharedVariance, URelief, registry

from .fresh_process import begin, measure
from .harness import load, report

HERE = "benchmarks.scale_sparse"
TEXTS = ("BASEHOCK", "PCMAC", "RELATHE")
MEASURED = {
    "Genie3": Genie3(n_estimators=100, random_state=0, n_jobs=2),
    "SharedVariance": SharedVariance(n_jobs=2),
    "GreedyCSS": GreedyCSS(n_jobs=2),
    "URelief": URelief(n_iterations=0.2, random_state=0, n_jobs=2),
}
CELLS = (*range(3_800, 4_001, 100), 4_096, 4_097, *range(4_200, 5_001, 100))
N_ROWS, N_COLUMNS, N_PLANTED, N_PROGRAMMES = 50_000, 20_000, 200, 5
LARGE = {
    "Genie3, 2,000 trees, max_samples=1024": Genie3(
        n_estimators=2000, max_samples=1024, random_state=0, n_jobs=2
    ),
    "SharedVariance": SharedVariance(n_jobs=2),
    "GreedyCSS, 50 picks": GreedyCSS(n_picks=50, n_jobs=2),
}


def fit_text(name: str, method: str, held_sparse: bool) -> None:
    """Fit one method on one text, after what it takes to load it."""
    X = sparse.csr_array(load(name))
    X = X if held_sparse else X.toarray()
    begin()
    MEASURED[method].fit(X)


def memory_and_time() -> None:
    for method in MEASURED:
        arguments: dict[str, Any] = {"name": "BASEHOCK", "method": method}
        dense = measure(HERE, "fit_text", held_sparse=False, **arguments)
        held = measure(HERE, "fit_text", held_sparse=True, **arguments)
        # The table itself is there before, and is part of what a user needs.
        X = load("BASEHOCK")
        table = X.nbytes / 2**20, sparse.csr_array(X).data.nbytes * 1.5 / 2**20
        share = (held.megabytes + table[1]) / (dense.megabytes + table[0])
        what = f"{method} on BASEHOCK, sparse: share of the dense memory"
        report(what, f"{share:.2f}", "< 0.33", f"{held} against {dense}")


def same_scores() -> None:
    for name in TEXTS:
        X = load(name)
        for method in registry.available():
            if not method.accepts_sparse:
                continue
            ranker = registry.make(method.name, seed=0, n_jobs=2, n_estimators=20)
            dense = clone(ranker).fit(X)
            for kind in (sparse.csr_array, sparse.csc_array):
                held = clone(ranker).fit(kind(X))
                size = np.abs(dense.scores_).max() or 1.0
                error = np.abs(held.scores_ - dense.scores_).max() / size
                moved = int((held.order_ != dense.order_).sum())
                what = f"{method.name} on {name}, {kind.__name__[:3]}: largest difference"
                report(what, f"{error:.1e}", "1e-9", f"{moved} places of the order differ")


def planted_counts(n_rows: int, n_columns: int, seed: int, rare: bool) -> sparse.csr_array:
    """Counts of which one in twenty is not zero; the first columns follow hidden programmes."""
    rng = np.random.default_rng(seed)
    programmes = rng.normal(size=(n_rows, N_PROGRAMMES))
    if rare:
        programmes = 2.5 * (rng.random(programmes.shape) < 0.01)
    chance = np.full(n_columns, 0.05)
    blocks = []
    for first in range(0, n_rows, 500):
        some = programmes[first : first + 500]
        drive = some[:, np.arange(N_PLANTED) % N_PROGRAMMES]
        present = rng.random((len(some), n_columns), dtype=np.float32) < chance
        present[:, :N_PLANTED] = rng.random(drive.shape) < 1 / (1 + np.exp(3.4 - 1.5 * drive))
        part = sparse.csr_array(present.astype(np.float32))
        part.data[:] = 1 + rng.poisson(1.0, part.nnz)
        blocks.append(part)
    return sparse.csr_array(sparse.vstack(blocks))


def fit_large(method: str, rare: bool) -> float:
    """Average precision of the planted columns in the large table."""
    X = planted_counts(N_ROWS, N_COLUMNS, seed=1001, rare=rare)
    begin()
    scores = LARGE[method].fit(X).scores_
    return float(average_precision_score(np.arange(N_COLUMNS) < N_PLANTED, scores))


def large() -> None:
    for method, rare in product(LARGE, (False, True)):
        took = measure(HERE, "fit_large", method=method, rare=rare)
        found = f"average precision of the planted columns {took.result:.2f}"
        what = f"50,000 x 20,000, {'rare' if rare else 'strong'}, {method}"
        report(what, f"{took.seconds:.1f} s", "< 30 s, < 1.5 GB", f"{took}; {found}")


def fit_some_rows(n_rows: int) -> list[float]:
    """Scores of all columns of a table of cells that has so many of them."""
    X = planted_counts(max(CELLS), 12_000, seed=1002, rare=False)[:n_rows]
    begin()
    return SharedVariance(n_jobs=2).fit(X).scores_.tolist()


def without_steps() -> None:
    """Neither time nor answer jumps when a table grows."""
    took = [measure(HERE, "fit_some_rows", n_rows=n_rows) for n_rows in CELLS]
    for first, n_rows, before, now in zip(CELLS, CELLS[1:], took, took[1:], strict=False):
        # Squared correlations of unrelated columns in some rows and in more rows agree so well.
        share = first / n_rows
        agreement = spearmanr(before.result, now.result).statistic
        what = f"SharedVariance, {n_rows:,} x 12,000 after fewer rows: times the CPU"
        ratio = now.cpu_seconds / before.cpu_seconds
        detail = f"{now}; rank correlation {agreement:.3f}, or with noise alone {share:.3f}"
        report(what, f"{ratio:.2f}", "< 1.5", detail)


def run() -> None:
    if load("BASEHOCK") is not None:
        memory_and_time()
        same_scores()
    large()
    without_steps()
