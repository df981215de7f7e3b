"""`Diversified` against a reading of its definition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import Diversified, RandomRanker, Ranker, VarianceRanker
from unsuprank.rankers.coordinates import Coordinates
from unsuprank.rankers.subset.diversified import LEAST_NOVELTY, diversify
from unsuprank.table import read_table


def naive_order(ranking, X, redundancy):
    """Columns chosen one by one by (1 - largest squared correlation) ** redundancy / rank."""
    r2 = np.corrcoef(X, rowvar=False) ** 2
    chosen: list[int] = []
    while len(chosen) < len(ranking):

        def worth(j):
            novelty = min([1.0, *(max(1 - r2[i, j], LEAST_NOVELTY) for i in chosen)])
            return novelty**redundancy / ranking[j]

        left = [j for j in range(len(ranking)) if j not in chosen]
        chosen.append(max(left, key=worth))
    return chosen


@pytest.mark.parametrize("seed", range(200))
def test_order_is_the_defined_one(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, n)) + 0.3 * rng.normal(size=(20, n))
    redundancy = rng.choice([0.0, 0.5, 1.0, 3.0])
    ranking = rng.permutation(n) + 1
    coordinates = Coordinates.of(read_table(X))
    matrix = coordinates.with_spreads(0.0)
    scores = diversify(ranking, matrix, coordinates.widths, redundancy, n)
    assert np.argsort(-scores, kind="stable").tolist() == naive_order(ranking, X, redundancy)


def test_nothing_moves_without_redundancy():
    X = np.random.default_rng(0).normal(size=(30, 12))
    wrapped = RandomRanker(random_state=3)
    assert np.array_equal(Diversified(wrapped, redundancy=0.0).fit(X).order_, wrapped.fit(X).order_)


def test_copies_come_after_everything_new_in_the_order_of_the_ranker():
    rng = np.random.default_rng(1)
    signals = np.linalg.qr(rng.normal(size=(40, 5)) - 0.0)[0]
    signals = (signals - signals.mean(axis=0)) * np.array([5, 4, 3, 2, 1])
    X = np.hstack([signals, signals * 0.99])
    order = Diversified(VarianceRanker()).fit(X).order_
    assert sorted(order[:5]) == [0, 1, 2, 3, 4]
    assert order[5:].tolist() == [5, 6, 7, 8, 9]


def test_columns_after_the_last_pick_follow_by_their_worth():
    X = np.random.default_rng(2).normal(size=(30, 40))
    few, all_ = Diversified(n_picks=10).fit(X), Diversified(n_picks=40).fit(X)
    assert np.array_equal(few.order_[:10], all_.order_[:10])
    assert np.all(np.diff(all_.scores_[all_.order_]) <= 0)
    assert few.scores_[few.order_[10:]].max() <= few.scores_[few.order_[9]]


def test_nominal_copies_are_seen():
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 3, size=60)
    frame = pd.DataFrame(
        {
            "a": pd.Categorical(np.array(list("xyz"))[kind]),
            "b": pd.Categorical(np.array(list("uvw"))[kind]),
            "c": rng.normal(size=60),
        }
    )

    class InColumnOrder(Ranker):
        accepts_nominal = accepts_missing = True
        n_features_to_select = 2

        def _score(self, table):
            return -np.arange(table.n_columns, dtype=float)

    assert Diversified(InColumnOrder()).fit(frame).order_.tolist() == [0, 2, 1]
    frame.loc[3, "c"] = np.nan
    assert Diversified(InColumnOrder()).fit(frame).order_.tolist() == [0, 2, 1]


def test_the_wrapped_ranker_refuses_what_it_cannot_take():
    X = np.random.default_rng(0).normal(size=(10, 3))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="VarianceRanker cannot take missing"):
        Diversified(VarianceRanker()).fit(X)
    assert Diversified(RandomRanker(random_state=0)).fit(X).scores_.shape == (3,)


def test_the_wrapped_ranker_is_left_alone():
    wrapped = VarianceRanker()
    fitted = Diversified(wrapped).fit(np.eye(4))
    assert not hasattr(wrapped, "scores_")
    assert fitted.ranker_.scores_.shape == (4,)
