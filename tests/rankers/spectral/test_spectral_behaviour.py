"""What a user of the baselines meets: clusters found, bad input, warnings, reproducibility."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from unsuprank import MCFS, NDFS, SPEC, AgnoSS, LaplacianScore
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.spectral.graph import GraphOptions, nearest_rows

BASELINES = [LaplacianScore, SPEC, MCFS, NDFS, AgnoSS]
SPECTRAL = BASELINES[:4]


def make(cls, **params):
    if "random_state" in cls().get_params():
        params.setdefault("random_state", 0)
    return cls(**params)


def clustered_table(seed):
    """300 x 50, three clusters in five columns that each arrange them differently."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 50))
    columns = rng.choice(50, 5, replace=False)
    cluster = rng.integers(3, size=300)
    X[:, columns] += 3 * ((cluster[:, None] + np.arange(5)) % 3)
    return X, set(columns)


@pytest.mark.parametrize(
    ("ranker", "hits", "tables"),
    [
        (LaplacianScore(), 5, 9),
        (SPEC(), 5, 9),
        (SPEC(style=3), 5, 9),
        (MCFS(), 4, 8),
        (NDFS(random_state=0), 4, 8),
    ],
    ids=str,
)
def test_finds_the_columns_that_bear_clusters(ranker, hits, tables):
    found = []
    for seed in range(10):
        X, columns = clustered_table(seed)
        found.append(len(columns & set(ranker.fit(X).order_[:5])))
    assert sum(n >= hits for n in found) >= tables


@pytest.mark.parametrize("cls", BASELINES)
class TestBadInput:
    @pytest.mark.filterwarnings("ignore:The neighbour graph")
    def test_constant_columns_come_last(self, cls):
        X = clustered_table(0)[0][:60, :8]
        X[:, 3] = 7.5
        ranker = make(cls).fit(X)
        assert ranker.scores_[3] == 0
        assert np.isfinite(ranker.scores_).all()
        assert (ranker.scores_ >= 0).all()

    @pytest.mark.filterwarnings("ignore:The neighbour graph")
    def test_all_constant_and_few_rows(self, cls):
        for X in (np.ones((10, 3)), np.zeros((2, 1)), np.array([[1.0, 2.0], [3.0, 2.0]])):
            assert np.isfinite(make(cls).fit(X).scores_).all()

    @pytest.mark.filterwarnings("ignore:The neighbour graph")
    @pytest.mark.parametrize("size", [1e-300, 1e30, 1e200, 1e307])
    def test_extreme_values(self, cls, size):
        X = clustered_table(0)[0][:60, :8]
        ranker = make(cls, n_clusters=3) if "n_clusters" in cls().get_params() else make(cls)
        usual = ranker.fit(X).scores_
        np.testing.assert_allclose(ranker.fit(X * size).scores_, usual, rtol=1e-6, atol=1e-9)
        X[:, 2] *= size
        assert np.isfinite(ranker.fit(X).scores_).all()

    def test_missing_nominal_and_infinite(self, cls):
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, np.nan, 2.0]})
        with pytest.raises(ValueError, match=r"'b'.*RandomRanker"):
            make(cls).fit(frame)
        frame["b"] = ["x", "y", "x"]
        with pytest.raises(ValueError, match=r"'b'.*RandomRanker"):
            make(cls).fit(frame)
        frame["b"] = [1.0, np.inf, 2.0]
        with pytest.raises(ValueError, match="'b'"):
            make(cls).fit(frame)
        with pytest.raises(ValueError):
            make(cls).fit(np.array([["x", "y"], ["z", "w"]]))

    def test_bad_fit_changes_nothing(self, cls):
        X = clustered_table(0)[0][:40]
        ranker = make(cls).fit(X)
        before = ranker.scores_.copy()
        with pytest.raises(ValueError):
            ranker.fit(np.full((5, 2), np.nan))
        assert np.array_equal(ranker.scores_, before)
        assert ranker.n_features_in_ == 50

    def test_same_answer_for_every_n_jobs(self, cls):
        X = clustered_table(1)[0]
        params = {"n_restarts": 3} if cls is AgnoSS else {}
        first = make(cls, n_jobs=1, **params).fit(X).scores_
        for n_jobs in (1, 2, 3, -1, None):
            assert np.array_equal(make(cls, n_jobs=n_jobs, **params).fit(X).scores_, first)


