"""What is known of rankings: ranks, agreement, stability, chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from describe_tables import mixed_with_gaps
from scipy.stats import rankdata, spearmanr

from unsuprank import NDFS, Diversified, Genie3, Ranker, VarianceRanker
from unsuprank.describe import (
    agreement_rows,
    compare_rankings,
    knee,
    measure_stability,
    rank_rows,
    rank_scores,
    spearman,
)
from unsuprank.describe.fitted import names_of, read_for
from unsuprank.describe.rank_stability import scores_of_other_seeds
from unsuprank.describe.refits import effort, for_refits, n_refits, refit
from unsuprank.table import Table, read_table


class Watcher(Ranker):
    """Remembers the tables that it and its clones were fitted on."""

    seen: list = []  # noqa: RUF012 - clones share it
    accepts_missing = accepts_nominal = True

    def __init__(self, n_features_to_select=16):
        self.n_features_to_select = n_features_to_select

    def _score(self, table):
        self.seen.append(table)
        return np.nan_to_num(table.values).std(axis=0)


@pytest.fixture
def watcher():
    Watcher.seen.clear()
    return Watcher()


def test_ranks():
    rng = np.random.default_rng(0)
    scores = rng.integers(5, size=(20, 9))
    np.testing.assert_array_equal(
        rank_scores(scores), [rankdata(-row, method="ordinal") for row in scores]
    )


def test_spearman_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for n in (2, 3, 10, 1000):
        for _ in range(20):
            a, b = rng.integers(n, size=n), rng.normal(size=n)
            if len(set(a)) > 1:
                assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
            assert spearman(b, -b) == -1.0


def test_spearman_without_an_order():
    assert spearman([3], [7]) == 1.0
    assert spearman([1, 1, 1], [2, 2, 2]) == 1.0
    assert spearman([1, 1, 1], [1, 2, 3]) == 0.0


def test_agreement_of_rankers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 10)) * rng.uniform(1, 5, size=10)
    fitted = {"one": VarianceRanker().fit(X), "two": VarianceRanker().fit(X[:5])}
    found = compare_rankings(fitted, 4)
    orders = [r.order_ for r in fitted.values()]
    shared = len(set(orders[0][:4]) & set(orders[1][:4]))
    r = spearmanr(*(ranker.ranking_ for ranker in fitted.values())).statistic
    np.testing.assert_array_equal(found.shared, [[4, shared], [shared, 4]])
    np.testing.assert_allclose(found.spearman, [[1, r], [r, 1]])
    assert agreement_rows(fitted, 4)[1] == ["two", f"{r:.2f} / {shared}", "1.00 / 4"]
    rows = rank_rows([f"x{j}" for j in range(10)], fitted)
    means = np.mean([ranker.ranking_ for ranker in fitted.values()], axis=0)
    assert [row["mean_rank"] for row in rows] == sorted(means)
    assert rows[0]["one_rank"] + rows[0]["two_rank"] == 2 * rows[0]["mean_rank"]


def test_stability_of_refits_on_parts(watcher):
    table = read_table(np.random.default_rng(0).normal(size=(50, 6)))
    ranker = watcher.fit(table)
    found = measure_stability(ranker, table, top=2, seed=3)
    ranks = np.array([rankdata(-part.values.std(axis=0)) for part in watcher.seen[1:]])
    assert found.n_repeats == len(ranks) == 20
    np.testing.assert_allclose(found.frequency, (ranks <= 2).mean(axis=0))
    inside = (found.low <= ranks) & (ranks <= found.high)
    assert (inside.mean(axis=0) >= 0.9).all()
    assert (found.low <= ranker.ranking_).all()
    assert (found.high >= ranker.ranking_).all()


def test_refits_are_of_the_same_kind_as_the_fit(watcher):
    """Names, nominal values and booleans stay what they were."""
    frame = mixed_with_gaps()
    ranker = watcher.fit(frame)
    measure_stability(ranker, frame, 3)
    first, *others = watcher.seen
    assert len(others) == 20
    for table in others:
        assert isinstance(table, Table)
        assert table.schema.names == first.schema.names
        for a, b in zip(table.schema.categories, first.schema.categories, strict=True):
            np.testing.assert_array_equal(a, b)
        assert table.schema.boolean == {5}
        assert table.n_rows == 72


def test_refits_follow_from_table_and_method_alone(monkeypatch):
    """However slow the machine is."""
    import time

    table = read_table(np.random.default_rng(0).normal(size=(300, 5)))
    ranker = VarianceRanker().fit(table)
    found = []
    for ticks in (1e-6, 1e3):
        clock = iter(np.arange(10**4) * ticks)
        for name in ("monotonic", "perf_counter", "time"):
            monkeypatch.setattr(time, name, lambda clock=clock: float(next(clock)))
        found.append(measure_stability(ranker, table, 3))
    first, second = found
    assert first.n_repeats == second.n_repeats == 20
    assert np.array_equal(first.low, second.low)


def test_larger_tables_get_fewer_refits():
    def counts(ranker):
        tables = (read_table(np.zeros((200, n))) for n in (10, 5_000, 20_000))
        return [n_refits(ranker, table, 200) for table in tables]

    assert counts(VarianceRanker()) == [20, 15, 3]
    assert counts(NDFS())[1:] == [3, 3]
    assert counts(Genie3(n_estimators=1000))[1:] == [3, 3]
    names = pd.DataFrame({f"c{j}": [f"{i}" for i in range(200)] for j in range(50)})
    assert n_refits(Genie3(), read_table(names), 200) < 20  # names count with their values


def test_refits_of_a_forest_that_decides_on_its_size_do_so_too():
    X = np.random.default_rng(0).normal(size=(40, 30))
    X[:, :8] += np.outer(np.linspace(-2, 2, 40), np.ones(8))
    table = read_table(X)
    ranker = Genie3("auto", n_features_to_select=8, random_state=0).fit(table)
    for one in (ranker, Diversified(ranker).fit(table)):
        again = for_refits(one)
        parameters = again.get_params()
        prefix = "" if one is ranker else "ranker__"
        assert parameters[f"{prefix}n_estimators"] == "auto"
        assert parameters[f"{prefix}max_estimators"] == 0.1
    parts = [np.arange(40)] * 2
    first, second = refit(for_refits(ranker), table, parts, 1, lambda fitted: fitted)
    assert first.converged_
    assert second.converged_
    assert not np.array_equal(first.scores_, second.scores_)  # seeds of their own
    top = ranker.order_[:8]
    assert np.median(first.scores_sem_[top] / ranker.scores_sem_[top]) < 3  # as sure as the fit
    given = Genie3("auto", max_estimators=500, n_features_to_select=8)
    assert for_refits(given).max_estimators == 500
    assert effort(ranker, table, 40) == pytest.approx(
        effort(Genie3(100), table, 40) * ranker.spent_ / 100
    )


def test_forest_intervals_hold_the_ranks_of_other_seeds():
    """Nine of ten, from standard errors alone; 0.8 leaves room for chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(60, 40))
    first = Genie3(random_state=0).fit(X)
    found = measure_stability(first, X, 16)
    assert found.drawn
    others = np.array([Genie3(random_state=s).fit(X).ranking_ for s in range(1, 31)])
    inside = ((found.low <= others) & (others <= found.high)).mean()
    assert 0.8 < inside < 0.99
    assert np.abs((others <= 16).mean(axis=0) - found.frequency).mean() < 0.2
    assert ((found.high - found.low) < 39).any()


