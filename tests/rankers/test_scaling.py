"""Columns on a common scale, whatever their size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank import intrinsic_dimension
from unsuprank.rankers.centred_matrix import CentredMatrix, ColumnMatrix
from unsuprank.rankers.scaling import centred, largest_sizes, range_unit

SIZES = [1e-310, 1e-200, 1e-3, 1.0, 7.0, 1e200, 1.7e308]


@pytest.mark.parametrize("size", SIZES)
def test_sizes_are_powers_of_two_that_lose_no_digit(size):
    X = np.array([[0.3, 0.0, -1.0], [-0.7, 0.0, 0.25]]) * size
    sizes = largest_sizes(X)
    assert (np.frexp(sizes)[0] == 0.5).all()
    scaled = X / sizes
    np.testing.assert_array_equal(scaled * sizes, X)
    if size > 1e-300:  # the least numbers cannot be brought to 1 by one division
        largest = np.abs(scaled).max(axis=0)
        assert ((largest[[0, 2]] >= 0.5) & (largest[[0, 2]] <= 16.0)).all()


@pytest.mark.parametrize("length", [1.0, 3.0])
def test_centred_columns_have_the_length_that_is_asked_for(length):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4)) * [1.0, 1e-3, 1e5, 1.0] + [0.0, 1.0, 3.0, 2.0]
    X[:, 3] = 0.1
    Z, norms = centred(X, length)
    np.testing.assert_allclose(norms[:3], np.linalg.norm(X - X.mean(axis=0), axis=0)[:3])
    np.testing.assert_allclose(np.linalg.norm(Z[:, :3], axis=0), length)
    np.testing.assert_allclose(Z[:, :3].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(Z[:, :3] * norms[:3] / length, (X - X.mean(axis=0))[:, :3])
    assert norms[3] == 0.0
    assert not Z[:, 3].any()


def test_values_are_left_alone_where_their_squares_are_numbers():
    assert [range_unit(size) for size in (0.0, 1e-90, 1.0, 1e90)] == [1.0] * 4
    for size in (1e-300, 1e-200, 1e200, 1e308):
        unit = range_unit(size)
        assert 1.0 <= size / unit < 2.0
        assert np.frexp(unit)[0] == 0.5


def test_dimension_by_its_definition():
    """The slope through the origin of -log(1 - i/m) on the i-th smallest log of a ratio."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(30, 2)) @ rng.normal(size=(2, 8))
    distance = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)
    x = np.sort(np.log(distance[:, 2] / distance[:, 1]))[:27]
    y = -np.log(1 - np.arange(1, 28) / 30)
    expected = x @ y / (x @ x)
    assert 1.0 < expected < 8.0
    assert intrinsic_dimension(X) == pytest.approx(expected)
    assert intrinsic_dimension(np.vstack([X, X[:5]])) == pytest.approx(expected)


def test_dimension_of_what_has_none():
    assert intrinsic_dimension(np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0]])) == 1.0
    assert intrinsic_dimension(np.eye(4)) == 4.0  # all rows are equally near
    assert intrinsic_dimension(np.arange(5.0)[:, None] @ np.ones((1, 3))) <= 3.0


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_tables_whose_squares_are_in_range(size):
    X = np.array([[0.5, -1.0], [0.25, 0.0]]) * size
    for held in (ColumnMatrix(X), CentredMatrix(sparse.csc_array(X), np.zeros(2))):
        scaled, unit = held.within_range()
        np.testing.assert_array_equal(np.asarray(scaled) * unit, X)
        assert (unit == 1.0) == (1e-140 < size < 1e140)
        assert 1e-281 < np.sum(np.asarray(scaled) ** 2) < 1e281
    assert ColumnMatrix(np.zeros((2, 2))).within_range()[1] == 1.0
    assert ColumnMatrix(np.zeros((0, 2))).within_range()[1] == 1.0
