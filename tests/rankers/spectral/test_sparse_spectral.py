"""The spectral rankers on sparse tables: what they are on dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank import MCFS, NDFS, SPEC, LaplacianScore
from unsuprank.rankers.centred_matrix import ColumnMatrix, centred_columns, raw_columns
from unsuprank.rankers.scaling import centred
from unsuprank.rankers.spectral.graph import GraphOptions, nearest_rows
from unsuprank.table import read_table


def random_table(seed: int, m: int = 50, n: int = 20) -> np.ndarray:
    """Mostly zeros, with clusters and without ties; full columns far from 0, constant ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(2.0 * (np.arange(m) % 3)[:, None], 1.0, size=(m, n))
    X *= (rng.random((m, n)) < rng.choice([0.15, 0.5])) * 10.0 ** rng.integers(-2, 3, size=n)
    X[:, 0], X[:, 1] = 0.0, 7.0
    X[:, 2] = rng.normal(1e4, 0.1, m)
    return X


RANKERS = [
    *(LaplacianScore(standardize=s, weights=w) for s in (True, False) for w in ("heat", "cosine")),
    LaplacianScore(weights="binary", n_neighbors=60),
    LaplacianScore(width=3.0),
    LaplacianScore(preset="scikit-feature"),
    *(SPEC(style=k, graph=g) for k in (-1, 0, 3) for g in ("rbf", "knn")),
    *(SPEC(style=k, standardize=False) for k in (-1, 0, 3)),
    SPEC(gamma=0.01),
    SPEC(preset="scikit-feature"),
    MCFS(n_clusters=3),
    MCFS(n_clusters=2, n_nonzero=5, standardize=False),
]


OF_TEXTS = [
    *(LaplacianScore(standardize=s, weights=w) for s in (True, False) for w in ("heat", "cosine")),
    LaplacianScore(preset="scikit-feature"),
    SPEC(),
    SPEC(standardize=False, graph="knn"),
]


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("ranker", RANKERS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_scores_are_those_of_the_dense_table(ranker, kind) -> None:
    for seed in range(5):
        X = random_table(seed)
        if ranker.weights == "cosine":
            X[:, 2] /= 1e3  # or all angles would be too small for their cosines to tell
        expected = ranker.fit(X).scores_
        found = ranker.fit(sparse.coo_array(X).asformat(kind)).scores_
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(("m", "n"), [(60, 20), (25, 40)])
@pytest.mark.parametrize("params", [{}, {"standardize": False}, {"preset": "scikit-feature"}])
@pytest.mark.filterwarnings("ignore")
def test_ndfs(m, n, params) -> None:
    for seed in range(3):
        X = random_table(seed, m, n)
        ranker = NDFS(n_clusters=3, max_iter=5, random_state=0, **params)
        expected = ranker.fit(X).scores_
        found = ranker.fit(sparse.csr_array(X)).scores_
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * expected.max())


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("seed", range(30))
def test_both_kinds_of_matrices_are_asked_alike(seed, kind) -> None:
    rng = np.random.default_rng(seed)
    dense = random_table(seed, 12, 9)
    Z = centred(dense, 2.0)[0]
    table = dense if kind == "dense" else sparse.csr_array(dense)
    X, norms = centred_columns(read_table(table), 2.0)
    np.testing.assert_allclose(norms, np.linalg.norm(dense - dense.mean(axis=0), axis=0))
    F, G, w = rng.normal(size=(12, 3)), rng.normal(size=(9, 2)), rng.random(12)
    rows = rng.permutation(12)[:5]
    for found, expected in [
        (X @ G, Z @ G),
        (F.T @ X, F.T @ Z),
        (w @ X, w @ Z),
        (X[rows] @ G, Z[rows] @ G),
        (X.row_products(slice(3, 7), 3), Z[3:7] @ Z[3:].T),
        (X.all_row_products(), Z @ Z.T),
        (X.all_column_products(), Z.T @ Z),
        ((X / np.arange(1.0, 10.0)) @ G, (Z / np.arange(1.0, 10.0)) @ G),
        (X[:, np.array([5, 2])] @ G[:2], Z[:, [5, 2]] @ G[:2]),
        (np.asarray(X[:, 2:4]), Z[:, 2:4]),
        (X.quadratic_forms(Z @ Z.T), np.diag(Z.T @ (Z @ Z.T) @ Z)),
        (X.quadratic_forms(sparse.csr_array(Z @ Z.T)), np.diag(Z.T @ (Z @ Z.T) @ Z)),
        (X.pair_products(rows, rows[::-1]), np.diag(Z[rows] @ Z[rows[::-1]].T)),
        (X.pair_distances(rows, rows[::-1]), np.square(Z[rows] - Z[rows[::-1]]).sum(axis=1)),
        (X.gram_squares(), np.diag((Z.T @ Z) @ (Z.T @ Z))),
        (X.row_squares(), (Z**2).sum(axis=1)),
        (X.column_squares(w), w @ Z**2),
        (X.column_squares(), (Z**2).sum(axis=0)),
        (X.column_products(Z), (Z**2).sum(axis=0)),
    ]:
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert X.shape == (12, 9)
    assert len(X) == 12
    near = np.asarray(X.unshifted()[[4, 3]])
    np.testing.assert_allclose(near[1] - near[0], Z[3] - Z[4], atol=1e-12)


