"""`PrefixNeighbours` against a loop, and its promises about ties and order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank.evaluation import PrefixNeighbours, geometric_sizes
from unsuprank.evaluation.neighbours import BLOCK_ROWS, whole_number_scale


def slow_nearest(train, test, order, sizes, nominal):
    found = []
    for size in sizes:
        columns = sorted(order[:size])
        row = []
        for a in test:
            distances = []
            for b in train:
                terms = [float(a[j] != b[j]) if nominal[j] else (a[j] - b[j]) ** 2 for j in columns]
                distances.append(np.sum(terms))
            row.append(int(np.argmin(distances)))
        found.append(row)
    return np.array(found)


def draw(kind: str, rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    if kind == "whole":
        return rng.integers(-2, 3, size=(m, n)).astype(float)
    if kind == "decimal":
        return rng.integers(0, 40, size=(m, n)) / 8.0
    if kind == "repeated":  # rows that are equal to the last bit
        return rng.normal(size=(3, n))[rng.integers(0, 3, size=m)]
    if kind in ("mostly zero", "counts"):
        held = rng.random((m, n)) < 0.3
        return held * (
            rng.normal(size=(m, n)) if kind == "mostly zero" else rng.poisson(1.0, (m, n))
        )
    if kind == "offset":
        return 1e6 + rng.normal(size=(m, n))
    return rng.normal(size=(m, n))


@pytest.mark.parametrize(
    "kind", ["whole", "decimal", "repeated", "offset", "normal", "mostly zero", "counts"]
)
def test_equals_the_loop(kind):
    rng = np.random.default_rng(1)
    for _ in range(60):
        m, t, n = rng.integers(2, 12), rng.integers(1, 5), rng.integers(1, 9)
        values = draw(kind, rng, m + t, n)
        nominal = rng.random(n) < 0.3 if rng.random() < 0.5 else np.zeros(n, bool)
        values[:, nominal] = rng.integers(0, 3, size=(m + t, nominal.sum()))
        order, sizes = rng.permutation(n), geometric_sizes(n)
        parts = values[:m], values[m:]
        expected = slow_nearest(*parts, order, sizes, nominal)
        assert np.array_equal(PrefixNeighbours(*parts, nominal).nearest(order, sizes), expected)
        if not nominal.any():  # sparse rows have numbers only
            found = PrefixNeighbours(*map(sparse.csr_array, parts)).nearest(order, sizes)
            assert np.array_equal(found, expected)


def test_ties_go_to_the_first_row():
    rng = np.random.default_rng(0)
    row = rng.normal(size=500)
    train = np.tile(row, (40, 1))
    train[0] += 1.0
    found = PrefixNeighbours(train, row[None] + 0.3).nearest(np.arange(500), [1, 500])
    assert (found == np.array([[0 if 0.7 < 0.3 else 1], [1]])).all()


@pytest.mark.parametrize("kind", ["whole", "normal", "repeated"])
def test_all_columns_are_the_same_for_every_order(kind):
    rng = np.random.default_rng(2)
    values = draw(kind, rng, BLOCK_ROWS + 150, 30)
    ends = []
    for _ in range(6):
        fresh = PrefixNeighbours(values[:100], values[100:])
        first = fresh.nearest(rng.permutation(30), [4, 30])[-1]
        order = rng.permutation(30)
        again = fresh.nearest(order, [1, 2, 30])  # the last is remembered
        np.testing.assert_array_equal(again[:-1], fresh.nearest(order, [1, 2]))
        ends += [first, again[-1]]
    assert all(np.array_equal(end, ends[0]) for end in ends)


@pytest.mark.parametrize(
    ("values", "n_columns", "scale"),
    [
        ([3.0, -7.0], 5, 1),
        ([0.25, 3.5], 5, 100),
        ([1 / 3, 2.0], 5, None),
        ([2.0**24 - 2.0], 3, 1),  # 4 (2^24 - 1)^2 3 is just below 2^52
        ([2.0**24 - 2.0], 5, None),
        ([-(2.0**25)], 1, None),
    ],
)
def test_scale_that_makes_distances_whole_numbers(values, n_columns, scale):
    assert whole_number_scale([np.zeros(2), np.array(values)], n_columns) == scale


def test_rounding_does_not_decide_between_equally_near_rows():
    """Differences of these numbers are exact, their squares and products are not."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(3, 9))
        test, step = (rng.integers(1, 2**30, size=n) / 2.0**26 for _ in range(2))
        signs = rng.choice([-1.0, 1.0], size=(40, n))
        far = 2.0 * step * (rng.random((40, 1)) < 0.3)
        train = test + signs * (step + far)
        nearest = int(np.argmin(far[:, 0]))
        found = PrefixNeighbours(train, test[None]).nearest(np.arange(n), [n])
        assert found.tolist() == [[nearest]]
