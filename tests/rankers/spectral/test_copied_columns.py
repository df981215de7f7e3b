"""Columns that are copies of others take no part in regressions, wherever these are done."""

from __future__ import annotations

import numpy as np

from unsuprank import _kernels
from unsuprank.rankers.spectral.mcfs import mcfs_coefficients
from unsuprank.rankers.spectral.screened_lasso import repeated_columns


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
        np.testing.assert_array_equal(repeated_columns(Z), expected)


def test_copies_leave_the_path_alone_also_in_wide_tables():
    """Wide tables go without the products of all pairs of columns."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(-1, 2, size=(20, 90)).astype(float)
        targets = rng.normal(size=(20, 2))
        found = mcfs_coefficients(np.hstack([X, -2.0 * X, X[:, :40]]), targets, n_nonzero=12)
        assert not found[90:].any()
        centred = X - X.mean(axis=0)
        norm = np.linalg.norm(centred, axis=0)
        expected = np.zeros((2, 90))
        first = ~repeated_columns(centred / norm)
        expected[:, first] = path_ends(centred[:, first] / norm[first], targets)
        np.testing.assert_allclose(found[:90], expected.T / norm[:, None], atol=1e-9)


def path_ends(Z: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The ends of the lasso's paths after twelve steps, from the products of all pairs."""
    correlations = np.ascontiguousarray((targets - targets.mean(axis=0)).T @ Z)
    found = np.zeros_like(correlations)
    _kernels.lasso_path_ends(Z.T @ Z, correlations, 12, 0, len(found), found)
    return found
