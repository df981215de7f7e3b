"""Is chance what `SharedVariance` says it is? `python -m benchmarks.truth_chance` finds out.

First, mean and standard deviation in closed form against 100,000 shuffles of a column, on random
mixed tables with ties, gaps and rare values. Then p-values and ranks of noise, by kind of column
and number of rows, in tables that hold all kinds, and in tables where the promise ends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from unsuprank import SharedVariance
from unsuprank.rankers.clustering_space import embed, embedding_widths
from unsuprank.rankers.shared_variance.others import relations
from unsuprank.rankers.shared_variance.shuffles import mean, variance
from unsuprank.table import Table, read_table

Draw = Callable[[np.random.Generator, int], np.ndarray]


def _rare(ones: int) -> Draw:
    return lambda rng, rows: (rng.permutation(rows) < ones).astype(float)


def _names(values: int) -> Draw:
    return lambda rng, rows: rng.integers(0, values, rows).astype(float)


def _with_gaps(draw: Draw, share: float) -> Draw:
    def gaps(rng: np.random.Generator, rows: int) -> np.ndarray:
        return np.where(rng.permutation(rows) < share * rows, np.nan, draw(rng, rows))

    return gaps


def _normal(rng: np.random.Generator, rows: int) -> np.ndarray:
    return rng.normal(size=rows)


def _lognormal(rng: np.random.Generator, rows: int) -> np.ndarray:
    return np.exp(rng.normal(size=rows))


def _frequent_and_rare_names(rng: np.random.Generator, rows: int) -> np.ndarray:
    shares = 1.0 / np.arange(1, 21)
    return rng.choice(20, rows, p=shares / shares.sum()).astype(float)


NUMBERS: dict[str, Draw] = {
    "normal": _normal,
    "uniform": lambda rng, rows: rng.random(rows),
    "lognormal": _lognormal,
    "lognormal, sigma 2": lambda rng, rows: np.exp(2.0 * rng.normal(size=rows)),
    "Cauchy": lambda rng, rows: rng.standard_cauchy(rows),
    "5 ones": _rare(5),
    "10 ones": _rare(10),
    "coin": lambda rng, rows: rng.integers(0, 2, rows).astype(float),
    "counts, mean 1": lambda rng, rows: rng.poisson(1.0, rows).astype(float),
    "counts, mean 0.2": lambda rng, rows: rng.poisson(0.2, rows).astype(float),
    "20% missing": _with_gaps(_normal, 0.2),
    "50% missing": _with_gaps(_normal, 0.5),
    "80% missing": _with_gaps(_normal, 0.8),
    "lognormal, 80% missing": _with_gaps(_lognormal, 0.8),
}
NAMES: dict[str, Draw] = {
    **{f"{c} names": _names(c) for c in (2, 3, 5, 10, 20, 40, 60, 100)},
    "20 names, unequal": _frequent_and_rare_names,
    "10 names, 50% missing": _with_gaps(_names(10), 0.5),
}
KINDS = {**NUMBERS, **NAMES}


def noise(rng: np.random.Generator, rows: int, kinds: Sequence[str]) -> Table:
    """A table with one column of each kind, all independent."""
    X = np.column_stack([KINDS[kind](rng, rows) for kind in kinds])
    return read_table(X, nominal_features=[kind in NAMES for kind in kinds])


def main(arguments: list[str]) -> None:
    """Print all tables; `quick` for a tenth of the draws."""
    share = 0.1 if "quick" in arguments else 1.0
    compare_with_shuffles(int(200 * share), int(100_000 * share))
    for rows in (60, 100, 200, 1000):
        report_noise(rows, list(KINDS), int(1000 * share))
    for rows in (20, 40):
        report_noise(rows, list(KINDS), int(1000 * share), "fewer rows than promised: ")
    for kind in ("Cauchy", "5 ones"):
        kinds = [kind] * 3 + ["normal", "lognormal", "Cauchy", "5 ones", "coin", "10 names"]
        report_noise(100, kinds, int(4000 * share), f"mostly {kind}: ", copies=1)


# ---- mean and standard deviation ----


def compare_with_shuffles(n_tables: int, n_shuffles: int) -> None:
    """Print how far the closed form is from shuffles, in units of the latter."""
    rng = np.random.default_rng(0)
    means, deviations, errors = [], [], []
    while len(means) < n_tables:
        table = small_table(rng)
        found = relations(table)
        j = int(rng.integers(table.n_columns))
        if not found.depends_on_order[j]:
            continue
        n, total = table.n_rows, found.others.trace[j]
        values = shuffled(table, j, n_shuffles, rng)
        spread = np.sqrt(variance(n, found.column, found.others)[j])
        means.append(mean(n, found.column, found.others)[j] / total / values.mean())
        deviations.append(spread / total / values.std())
        errors.append(values.std() / values.mean() / np.sqrt(n_shuffles))
    print(f"closed form over {n_shuffles} shuffles, {n_tables} tables of 8 to 80 rows")
    for what, ratios in (("mean", means), ("standard deviation", deviations)):
        off = np.abs(np.array(ratios) - 1.0)
        print(f"  {what:<20} off by {np.median(off):.3%} (median), {off.max():.3%} (worst)")
    worst = np.max(np.abs(np.array(means) - 1.0) / errors)
    print(f"  the mean at most {worst:.1f} standard errors of the shuffles' own mean")


def small_table(rng: np.random.Generator) -> Table:
    """Few columns of any kind with ties, gaps and rare values; all of them vary."""
    while True:
        kinds = rng.choice(list(KINDS), rng.integers(3, 9)).tolist()
        table = noise(rng, int(rng.integers(8, 81)), kinds)
        if table.varies.all():
            return table


def shuffled(table: Table, j: int, n_shuffles: int, rng: np.random.Generator) -> np.ndarray:
    """The share of the others that column `j` explains in random orders of its rows."""
    ends = np.cumsum(embedding_widths(table))
    Z = embed(table)
    own = np.zeros(Z.shape[1], dtype=bool)
    own[ends[j] - embedding_widths(table)[j] : ends[j]] = True
    others = Z[:, ~own] @ Z[:, ~own].T
    left, sizes, _ = np.linalg.svd(Z[:, own], full_matrices=False)
    basis = left[:, sizes > 1e-9 * sizes[0]]
    values = []
    for _ in range(0, n_shuffles, 500):
        orders = rng.permuted(np.tile(np.arange(table.n_rows), (500, 1)), axis=1)
        U = basis[orders].transpose(1, 0, 2)
        products = (others @ U.reshape(table.n_rows, -1)).reshape(U.shape)
        values.append(np.einsum("ior,ior->o", U, products))
    return np.concatenate(values) / np.trace(others)


# ---- p-values and ranks of noise ----


def report_noise(
    rows: int, kinds: Sequence[str], n_tables: int, title: str = "", copies: int = 4
) -> None:
    """Print how often p-values of noise are small, and where noise ranks, by kind."""
    rng = np.random.default_rng(rows)
    p_values, ranks, scores = [], [], []
    for _ in range(n_tables):
        table = noise(rng, rows, list(kinds) * copies)
        ranker = SharedVariance().fit(table)
        varies = table.varies
        p_values.append(np.where(varies, ranker.p_values_, np.nan))
        ranks.append(np.where(varies, (ranker.ranking_ - 0.5) / table.n_columns, np.nan))
        scores.append(np.where(varies, ranker.scores_, np.nan))
    columns = np.array(list(kinds) * copies)
    print(f"{title}{rows} rows, {n_tables} tables of {len(columns)} columns of noise")
    print(f"  {'kind':<24}{'p < 0.05':>10}{'p < 0.01':>10}{'p < 0.001':>10}{'rank':>8}{'sd':>8}")
    for kind in dict.fromkeys(kinds):
        p, rank, score = (np.array(v)[:, columns == kind] for v in (p_values, ranks, scores))
        p = p[~np.isnan(p)]
        small = "".join(f"{np.mean(p < level):10.2%}" for level in (0.05, 0.01, 0.001))
        print(f"  {kind:<24}{small}{np.nanmean(rank):8.2f}{np.nanstd(score):8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
