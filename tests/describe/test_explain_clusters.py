"""Which columns set clusters apart: against plain computations, chance, and other people's markers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, false_discovery_control, mannwhitneyu, rankdata
from sklearn.linear_model import LinearRegression

from unsuprank import explain_clusters
from unsuprank.describe.cluster_shares import cluster_shares
from unsuprank.describe.explain import holm
from unsuprank.io import read_file
from unsuprank.rankers.shared_variance.columns import span_sums
from unsuprank.table import read_table


def mixed(rng, n, noise_only=True):
    """A table of all kinds of columns, and labels that have nothing to do with them, or much."""
    labels = rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "heavy": rng.standard_cauchy(n),
            "counts": rng.poisson(0.3, n).astype(float),
            "gaps": np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
            "rare": (rng.random(n) < 0.03).astype(float),
            "coin": rng.random(n) < 0.5,
            "names": rng.choice(np.array([*"xyz", None], dtype=object), n),
            "many": [f"r{i}" for i in rng.integers(0, n, n)],
        }
    )
    if not noise_only:
        frame["normal"] += 2.0 * (labels == "b")
        frame["gaps"] -= 1.5 * (labels == "c")
        frame["names"] = np.where(rng.random(n) < 0.5, labels, frame["names"])
    return frame, labels


def design(column):
    """Columns of a regression: ranks and their squares, or an indicator of each name; gaps at 0."""
    if column.dtype.kind == "f":
        known = column.notna().to_numpy()
        ranks = np.zeros((len(column), 2))
        ranks[known, 0] = rankdata(column[known]) / known.sum()
        ranks[known, 1] = ranks[known, 0] ** 2
        ranks[known] -= ranks[known].mean(axis=0)
        return ranks
    dummies = pd.get_dummies(column).to_numpy(float)
    known = dummies.sum(axis=1) > 0
    dummies[known] -= dummies[known].mean(axis=0)
    return dummies


def plain_share(column, target):
    X = design(column)
    fitted = LinearRegression(fit_intercept=False).fit(X, target - target.mean(axis=0)).predict(X)
    residual = target - target.mean(axis=0) - fitted
    share = 1.0 - (residual**2).sum() / ((target - target.mean(axis=0)) ** 2).sum()
    chance = np.linalg.matrix_rank(X) / (len(X) - 1)
    return (share - chance) / (1.0 - chance)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_shares_of_a_regression(seed):
    frame, labels = mixed(np.random.default_rng(seed), 60, noise_only=False)
    found = explain_clusters(frame, labels)
    every = pd.get_dummies(labels).to_numpy(float)
    for j, name in enumerate(frame):
        assert found.overall.scores[j] == pytest.approx(plain_share(frame[name], every), abs=1e-9)
        for c, contrast in enumerate(found.per_cluster.values()):
            wanted = plain_share(frame[name], every[:, [c]])
            assert contrast.scores[j] == pytest.approx(wanted, abs=1e-9)


def test_names_are_chi_squared():
    frame, labels = mixed(np.random.default_rng(1), 80)
    counts = pd.crosstab(frame["coin"], labels == "a")
    squared = chi2_contingency(counts, correction=False).statistic / 80
    score = explain_clusters(frame, labels).per_cluster["a"].scores[list(frame).index("coin")]
    assert score == pytest.approx((squared - 1 / 79) / (1 - 1 / 79))


def test_moments_are_those_of_all_orders():
    frame = pd.DataFrame(
        {"x": [1.0, 5.0, 2.0, np.nan, 9.0, 4.0, 4.0], "s": ["a", "b", "a", None, "c", "c", "a"]}
    )
    clusters = np.array([0, 0, 1, 1, 1, 2, 0])
    table = read_table(frame)
    found = cluster_shares(table, clusters)
    orders = [cluster_shares(table, clusters[list(p)]).share for p in permutations(range(7))]
    mean, deviation = np.mean(orders, axis=0), np.std(orders, axis=0)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.deviations, found.share / deviation)


def test_span_sums_are_those_of_the_projection():
    vectors = np.random.default_rng(0).normal(size=(9, 3))
    vectors, _ = np.linalg.qr(vectors - vectors.mean(axis=0))
    P = vectors @ vectors.T
    d = np.diagonal(P)
    wanted = [P.trace(), d @ d, (d**3).sum(), (P**2).sum(), np.trace(P @ P @ P)]
    wanted += [d @ P @ d, d @ np.diagonal(P @ P), (P**3).sum()]
    found = span_sums(vectors)
    names = ["trace", "diagonal2", "diagonal3", "squares", "triangles"]
    names += ["diagonal_form", "diagonal_squares", "cubes"]
    np.testing.assert_allclose([getattr(found, name) for name in names], wanted)
