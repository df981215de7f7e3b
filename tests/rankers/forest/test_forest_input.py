"""Odd and bad input: the right answer or one clear sentence, never a crash, a hang or NaN."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from unsuprank import Genie3, PredictiveClusteringForest, RandomForestScore, SymbolicScore

RANKERS = [Genie3, RandomForestScore, SymbolicScore]


@pytest.fixture
def X() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(30, 6))


@pytest.mark.parametrize("cls", RANKERS)
class TestRightAnswer:
    def test_constant_columns_score_nothing(self, cls, X):
        X[:, [1, 4]] = 7.0
        ranker = cls(50, random_state=0).fit(X)
        assert (ranker.scores_[[1, 4]] == 0).all()
        assert (ranker.order_[-2:] == [1, 4]).all() or (ranker.scores_ < 0).any()

    def test_nothing_varies(self, cls):
        ranker = cls(5, random_state=0).fit(np.ones((4, 3)))
        assert (ranker.scores_ == 0).all()
        assert (ranker.order_ == [0, 1, 2]).all()

    def test_a_column_of_missing_values_scores_nothing(self, cls, X):
        X[:, 2] = np.nan
        scores = cls(50, random_state=0).fit(X).scores_
        assert scores[2] == 0
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize("size", [1e-300, 1e30, 1e200, 1e307])
    def test_size_of_the_values_does_not_matter(self, cls, X, size):
        expected = cls(30, random_state=0).fit(X).scores_
        np.testing.assert_allclose(
            cls(30, random_state=0).fit(X * size).scores_, expected, rtol=1e-6
        )

    def test_small_spread_around_a_large_mean(self, cls, X):
        X = np.round(X * 1024)
        expected = cls(30, random_state=0).fit(X).scores_
        np.testing.assert_allclose(
            cls(30, random_state=0).fit(X + 2.0**40).scores_, expected, rtol=1e-6
        )

    def test_unsigned_integers_do_not_wrap(self, cls, X):
        small = np.round(X * 40 + 128)
        expected = cls(30, random_state=0).fit(small).scores_
        assert np.array_equal(cls(30, random_state=0).fit(small.astype(np.uint8)).scores_, expected)

    def test_two_rows_and_one_column(self, cls):
        assert np.isfinite(cls(5, random_state=0).fit([[0.0], [1.0]]).scores_).all()


@pytest.mark.parametrize("cls", [Genie3, RandomForestScore])
def test_mixed_columns(cls):
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, 60)
    frame = pd.DataFrame(
        {
            "kind": np.array(["a", "b", "c"])[group],
            "size": group + 0.1 * rng.normal(size=60),
            "noise": rng.normal(size=60),
            "coin": rng.random(60) < 0.5,
        }
    )
    frame.loc[3, "kind"] = None
    frame.loc[5, "size"] = np.nan
    ranker = cls(300, random_state=0).fit(frame)
    assert set(ranker.order_[:2]) == {0, 1}


@pytest.mark.parametrize("cls", RANKERS)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.empty((0, 3)), "sample"),
        (np.empty((5, 0)), "feature"),
        (np.ones((1, 3)), "1 sample"),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), "infinity in column 1"),
        (np.array([["a", "b"], ["c", "d"]]), "could not convert"),
        (np.ones(4), "2D"),
        (np.ones((2, 2)) * 1j, "omplex"),
    ],
)
def test_bad_tables(cls, bad, message):
    with pytest.raises((ValueError, TypeError), match=message):
        cls().fit(bad)


@pytest.mark.parametrize("nobody", [9, "size"])
def test_columns_that_are_not_there(X, nobody):
    ranker = Genie3(nominal_features=[nobody])
    with pytest.raises(ValueError, match=f"nominal_features names {nobody!r}"):
        ranker.fit(X)
    assert vars(ranker).keys() == ranker.get_params().keys()


def test_lists_are_refused_by_name():
    frame = pl.DataFrame({"size": [1.0, 2.0], "which": [[1], [2, 3]]})
    with pytest.raises(ValueError, match="'which' holds List"):
        Genie3().fit(frame)


def test_out_of_bag_score_needs_a_bootstrap(X):
    for ranker in (RandomForestScore(), Genie3(gain="out_of_bag")):
        with pytest.raises(ValueError, match="bootstrap=True"):
            ranker.set_params(bootstrap=False).fit(X)
    with pytest.raises(ValueError, match="bootstrap"):
        PredictiveClusteringForest(5, bootstrap=False).fit(X).scores("random_forest")


def test_more_candidates_than_features_are_all(X):
    every, more = (Genie3(10, max_features=k, random_state=0).fit(X).scores_ for k in (6, 10**6))
    assert np.array_equal(every, more)
