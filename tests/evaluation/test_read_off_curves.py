"""What people read off curves, comparisons and measures, in cases worked out by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import studentized_range

from unsuprank import VarianceRanker
from unsuprank.evaluation import compare, error_curve, stability
from unsuprank.evaluation.folds import split_rows
from unsuprank.evaluation.measures import make_fold, squares_overflow, summarise
from unsuprank.evaluation.prediction_curve import PredictionCurve, no_curve_because
from unsuprank.evaluation.selection import random_order, read_sizes, size_index
from unsuprank.table import read_table


def curve(error, low, high) -> PredictionCurve:
    sizes = 2 ** np.arange(len(error))
    return PredictionCurve(sizes, *map(np.array, (error, low, high)), 20, 10, 19)


class TestPredictionCurve:
    def test_the_end_is_no_comparison_and_a_tie_is_neither_better_nor_worse(self):
        found = curve(
            error=[1.2, 0.8, 0.7, 0.5, 0.3],
            low=[1.0, 0.8, 0.6, 0.6, 0.4],
            high=[1.1, 0.9, 0.7, 1, 1],
        )
        assert (found.n_compared, found.n_better, found.n_worse) == (4, 1, 1)
        ends_worse = curve(error=[1.0, 0.5], low=[1.0, 0.1], high=[1.0, 0.2])
        assert (ends_worse.n_compared, ends_worse.n_better, ends_worse.n_worse) == (1, 0, 0)

    @pytest.mark.parametrize(
        ("error", "enough"),
        [
            ([1.5, 0.75, 0.54, 0.5], 4),  # within 0.5 + 0.05 * (1.5 - 0.5)
            ([1.5, 0.55, 0.6, 0.5], 2),
            ([1.5, 0.56, 0.6, 0.5], None),  # takes all columns
            ([2.0, 1.0, 1.5, 1.5], None),  # never better than means
            ([0.5, 0.5, 0.5, 0.5], 1),
        ],
    )
    def test_enough_is_within_a_twentieth_of_the_range(self, error, enough):
        assert curve(error, error, error).enough == enough

    def test_rows(self):
        rows = curve([0.9, 0.5], [0.6, 0.5], [0.8, 0.5]).rows()
        assert rows[0] == {"features": 1, "error": 0.9, "random_low": 0.6, "random_high": 0.8}
        assert [row["features"] for row in rows] == [1, 2]

    def test_what_has_no_curve(self):
        assert no_curve_because(read_table(np.eye(4)[:, :2])) is None
        assert "needs at least 4 rows; there are 3" in no_curve_because(read_table(np.eye(3)))
        assert "needs at least 2 columns" in no_curve_because(read_table(np.eye(4)[:, :1]))


class TestChance:
    @pytest.fixture
    def X(self):
        rng = np.random.default_rng(0)
        return rng.normal(size=(40, 2)) @ rng.normal(size=(2, 9)) + rng.normal(size=(40, 9))

    def test_the_band_holds_the_middle_of_the_random_orders(self, X):
        curves = error_curve(X, VarianceRanker(), cv=3, n_random=20)
        means = np.sort(curves.random.mean(axis=1), axis=0)
        low, high = curves.band(0.5)
        np.testing.assert_allclose([low, high], np.quantile(means, [0.25, 0.75], axis=0))
        everything = curves.band(1.0)
        np.testing.assert_array_equal(everything, [means[0], means[-1]])
        nine_tenths = np.quantile(means, [0.05, 0.95], axis=0)
        np.testing.assert_allclose(curves.band(), nine_tenths)
        np.testing.assert_allclose(curves.mean("random"), means.mean(axis=0))

    @pytest.mark.parametrize("measure", ["rmse", "classification"])
    def test_the_share_of_random_orders_that_are_beaten(self, X, measure):
        y = (X[:, 0] > 0).astype(int)
        order = np.arange(9)  # which begins with the column that the labels were made of
        curves = error_curve(X, order, y=y, measure=measure, cv=4, n_random=25)
        own, others = curves.mean("order"), curves.random.mean(axis=1)
        better = others < own if measure == "classification" else others > own
        np.testing.assert_array_equal(curves.beats_chance("order"), better.mean(axis=0))
        assert curves.beats_chance("order")[-1] == 0.0  # all columns are the same in any order
        if measure == "classification":
            assert curves.beats_chance("order")[0] > 0.5

    def test_random_orders_depend_on_the_seed_and_on_where_they_are_used(self):
        orders = [random_order(30, *where).tolist() for where in ((0, 1, 2), (0, 2, 1), (1, 1, 2))]
        assert sorted(orders[0]) == list(range(30))
        assert orders[0] == random_order(30, 0, 1, 2).tolist()
        assert len({tuple(order) for order in orders}) == 3

    def test_every_random_order_and_fold_is_another_one(self, X):
        curves = error_curve(X, VarianceRanker(), cv=3, n_random=4, sizes=[4])
        assert curves.random.shape == (4, 3, 1)
        assert len(np.unique(curves.random)) == 12


class TestSizes:
    def test_the_nearest_from_below(self):
        sizes = np.array([2, 4, 8])
        wanted = {1: 0, 2: 0, 3: 0, 4: 1, 7: 1, 8: 2, 100: 2}
        assert {size: size_index(sizes, size) for size in wanted} == wanted

    def test_first_and_last(self):
        assert read_sizes([5, 1, 3, 3], 5).tolist() == [1, 3, 5]
        for bad in ([0, 2], [2, 6]):
            with pytest.raises(ValueError, match="from 1 to the number of features"):
                read_sizes(bad, 5)

    def test_as_many_folds_as_rows_and_no_more(self):
        folds = split_rows(4, 4, 0)
        assert sorted(int(test[0]) for _, test in folds) == [0, 1, 2, 3]
        assert all(len(train) == 3 for train, _ in folds)
        with pytest.raises(ValueError, match="only 4 rows"):
            split_rows(5, 4, 0)
        ((train, test),) = split_rows(None, 3, 0)
        assert train.tolist() == test.tolist() == [0, 1, 2]


class TestMeasures:
    def test_a_fold_knows_nothing_of_its_test_rows(self):
        X = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0], [100.0, 2.0], [np.nan, 2.0]])
        fold = make_fold(read_table(X, nominal_features=[1]), np.array([0, 1, 2]), np.array([3, 4]))
        np.testing.assert_array_equal(fold.constant, [2.0, 1.0])  # a mean, and a mode
        np.testing.assert_array_equal(fold.train[:, 0], [1.0, 3.0, 2.0])
        np.testing.assert_array_equal(fold.test[:, 0], [100.0, 2.0])
        np.testing.assert_array_equal(fold.known, [[True, True], [False, True]])
        # Predicting 2 for 100, the one that is known, and the wrong name for both.
        assert fold.constant_rmse == pytest.approx((98.0 + 1.0) / 2)

    def test_a_column_without_a_known_training_value(self):
        X = np.array([[np.nan, np.nan, 1.0], [np.nan, np.nan, 2.0], [4.0, 1.0, 3.0]])
        table = read_table(X, nominal_features=[1])
        fold = make_fold(table, np.array([0, 1]), np.array([2]))
        assert fold.constant[:2].tolist() == [0.0, 0.0]
        assert np.isfinite(fold.constant_rmse)

    def test_errors_over_several_blocks_of_rows(self):
        X = np.random.default_rng(0).normal(size=(600, 2))
        table = read_table(X)
        rows = np.arange(600)
        fold = make_fold(table, rows[:1], rows)
        expected = np.sqrt(((X - X[0]) ** 2).mean(axis=0)).mean()
        assert fold.constant_rmse == pytest.approx(expected)

    def test_where_means_are_right_only_a_right_model_is_as_good(self):
        fold = make_fold(read_table(np.ones((4, 2))), np.arange(2), np.arange(2, 4))
        assert summarise(fold, np.zeros(2), "relative") == 1.0
        assert summarise(fold, np.ones(2), "relative") == np.inf
        varied = make_fold(read_table(np.array([[0.0], [2.0], [4.0]])), np.arange(2), np.array([2]))
        assert summarise(varied, np.array([9.0]), "rmse") == 3.0
        assert summarise(varied, np.array([9.0]), "relative") == 1.0
        assert summarise(varied, np.array([9.0]), "mse") == 9.0

    @pytest.mark.parametrize("shape", [(2, 1), (10, 1), (6, 50)])
    def test_squares_are_refused_before_they_overflow_and_not_long_before(self, shape):
        signs = np.where(np.arange(shape[0]) % 2, 1.0, -1.0)[:, None] * np.ones(shape)
        most = np.sqrt(np.finfo(float).max / (4.0 * signs.size))  # all differ by twice that
        assert "Column 0 holds values" in squares_overflow(read_table(signs * most))
        assert squares_overflow(read_table(signs * most / 2)) is None


class TestComparison:
    def test_a_pair_differs_where_it_is_further_apart_than_the_critical_distance(self):
        rng = np.random.default_rng(0)
        values = rng.normal(size=(12, 5)) + np.arange(5)
        found = compare(values, alpha=0.1)
        gaps = np.abs(np.subtract.outer(found.average_ranks, found.average_ranks))
        np.testing.assert_array_equal(found.pairwise_p < 0.1, gaps > found.critical_distance)
        np.testing.assert_array_equal(found.pairwise_p, found.pairwise_p.T)
        n, k = found.ranks.shape
        for a, b in itertools.combinations(range(k), 2):
            gap = gaps[a, b] / np.sqrt(k * (k + 1) / (12 * n))
            assert found.pairwise_p[a, b] == pytest.approx(studentized_range.sf(gap, k, np.inf))
        assert (np.diagonal(found.pairwise_p) == 1.0).all()
        # Demšar's formula, with q over the root of 2.
        q = studentized_range.ppf(0.9, 5, np.inf) / np.sqrt(2)
        assert found.critical_distance == pytest.approx(q * np.sqrt(5 * 6 / (6 * 12)))

    def test_groups_are_the_largest_ones_and_leave_out_who_is_alone(self):
        # Average ranks 1, 2, 3 and 4 in all data sets, and a distance between one and two.
        values = np.tile(np.arange(4.0), (9, 1))
        found = compare(values, methods=list("abcd"))
        assert 1.0 < found.critical_distance < 2.0
        assert found.groups() == [("a", "b"), ("b", "c"), ("c", "d")]
        many = compare(np.tile(np.arange(4.0), (40, 1)), methods=list("abcd"))
        assert many.critical_distance < 1.0
        assert many.groups() == []
        few = compare(values[:2], methods=list("abcd"))
        assert few.critical_distance > 3.0
        assert few.groups() == [tuple("abcd")]

    @pytest.mark.parametrize("measure", ["classification", "rmse"])
    def test_curves_of_which_more_or_less_is_better(self, measure):
        rng = np.random.default_rng(1)
        y, curves = np.arange(40) % 2, {}
        for name in "pq":
            X = rng.normal(size=(40, 4))
            if measure == "classification":
                X[:, 3] += 9 * y
            else:
                X[:, 1:] += 9 * rng.normal(size=(40, 1))
            orders = {"good": [3, 2, 1, 0], "bad": [0, 1, 2, 3]}
            curves[name] = error_curve(X, orders, y=y, measure=measure, cv=4, n_random=0)
        found = compare(curves, size=1)
        assert (found.methods, found.datasets) == (("good", "bad"), ("p", "q"))
        assert found.average_ranks.tolist() == [1.0, 2.0]


class TestStability:
    def test_fuzzy_overlap_of_orders_falls_with_the_rank(self):
        # Columns 0, 1 and 2 are in the first two of one; the one that misses is third: 2 / 3.
        found = stability([[0, 1, 2, 3], [2, 1, 0, 3]], k=2)
        assert found.fuji == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)

    def test_scores_of_zero_leave_every_column_in(self):
        class Scored:
            def __init__(self, scores):
                self.scores_ = np.array(scores)
                self.order_ = np.argsort(-self.scores_, kind="stable")

        nothing, all_zero = Scored([3.0, 0.0, -1.0]), Scored([0.0, 0.0, 0.0])
        assert stability([nothing, all_zero], k=2).fuji == 1.0
        assert stability([Scored([3.0, 2.0, -1.0]), Scored([2.0, 0.0, 3.0])], k=2).fuji == (
            pytest.approx((1 + 0 + 0) / 3)
        )

    def test_more_rankings_than_two_are_compared_in_pairs(self):
        found = stability([[0, 1, 2, 3], [0, 1, 2, 3], [3, 2, 1, 0]], k=2)
        assert (found.n_rankings, found.n_features, found.k) == (3, 4, 2)
        assert found.overlap == pytest.approx(1 / 3)
        assert found.spearman == pytest.approx((1 - 1 - 1) / 3)
