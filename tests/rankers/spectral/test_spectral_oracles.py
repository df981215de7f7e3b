"""The spectral baselines against the textbook, written out slowly, on small random data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LassoLars

from unsuprank import MCFS, SPEC, LaplacianScore
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.scaling import centred
from unsuprank.rankers.spectral.graph import GraphOptions
from unsuprank.rankers.spectral.graph import neighbour_graph as graph_of
from unsuprank.rankers.spectral.mcfs import mcfs_coefficients, spectral_targets
from unsuprank.rankers.spectral.ndfs_solver import (
    NDFSOptions,
    Ridge,
    ndfs,
    normalised_laplacian,
    starting_clusters,
)
from unsuprank.rankers.spectral.spec import spec_scores
from unsuprank.rankers.spectral.spectrum import smoothest_functions, suggested_clusters

pytestmark = [
    pytest.mark.untraced,
    pytest.mark.filterwarnings("ignore:The neighbour graph falls apart"),
]


def neighbour_graph(X, options):
    return graph_of(ColumnMatrix(X), options)


def random_table(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(5, 25), rng.integers(1, 12)
    return rng.normal(size=(m, n)) * rng.uniform(0.1, 10, size=n) + rng.normal(size=n) * 3


def naive_graph(X, k, weights, width):
    m = len(X)
    distance = np.array([[np.sqrt(((a - b) ** 2).sum()) for b in X] for a in X])
    if weights == "cosine":
        cosine = np.array([[a @ b / np.sqrt(a @ a * (b @ b)) for b in X] for a in X])
        distance = 1 - cosine
    edges = []
    for i in range(m):
        others = [j for j in np.argsort(distance[i], kind="stable") if j != i]
        edges += [(i, j) for j in others[:k]]
    if width is None:
        width = np.sqrt(np.mean([distance[e] ** 2 for e in edges]) / 2)
    W = np.eye(m)
    for i, j in edges:
        if weights == "binary":
            w = 1.0
        elif weights == "heat":
            w = np.exp(-(distance[i, j] ** 2) / (2 * width**2))
        else:
            w = max(cosine[i, j], 0.0)
        W[i, j] = W[j, i] = max(W[i, j], w)
    return W


@pytest.mark.parametrize("weights", ["binary", "heat", "cosine"])
def test_graph(weights):
    for seed in range(40):
        X = random_table(seed)
        if weights == "cosine" and X.shape[1] == 1:
            continue  # all angles tie
        for k, width in ((1, None), (3, None), (4, 2.0), (100, None)):
            ours = neighbour_graph(X, GraphOptions(k, weights, width)).toarray()
            np.testing.assert_allclose(ours, naive_graph(X, k, weights, width), rtol=1e-9)


def naive_laplacian_score(f, W):
    D = np.diag(W.sum(axis=1))
    one = np.ones(len(f))
    f = f - (f @ D @ one) / (one @ D @ one) * one
    return (f @ (D - W) @ f) / (f @ D @ f)


def test_laplacian_score():
    for seed in range(200):
        X = random_table(seed)
        W = naive_graph(X, 3, "heat", None)
        expected = [naive_laplacian_score(f, W) for f in X.T]
        ranker = LaplacianScore(standardize=False, n_neighbors=3).fit(X)
        np.testing.assert_allclose(ranker.raw_scores_, expected, rtol=1e-9)
        shifted = spec_scores(ColumnMatrix(centred(X * 1e-3 + 5)[0]), sparse.csr_array(W))
        np.testing.assert_allclose(shifted, expected, rtol=1e-6)
        assert np.array_equal(ranker.order_, np.argsort(ranker.raw_scores_, kind="stable"))


def naive_spec(f, W, style):
    d = W.sum(axis=1)
    L = np.diag(d**-0.5) @ (np.diag(d) - W) @ np.diag(d**-0.5)
    s, U = np.linalg.eigh(L)
    F = np.sqrt(d) * f
    a = U.T @ (F / np.linalg.norm(F))
    if style == -1:
        return sum(a**2 * s)
    if style == 0:
        return sum(a[1:] ** 2 * s[1:]) / (1 - a[0] ** 2)
    return sum(a[1:style] ** 2 * (2 - s[1:style]))


@pytest.mark.parametrize("style", [-1, 0, 2, 4])
def test_spec(style):
    for seed in range(100):
        X = random_table(seed)
        squared = np.array([[((a - b) ** 2).sum() for b in X] for a in X])
        gamma = 1 / np.median(squared[np.triu_indices(len(X), 1)])
        W = np.exp(-gamma * squared)
        expected = [naive_spec(f, W, style) for f in X.T]
        ranker = SPEC(style=style, standardize=False).fit(X)
        np.testing.assert_allclose(ranker.raw_scores_, expected, rtol=1e-8)
        best_first = np.argsort(ranker.raw_scores_ * (-1 if style >= 2 else 1), kind="stable")
        assert np.array_equal(ranker.order_, best_first)
        knn = SPEC(style=style, graph="knn", standardize=False).fit(X)
        W = naive_graph(X, 5, "heat", None)
        if style < 2:
            expected = [naive_spec(f, W, style) for f in X.T]
            np.testing.assert_allclose(knn.raw_scores_, expected, rtol=1e-8)


def test_spec_leaves_out_the_trivial_eigenvector_where_others_have_eigenvalue_0():
    for seed in range(20):
        X = random_table(seed)
        X[-2:] += np.array([[1e3], [-1e3]])  # isolated rows
        squared = np.array([[((a - b) ** 2).sum() for b in X] for a in X])
        W = np.exp(-squared / np.median(squared[np.triu_indices(len(X), 1)]))
        expected = [naive_laplacian_score(f, W) for f in X.T]
        found = SPEC(standardize=False).fit(X).raw_scores_
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def test_toolbox_order_of_spec_is_the_wrong_way_round():
    X = random_table(3) / 20
    right = SPEC(gamma=1.0, standardize=False).fit(X)
    wrong = SPEC(preset="scikit-feature").fit(X)
    np.testing.assert_allclose(right.raw_scores_, wrong.raw_scores_)
    assert np.array_equal(right.order_, wrong.order_[::-1])


def test_eigenvectors_sparse_and_dense(monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 5))
    graph = neighbour_graph(X, GraphOptions())
    values, vectors = smoothest_functions(graph, 6)
    d = graph.toarray().sum(axis=1)
    L = np.eye(200) - graph.toarray() / np.sqrt(np.outer(d, d))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(L)[1:7], atol=1e-10)
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-10)
    monkeypatch.setattr("unsuprank.rankers.spectral.spectrum.DENSE_ROWS", 10)
    again, others = smoothest_functions(graph, 6)
    np.testing.assert_allclose(again, values, atol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(others * vectors, axis=0)), 1, atol=1e-8)


@pytest.mark.parametrize("clusters", [2, 3, 5])
def test_suggested_clusters(clusters):
    rng = np.random.default_rng(clusters)
    X = rng.normal(size=(200, 3)) + 6 * rng.integers(clusters, size=200)[:, None]
    assert suggested_clusters(neighbour_graph(X, GraphOptions(10))) == clusters


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_mcfs():
    for seed in range(100):
        X = random_table(seed)
        W = naive_graph(X, 5, "heat", None)
        d = W.sum(axis=1)
        _, U = np.linalg.eigh(np.eye(len(X)) - W / np.sqrt(np.outer(d, d)))
        Y = U[:, 1:3] / np.sqrt(d)[:, None]
        ours = spectral_targets(sparse.csr_array(W), 2)
        np.testing.assert_allclose(np.abs(ours), np.abs(Y), atol=1e-7)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        steps = min(3, len(X) - 1, X.shape[1])
        unit = np.sqrt(len(X))
        coef = (
            np.array([LassoLars(alpha=0.0, max_iter=steps).fit(Z / unit, y).coef_ for y in Y.T]).T
            / unit
        )
        raw = MCFS(n_clusters=2, n_nonzero=3, standardize=False).fit(X)
        coef /= X.std(axis=0)[:, None]
        np.testing.assert_allclose(raw.scores_, np.abs(coef).max(axis=1), atol=1e-6)


def test_mcfs_regressions_are_on_the_path_of_the_lasso():
    # Used columns correlate alike with the residual, each with its coefficient's sign, and no
    # other correlates more. Factors make columns correlate, so that coefficients cross 0.
    for seed in range(50):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 40)) + 0.3 * rng.normal(size=(60, 40))
        X -= X.mean(axis=0)
        X /= np.linalg.norm(X, axis=0)
        y = X[:, :6].sum(axis=1, keepdims=True) + 0.1 * rng.normal(size=(60, 1))
        coef = mcfs_coefficients(ColumnMatrix(X), np.ones(40), y, 30)[:, 0]
        correlation = X.T @ (y[:, 0] - y.mean() - X @ coef)
        most = np.abs(correlation).max()
        used = coef != 0
        assert 5 < used.sum() <= 30
        np.testing.assert_allclose(correlation[used], np.sign(coef[used]) * most, rtol=1e-6)


def test_mcfs_does_not_depend_on_signs_and_stops_in_time():
    Z, norms = centred(np.random.default_rng(0).normal(size=(12, 40)))
    Y = np.random.default_rng(1).normal(size=(12, 3))
    coef = mcfs_coefficients(ColumnMatrix(Z), norms, Y, 1000)
    assert (np.count_nonzero(coef, axis=0) <= 11).all()
    np.testing.assert_array_equal(
        np.abs(mcfs_coefficients(ColumnMatrix(Z), norms, -Y, 1000)), np.abs(coef)
    )
    assert np.abs(coef).max() < 10  # more steps would divide by rounding errors


def test_ridge_in_both_forms_is_the_published_inverse():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        m, n = rng.integers(2, 15, size=2)
        X, F = rng.normal(size=(m, n)), rng.normal(size=(m, 3))
        penalty = 10.0 ** rng.uniform(-3, 6, size=n)
        regression = Ridge(ColumnMatrix(X)).penalised(penalty)
        coef, residual = regression.solve(F)
        np.testing.assert_array_equal(regression.residual(F), residual)
        expected = np.linalg.inv(X.T @ X + np.diag(penalty)) @ X.T @ F
        np.testing.assert_allclose(coef, expected, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(residual, F - X @ expected, atol=1e-8)


def naive_ndfs_objective(X, L, F, W, alpha, beta, gamma):
    penalty = sum(np.sqrt(w @ w) for w in W)
    overlap = F.T @ F - np.eye(F.shape[1])
    fit = np.sum((X @ W - F) ** 2) + beta * penalty
    return np.trace(F.T @ L @ F) + alpha * fit + gamma / 2 * np.sum(overlap**2)


@pytest.mark.parametrize("gamma", [0.1, 10.0, 1e4, 1e8])
def test_ndfs_objective(gamma):
    for seed in range(25):
        X = random_table(seed)
        graph = neighbour_graph(X, GraphOptions())
        L = normalised_laplacian(graph)
        F = starting_clusters(ColumnMatrix(X), 3, np.random.RandomState(seed))
        options = NDFSOptions(0.7, 1.3, gamma, max_iter=60)
        result = ndfs(ColumnMatrix(X), L, F, options)
        assert (np.diff(result.objective) <= 1e-12 * result.objective[:-1]).all()
        assert (result.clusters >= 0).all()
        F, W = result.clusters, result.coef
        expected = naive_ndfs_objective(X, L.toarray(), F, W, 0.7, 1.3, gamma)
        np.testing.assert_allclose(result.objective[-1], expected, rtol=1e-5, atol=1e-5)


def test_ndfs_coefficients_are_optimal_for_their_clusters():
    # Where |w_i| > 0 the gradient of |XW - F|^2 + beta sum |w_i| vanishes.
    X = np.random.default_rng(0).normal(size=(30, 6))
    X[:15, 0] += 5
    graph = neighbour_graph(X, GraphOptions())
    F = starting_clusters(ColumnMatrix(X), 2, np.random.RandomState(0))
    result = ndfs(
        ColumnMatrix(X), normalised_laplacian(graph), F, NDFSOptions(tol=1e-14, max_iter=2000)
    )
    norms = np.linalg.norm(result.coef, axis=1)
    gradient = 2 * X.T @ (X @ result.coef - result.clusters)
    active = norms > 1e-4
    assert 0 in np.flatnonzero(active)
    np.testing.assert_allclose(
        gradient[active], -result.coef[active] / norms[active, None], atol=1e-3
    )
    assert (np.linalg.norm(gradient[~active], axis=1) <= 1 + 1e-3).all()


@pytest.mark.parametrize("unit", [1.0, 0.3], ids=["whole numbers", "others"])
def test_a_row_of_zeros_has_no_direction(unit):
    X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 1.0]]) * unit
    dense = neighbour_graph(X, GraphOptions(2, "cosine", None)).toarray()
    assert dense[0].tolist() == [1.0, 0.0, 0.0, 0.0]  # connected with itself only
    assert (dense[1:, 1:].max(axis=1) > 0.5).all()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_a_given_width_is_of_the_size_of_the_values(size):
    X = random_table(3)
    expected = neighbour_graph(X, GraphOptions(3, "heat", 2.0)).toarray()
    found = neighbour_graph(X * size, GraphOptions(3, "heat", 2.0 * size)).toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-9)
