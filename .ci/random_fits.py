"""Fit every ranker to random tables: a fuzz for sanitizers, and a comparison of builds.

python .ci/random_fits.py --tables 20 --seed 0 --out scores.npz
python .ci/random_fits.py --compare scores.npz other.npz
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from unsuprank import registry
from unsuprank.table import Table, read_table

ENSEMBLES = ("extra_trees", "random_forest", "bagging")
#: Scores of two builds agree if they differ by no more than this part of the largest one.
TOLERANCE = 1e-6
#: Rounding may turn a tie, and with it what a tree grows below; so many tables may differ.
TURNED = 0.1


def random_column(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Draw a column of one of the kinds that give kernels trouble."""
    kind = rng.integers(6)
    if kind == 0:
        return np.full(rows, rng.normal())
    if kind == 1:
        return rng.integers(0, rng.integers(2, 70_000), rows).astype(float)
    if kind == 2:
        return np.round(rng.normal(size=rows), 1)
    if kind == 3:
        return rng.poisson(0.3, rows).astype(float)
    return rng.normal(size=rows) * 10.0 ** rng.integers(-9, 9)


def random_table(rng: np.random.Generator) -> Table:
    """Draw a small table: numbers, often a few names, sometimes gaps and repeated columns."""
    rows, columns = rng.integers(4, 150), rng.integers(2, 30)
    X = np.column_stack([random_column(rng, rows) for _ in range(columns)])
    X[:, rng.integers(columns)] = X[:, rng.integers(columns)]
    nominal = [j for j in range(columns) if rng.random() < 0.2] if rng.random() < 0.5 else []
    for j in nominal:
        X[:, j] = rng.integers(0, rng.integers(2, 80), rows)
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.1] = np.nan
    return read_table(X, nominal_features=nominal)


def random_parameters(rng: np.random.Generator) -> dict:
    """Draw settings; a ranker takes those that it knows."""
    return {
        "n_estimators": int(rng.integers(1, 12)),
        "ensemble": str(rng.choice(ENSEMBLES)),
        "max_features": [None, "log2", "sqrt", 1][rng.integers(4)],
        "min_samples_leaf": int(rng.integers(1, 4)),
        "n_neighbors": int(rng.integers(1, 4)),
        "n_features_to_select": 1,
        "n_jobs": int(rng.integers(1, 4)),
    }


def fit_all(seed: int) -> dict[str, np.ndarray]:
    """Fit the rankers that can take the table of a seed."""
    rng = np.random.default_rng(seed)
    table, parameters = random_table(rng), random_parameters(rng)
    scores = {}
    for method in registry.available():
        if method.cannot_take(table):
            continue
        ranker = registry.make(method.name, seed=seed, **parameters)
        try:
            scores[f"{seed}/{method.name}"] = ranker.fit(table).scores_
        except ValueError:  # too few rows for this one, or nothing that varies
            continue
    return scores


def compare(ours: Path, theirs: Path) -> bool:
    """Say how far the scores of two builds are from each other, and whether that will do."""
    a, b = np.load(ours), np.load(theirs)
    names = sorted(set(a) & set(b))
    apart = np.array([np.abs(a[n] - b[n]).max() / (np.abs(a[n]).max() or 1.0) for n in names])
    turned = [n for n, d in zip(names, apart, strict=True) if d > TOLERANCE]
    rest = apart[apart <= TOLERANCE]
    print(
        f"{theirs}: {len(names)} fits, {np.sum(apart == 0)} bitwise equal; the others differ by at "
        f"most {rest.max(initial=0.0):.0e} of the largest score, except {turned or 'none'}"
    )
    return set(a) == set(b) and len(turned) <= TURNED * len(names)


def main() -> int:
    """Run as a program; see the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--compare", type=Path, nargs=2)
    options = parser.parse_args()
    if options.compare:
        return 0 if compare(*options.compare) else 1
    warnings.simplefilter("ignore")  # what is odd about a random table is of no interest
    scores: dict[str, np.ndarray] = {}
    for seed in range(options.seed, options.seed + options.tables):
        scores |= fit_all(seed)
    if options.out:
        np.savez(options.out, **scores)
    print(f"{len(scores)} fits to {options.tables} random tables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
