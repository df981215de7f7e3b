"""Means and spreads of columns, by parts of the rows and whole, against NumPy."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from unsuprank.column_totals import ColumnTotals, chunk_totals, column_totals
from unsuprank.table import read_table

NOMINAL = [4]


def difficult_columns(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Numbers, gaps, an unknown column, a constant whose sum rounds, and names with gaps."""
    X = rng.normal(size=(n_rows, 6)) * [1.0, 1e3, 1.0, 1.0, 1.0, 1e-3] + [0, 1e3, 0, 0, 0, 1e3]
    X[rng.random(n_rows) < 0.4, 1] = np.nan
    X[:, 2] = np.nan
    X[:, 3] = 0.1
    X[:, 4] = rng.integers(0, 3, n_rows)
    X[rng.random(n_rows) < 0.2, 4] = np.nan
    return X


def expected_of(X: np.ndarray, j: int) -> tuple[int, float, float]:
    """How many values are known, their mean and their spread."""
    known = X[~np.isnan(X[:, j]), j]
    if not len(known):
        return 0, 0.0, 0.0
    if j in NOMINAL:
        shares = np.unique(known, return_counts=True)[1] / len(known)
        return len(known), 0.0, np.sqrt(1.0 - np.sum(shares**2))
    return len(known), known.mean(), known.std()


def check(found: ColumnTotals, X: np.ndarray) -> None:
    for j in range(X.shape[1]):
        known, mean, spread = expected_of(X, j)
        assert found.known[j] == known
        assert found.mean[j] == pytest.approx(mean, rel=1e-12, abs=1e-15)
        assert found.spread[j] == pytest.approx(spread, rel=1e-9, abs=1e-15)
    np.testing.assert_array_equal(
        found.counts[4], [np.sum(X[:, 4] == value) for value in range(len(found.counts[4]))]
    )


@pytest.mark.parametrize("seed", range(8))
def test_totals_of_parts_add_up_to_those_of_all_rows(seed, monkeypatch):
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 6 * (seed + 1))
    rng = np.random.default_rng(seed)
    X = difficult_columns(rng, 40)
    X[:3, 4] = [0, 1, 2]  # all names occur
    X[5:9, 1] = np.nan  # one part knows nothing of a column
    X[20:26, 4] = np.nan
    table = read_table(X, nominal_features=NOMINAL)
    check(chunk_totals(table), X)
    check(column_totals(table), X)
    cuts = [0, 1, 5, 9, 20, 26, 40]
    parts = [chunk_totals(table.take(rows=np.arange(a, b))) for a, b in pairwise(cuts)]
    check(reduce(ColumnTotals.plus, parts), X)
    check(reduce(lambda a, b: b.plus(a), parts), X)


def test_what_varies():
    X = np.array([[1.0, 0.1, np.nan, 0.0, 0.0], [2.0, 0.1, 5.0, 0.0, 1.0], [1.0, 0.1, 5.0, 0, 0]])
    table = read_table(X, nominal_features=[3, 4])
    found = chunk_totals(table)
    assert found.varies.tolist() == [True, False, False, False, True]
    assert found.mean[1] == 0.1  # not what a third of their sum is
    halves = chunk_totals(table.take(rows=np.arange(1))), chunk_totals(table.take(rows=[1, 2]))
    assert halves[0].plus(halves[1]).varies.tolist() == found.varies.tolist()


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_neither_squares_nor_sums_overflow_or_vanish(size):
    base = np.array([-1.0, 0.5, 1.0, 0.25, 1.0, 1.0, 1.0])
    X = np.column_stack([base * size, np.abs(base) * 17 * min(size, 1e306), base])
    table = read_table(X)
    for found in (
        chunk_totals(table),
        chunk_totals(table.take(rows=np.arange(4))).plus(
            chunk_totals(table.take(rows=np.arange(4, 7)))
        ),
    ):
        accuracy = 0.05 if size < 1e-300 else 1e-12  # of numbers with few digits
        assert found.mean[0] == pytest.approx(base.mean() * size, rel=accuracy)
        assert found.spread[0] == pytest.approx(base.std() * size, rel=accuracy)
        large = 17 * min(size, 1e306)
        assert found.mean[1] == pytest.approx(np.abs(base).mean() * large, rel=accuracy)
        assert found.spread[1] == pytest.approx(np.abs(base).std() * large, rel=accuracy)
        assert found.mean[2] == pytest.approx(base.mean())


def test_sparse_tables_have_the_totals_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.3)
    X[:, 2] = 0.0
    found = chunk_totals(read_table(sparse.csr_array(X)))
    assert found.known.tolist() == [30] * 4
    np.testing.assert_allclose(found.mean, X.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.spread, X.std(axis=0), rtol=1e-12)
    assert found.varies.tolist() == [True, True, False, True]
