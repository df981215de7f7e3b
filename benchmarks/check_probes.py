"""Are probes unbiased? Their credits against plain scores on many small random tables.

``python -m benchmarks.check_probes [tables] [trees]`` draws tables of every kind (numeric, nominal,
mixed, with missing values, with ties, with copies of columns), grows plain trees and probes all
columns in other trees, and counts the columns whose two means are within 4 standard errors of
each other. It ends with an error if they are fewer than 99.9%.
"""

from __future__ import annotations

import sys

import numpy as np

from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.tree_scores import tree_scores
from unsuprank.table import Table, read_table

KINDS = ("numeric", "nominal", "mixed", "missing", "ties", "duplicates")
SCORES = ("genie3", "symbolic", "genie3_out_of_bag")


def random_table(rng: np.random.Generator, kind: str) -> Table:
    """A small table of a kind; some columns follow a grouping of the rows."""
    n_rows, n_columns = int(rng.integers(4, 25)), int(rng.integers(2, 13))
    X = rng.normal(size=(n_rows, n_columns)) ** int(rng.choice([1, 3]))
    X += np.outer(rng.integers(0, 2, n_rows), rng.choice([0.0, 0.0, 2.0], n_columns))
    nominal = np.zeros(n_columns, dtype=bool)
    if kind in ("nominal", "mixed", "missing"):
        nominal = rng.random(n_columns) < (1.0 if kind == "nominal" else 0.5)
        X[:, nominal] = np.floor(np.abs(X[:, nominal]) * 2)
    if kind == "missing":
        X[rng.random(X.shape) < 0.15] = np.nan
    if kind == "ties":
        X = np.round(X)
    if kind == "duplicates":
        X[:, rng.integers(0, n_columns, n_columns // 2)] = X[:, [0]]
        X[rng.integers(0, n_rows, n_rows // 3)] = X[0]
    X[:, rng.random(n_columns) < 0.1] = 1.0
    return read_table(X, nominal_features=nominal)


def random_settings(rng: np.random.Generator, score: str, n_columns: int) -> GrowSettings:
    return GrowSettings(
        seed=int(rng.integers(2**62)),
        max_features=int(rng.integers(1, n_columns + 1)),
        max_depth=0 if rng.random() < 0.7 else int(rng.integers(1, 4)),
        min_leaf=float(rng.choice([1, 1, 2, 3])),
        bootstrap=score == "genie3_out_of_bag" or bool(rng.random() < 0.8),
    )


def deviations(table: Table, settings: GrowSettings, score: str, n_trees: int) -> np.ndarray:
    """Per column, the difference of the two means in standard errors."""
    grower = Grower(Space.of(table), settings)
    found = tree_scores(score, grower.grow(0, n_trees), grower, 0)
    plain = np.zeros((n_trees, table.n_columns))
    plain[found.tree, found.feature] = found.value
    columns = np.arange(table.n_columns)
    probed = grower.probe(columns, score, n_trees, 2 * n_trees)
    error = np.sqrt((plain.var(axis=0) + probed.var(axis=0)) / n_trees)
    difference = plain.mean(axis=0) - probed.mean(axis=0)
    # Scores that never vary must be equal.
    exact = np.where(np.abs(difference) < 1e-9, 0.0, np.inf)
    return np.where(error > 1e-9, difference / np.maximum(error, 1e-9), exact)


def main(n_tables: int = 200, n_trees: int = 4000) -> None:
    rng = np.random.default_rng(0)
    for score in SCORES:
        found = []
        for i in range(n_tables):
            table = random_table(rng, KINDS[i % len(KINDS)])
            settings = random_settings(rng, score, table.n_columns)
            found.append(deviations(table, settings, score, n_trees))
        z = np.concatenate(found)
        within = np.mean(np.abs(z) <= 4)
        print(
            f"{score}: {within:.2%} of {len(z)} columns within 4 standard errors; largest "
            f"difference {np.abs(z).max():.1f}, root mean square {np.sqrt(np.mean(z**2)):.3f}"
        )
        if within < 0.999:
            sys.exit("Probes are biased.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
