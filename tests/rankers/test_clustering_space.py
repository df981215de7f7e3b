"""The space in which impurity is a squared distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unsuprank.rankers import clustering_space
from unsuprank.rankers.clustering_space import (
    BLOCK_COLUMNS,
    HALVES_ROWS,
    Space,
    gram,
    mirrored,
    squared_distances,
)
from unsuprank.table import read_table


@pytest.mark.parametrize("n_rows", [40, HALVES_ROWS + 6], ids=["few rows", "many rows"])
def test_distances_where_whole_blocks_of_columns_are_constant(n_rows):
    rng = np.random.default_rng(n_rows)
    varying = rng.normal(size=(n_rows, 7)) * 10.0 ** np.arange(-3, 4) + 5.0
    constant = np.full((n_rows, 2 * BLOCK_COLUMNS), 3.5)
    X = np.column_stack([varying[:, :3], constant, varying[:, 3:]])
    Z = (varying - varying.mean(axis=0)) / varying.std(axis=0) / np.sqrt(X.shape[1])
    expected = cdist(Z, Z, "sqeuclidean")
    np.testing.assert_allclose(squared_distances(read_table(X)), expected, rtol=1e-9, atol=1e-15)
    nothing = squared_distances(read_table(constant))
    assert nothing.shape == (n_rows, n_rows)
    assert not nothing.any()


@pytest.mark.parametrize("seed", range(40))
def test_a_stretch_is_a_factor_for_the_coordinates_of_each_column(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(3, 30)), int(rng.integers(1, 12))
    X = np.where(rng.random(n) < 0.5, rng.normal(size=(m, n)), rng.integers(0, 4, (m, n)))
    names = np.flatnonzero((np.floor(X) == X).all(axis=0) & (rng.random(n) < 0.7))
    table, stretch = read_table(X, nominal_features=names), rng.uniform(0.1, 5.0, n)
    alone = [gram(table.take(columns=[j])) for j in range(n)]
    expected = sum(s**2 * K for s, K in zip(stretch, alone, strict=True)) / n
    np.testing.assert_allclose(gram(table, stretch=stretch), expected, atol=1e-12)


def test_the_cheaper_way_is_taken(monkeypatch):
    """Distances of pairs where there are fewer of them than coordinates and they fit in memory."""
    rng = np.random.default_rng(0)

    def ways(n_rows, n_columns):
        space = Space.of(read_table(rng.normal(size=(n_rows, n_columns))))
        return space.distances is not None, space.coords is not None

    assert ways(9, 60) == (True, False)
    assert ways(40, 60) == (True, True)
    assert ways(121, 60) == (False, True)
    monkeypatch.setattr(clustering_space, "DISTANCE_BYTES", 9 * 9 * 8 - 1)
    assert ways(9, 60) == (False, True)


def test_sparse_coordinates_that_fit(monkeypatch):
    monkeypatch.setattr(clustering_space, "SPARSE_BYTES", 50 * 40 * 8)
    clustering_space._check_size_of_coordinates(50, 40, np.float64)
    with pytest.raises(ValueError, match="max_samples=1024"):
        clustering_space._check_size_of_coordinates(51, 40, np.float64)


def test_norms_are_those_of_the_centred_rows():
    X = np.random.default_rng(0).normal(size=(9, 14)) + 3.0
    Z = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(14)
    space = Space.of(read_table(X), distances=True)
    np.testing.assert_allclose(space.norms, np.sum(Z**2, axis=1), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
def test_mirrored(size):
    upper = np.triu(np.random.default_rng(size).normal(size=(size, size)))
    given = upper + np.tril(np.full((size, size), np.nan), -1)
    np.testing.assert_array_equal(mirrored(given, block=3), upper + np.triu(upper, 1).T)
