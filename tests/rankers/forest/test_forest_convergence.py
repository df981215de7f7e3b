"""Forests that grow until their ranking is stable, and how sure they are of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from unsuprank import Genie3, RandomForestScore, SymbolicScore
from unsuprank import _parallel as parallel
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.convergence import (
    HALVES,
    N_BLOCKS,
    QUARTERS,
    Convergence,
    StabilitySum,
    StoppingRule,
    Watch,
    grow_until_stable,
    looks,
    rank_intervals,
    top_mask,
)
from unsuprank.rankers.forest.growing import Grower
from unsuprank.rankers.forest.parameters import grow_settings
from unsuprank.rankers.forest.tree_scores import ScoreSum, TreeScores, dense_scores, tree_scores
from unsuprank.table import read_table

FORESTS = (Genie3, RandomForestScore, SymbolicScore)


@pytest.fixture
def groups():
    """Three columns that fall apart into groups, seven of noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10))
    X[:, [2, 5, 8]] += 6 * rng.integers(0, 2, size=(40, 1))
    return X


@pytest.fixture
def flat():
    """Columns that are all worth about the same."""
    return np.random.default_rng(1).normal(size=(20, 100))


def sparse(dense: np.ndarray) -> TreeScores:
    tree, feature = np.nonzero(dense)
    return TreeScores(tree, feature, dense[tree, feature])


def in_pieces(dense: np.ndarray, sizes):
    start = 0
    for size in sizes:
        piece = dense[start : start + size]
        yield sparse(piece), len(piece)
        start += size


def simulated_trees(rng, truth: np.ndarray, n_trees: int) -> np.ndarray:
    """Per-tree scores with mean `truth`: seldom used, skewed, like those of trees."""
    used = rng.random((n_trees, len(truth))) < 0.2
    return used * rng.exponential(truth / 0.2, size=used.shape)