def test_what_a_ranker_was_fitted_on():
    codes = np.random.default_rng(0).integers(3, size=(20, 4)).astype(float)
    wrapped = Diversified(Genie3(5, nominal_features=[1], random_state=0)).fit(codes)
    assert read_for(wrapped, codes).n_values.tolist() == [0, 3, 0, 0]
    assert names_of(wrapped) == ["x0", "x1", "x2", "x3"]
    named = VarianceRanker().fit(pd.DataFrame(codes, columns=list("abcd")))
    assert names_of(named) == list("abcd")
    with pytest.raises(ValueError, match="X has 2 columns, but 4 were ranked"):
        read_for(named, codes[:, :2])


@pytest.mark.parametrize("seed", range(20))
def test_the_knee_is_furthest_below_the_chord(seed):
    scores = np.random.default_rng(seed).exponential(size=3 + seed)
    falling = sorted(scores.tolist(), reverse=True)
    high, low, last = falling[0], falling[-1], len(falling) - 1
    below = [round(high + (low - high) * k / last - x, 12) for k, x in enumerate(falling)]
    assert knee(scores) == below.index(max(below)) + 1
    assert knee([2.0, 1.0]) == 2
    assert knee([3.0, 3.0, 3.0, 3.0]) == 4
    assert knee([2.0, 2.0, 2.0]) == 3


def test_scores_of_other_seeds_are_as_far_apart_as_two_means():
    error = np.array([0.1, 2.0, 0.0])
    drawn = scores_of_other_seeds(np.array([5.0, -1.0, 0.0]), error, 0)
    few = np.sqrt(2 / len(drawn))  # relative error of a standard deviation, twice
    assert drawn.std(axis=0) == pytest.approx(np.sqrt(2) * np.array([0.1, 2.0, 0.1]), rel=3 * few)
    assert drawn.mean(axis=0) == pytest.approx([5.0, -1.0, 0.0], abs=6 * 2 / np.sqrt(len(drawn)))
