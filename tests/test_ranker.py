"""What a ranking is once there are scores, whichever method has found them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import Ranker
from unsuprank._weights import MOST_TIMES, weighted_rows


class Given(Ranker):
    """Has its scores from whoever asks."""

    def __init__(self, scores=(), n_features_to_select=16, include=None, exclude=None):
        self.scores = scores
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude

    def _score(self, table):
        return np.array(self.scores)


def fitted(scores, **params) -> Given:
    return Given(scores, **params).fit(np.zeros((3, len(scores))))


def test_equal_scores_keep_the_order_of_the_columns():
    ranker = fitted([1.0, 3.0, 1.0, -2.0, 3.0])
    assert ranker.order_.tolist() == [1, 4, 0, 2, 3]
    assert ranker.ranking_.tolist() == [3, 1, 4, 5, 2]
    assert ranker.forced_.tolist() == [0] * 5


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 3.0, -2.0], [0.25, 0.75, 0.0]),
        ([-1.0, 0.0], [0.0, 0.0]),
        ([0.5, 0.5], [0.5, 0.5]),
        ([1.5e308, 1.5e308, 0.0], [0.5, 0.5, 0.0]),
    ],
)
def test_importances_are_positive_scores_that_sum_to_one(scores, expected):
    np.testing.assert_allclose(fitted(scores).feature_importances_, expected)


@pytest.mark.parametrize(
    ("wanted", "count"), [(1, 1), (4, 4), (7, 7), (8, 7), (0.01, 1), (0.3, 2), (0.5, 4), (1.0, 7)]
)
def test_how_many_are_selected(wanted, count):
    ranker = fitted(np.arange(7.0), n_features_to_select=wanted)
    assert ranker.get_support().tolist() == [j >= 7 - count for j in range(7)]


def test_what_is_included_counts_among_the_selected():
    ranker = fitted([5.0, 4.0, 3.0, 2.0, 1.0], n_features_to_select=3, include=[4], exclude=[0])
    assert ranker.forced_.tolist() == [1, 0, 0, 0, -1]
    assert np.flatnonzero(ranker.get_support()).tolist() == [1, 2, 4]
    many = fitted([5.0, 4.0, 3.0], n_features_to_select=1, include=[1, 2])
    assert np.flatnonzero(many.get_support()).tolist() == [1, 2]


@pytest.mark.parametrize("lost", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_refused_by_name(lost):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="no finite score for column 'b'"):
        Given([0.0, lost]).fit(frame)


def test_names_are_those_of_the_last_fit():
    ranker = Given([1.0, 2.0])
    ranker.fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}))
    assert ranker.feature_names_in_.tolist() == ["a", "b"]
    ranker.fit(np.zeros((2, 2)))
    assert not hasattr(ranker, "feature_names_in_")


class TestWeights:
    def test_counts_may_make_a_table_of_ten_times_its_size_however_large_it_is(self):
        shape = 4, 2**30
        most = np.full(4, MOST_TIMES)
        assert len(weighted_rows(most, shape, 0)) == 40
        most[0] += 1
        with pytest.raises(ValueError, match="too many"):
            weighted_rows(most, shape, 0)

    def test_counts_may_make_a_small_table_large(self):
        assert len(weighted_rows([1000, 2000], (2, 10), 0)) == 3000
        with pytest.raises(ValueError, match="too many"):
            weighted_rows([2**30, 2**30], (2, 2), 0)

    def test_two_rows_are_enough(self):
        assert weighted_rows([0, 2, 0], (3, 1), 0).tolist() == [1, 1]
        with pytest.raises(ValueError, match="leaves a single row"):
            weighted_rows([0, 1, 0], (3, 1), 0)

    def test_the_first_negative_weight_is_named(self):
        with pytest.raises(ValueError, match=r"the weight of row 2 is -0\.5"):
            weighted_rows([1.0, 0.0, -0.5, -3.0], (4, 1), 0)

    def test_a_share_of_next_to_nothing_is_never_drawn_and_a_huge_one_does_not_overflow(self):
        for seed in range(20):
            drawn = weighted_rows([0.0, 1.5e308, 1.2e308, 0.5, 1.7e308, 0.0], (6, 1), seed)
            assert len(drawn) == 6
            assert set(drawn.tolist()) == {1, 2, 4}
