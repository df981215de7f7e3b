"""The kernel that follows the path of the lasso, against scikit-learn's and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import lars_path_gram

from unsuprank import _kernels
from unsuprank.rankers.spectral.mcfs import Regressions


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
