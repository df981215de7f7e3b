"""The race for the places at the top: who drops out, what is told, and the same every time."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from unsuprank import Genie3, RandomForestScore, SymbolicScore
from unsuprank import _parallel as parallel
from unsuprank._progress import Progress, silent
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest import race as races
from unsuprank.rankers.forest.convergence import (
    N_BLOCKS,
    StabilitySum,
    StoppingRule,
    rank_intervals,
)
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.race import Race, in_reach, tree_cost
from unsuprank.rankers.forest.tree_scores import ScoreSum, dense_scores, tree_scores
from unsuprank.table import read_table

N_TOP = 5


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    """Columns that follow a line more and more, and many of noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 120))
    X[:, 100:] += np.outer(np.linspace(-1, 1, 30), np.linspace(0, 2, 20) ** 2)
    X[:, 7] = 1.0
    return X


def run_race(X: np.ndarray, seed: int, max_estimators: int = 10**6, kind: str = "genie3") -> Race:
    grower = Grower(Space.of(read_table(X)), GrowSettings(seed, 7))
    rule = StoppingRule(N_TOP, 0.9, max_estimators)
    race = Race(grower, kind, rule, 1, Progress(silent("trees"), 1))
    race.run()
    return race


def test_in_reach():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(1, 20))
        n_top = int(rng.integers(1, n + 2))
        total = ScoreSum(n)
        total.add(dense_scores(rng.exponential(rng.random(n) * 3, size=(20, n))), 20)
        mean, margin = total.mean(), races.MARGIN * total.standard_error()
        expected = [
            j
            for j in range(n)
            if sum(mean[i] - margin[i] > mean[j] + margin[j] for i in range(n)) < n_top
        ]
        assert in_reach(total, n_top).tolist() == expected


def test_columns_drop_out_and_keep_what_was_known(X):
    race = run_race(X, seed=1)
    assert race.seen.ended == "stable"
    assert race.probed.any()
    assert not race.probed[7]
    assert race.scores[7] == 0.0
    n_plain = race.seen.n_trees[0]
    plain = ScoreSum(120)
    grower = race.grower
    plain.add(tree_scores("genie3", grower.grow(0, n_plain), grower, 0), n_plain)
    aside = ~race.probed
    assert np.array_equal(race.scores[aside], plain.mean()[aside])
    assert race.scores[aside].max() < np.sort(race.scores)[-N_TOP]
    assert (race.sem[race.probed].max()) < plain.standard_error()[race.probed].min()


def test_the_last_round_is_scored_by_its_own_trees(X, monkeypatch):
    rounds = []
    probe = Race._probe

    def remember(self, columns, known):
        rounds.append((columns, self.n_trees))
        return probe(self, columns, known)

    monkeypatch.setattr(Race, "_probe", remember)
    race = run_race(X, seed=1)
    columns, first = rounds[-1]
    fresh = race.grower.probe(columns, "genie3", first, race.n_trees)
    np.testing.assert_allclose(race.scores[columns], fresh.mean(axis=0), rtol=1e-12)
    assert len(rounds) > 1
    for (larger, _), (smaller, _) in itertools.pairwise(rounds):
        assert set(smaller) < set(larger)


@pytest.mark.untraced
def test_standard_errors_are_honest(X):
    rounds = run_race(X, seed=99).grower.probe(np.arange(120), "genie3", 10**6, 10**6 + 6000)
    truth = rounds.mean(axis=0)
    covered = []
    for seed in range(25):
        race = run_race(X, seed)
        near = race.probed & (race.scores >= np.sort(race.scores)[-2 * N_TOP])
        covered += (np.abs(race.scores - truth) <= 1.96 * race.sem)[near].tolist()
    assert 0.90 <= np.mean(covered) <= 0.98


@pytest.mark.parametrize("most", [N_BLOCKS, 100, 300, 600, 2000])
def test_budget_counts_probes(X, most):
    race = run_race(np.random.default_rng(3).normal(size=(20, 120)), 0, most)
    assert race.spent <= most
    assert race.n_trees >= N_BLOCKS
    assert race.seen.ended == "spent"
    # Whatever is left would not have made another tree.
    assert most - race.spent < tree_cost(120, 7, "genie3")
    assert np.isfinite(race.sem).all()


def test_a_race_that_is_cut_short_says_how_stable_all_its_rounds_are(X, monkeypatch):
    """What is returned then is the mean over all rounds of probes."""
    rounds = []
    probe = Race._probe

    def remember(self, columns, known):
        rounds.append((columns, self.n_trees))
        return probe(self, columns, known)

    monkeypatch.setattr(Race, "_probe", remember)
    race = run_race(X, seed=1, max_estimators=1500)
    assert race.seen.ended == "spent"
    assert len(rounds) > 1
    last_columns = rounds[-1][0]
    ends = [first for _, first in rounds[1:]] + [race.n_trees]
    total = StabilitySum(len(last_columns))
    for (columns, first), last in zip(rounds, ends, strict=True):
        credits = race.grower.probe(columns, "genie3", first, last)
        scores = dense_scores(credits[:, np.searchsorted(columns, last_columns)])
        total.add(scores, last - first)
    np.testing.assert_allclose(race.scores[last_columns], total.mean(), rtol=1e-12)
    assert race.seen.stability[-1] == pytest.approx(total.stability(N_TOP))


