"""`error_curve`: no leak, one end, the measures, and the same answer twice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from unsuprank import RandomRanker, VarianceRanker
from unsuprank.evaluation import clustering_accuracy, error_curve, geometric_sizes
from unsuprank.evaluation.measures import in_standard_units
from unsuprank.table import read_table


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)) @ rng.normal(size=(3, 20)) + 0.3 * rng.normal(size=(60, 20))


class Spy(BaseEstimator):
    """Ranks by nothing, and notes the rows that it saw."""

    seen: list = []  # noqa: RUF012 - shared by clones on purpose

    def fit(self, X, y=None):
        assert y is None
        Spy.seen.append(np.asarray(X)[:, 0].copy())
        self.order_ = np.arange(np.asarray(X).shape[1])
        return self


class Leak(BaseEstimator):
    """A ranker with the whole table in its pocket: what a leak looks like."""

    def __init__(self, table=None):
        self.table = table

    def fit(self, X, y=None):
        Spy.seen.append(self.table[:, 0].copy())
        self.order_ = np.arange(self.table.shape[1])
        return self


def rows_seen_that_were_tested(X, ranker) -> int:
    Spy.seen = []
    curves = error_curve(X, ranker, cv=6, n_random=0)
    tested = [set(X[rows, 0]) for rows in curves.test_rows]
    return sum(len(t & set(s)) for t, s in zip(tested, Spy.seen, strict=True))


def test_training_never_sees_test_rows_and_a_leak_is_caught(X):
    assert rows_seen_that_were_tested(X, Spy()) == 0
    assert rows_seen_that_were_tested(X, Leak(X)) == len(X)


def test_rmse_is_the_mean_over_features_of_scikit_learns_1nn(X):
    curves = error_curve(X, VarianceRanker(), cv=5, n_random=0)
    for f, test in enumerate(curves.test_rows):
        train = np.setdiff1d(np.arange(len(X)), test)
        for s, size in enumerate(curves.sizes):
            top = curves.orders["VarianceRanker"][f][:size]
            model = KNeighborsRegressor(1).fit(X[train][:, top], X[train])
            error = model.predict(X[test][:, top]) - X[test]
            expected = np.sqrt((error**2).mean(axis=0)).mean()
            assert curves.values["VarianceRanker"][f, s] == pytest.approx(expected, rel=1e-12)


def test_all_curves_end_at_the_same_point_to_the_last_bit(X):
    methods = {"a": VarianceRanker(), "b": RandomRanker(random_state=1), "c": np.arange(20)[::-1]}
    curves = error_curve(X, methods, n_random=3)
    for name in "bc":
        assert np.array_equal(curves.values[name][:, -1], curves.values["a"][:, -1])
    assert (curves.random[:, :, -1] == curves.values["a"][:, -1]).all()
    assert curves.sizes.tolist() == [1, 2, 4, 8, 16, 20]
    assert curves.random_state == 0
    assert len(curves.test_rows) == 10


def test_a_table_is_judged_like_the_array_it_was_read_from(X):
    methods = {"variance": VarianceRanker(), "order": np.arange(20)[::-1]}
    array, table = (error_curve(x, methods, n_random=1, cv=4) for x in (X, read_table(X)))
    for name in methods:
        assert np.array_equal(array.values[name], table.values[name])
        assert np.array_equal(array.orders[name], table.orders[name])
    assert np.array_equal(array.random, table.random)


def test_sizes():
    assert geometric_sizes(16).tolist() == [1, 2, 4, 8, 16]
    assert geometric_sizes(1).tolist() == [1]
    assert geometric_sizes(10000)[-2:].tolist() == [8192, 10000]


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_same_answer_whatever_the_threads(X, n_jobs):
    one, many = (error_curve(X, VarianceRanker(), n_jobs=j) for j in (1, n_jobs))
    assert np.array_equal(one.values["VarianceRanker"], many.values["VarianceRanker"])
    assert np.array_equal(one.random, many.random)


def test_relative_and_mse(X):
    relative = error_curve(X, VarianceRanker(), measure="relative", n_random=0, cv=2)
    rmse = error_curve(X, VarianceRanker(), n_random=0, cv=2)
    for f, test in enumerate(rmse.test_rows):
        train = np.setdiff1d(np.arange(len(X)), test)
        base = np.sqrt(((X[test] - X[train].mean(axis=0)) ** 2).mean(axis=0)).mean()
        ratio = rmse.values["VarianceRanker"][f] / relative.values["VarianceRanker"][f]
        assert ratio == pytest.approx(base)
    mse = error_curve(X, VarianceRanker(), measure="mse", n_random=0, cv=2)
    assert (mse.mean("VarianceRanker") >= rmse.mean("VarianceRanker") ** 2).all()


def test_missing_values_are_not_judged():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12, 3))
    X[4, 2] = np.nan
    curves = error_curve(X, [0, 1, 2], cv=3, n_random=0, sizes=[1])
    for f, test in enumerate(curves.test_rows):
        train = np.setdiff1d(np.arange(12), test)
        filled = np.where(np.isnan(X[train]), np.nanmean(X[train], axis=0), X[train])
        nearest = [np.argmin(np.abs(X[train, 0] - X[i, 0])) for i in test]
        squared = (X[test] - filled[nearest]) ** 2
        expected = np.sqrt(np.nanmean(squared, axis=0)).mean()
        assert curves.values["order"][f, 0] == pytest.approx(expected)


def test_error_rate_of_a_nominal_column():
    values = np.array([["x", 0], ["y", 1], ["x", 0], ["y", 1], ["x", 1], ["y", 0]], dtype=object)
    curves = error_curve(
        values, [1, 0], cv=2, n_random=0, nominal_features=[0, 1], sizes=[1], random_state=1
    )
    for f, test in enumerate(curves.test_rows):
        train = np.setdiff1d(np.arange(6), test)
        wrong = []
        for i in test:
            nearest = min(train, key=lambda j: (values[i, 1] != values[j, 1], j))
            wrong.append(values[i] != values[nearest])
        expected = np.mean(wrong, axis=0).mean()
        assert curves.values["order"][f, 0] == pytest.approx(expected)


def test_any_regressor(X):
    curves = error_curve(X, VarianceRanker(), model=LinearRegression(), n_random=0)
    assert curves.mean("VarianceRanker")[-1] == pytest.approx(0, abs=1e-8)


def test_labelled_measures():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 8))
    X[:, 2] += 20 * y
    for measure in ("nmi", "ari", "clustering_accuracy"):
        curves = error_curve(X, VarianceRanker(), y=y, measure=measure, sizes=[1], n_random=0)
        assert curves.values["VarianceRanker"].shape == (20, 1)
        # A single start of k-means may split a class, but the best of twenty does not.
        assert curves.values["VarianceRanker"][:, 0].max() == pytest.approx(1)
        assert curves.higher_is_better
    found = error_curve(X, VarianceRanker(), y=y, measure="classification", sizes=[1], n_random=2)
    assert found.mean("VarianceRanker")[0] == pytest.approx(1)
    assert found.beats_chance("VarianceRanker").shape == (1,)

    def width(X, X_selected, y):
        assert len(X) == len(y) == 60
        return X_selected.shape[1]

    assert error_curve(X, [*range(8)], y=y, measure=width).values["order"].tolist() == [
        [1, 2, 4, 8]
    ]
    assert clustering_accuracy([0, 0, 1], [5, 5, 3]) == 1.0


def test_tidy(X):
    curves = error_curve(X, VarianceRanker(), cv=3, n_random=2)
    frame = pd.DataFrame(curves.tidy())
    assert len(frame) == (1 + 2) * 3 * 6
    mean = frame[frame.method == "VarianceRanker"].groupby("size").value.mean()
    assert np.allclose(mean, curves.mean("VarianceRanker"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": "accuracy"}, "measure"),
        ({"measure": "nmi"}, "give them as y"),
        ({"sizes": [0, 3]}, "from 1 to"),
        ({"sizes": "linear"}, "geometric"),
        ({"cv": 100}, "fewer folds"),
        ({"y": [1, 2]}, "2 labels"),
        ({"model": "2nn"}, "1nn"),
        ({"ranker_or_order": [0, 0, 1]}, "every column index"),
    ],
)
def test_mistakes_are_named(X, change, message):
    arguments = {"ranker_or_order": VarianceRanker(), **change}
    with pytest.raises(ValueError, match=message):
        error_curve(X, **arguments)


def test_values_whose_squares_overflow_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[3, 1] = -1e300
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for measure in ("rmse", "relative", "mse"):
        with pytest.raises(ValueError, match=r"Column 'b' holds values of size 1e\+300"):
            error_curve(frame, VarianceRanker(), measure=measure)
    frame["b"] /= 1e160
    curves = error_curve(frame, VarianceRanker(), measure="relative")
    assert np.isfinite(curves.mean("VarianceRanker")).all()


@pytest.mark.parametrize("measure", ["rmse", "mse", "relative"])
def test_standard_units_are_those_of_a_table_that_is_standardised_before(measure):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)) * [1, 10, 1e3, 0.1, 5, 0]
    X[:, 1] += 8 * X[:, 0]
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    options = {"measure": measure, "n_random": 2, "cv": 5, "sizes": [1, 3, 6]}
    orders = {"first": [0, 1, 2, 3, 4, 5], "last": [5, 4, 3, 2, 1, 0]}
    expected = error_curve(X / spread, orders, **options)
    for held in (X, sparse.csr_array(X), sparse.csc_array(X)):
        found = error_curve(held, orders, scale="standard", **options)
        for name in orders:
            np.testing.assert_allclose(found.mean(name), expected.mean(name), rtol=1e-9)
        np.testing.assert_allclose(found.random, expected.random, rtol=1e-9)


def test_standard_units_leave_names_gaps_and_rankers_alone():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=40) * 1e4, rng.integers(0, 3, 40), rng.normal(size=40)])
    X[::5, 2] = np.nan
    table = read_table(X, nominal_features=[1])
    scaled = in_standard_units(table)
    expected = X / [X[:, 0].std(), 1.0, np.nanstd(X[:, 2])]
    np.testing.assert_allclose(scaled.values, expected, rtol=1e-12)
    tiny = sparse.csr_array(np.array([[0.0, 1.0], [1e-310, 2.0], [3e-310, 0.0]]))
    scaled = in_standard_units(read_table(tiny)).matrix.toarray()
    np.testing.assert_allclose(scaled.std(axis=0), 1.0, rtol=1e-9)
    found = error_curve(X[:, [0, 1]], VarianceRanker(), scale="standard", n_random=0, cv=4)
    assert all(order[0] == 0 for order in found.orders["VarianceRanker"])
    with pytest.raises(ValueError, match="scale"):
        error_curve(X, VarianceRanker(), scale="unit")
