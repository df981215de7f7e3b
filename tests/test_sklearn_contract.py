"""Every public estimator against scikit-learn's own checks and the contract of `Ranker`."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from unsuprank import Diversified, Ranker, registry
from unsuprank.rankers.forest.forest_ranker import ForestRanker

pytestmark = pytest.mark.untraced

#: Asked of the registry, which imports all of them.
RANKERS = list(dict.fromkeys(method.ranker for method in registry.available()))


def quick(cls: type[Ranker], **params) -> Ranker:
    """An instance of `cls`, seeded where it can be."""
    known = cls().get_params()
    if "random_state" in known:
        params.setdefault("random_state", 0)
    return cls(**params)


def expected_failures(ranker: Ranker) -> dict[str, str]:
    """Forests draw rows by their places, and one check repeats rows in another order."""
    if not isinstance(ranker, (ForestRanker, Diversified)):
        return {}
    name = "check_sample_weight_equivalence_on_{}_data"
    return {name.format(kind): "the check shuffles rows" for kind in ("dense", "sparse")}


@parametrize_with_checks([quick(cls) for cls in RANKERS], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 20)) * np.arange(1, 21)


@pytest.mark.parametrize("cls", RANKERS)
class TestContract:
    def test_scores_order_and_ranking_agree(self, cls, X):
        ranker = quick(cls).fit(X)
        assert ranker.scores_.shape == (20,)
        assert ranker.scores_.dtype == np.float64
        assert np.isfinite(ranker.scores_).all()
        assert np.array_equal(ranker.order_, np.argsort(-ranker.scores_, kind="stable"))
        assert np.array_equal(ranker.ranking_[ranker.order_], np.arange(1, 21))
        assert ranker.feature_importances_.sum() == pytest.approx(1)

    def test_selects_the_best(self, cls, X):
        ranker = quick(cls, n_features_to_select=3).fit(X)
        assert np.array_equal(ranker.transform(X), X[:, np.sort(ranker.order_[:3])])
        assert quick(cls, n_features_to_select=0.5).fit(X).get_support().sum() == 10

    def test_names(self, cls, X):
        frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(20)])
        ranker = quick(cls, n_features_to_select=2).set_output(transform="pandas").fit(frame)
        assert list(ranker.transform(frame).columns) == list(ranker.get_feature_names_out())
        assert set(ranker.get_feature_names_out()) <= set(frame.columns)

    def test_same_answer_after_clone_pickle_and_layout(self, cls, X):
        first = quick(cls).fit(X)
        for again in (
            clone(first).fit(X),
            pickle.loads(pickle.dumps(first)),
            clone(first).fit(np.asfortranarray(X)),
            clone(first).fit(pd.DataFrame(X)),
        ):
            assert np.array_equal(first.scores_, again.scores_)

    def test_a_failed_fit_changes_nothing(self, cls, X):
        ranker = quick(cls).fit(X)
        before = ranker.scores_.copy()
        with pytest.raises(ValueError, match="infinity"):
            ranker.fit(np.full((3, 3), np.inf))
        assert np.array_equal(ranker.scores_, before)
        assert ranker.n_features_in_ == 20