def test_a_race_that_is_cut_short_is_honest(X):
    cut = [run_race(X, seed, max_estimators=900) for seed in range(20)]
    assert {race.seen.ended for race in cut} == {"spent"}
    tops = [set(np.argsort(-race.scores, kind="stable")[:N_TOP]) for race in cut]
    shared = [len(a & b) / N_TOP for a, b in itertools.combinations(tops, 2)]
    said = np.mean([race.seen.stability[-1] for race in cut])
    assert abs(said - np.mean(shared)) < 0.1


@pytest.mark.parametrize("how", [{}, {"gain": "out_of_bag"}])
def test_same_answer_whatever_threads_and_batches(X, how, monkeypatch):
    how = {"n_features_to_select": N_TOP, "random_state": 5, **how}
    first = Genie3("auto", n_jobs=1, **how).fit(X)
    assert first.converged_
    for n_jobs, seconds in ((2, 0.1), (3, 0.001), (1, 0.0)):
        monkeypatch.setattr(parallel, "BATCH_SECONDS", seconds)
        again = Genie3("auto", n_jobs=n_jobs, **how).fit(X)
        assert np.array_equal(again.scores_, first.scores_)
        assert np.array_equal(again.scores_sem_, first.scores_sem_)
        np.testing.assert_equal(again.convergence_, first.convergence_)


@pytest.mark.parametrize("cls", [Genie3, SymbolicScore])
def test_two_seeds_agree(cls, X):
    tops = [
        set(cls("auto", n_features_to_select=N_TOP, random_state=s).fit(X).order_[:N_TOP])
        for s in range(8)
    ]
    shared = [len(a & b) / N_TOP for a, b in zip(tops[::2], tops[1::2], strict=True)]
    assert np.mean(shared) >= 0.8


def test_rank_intervals_know_what_probes_know(X):
    auto = Genie3("auto", n_features_to_select=N_TOP, random_state=0).fit(X)
    plain = Genie3(auto.n_estimators_, random_state=0).fit(X)
    top = auto.order_[:N_TOP]
    width = [np.ptp(ranker.rank_interval_[top], axis=1).mean() for ranker in (auto, plain)]
    assert width[0] < width[1] / 2


def test_says_how_long_plain_trees_may_take(X, monkeypatch):
    monkeypatch.setattr(races, "LONG_SECONDS", 0.0)
    ranker = RandomForestScore("auto", max_estimators=1500, random_state=0)
    with (
        pytest.warns(UserWarning, match="no short cut"),
        pytest.warns(ConvergenceWarning, match="max_estimators"),
    ):
        ranker.fit(X)


def test_what_can_be_probed():
    space = Space.of(read_table(np.random.default_rng(0).normal(size=(12, 4))))
    for exhaustive, tie_break in itertools.product((False, True), ("fair", "first")):
        grower = Grower(
            space, GrowSettings(0, 2, exhaustive=exhaustive, first_of_ties=tie_break == "first")
        )
        plain = not exhaustive and tie_break == "fair"
        assert races.can_probe("genie3", grower) == plain
        assert races.can_probe("symbolic", grower) == plain
        assert not races.can_probe("random_forest", grower)


def test_rank_intervals_hold_together():
    X = np.random.default_rng(1).normal(size=(30, 8))
    ranker = Genie3(200, random_state=0).fit(X)
    expected = rank_intervals(ranker.scores_, ranker.scores_sem_, 0.95)
    np.testing.assert_array_equal(ranker.rank_interval_, expected)
    first = Genie3(200, include=[3, 5], random_state=0).fit(X)
    rest = np.setdiff1d(np.arange(8), [3, 5])
    level = 1.0 - 0.05 * 6 / 8
    expected = 2 + rank_intervals(first.scores_[rest], first.scores_sem_[rest], level)
    np.testing.assert_array_equal(first.rank_interval_[rest], expected)


def test_rank_intervals_by_their_definition():
    """A score that no tree has changed is as unsure as the least unsure of the others."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        n = int(rng.integers(2, 9))
        scores, sem = rng.random(n), rng.random(n) * rng.choice([0.0, 0.05, 0.2], n)
        least = min((s for s in sem if s > 0), default=0.0)
        margin = NormalDist().inv_cdf(1 - 0.1 / (2 * n)) * np.maximum(sem, least)
        low, high = scores - margin, scores + margin
        expected = [(1 + sum(low > high[j]), n - sum(high < low[j])) for j in range(n)]
        np.testing.assert_array_equal(rank_intervals(scores, sem, 0.9), expected)