class TestStability:
    def test_top_is_that_of_a_ranking(self):
        rng = np.random.default_rng(0)
        for _ in range(300):
            n = int(rng.integers(1, 30))
            scores = rng.integers(0, 6, size=n).astype(float)
            k = int(rng.integers(1, n + 3))
            expected = np.zeros(n, dtype=bool)
            expected[np.argsort(-scores, kind="stable")[:k]] = True
            assert np.array_equal(top_mask(scores, k), expected)

    def test_pairs_are_disjoint_and_of_equal_size(self):
        for pairs, size, n_pairs in ((HALVES, 8, 15), (QUARTERS, 4, 30)):
            assert len(pairs) == n_pairs
            for a, b in pairs:
                assert len(set(a)) == len(set(b)) == size
                assert not set(a) & set(b)
        sides = {tuple(sorted(map(tuple, pair))) for pair in HALVES}
        assert len(sides) == 15
        assert len({tuple(sorted(map(tuple, pair))) for pair in QUARTERS}) == 30

    def test_oracle(self):
        rng = np.random.default_rng(1)
        for _ in range(200):
            n, T = int(rng.integers(2, 12)), int(rng.integers(N_BLOCKS, 100))
            k = int(rng.integers(1, n))
            dense = rng.integers(0, 4, size=(T, n)) * (rng.random((T, n)) < 0.5)
            sums = StabilitySum(n)
            for scores, size in in_pieces(dense.astype(float), [T // 3, T - T // 3]):
                sums.add(scores, size)

            def top(blocks, dense=dense, T=T, k=k):
                mean = dense[[t for t in range(T) if t % N_BLOCKS in blocks]].mean(axis=0)
                return set(np.argsort(-mean, kind="stable")[:k])

            half, quarter = (
                np.mean([1 - len(top(set(a)) & top(set(b))) / k for a, b in pairs])
                for pairs in (HALVES, QUARTERS)
            )
            rate = np.clip(half / quarter, np.sqrt(0.5), 1) if quarter else 1
            assert sums.stability(k) == pytest.approx(1 - half * rate)

    @pytest.mark.parametrize("spread", [0.0, 0.1, 0.3, 1.0])
    def test_tells_the_overlap_of_independent_forests(self, spread):
        rng = np.random.default_rng(2)
        told, measured = [], []
        for _ in range(30):
            truth = 1 + spread * rng.random(60)
            tops = []
            for _ in range(2):
                dense = simulated_trees(rng, truth, 512)
                sums = StabilitySum(60)
                sums.add(sparse(dense), 512)
                told.append(sums.stability(8))
                tops.append(top_mask(dense.mean(axis=0), 8))
            measured.append(np.sum(tops[0] & tops[1]) / 8)
        noise = 3 * np.std(measured) / np.sqrt(len(measured))
        assert np.mean(told) <= np.mean(measured) + noise
        assert np.mean(told) >= np.mean(measured) - noise - 0.05


class TestGrowing:
    RULE = StoppingRule(n_top=3, stability=0.8, max_estimators=3000)

    def trees(self, rng):
        """A case that takes a few looks."""
        return simulated_trees(rng, np.repeat([4.0, 2.5], [3, 17]), 3000)

    def test_looks(self):
        assert list(looks(100)) == [100]
        assert list(looks(256)) == [256]
        some = list(looks(1001))
        assert some[:3] == [256, 320, 400]
        assert some[-1] == 1001
        assert all(look % N_BLOCKS == 0 for look in some[:-1])
        assert np.all(np.diff(some) > 0)

    def test_does_not_depend_on_batches(self):
        rng = np.random.default_rng(3)
        dense = self.trees(rng)
        results = []
        for most in (1, 7, 300, 3000):
            total = StabilitySum(20)
            sizes = rng.integers(1, most + 1, size=3000) if most < 3000 else [3000]
            seen = grow_until_stable(in_pieces(dense, sizes), Watch(total, self.RULE))
            results.append((vars(seen), total.total, total.squares, total.n_trees))
        assert 256 < results[0][3] < 3000, "the case should be one that stops on the way"
        for result in results[1:]:
            np.testing.assert_equal(result, results[0])

    def test_stops_at_the_second_look_in_a_row(self):
        dense = self.trees(np.random.default_rng(4))
        stability = grow_until_stable(
            in_pieces(dense, [3000]), Watch(StabilitySum(20), self.RULE)
        ).stability
        good = np.array(stability) >= 0.8
        assert good[-2:].all()
        assert not (good[:-2] & good[1:-1]).any()

    def test_two_good_looks_of_enough_trees_are_stable(self):
        rule = StoppingRule(n_top=3, stability=0.8, max_estimators=3000, fewest=320)
        for stability, n_trees, stable in (
            ([0.8, 0.8], [256, 320], True),
            ([0.9, 0.79], [256, 320], False),
            ([0.79, 0.9], [256, 320], False),
            ([0.9], [320], False),
            ([0.9, 0.9], [240, 256], False),  # too few trees
            ([0.1, 0.9, 0.9], [256, 320, 400], True),
        ):
            assert Convergence(n_trees, stability).is_stable(rule) is stable

    def test_disagreement_falls_with_the_root_of_the_number_of_trees(self):
        rule = StoppingRule(n_top=3, stability=0.9, max_estimators=10**6, fewest=256)
        assert Convergence().needed_trees(rule) is None
        # Three times as much as wanted takes nine times the trees, and one more look.
        assert Convergence([400], [0.7]).needed_trees(rule) == pytest.approx(400 * 9 * 1.25)
        assert Convergence([400], [0.95]).needed_trees(rule) == pytest.approx(400 * 1.25)
        assert Convergence([16], [0.95]).needed_trees(rule) == 256
        strict = StoppingRule(n_top=3, stability=1.0, max_estimators=10**6)
        assert Convergence([100], [0.99]).needed_trees(strict) == pytest.approx(100 * 100 * 1.25)

    def test_trees_that_are_left_end_at_a_look(self):
        watch = Watch(StabilitySum(4), StoppingRule(n_top=2, stability=0.9, max_estimators=1000))
        watch.add(sparse(np.ones((100, 4))), 100)
        assert watch.trees_left(200.0) == 256 - 100
        assert watch.trees_left(700.0) == 700 - 100
        assert watch.trees_left(5000.0) == 1000 - 100

    def test_stopping_looks_once_more_but_not_twice_at_the_same_trees(self):
        watch = Watch(StabilitySum(4), StoppingRule(n_top=2, stability=0.9, max_estimators=1000))
        watch.add(sparse(np.ones((100, 4))), 100)
        assert watch.seen.n_trees == []
        watch.stop()
        watch.stop()
        assert watch.seen.n_trees == [100]

    def test_whoever_has_enough_is_asked_only_where_it_is_not_stable(self):
        rule = StoppingRule(n_top=1, stability=0.9, max_estimators=3000)
        asked = []
        unsure = Watch(StabilitySum(30), rule, enough=lambda: asked.append(1) or True)
        dense = simulated_trees(np.random.default_rng(0), np.ones(30), 300)
        assert unsure.add(sparse(dense), 300)
        assert (unsure.seen.ended, unsure.total.n_trees, len(asked)) == ("enough", 256, 1)
        assert not unsure.seen.converged
        clear = Watch(StabilitySum(4), rule, enough=lambda: asked.append(1) or True)
        assert clear.add(sparse(np.tile([4.0, 3.0, 2.0, 1.0], (400, 1))), 400)
        assert (clear.seen.ended, clear.total.n_trees, len(asked)) == ("stable", 320, 1)

    def test_sums_of_two_forests_are_those_of_all_their_trees(self):
        rng = np.random.default_rng(0)
        dense = simulated_trees(rng, np.ones(5), 96)
        whole, first, second = StabilitySum(5), StabilitySum(5), StabilitySum(5)
        for total, rows in ((whole, dense), (first, dense[:32]), (second, dense[32:])):
            total.add(sparse(rows), len(rows))
        both = first.plus(second)
        for name in ("mean", "standard_error"):
            np.testing.assert_allclose(getattr(both, name)(), getattr(whole, name)())
        assert (both.n_trees, both.n_uses) == (96, np.count_nonzero(dense))
        np.testing.assert_allclose(both.sums, whole.sums)
        assert both.stability(2) == whole.stability(2)
        some = np.array([3, 1])
        np.testing.assert_array_equal(both.of(some).sums, both.sums[:, some])
        np.testing.assert_array_equal(both.of(some).mean(), both.mean()[some])
        all_columns, two = StabilitySum(5), StabilitySum(2)
        all_columns.add(dense_scores(dense + 1.0), 96)
        two.add(dense_scores(dense[:, some] + 1.0), 96)
        np.testing.assert_array_equal(all_columns.of(some).standard_error(), two.standard_error())

    def test_standard_error_by_its_definition(self):
        rng = np.random.default_rng(1)
        dense = simulated_trees(rng, np.array([1.0, 2.0, 0.0]), 50)
        total = ScoreSum(3)
        total.add(sparse(dense), 50)
        # Two uses more, whose square is that of a use of any column.
        square = np.mean(dense[dense > 0] ** 2)
        variance = ((dense**2).sum(axis=0) + 2 * square - dense.sum(axis=0) ** 2 / 50) / 49
        np.testing.assert_allclose(total.standard_error(), np.sqrt(variance / 50))
        one = ScoreSum(3)
        one.add(sparse(dense[:1]), 1)
        assert np.isinf(one.standard_error()).all()
        two = ScoreSum(1)
        two.add(sparse(np.array([[1.0], [3.0]])), 2)
        # Variance of 1 and 3 is 2, and two uses of square 5 more; over two trees.
        np.testing.assert_allclose(two.standard_error(), np.sqrt((2 + 10) / 2))
        assert (ScoreSum(3).mean() == 0.0).all()
        assert ScoreSum(3).mean_square() == 0.0


@pytest.mark.parametrize("cls", FORESTS)
class TestRankers:
    def test_a_given_number_of_trees_is_the_plain_mean(self, cls, groups):
        ranker = cls(n_estimators=60, random_state=3).fit(groups)
        grower = Grower(Space.of(read_table(groups)), grow_settings(ranker, 10))
        total = ScoreSum(10)
        total.add(tree_scores(ranker._kind, grower.grow(0, 60), grower, 0), 60)
        assert np.array_equal(ranker.scores_, total.mean())
        assert ranker.n_estimators_ == 60
        assert ranker.converged_ is ranker.stability_ is ranker.convergence_ is None

    def test_auto_is_the_forest_of_as_many_trees_without_probes(self, cls, groups):
        how = {"n_features_to_select": 3, "tie_break": "first", "random_state": 3}
        auto = cls("auto", **how).fit(groups)
        given = cls(auto.n_estimators_, **how).fit(groups)
        assert auto.converged_
        assert auto.stability_ >= 0.9
        assert np.array_equal(auto.scores_, given.scores_)
        assert np.array_equal(auto.scores_sem_, given.scores_sem_)
        assert auto.convergence_["n_estimators"][-1] == auto.n_estimators_
        assert auto.convergence_["stability"][-1] == auto.stability_

    @pytest.mark.untraced
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_same_answer_whatever_threads_and_batches(self, cls, groups, monkeypatch):
        how = {"stability": 0.95, "n_features_to_select": 5, "max_estimators": 3000}
        first = cls("auto", random_state=0, n_jobs=1, **how).fit(groups)
        for n_jobs, seconds in ((2, 0.1), (3, 0.001), (1, 0.0)):
            monkeypatch.setattr(parallel, "BATCH_SECONDS", seconds)
            again = cls("auto", random_state=0, n_jobs=n_jobs, **how).fit(groups)
            assert np.array_equal(again.scores_, first.scores_)
            np.testing.assert_equal(again.convergence_, first.convergence_)

    def test_says_when_scores_are_flat(self, cls, flat):
        ranker = cls("auto", max_estimators=500, random_state=0)
        with pytest.warns(ConvergenceWarning, match="max_estimators"):
            ranker.fit(flat)
        assert ranker.converged_ is False
        assert ranker.n_estimators_ <= 500
        assert ranker.stability_ < 0.9

    def test_ends_when_time_is_over(self, cls, flat):
        ranker = cls("auto", max_time=1e-9, random_state=0)
        with pytest.warns(ConvergenceWarning, match="max_time"):
            ranker.fit(flat)
        assert ranker.n_estimators_ >= N_BLOCKS
        assert ranker.n_estimators_ < 1000
        assert ranker.convergence_["n_estimators"][-1] == ranker.n_estimators_


class TestUncertainty:
    @pytest.mark.parametrize("cls", FORESTS)
    def test_standard_errors_are_honest(self, cls, groups):
        truth = cls(40_000 if cls is not RandomForestScore else 20_000, random_state=99)
        truth = truth.fit(groups).scores_
        covered = []
        for seed in range(50):
            ranker = cls(400, random_state=seed).fit(groups)
            covered.append(np.abs(ranker.scores_ - truth) <= 1.96 * ranker.scores_sem_)
        assert 0.90 <= np.mean(covered) <= 0.98

    @pytest.mark.parametrize("n_trees", [200, 1000])
    def test_standard_errors_are_honest_where_uses_are_few(self, n_trees):
        """A column of this table is used by one tree in 25."""
        X = np.random.default_rng(8).normal(size=(30, 500)) ** 3
        truth = Genie3(50_000, random_state=99).fit(X).scores_
        covered = []
        for seed in range(50):
            ranker = Genie3(n_trees, random_state=seed).fit(X)
            covered.append(np.abs(ranker.scores_ - truth) <= 1.96 * ranker.scores_sem_)
        assert 0.90 <= np.mean(covered) <= 0.98

    def test_what_cannot_be_used_is_certain(self):
        X = np.random.default_rng(0).normal(size=(20, 5))
        X[:, 2] = 1.0
        ranker = Genie3(50, random_state=0).fit(X)
        assert ranker.scores_[2] == ranker.scores_sem_[2] == 0.0
        assert (ranker.scores_sem_[[0, 1, 3, 4]] > 0).all()

    def test_rank_intervals_against_pairs(self):
        rng = np.random.default_rng(5)
        for _ in range(200):
            n = int(rng.integers(1, 20))
            scores, sem = rng.integers(0, 30, size=n).astype(float), rng.random(n)
            margin = sem * -_normal_quantile(0.025 / n)
            low, high = scores - margin, scores + margin
            best = [1 + sum(low[i] > high[j] for i in range(n)) for j in range(n)]
            worst = [n - sum(high[i] < low[j] for i in range(n)) for j in range(n)]
            assert np.array_equal(rank_intervals(scores, sem), np.transpose([best, worst]))

    def test_rank_intervals_hold(self):
        rng = np.random.default_rng(6)
        truth = np.sort(rng.random(50))[::-1]
        ranks, held = np.arange(1, 51), []
        for _ in range(200):
            low, high = rank_intervals(truth + rng.normal(0, 0.03, 50), np.full(50, 0.03)).T
            held.append(np.all((low <= ranks) & (ranks <= high)))
            assert np.mean(high - low) < 25, "they should say something"
        assert np.mean(held) >= 0.95

    def test_a_column_that_no_tree_used_is_not_sure_to_be_last(self):
        scores, sem = np.array([1.0, 0.01, 0.0]), np.array([0.01, 0.01, 0.0])
        assert rank_intervals(scores, sem).tolist() == [[1, 1], [2, 3], [2, 3]]

    def test_ranker_has_them(self, groups):
        ranker = Genie3(2000, random_state=0).fit(groups)
        low, high = ranker.rank_interval_.T
        assert np.all((low <= ranker.ranking_) & (ranker.ranking_ <= high))
        assert set(np.flatnonzero(high <= 3)) == {2, 5, 8}


def _normal_quantile(p: float) -> float:
    from scipy.stats import norm

    return float(norm.ppf(p))
