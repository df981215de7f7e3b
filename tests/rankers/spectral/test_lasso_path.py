"""The kernel that follows the path of the lasso, against scikit-learn's and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import lars_path_gram

from unsuprank import _kernels
from unsuprank.rankers.spectral.mcfs import Regressions, mcfs_coefficients
from unsuprank.rankers.spectral.screened_lasso import repeated_columns


def unit_columns(rng: np.random.Generator, m: int, n: int, entangled: bool) -> np.ndarray:
    Z = rng.normal(size=(m, n))
    if entangled:  # coefficients cross 0 on the way, and columns leave
        Z = Z @ (np.eye(n) + 0.9 * rng.normal(size=(n, n)))
    Z = Z - Z.mean(axis=0)
    return Z / np.linalg.norm(Z, axis=0)


def ends(Z: np.ndarray, Y: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gram, correlations = Z.T @ Z, np.ascontiguousarray(Y.T @ Z)
    found = np.full_like(correlations, np.nan)
    _kernels.lasso_path_ends(gram, correlations, steps, 0, len(correlations), found)
    return gram, correlations, found


@pytest.mark.parametrize("entangled", [False, True])
def test_same_as_scikit_learn(entangled):
    for seed in range(200):
        rng = np.random.default_rng([seed, entangled])
        m, n = int(rng.integers(4, 40)), int(rng.integers(1, 15))
        Z = unit_columns(rng, m, n, entangled and n > 2)
        Y = rng.normal(size=(m, 2))
        steps = int(rng.integers(1, min(m - 1, n) + 4))
        gram, correlations, found = ends(Z, Y - Y.mean(axis=0), steps)
        for c, coefficients in zip(correlations, found, strict=True):
            expected = lars_path_gram(
                c, gram, n_samples=m, max_iter=steps, method="lasso", return_path=False
            )[2]
            np.testing.assert_allclose(coefficients, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(100))
def test_the_end_is_a_solution_of_the_lasso(seed):
    """Correlations are equal in size inside, not larger outside, and agree in sign."""
    rng = np.random.default_rng(seed)
    Z = unit_columns(rng, 30, 20, entangled=True)
    if seed % 2:
        Z[:, 10:] = Z[:, :10]  # copies change nothing
    Y = rng.normal(size=(30, 3))
    gram, correlations, found = ends(Z, Y - Y.mean(axis=0), int(rng.integers(1, 25)))
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
    _, _, found = ends(Z, np.zeros((10, 2)), 3)
    assert not found.any()


def test_targets_that_no_column_has_to_do_with_are_left_alone():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(30, 8)))[0]
    Z, Y = basis[:, :5], basis[:, [2, 6]] * [3.0, 1e6]
    found = Regressions.of(Z, Y, 4)
    np.testing.assert_allclose(found.correlations, [[0, 0, 3, 0, 0], [0] * 5], atol=1e-12)
    assert not found.correlations[1].any()


@pytest.mark.parametrize("seed", range(200))
def test_columns_that_repeat_others(seed):
    """Copies, negatives and multiples of earlier columns: common where values are few."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(3, 8)), int(rng.integers(1, 30))
    X = rng.integers(-1, 2, size=(m, n)) * rng.choice([-3.0, 1.0, 1e-3], size=n)
    Z = X - X.mean(axis=0)
    norm = np.linalg.norm(Z, axis=0)
    Z = np.where(norm > 1e-9, Z / np.where(norm > 0, norm, 1.0), 0.0)
    expected = [bool((np.abs(Z[:, :j].T @ Z[:, j]) > 1 - 1e-9).any()) for j in range(n)]
    np.testing.assert_array_equal(repeated_columns(Z), expected)


@pytest.mark.parametrize("seed", range(30))
def test_copies_leave_the_path_alone_also_in_wide_tables(seed):
    """Wide tables go without the products of all pairs of columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(20, 90)).astype(float)
    twice = np.hstack([X, -2.0 * X, X[:, :40]])
    targets = rng.normal(size=(20, 2))
    found = mcfs_coefficients(twice, targets, n_nonzero=12)
    assert not found[90:].any()
    Z = X - X.mean(axis=0)
    Z /= np.linalg.norm(Z, axis=0)
    first = ~repeated_columns(Z)
    expected = np.zeros((2, 90))
    expected[:, first] = ends(Z[:, first], targets - targets.mean(axis=0), 12)[2]
    np.testing.assert_allclose(
        found[:90], expected.T / np.linalg.norm(X - X.mean(axis=0), axis=0)[:, None], atol=1e-9
    )
