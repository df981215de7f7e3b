"""No column gains by its position."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from unsuprank import Genie3, PredictiveClusteringForest, RandomForestScore

N_FORESTS = 200


@pytest.fixture(scope="module")
def noise() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(30, 40))


def scores_of_forests(X: np.ndarray, first_seed: int, **settings) -> np.ndarray:
    seeds = range(first_seed, first_seed + N_FORESTS)
    return np.array([Genie3(30, random_state=s, **settings).fit(X).scores_ for s in seeds])


def standard_error(sample: np.ndarray) -> np.ndarray:
    return sample.std(axis=0, ddof=1) / np.sqrt(len(sample))


@pytest.fixture(scope="module")
def forward(noise) -> np.ndarray:
    return scores_of_forests(noise, 0)


def test_reversed_columns_get_reversed_scores(noise, forward):
    backward = scores_of_forests(noise[:, ::-1], 10_000)[:, ::-1]
    error = np.hypot(standard_error(forward), standard_error(backward))
    z = (forward.mean(axis=0) - backward.mean(axis=0)) / error
    assert np.abs(z).max() < 4.5
    assert 0.5 < np.mean(z**2) < 1.7  # 1 if the two differ by chance alone


def position_means(scores: np.ndarray) -> np.ndarray:
    """Mean score of each tenth of the columns, forest by forest."""
    return scores.reshape(len(scores), 10, -1).mean(axis=2)


def test_tenths_of_independent_noise_are_flat():
    """Over tables as well as forests: one table's columns do differ."""
    rng = np.random.default_rng(5)
    scores = np.array(
        [
            Genie3(30, random_state=s).fit(rng.normal(size=(30, 40))).scores_
            for s in range(N_FORESTS)
        ]
    )
    tenths = position_means(scores)
    z = (tenths.mean(axis=0) - scores.mean()) / standard_error(tenths)
    assert np.abs(z).max() < 3


def test_first_of_ties_is_not_fair(noise):
    """The check above can fail: taking the first of equals favours the first columns."""
    tenths = position_means(scores_of_forests(noise, 0, tie_break="first")).mean(axis=0)
    assert tenths[0] > 1.3 * tenths[-1]


@pytest.mark.parametrize("ensemble", ["random_forest", "bagging"])
def test_exhaustive_search_is_fair_among_copies(ensemble):
    """A column and its copy share their score evenly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    X = X[:, [0, 1, 2, 0, 1, 2]]
    scores = np.array(
        [Genie3(20, ensemble=ensemble, random_state=s).fit(X).scores_ for s in range(100)]
    )
    difference = scores[:, :3] - scores[:, 3:]
    assert np.abs(difference.mean(axis=0) / standard_error(difference)).max() < 4


@pytest.mark.parametrize("max_features", [1, 3, 12])
def test_two_rows_are_split_by_any_column_that_separates_them(max_features):
    """All tests of two rows are equally good; each column is to be drawn equally often."""
    X = np.random.default_rng(1).normal(size=(2, 12))
    X[1, [0, 4, 5, 9, 11]] = X[0, [0, 4, 5, 9, 11]]
    n_trees = 6000
    forest = PredictiveClusteringForest(
        n_trees, max_features=max_features, bootstrap=False, random_state=0
    ).fit(X)
    tested = forest.trees_.feature[forest.trees_.feature >= 0]
    counts = np.bincount(tested, minlength=12)
    separating = X[0] != X[1]
    assert not counts[~separating].any()
    # The chance that a draw of `max_features` has no separating column leaves some trees empty.
    empty = math.comb(5, max_features) / math.comb(12, max_features)
    spread = math.sqrt(n_trees * empty * (1 - empty))
    assert abs(len(tested) - n_trees * (1 - empty)) <= 4 * spread
    assert chisquare(counts[separating]).pvalue > 1e-3


@pytest.mark.parametrize("unit", [1.0, 3.0, 8.0, 1e-3])
def test_errors_that_are_added_up_in_another_order_are_no_increase(unit):
    """A permuted column is a permuted target as well: alone, it loses nothing."""
    X = unit * np.random.default_rng(0).normal(size=(40, 1))
    for seed in range(20):
        ranker = RandomForestScore(8, random_state=seed).fit(X)
        assert ranker.scores_.tolist() == [0.0]