@pytest.mark.parametrize("cls", SPECTRAL)
def test_preset_gives_an_answer(cls):
    X = clustered_table(0)[0][:50, :10] * 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert np.isfinite(make(cls, preset="scikit-feature").fit(X).scores_).all()


@pytest.mark.filterwarnings("ignore:The neighbour graph")
@pytest.mark.parametrize("cls", [LaplacianScore, SPEC])
def test_preset_warns_of_ties(cls):
    X = clustered_table(0)[0] * 100
    with pytest.warns(UserWarning, match="tie"):
        make(cls, preset="scikit-feature").fit(X)


def test_preset_of_ndfs_names_a_column_too_large_to_square():
    X = clustered_table(0)[0][:30, :4]
    X[:, 2] *= 1e200
    with pytest.raises(ValueError, match="Column 2"):
        NDFS(preset="scikit-feature", random_state=0).fit(X)


def test_graph_warnings():
    X = clustered_table(0)[0][:50]
    with pytest.warns(UserWarning, match="numerically the identity"):
        LaplacianScore(width=1e-3).fit(X)
    for style in (0, 3):
        with pytest.warns(UserWarning, match="numerically the identity"):
            SPEC(gamma=1e3, style=style).fit(X)
    X[:25] += 100
    with pytest.warns(UserWarning, match="2 components"):
        LaplacianScore().fit(X)


def test_ndfs_reports_convergence():
    X = clustered_table(0)[0]
    with pytest.warns(UserWarning, match="did not converge in 2 steps"):
        assert NDFS(max_iter=2, random_state=0).fit(X).n_iter_ == 2
    ranker = NDFS(random_state=0).fit(X)
    assert 2 < ranker.n_iter_ < 1000
    assert (np.diff(ranker.objective_) <= 0).all()


@pytest.mark.filterwarnings("ignore:The neighbour graph")
def test_spec_ties_under_published_settings_are_exact():
    """With gamma 1 far rows are isolated: whatever rounding says, all scores are the same."""
    X = np.random.default_rng(0).normal(size=(60, 30)) * 100
    with pytest.warns(UserWarning, match="SPEC"):
        scores = SPEC(preset="scikit-feature").fit(X).scores_
    assert (scores == scores[0]).all()


def test_threads_do_not_tell_equally_near_rows_apart():
    rng = np.random.default_rng(0)
    X = ColumnMatrix(
        (rng.random((1500, 12)) < 0.2).astype(float)
    )  # short texts: hundreds of rows tie
    with threadpool_limits(1):
        one = nearest_rows(X, GraphOptions())
    for threads in (2, 4):
        with threadpool_limits(threads):
            assert np.array_equal(nearest_rows(X, GraphOptions()), one)
            assert np.array_equal(nearest_rows(X, GraphOptions(n_jobs=threads)), one)


def loud_noise() -> np.ndarray:
    """Three clusters in five columns of 50, and noise a thousand times as loud."""
    X, columns = clustered_table(0)
    quiet = np.isin(np.arange(50), list(columns))
    return np.c_[X[:, quiet], 1000.0 * X[:, ~quiet]]


@pytest.mark.parametrize("cls", SPECTRAL)
def test_standardised_columns_are_what_raw_ones_are_after_scaling(cls):
    X = loud_noise()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    usual, by_hand = make(cls).fit(X), make(cls, standardize=False).fit(Z)
    np.testing.assert_allclose(usual.scores_, by_hand.scores_, rtol=1e-6, atol=1e-9)
    assert len({0, 1, 2, 3, 4} & set(usual.order_[:5])) >= 4


@pytest.mark.parametrize("cls", [LaplacianScore, SPEC])
def test_loud_noise_hides_clusters_from_raw_distances(cls):
    assert not {0, 1, 2, 3, 4} & set(make(cls, standardize=False).fit(loud_noise()).order_[:5])


@pytest.mark.filterwarnings("ignore:The neighbour graph")
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("cls", SPECTRAL)
def test_columns_of_all_sizes_at_once(cls, standardize):
    X = clustered_table(0)[0][:60, :8]
    X[:, 1] = 3.0
    X[:, 2:5] *= [1e-310, 1e-160, 1e150 if standardize else 1e100]
    X[:, 5] = np.sign(X[:, 5]) * (9e307 if standardize or cls is not NDFS else 1.0)
    ranker = make(cls, standardize=standardize).fit(X)
    assert np.isfinite(ranker.scores_).all()
    assert ranker.scores_[1] == 0