def test_equally_near_rows_come_in_their_order_whatever_the_threads() -> None:
    X = sparse.csr_array((np.random.default_rng(0).random((200, 30)) < 0.1).astype(float))
    expected = LaplacianScore(n_neighbors=7, n_jobs=1).fit(X).scores_
    assert np.array_equal(LaplacianScore(n_neighbors=7, n_jobs=2).fit(X).scores_, expected)


@pytest.mark.parametrize("seed", range(20))
def test_of_equally_near_rows_of_counts_the_first_are_taken(seed) -> None:
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (70, 12)) * (rng.random((70, 12)) < 0.3) * 1.0
    X[:, 1] += 1000.0  # a column without a zero
    held, k = raw_columns(read_table(sparse.csr_array(X))), int(rng.integers(1, 12))
    distances = np.square(X[:, None] - X).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
    for rows in (ColumnMatrix(X), held):
        np.testing.assert_array_equal(nearest_rows(rows, GraphOptions(k)), expected)
    X[:, 1] -= 1000.0
    held, options = raw_columns(read_table(sparse.csr_array(X))), GraphOptions(k, weights="cosine")
    np.testing.assert_array_equal(
        nearest_rows(ColumnMatrix(X), options), nearest_rows(held, options)
    )


@pytest.mark.parametrize("weights", ["heat", "binary", "cosine"])
@pytest.mark.filterwarnings("ignore")
def test_counts_have_the_same_scores_sparse_and_dense(weights) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(2.0, (80, 30)) * (rng.random((80, 30)) < 0.2) * 1.0
    for ranker in (LaplacianScore, SPEC):
        options = {"graph": "knn"} if ranker is SPEC else {}
        ranker = ranker(standardize=False, weights=weights, **options)
        expected = ranker.fit(X).scores_
        np.testing.assert_allclose(ranker.fit(sparse.csr_array(X)).scores_, expected, rtol=1e-12)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["BASEHOCK", "PCMAC", "RELATHE"])
def test_text(load_mat, name) -> None:
    X = load_mat(name)[:200]
    for ranker in (*OF_TEXTS, NDFS(n_clusters=3, max_iter=3, random_state=0)):
        expected = ranker.fit(X).scores_
        for held in (sparse.csr_array(X), sparse.csc_array(X)):
            np.testing.assert_allclose(ranker.fit(held).scores_, expected, rtol=1e-9, atol=1e-12)
