"""The nearest-neighbour polish against brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import GreedyCSS
from unsuprank.rankers.coordinates import Coordinates
from unsuprank.rankers.subset import neighbour_polish
from unsuprank.rankers.subset.column_subset import Residual, greedy_path
from unsuprank.rankers.subset.neighbour_polish import (
    Contest,
    View,
    mean_squared_errors,
    polish,
    random_halves,
    swap_costs,
)
from unsuprank.table import read_table


def naive_nearest(points, query):
    """The first of the nearest other rows."""
    others = [k for k in range(len(points)) if k != query]
    return min(others, key=lambda k: (float(np.sum((points[k] - points[query]) ** 2)), k))


def naive_swap_costs(pool, places, queries, cost):
    out = np.zeros((len(places), pool.shape[1]))
    for r in range(len(places)):
        for c in range(pool.shape[1]):
            columns = [*np.delete(places, r), c]
            for q, query in enumerate(queries):
                out[r, c] += cost[q, naive_nearest(pool[:, columns], query)]
    return out


@pytest.mark.parametrize("seed", range(200))
def test_swap_costs_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    m, width = int(rng.integers(2, 60)), int(rng.integers(1, 7))
    # Few whole numbers make ties, which the first row must win.
    pool = rng.integers(0, rng.choice([2, 3, 1000]), size=(m, width)).astype(float)
    places = rng.permutation(width)[: rng.integers(1, width + 1)].astype(np.int64)
    queries = np.sort(rng.permutation(m)[: rng.integers(1, 9)]).astype(np.int64)
    cost = rng.integers(0, 100, size=(len(queries), m)).astype(float)
    assert np.array_equal(
        swap_costs([Contest(pool, queries, cost)], places),
        naive_swap_costs(pool, places, queries, cost),
    )


def test_small_columns_survive_the_removal_of_a_large_one():
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(40, 4)) * np.array([1e12, 1.0, 1.0, 1.0])
    places, queries = np.arange(3), np.arange(40)
    cost = rng.uniform(size=(40, 40))
    assert swap_costs([Contest(pool, queries, cost)], places) == pytest.approx(
        naive_swap_costs(pool, places, queries, cost)
    )


def test_mean_squared_errors_by_hand():
    values = np.array([[0.0, 0.0], [1.0, 4.0], [3.0, 5.0]])
    everything = View(np.arange(3), np.arange(3))
    # Rows 0, 1, 2 are predicted by rows 1, 0, 1.
    assert mean_squared_errors(values, np.array([0]), [everything]) == pytest.approx(
        [(1 + 1 + 4) / 3, (16 + 16 + 1) / 3]
    )


def test_halves_cover_every_row_equally_often_and_never_change():
    views = random_halves(31)
    assert np.array_equal(
        np.bincount(np.concatenate([v.rows for v in views])), [len(views) // 2] * 31
    )
    again = random_halves(31)
    assert all(np.array_equal(v.rows, w.rows) for v, w in zip(views, again, strict=True))
    assert all(len(v.queries) == 5 for v in random_halves(31, max_queries=5))


@pytest.mark.parametrize("seed", range(10))
def test_polish_never_raises_the_error_it_minimises(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 30)) + rng.normal(size=(50, 30))
    views = random_halves(50)
    start = np.arange(5)
    swapped = polish(values, [start], np.arange(30), max_swaps=20, views=views)
    assert len(set(swapped)) == 5

    def error(picks):
        return np.sqrt(mean_squared_errors(values, picks, views)).mean()

    assert error(swapped) < error(start)
    assert np.array_equal(polish(values, [start], np.arange(30), max_swaps=0, views=views), start)
    assert np.array_equal(polish(values, [start], start, max_swaps=20, views=views), start)


def naive_polish(values, picks, pool, views, shortlist):
    """One swap at a time, each the best by brute force; weights stay those of the beginning."""
    weights = 1 / np.sqrt(mean_squared_errors(values, picks, views))
    candidates = list(pool)

    def cost(columns):
        return mean_squared_errors(values, np.array(columns), views) @ weights

    while True:
        swaps = {
            (r, c): cost([*np.delete(picks, r), c])
            for r in range(len(picks))
            for c in candidates
            if c not in picks
        }
        r, c = min(swaps, key=swaps.__getitem__)
        if swaps[r, c] >= cost(picks):
            return set(picks)
        best = {d: min(v for (_, e), v in swaps.items() if e == d) for _, d in swaps}
        candidates = [*picks, *sorted(best, key=best.__getitem__)[:shortlist]]
        picks = np.array([*np.delete(picks, r), c])


@pytest.mark.parametrize("seed", range(10))
def test_swaps_are_those_of_brute_force(seed, monkeypatch):
    monkeypatch.setattr(neighbour_polish, "SHORTLIST", 4)
    monkeypatch.setattr(neighbour_polish, "SWAPS_PER_WEIGHTING", 100)
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(24, 3)) @ rng.normal(size=(3, 12)) + rng.normal(size=(24, 12))
    views, start, pool = random_halves(24, splits=2), np.arange(3), np.arange(10)
    swapped = polish(values, [start], pool, max_swaps=100, views=views)
    assert set(swapped) == naive_polish(values, start, pool, views, 4)


def test_the_search_begins_from_the_start_of_the_smallest_error():
    rng = np.random.default_rng(0)
    signal, noise = rng.normal(size=(2, 60, 1))
    values = np.hstack([signal + 0.1 * rng.normal(size=(60, 9)), noise])
    good, bad = np.array([0]), np.array([9])
    for starts in ([good, bad], [bad, good]):
        assert np.array_equal(polish(values, starts, np.arange(10), max_swaps=0), good)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_repeat_each_other_are_taken_if_they_help(seed):
    # Three signals in twenty large columns: together these average out the noise of each, but
    # once three are chosen, any column of mere noise adds more on a common scale.
    rng = np.random.default_rng(seed)
    large = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 20)) + 0.6 * rng.normal(size=(300, 20))
    X = np.hstack([0.5 * rng.normal(size=(300, 400)), large])
    coordinates = Coordinates.of(read_table(X))
    plain = greedy_path(Residual(coordinates.matrix, coordinates.widths), 8).picks
    polished = GreedyCSS(n_features_to_select=8, polish="knn").fit(X).order_[:8]
    assert np.sum(plain >= 400) == 3
    assert np.sum(polished >= 400) >= 6


def test_polish_finds_what_no_line_can_see():
    # A position on a circle: its coordinates are uncorrelated with the columns that count turns.
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, size=200)
    waves = [np.cos(k * angle + s) for k in range(1, 9) for s in (0.0, np.pi / 2)]
    values = np.column_stack([3 * np.cos(8 * angle), 3 * np.sin(8 * angle), *waves])
    views = random_halves(200)
    swapped = polish(values, [np.array([0, 1])], np.arange(18), max_swaps=10, views=views)
    assert set(swapped) == {2, 3}


def test_threads_and_repetition_change_nothing():
    X = np.random.default_rng(0).normal(size=(120, 40))
    first = GreedyCSS(polish="knn", n_features_to_select=6).fit(X)
    for n_jobs in (1, 2):
        again = GreedyCSS(polish="knn", n_features_to_select=6, n_jobs=n_jobs).fit(X)
        assert np.array_equal(first.scores_, again.scores_)


def test_polished_columns_come_first_and_the_ranking_is_full():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 25)) + 0.5 * rng.normal(size=(80, 25))
    plain = GreedyCSS(n_features_to_select=4).fit(X)
    polished = GreedyCSS(n_features_to_select=4, polish="knn").fit(X)
    assert set(plain.order_[:4]) != set(polished.order_[:4])
    assert np.array_equal(polished.order_[: len(polished.picks_)], polished.picks_)
    assert sorted(polished.order_) == list(range(25))


@pytest.mark.parametrize("X", [np.ones((6, 3)), np.eye(2), np.arange(6.0).reshape(3, 2)])
def test_tiny_and_constant_tables(X):
    assert GreedyCSS(polish="knn").fit(X).scores_.shape == (X.shape[1],)


def test_names_cannot_be_polished():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"]})
    with pytest.raises(ValueError, match=r"polish.*'kind'"):
        GreedyCSS(polish="knn").fit(frame)


@pytest.mark.parametrize("seed", range(5))
def test_fixed_columns_are_not_swapped(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 30)) + rng.normal(size=(50, 30))
    start = np.arange(5)
    free = polish(values, [start], np.arange(30), max_swaps=20)
    fixed = [0, 3]
    assert not set(fixed) <= set(free)
    assert set(fixed) <= set(polish(values, [start], np.arange(30), max_swaps=20, fixed=fixed))
    kept = polish(values, [start], np.arange(30), max_swaps=20, fixed=start)
    assert np.array_equal(kept, start)
