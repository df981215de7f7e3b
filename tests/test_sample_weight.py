"""Weights of rows: counts are repeated rows, shares are drawn, both by metadata routing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline

from unsuprank import Genie3, RandomRanker, SharedVariance, URelief, VarianceRanker
from unsuprank._weights import weighted_rows
from unsuprank.registry import available, find, make
from unsuprank.table import read_table

METHODS = [m.name for m in available()]


def numbers(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(24, 7)) @ rng.normal(size=(7, 7))


def mixed() -> pd.DataFrame:
    """Numbers with gaps, names one of which only rows without a weight have, and a flag."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(numbers(), columns=list("abcdefg"))
    frame.loc[::5, "b"] = np.nan
    frame["kind"] = rng.choice(["cat", "dog", "fox"], size=24)
    frame["rare"] = np.where(counts() > 0, rng.choice(["p", "q"], size=24), "only here")
    frame.loc[3, "kind"] = None
    frame["flag"] = rng.random(24) < 0.4
    return frame


def counts() -> np.ndarray:
    return np.random.default_rng(2).integers(0, 4, size=24)


@pytest.mark.parametrize("name", METHODS)
class TestEveryRanker:
    def table(self, name: str):
        method = find(name)
        takes_all = method.accepts_nominal and method.accepts_missing
        return mixed() if takes_all else pd.DataFrame(numbers())

    def test_counts_are_repeated_rows(self, name):
        X, w = self.table(name), counts()
        weighted = make(name, seed=0).fit(X, sample_weight=w)
        repeated = make(name, seed=0).fit(X.iloc[np.repeat(np.arange(24), w)])
        np.testing.assert_array_equal(weighted.scores_, repeated.scores_)
        pd.testing.assert_frame_equal(weighted.to_frame(), repeated.to_frame())

    def test_weights_of_one_change_nothing_and_neither_do_equal_shares(self, name):
        X = self.table(name)
        plain = make(name, seed=0).fit(X)
        for w in (np.ones(24), [1] * 24, pd.Series(np.full(24, 0.3))):
            weighted = make(name, seed=0).fit(X, sample_weight=w)
            np.testing.assert_array_equal(weighted.scores_, plain.scores_)

    def test_transform_and_names_are_those_of_the_table(self, name):
        X = self.table(name)
        ranker = make(name, seed=0, n_features_to_select=3)
        kept = ranker.fit_transform(X, sample_weight=counts())
        assert kept.shape == (24, 3)
        assert ranker.n_features_in_ == X.shape[1]


def test_shares_are_drawn_in_proportion():
    w = np.random.default_rng(0).gamma(0.5, size=200)
    expected = w / w.sum() * 200
    drawn = [np.bincount(weighted_rows(w, (200, 1), seed), minlength=200) for seed in range(400)]
    assert {int(d.sum()) for d in drawn} == {200}
    assert (np.abs(np.array(drawn) - expected) < 1).all()
    np.testing.assert_allclose(np.mean(drawn, axis=0), expected, atol=0.12)


def test_shares_approach_the_weighted_variance():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(4000, 3)) * [1, 2, 3], rng.uniform(size=4000)
    X[:, 0] *= 1 + 3 * (w > 0.5)
    centre = np.average(X, axis=0, weights=w)
    wanted = np.average((X - centre) ** 2, axis=0, weights=w)
    np.testing.assert_allclose(VarianceRanker().fit(X, None, w).scores_, wanted, rtol=0.05)


def test_the_same_answer_twice_and_the_scale_of_shares_does_not_count():
    X, w = numbers(), np.random.default_rng(3).uniform(size=24)
    for ranker in (VarianceRanker(), SharedVariance(), Genie3(random_state=3)):
        first = ranker.fit(X, sample_weight=w).scores_
        np.testing.assert_array_equal(ranker.fit(X, sample_weight=w).scores_, first)
        np.testing.assert_array_equal(ranker.fit(X, sample_weight=w * 0.25).scores_, first)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(23), r"one number per row, so the shape \(24,\)"),
        (np.ones((24, 2)), r"one number per row"),
        (3, r"one number per row"),
        (-np.ones(24), "must not be negative, and the weight of row 0 is -1"),
        (np.full(24, np.nan), "sample_weight contains NaN"),
        (np.full(24, np.inf), "sample_weight contains infinity"),
        (np.zeros(24), "zero for every row"),
        (np.eye(24)[3], "leaves a single row"),
        (
            np.full(24, 1e9),
            "make 2.4e.10 rows, which is too many; if they are shares",
        ),
        (["heavy"] * 24, "sample_weight|convert"),
    ],
)
def test_errors_say_what_to_do(weights, words):
    with pytest.raises(ValueError, match=words):
        VarianceRanker().fit(numbers(), sample_weight=weights)


def test_sparse_tables_are_weighted_too():
    X, w = numbers() * (numbers(1) > 0.5), counts()
    weighted = VarianceRanker().fit(sparse.csr_array(X), sample_weight=w)
    repeated = VarianceRanker().fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.scores_, repeated.scores_)


def test_nominal_values_are_those_of_the_rows_that_count():
    """URelief knows how many values there are; those of rows without weight do not count."""
    frame = mixed()
    table = read_table(frame)
    part = table.take(np.flatnonzero(counts())).without_unused_values()
    again = read_table(frame[counts() > 0])
    np.testing.assert_array_equal(part.n_values, again.n_values)
    np.testing.assert_array_equal(part.values, again.values)
    weighted = URelief(n_neighbors=3).fit(table, sample_weight=counts() > 0)
    np.testing.assert_array_equal(weighted.scores_, URelief(n_neighbors=3).fit(again).scores_)


def test_metadata_routing():
    X, w = numbers(), counts()
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            VarianceRanker(n_features_to_select=2).set_fit_request(sample_weight=True),
            KMeans(2, n_init=1, random_state=0).set_fit_request(sample_weight=False),
        ).fit(X, sample_weight=w)
        fitted = pipeline.named_steps["varianceranker"]
        np.testing.assert_array_equal(
            fitted.scores_, VarianceRanker().fit(np.repeat(X, w, axis=0)).scores_
        )
        deaf = make_pipeline(RandomRanker().set_fit_request(sample_weight=False))
        with pytest.raises(TypeError, match="sample_weight"):
            deaf.fit(X, sample_weight=w)
