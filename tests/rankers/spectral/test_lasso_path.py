"""Paths of the lasso, of all products at once or not, against scikit-learn and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import lars_path_gram

from unsuprank._progress import progress
from unsuprank.rankers.centred_matrix import CentredMatrix, ColumnMatrix, centred_columns
from unsuprank.rankers.scaling import centred
from unsuprank.rankers.spectral import lasso_path
from unsuprank.rankers.spectral.lasso_path import lasso_ends, repeated_columns
from unsuprank.rankers.spectral.toolbox import least_angle_ends
from unsuprank.table import read_table


def unit_columns(rng: np.random.Generator, m: int, n: int, entangled: bool) -> np.ndarray:
    Z = rng.normal(size=(m, n))
    if entangled:  # coefficients cross 0 on the way, and columns leave
        Z = Z @ (np.eye(n) + 0.9 * rng.normal(size=(n, n)))
    Z = Z - Z.mean(axis=0)
    return Z / np.linalg.norm(Z, axis=0)


def path_ends(Z, Y: np.ndarray, steps: int, method=lasso_ends) -> np.ndarray:
    """Targets x columns, of a matrix or an array."""
    Z = ColumnMatrix(Z) if isinstance(Z, np.ndarray) else Z
    with progress("", 1, 0) as bar:
        return method(Z, Y - Y.mean(axis=0), steps, 1, bar).T


@pytest.fixture(params=["at once", "wide"])
def _both_ways(request, monkeypatch):
    if request.param == "wide":
        monkeypatch.setattr(lasso_path, "GRAM_COLUMNS", 0)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("entangled", [False, True])
def test_same_as_scikit_learn(entangled):
    for seed in range(200):
        rng = np.random.default_rng([seed, entangled])
        m, n = int(rng.integers(4, 40)), int(rng.integers(1, 15))
        Z = unit_columns(rng, m, n, entangled and n > 2)
        Y = rng.normal(size=(m, 2))
        steps = int(rng.integers(1, min(m - 1, n) + 4))
        found = path_ends(Z, Y, steps)
        gram, correlations = Z.T @ Z, (Y - Y.mean(axis=0)).T @ Z
        for c, coefficients in zip(correlations, found, strict=True):
            expected = lars_path_gram(
                c, gram, n_samples=m, max_iter=steps, method="lasso", return_path=False
            )[2]
            np.testing.assert_allclose(coefficients, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("seed", range(100))
def test_the_end_is_a_solution_of_the_lasso(seed):
    """Correlations are equal in size inside, not larger outside, and agree in sign."""
    rng = np.random.default_rng(seed)
    Z = unit_columns(rng, 30, 20, entangled=True)
    if seed % 2:
        Z[:, 10:] = Z[:, :10]  # copies change nothing
    Y = rng.normal(size=(30, 3))
    found = path_ends(Z, Y, int(rng.integers(1, 25)))
    gram, correlations = Z.T @ Z, (Y - Y.mean(axis=0)).T @ Z
    for c, coefficients in zip(correlations, found, strict=True):
        left = c - gram @ coefficients
        inside = coefficients != 0
        shared = np.abs(left[inside])
        np.testing.assert_allclose(shared, shared.max(), rtol=0, atol=1e-12)
        assert np.abs(left).max() <= shared.max() + 1e-12
        if shared.max() > 1e-9:
            assert np.array_equal(np.sign(left[inside]), np.sign(coefficients[inside]))


def test_nothing_to_explain():
    Z = unit_columns(np.random.default_rng(0), 10, 4, entangled=False)
    assert not path_ends(Z, np.zeros((10, 2)), 3).any()


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("method", [lasso_ends, least_angle_ends])
@pytest.mark.parametrize("seed", range(10))
def test_sparse_columns_take_the_path_of_dense_ones(seed, method):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((30, 200), density=0.2, format="csr", rng=rng)
    Y, steps = rng.normal(size=(30, 2)), int(rng.integers(1, 15))
    expected = path_ends(centred(X.toarray())[0], Y, steps, method)
    found = path_ends(centred_columns(read_table(X))[0], Y, steps, method)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.usefixtures("_both_ways")
def test_targets_that_no_column_has_to_do_with_are_left_alone():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(np.c_[np.ones(30), rng.normal(size=(30, 8))])[0][:, 1:]
    Z, Y = basis[:, :5], basis[:, [2, 6]] * [3.0, 1e6]
    found = path_ends(Z, Y, 4)
    np.testing.assert_allclose(found[0], [0, 0, 3, 0, 0], atol=1e-12)
    assert not found[1].any()


def test_columns_that_repeat_others():
    """Copies, negatives and multiples of earlier columns: common where values are few."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        m, n = int(rng.integers(3, 8)), int(rng.integers(1, 30))
        X = rng.integers(-1, 2, size=(m, n)) * rng.choice([-3.0, 1.0, 1e-3], size=n)
        Z = X - X.mean(axis=0)
        norm = np.linalg.norm(Z, axis=0)
        Z = np.where(norm > 1e-9, Z / np.where(norm > 0, norm, 1.0), 0.0)
        expected = [bool((np.abs(Z[:, :j].T @ Z[:, j]) > 1 - 1e-9).any()) for j in range(n)]
        for held in (ColumnMatrix(Z), CentredMatrix(sparse.csc_array(Z), np.zeros(n))):
            np.testing.assert_array_equal(repeated_columns(held), expected)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("seed", range(20))
def test_of_columns_that_are_copies_the_first_takes_part(seed):
    """The same of sparse and dense ones, as if the others were not there."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((20, 90)) < 0.5, 0.0, rng.integers(-1, 2, size=(20, 90)))
    X = X[:, ~repeated_columns(ColumnMatrix(centred(X)[0]))]
    n, Y = X.shape[1], rng.normal(size=(20, 2))
    Z = centred(X)[0]
    expected = path_ends(Z, Y, 12)
    copied = np.hstack([X, -2.0 * X, 3.0 * X[:, ::2]])
    for held in (copied, sparse.csr_array(copied)):
        found = path_ends(centred_columns(read_table(held))[0], Y, 12)
        np.testing.assert_allclose(found[:, :n], expected, atol=1e-9)
        assert not found[:, n:].any()
