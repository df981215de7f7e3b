"""Graphs that are nearly the identity, as the published kernel width makes them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank import MCFS, NDFS
from unsuprank.rankers.spectral.spectrum import DENSE_ROWS, smoothest_functions


@pytest.mark.parametrize("rows", [20, 65, DENSE_ROWS, DENSE_ROWS + 100])
@pytest.mark.parametrize("edges", [0.0, 1e-300, 1e-18])
def test_equal_eigenvalues(rows, edges):
    graph = sparse.diags_array(np.ones(rows)).tolil()
    graph[0, 1] = graph[1, 0] = edges
    values, vectors = smoothest_functions(sparse.csr_array(graph), 3)
    assert vectors.shape == (rows, 3)
    np.testing.assert_allclose(values, 0.0, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-9)


@pytest.mark.parametrize("cls", [MCFS, NDFS])
@pytest.mark.filterwarnings("ignore")
def test_published_width_on_raw_scales(cls):
    """Distances in the hundreds: every heat weight underflows."""
    for seed in range(10):
        X = np.random.default_rng(seed).normal(scale=100, size=(65, 40))
        scores = cls(n_clusters=2, preset="scikit-feature").fit(X).scores_
        assert np.isfinite(scores).all()
