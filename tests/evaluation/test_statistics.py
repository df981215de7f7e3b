"""Comparison, stability and the cluster hypothesis."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, spearmanr

from unsuprank import VarianceRanker
from unsuprank.evaluation import cluster_hypothesis, compare, error_curve, stability
from unsuprank.evaluation.comparison import friedman
from unsuprank.evaluation.selection import learn_order
from unsuprank.evaluation.stability import _membership, rank_biased_overlap
from unsuprank.study.plan import paper
from unsuprank.study.publish.paper_tables import paper_comparison


class TestCompare:
    def test_the_papers_own_table(self):
        found = paper_comparison()
        ranks = [1.942, 3.346, 3.981, 5.365, 4.712, 4.250, 4.404]
        assert found.average_ranks.round(3).tolist() == ranks
        assert found.p_value == pytest.approx(4.03e-8, rel=1e-3)
        assert found.critical_distance == pytest.approx(1.766, abs=5e-4)
        assert [set(g) for g in found.groups()] == [set(g) for g in paper.TABLE_3_GROUPS]
        best = found.methods.index("Genie3")
        differ = {m for m, p in zip(found.methods, found.pairwise_p[best], strict=True) if p < 0.05}
        assert differ == set(found.methods) - {"Genie3", "URelief"}

    def test_two_methods_follow_the_same_formula(self):
        rng = np.random.default_rng(0)
        values = rng.integers(0, 4, size=(12, 3)).astype(float)
        found = compare(values)
        reference = friedmanchisquare(*values.T)
        assert found.p_value == pytest.approx(reference.pvalue)
        # 9 wins against 3: chi-squared is (9 - 3)^2 / 12.
        two = compare({"a": [1.0] * 9 + [2.0] * 3, "b": [2.0] * 9 + [1.0] * 3})
        assert two.statistic == pytest.approx(3.0)
        assert friedman(np.full((5, 4), 2.5)) == (0.0, 1.0)

    def test_input_forms_and_missing_values(self):
        table = {"a": [1.0, 2.0, np.nan], "b": [2.0, 3.0, 1.0]}
        found = compare(table, datasets=["x", "y", "z"])
        assert found.dropped == ("z",)
        assert compare(pd.DataFrame(table)).average_ranks.tolist() == [1.0, 2.0]
        up = compare(table, higher_is_better=True)
        assert up.average_ranks.tolist() == [2.0, 1.0]
        rng = np.random.default_rng(0)
        curves = {
            name: error_curve(rng.normal(size=(30, 5)), VarianceRanker(), n_random=2, cv=3)
            for name in ("p", "q")
        }
        assert compare(curves).methods == ("VarianceRanker", "random")
        with pytest.raises(ValueError, match="two data sets"):
            compare({"a": [1.0], "b": [2.0]})


def slow_rbo(a, b, p):
    total = 0.0
    n = len(a)
    for depth in range(1, 4000):
        shared = len(set(a[:depth]) & set(b[:depth])) / depth if depth <= n else 1.0
        total += (1 - p) * p ** (depth - 1) * shared
    return total


class TestStability:
    def test_against_definitions(self):
        rng = np.random.default_rng(0)
        for _ in range(100):
            n, m, k = int(rng.integers(4, 12)), int(rng.integers(2, 5)), 3
            orders = [rng.permutation(n) for _ in range(m)]
            found = stability(orders, k=k, persistence=0.8)
            pairs = list(combinations(orders, 2))
            shared = np.array([len(set(a[:k]) & set(b[:k])) for a, b in pairs])
            assert found.overlap == pytest.approx((shared / k).mean())
            chance = k * k / n
            assert found.kuncheva == pytest.approx(((shared - chance) / (k - chance)).mean())
            ranks = [np.argsort(o) for o in orders]
            rho = [spearmanr(a, b).statistic for a, b in combinations(ranks, 2)]
            assert found.spearman == pytest.approx(np.mean(rho))
            rbo = [slow_rbo(a.tolist(), b.tolist(), 0.8) for a, b in pairs]
            assert found.rank_biased_overlap == pytest.approx(np.mean(rbo))
            # For sets of one size, Nogueira's measure is the mean of Kuncheva's.
            assert found.nogueira == pytest.approx(found.kuncheva)

    def test_fuji(self):
        a = SimpleNamespace(scores_=np.array([4.0, 2.0, 1.0, 0.0]), order_=np.array([0, 1, 2, 3]))
        b = SimpleNamespace(scores_=np.array([4.0, 1.0, 2.0, -1.0]), order_=np.array([0, 2, 1, 3]))
        # Feature 0 is in both; 1 and 2 miss one set by half of its k-th score.
        assert stability([a, b], k=2).fuji == pytest.approx((1 + 0.5 + 0.5) / 3)
        assert stability([a, a], k=2).fuji == 1.0

    def test_identical_rankings_are_perfectly_stable(self):
        found = stability([np.arange(30)] * 3, k=8)
        for name in ("overlap", "kuncheva", "nogueira", "rank_biased_overlap", "spearman", "fuji"):
            assert getattr(found, name) == pytest.approx(1.0)
        # Reversed: nothing in common at depths 1 and 2, then 1/3, 3/4 and everything.
        by_hand = 0.5 * (0.25 / 3 + 0.125 * 3 / 4 + 0.0625) + 0.5**5
        assert rank_biased_overlap(np.arange(5), np.arange(5)[::-1], 0.5) == pytest.approx(by_hand)


def test_cluster_hypothesis():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 4))
    assert abs(cluster_hypothesis(X, y)) < 0.1
    assert cluster_hypothesis(X + 10 * y[:, None], y) == 1.0
    with pytest.raises(ValueError, match="labels"):
        cluster_hypothesis(X, y[:5])


def test_printed_figures():
    assert len(paper.DATA_SETS) == 26
    assert all(tuple(c) == paper.DATA_SETS for c in paper.table(3).values())
    assert all(tuple(c) == paper.DATA_SETS for c in paper.table(2).values())
    printed = paper.table(3)["URelief"]["COIL20"]
    assert paper.agrees(0.1149, printed, 0.0)  # rounds to 0.11
    assert not paper.agrees(0.1151, printed, 0.0)
    assert paper.agrees(0.1151, printed, 0.07)


def test_rankings_that_are_compared_whole_agree_by_necessity():
    found = stability([[0, 1, 2], [2, 1, 0]], k=3)
    assert found.overlap == found.kuncheva == found.nogueira == 1.0


def test_the_depth_of_rank_biased_overlap_follows_from_k():
    orders = [[0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3]]
    for k, persistence in ((1, 0.5), (2, 0.5), (4, 0.75), (5, 0.8)):
        expected = stability(orders, k=k, persistence=persistence).rank_biased_overlap
        assert stability(orders, k=k).rank_biased_overlap == expected
    # At no depth in particular: of the first 1, 2, ..., 6, as many are common.
    shares = np.mean([0 / 1, 1 / 2, 3 / 3, 3 / 4, 4 / 5, 6 / 6])
    assert stability(orders, persistence=1.0).rank_biased_overlap == pytest.approx(shares)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stability([[0, 1]]), "at least two rankings"),
        (lambda: stability([[0.5, 1.0], [1.0, 0.5]]), "must be orders"),
        (lambda: stability([[0, 0], [0, 1]]), "every column"),
        (lambda: error_curve(np.eye(4), {}), "nothing to evaluate"),
        (lambda: error_curve(np.eye(4), [0, 1, 2, 3], sizes=[0.5]), "whole numbers"),
        (lambda: compare([1.0, 2.0]), "one value per data set and method"),
        (lambda: compare(np.eye(3), methods=["a"]), "3 data sets and 3 methods"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(call, said):
    with pytest.raises((ValueError, TypeError), match=said):
        call()


def test_membership_by_ranks_and_by_scores():
    order = np.array([2, 0, 3, 1])
    np.testing.assert_allclose(_membership(order, order, 2), [1.0, 0.5, 1.0, 2 / 3])
    scored = SimpleNamespace(scores_=np.array([4.0, -1.0, 8.0, 3.0]))
    np.testing.assert_allclose(_membership(scored, order, 2), [1.0, 0.0, 1.0, 0.75])


def test_orders_list_every_column_once():
    with pytest.raises(ValueError, match="from 0 to 3 once"):
        learn_order([0, 1, 1, 2], None, 4)
    assert learn_order([2, 0, 1], None, 3).tolist() == [2, 0, 1]
