"""What must be true of curves, comparisons and measures of stability, whatever they are asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import tables, untied_tables
from scipy.stats import spearmanr

from unsuprank import VarianceRanker
from unsuprank.describe import associations, knee, rank_scores, spearman
from unsuprank.evaluation import (
    clustering_accuracy,
    compare,
    error_curve,
    geometric_sizes,
    stability,
)

pytestmark = pytest.mark.untraced

MEASURES = ("overlap", "kuncheva", "nogueira", "rank_biased_overlap", "spearman", "fuji")
labels = st.lists(st.integers(0, 3), min_size=4, max_size=25)
values = st.lists(st.integers(-50, 50), min_size=3, max_size=20)


@st.composite
def orders(draw, count: int = 3) -> list[list[int]]:
    n = draw(st.integers(2, 12))
    return [draw(st.permutations(range(n))) for _ in range(count)]


@given(rankings=orders(1), k=st.integers(1, 20))
def test_a_ranking_agrees_with_itself(rankings, k):
    found = stability([rankings[0]] * 3, k=k)
    for measure in MEASURES:
        assert getattr(found, measure) == pytest.approx(1.0), measure


@given(rankings=orders(), k=st.integers(1, 12), data=st.data())
def test_stability_does_not_depend_on_the_order_of_rankings_or_columns(rankings, k, data):
    relabel = np.array(data.draw(st.permutations(range(len(rankings[0])))))
    first, other = stability(rankings, k=k), stability(relabel[rankings[::-1]], k=k)
    for measure in MEASURES:
        assert getattr(first, measure) == pytest.approx(getattr(other, measure)), measure


@given(rankings=orders(), k=st.integers(1, 12))
def test_measures_of_stability_are_at_most_one(rankings, k):
    found = stability(rankings, k=k)
    assert all(getattr(found, measure) <= 1.0 + 1e-12 for measure in MEASURES)
    assert found.overlap >= 0.0
    assert found.rank_biased_overlap >= 0.0
    assert found.fuji >= 0.0


@given(a=values, data=st.data())
def test_spearman_is_that_of_scipy(a, data):
    b = data.draw(st.lists(st.integers(-50, 50), min_size=len(a), max_size=len(a)))
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic)
    assert spearman(a, b) == spearman(b, a)
    assert spearman(a, np.exp(np.array(a) / 10)) == 1.0


@given(scores=values)
def test_ranks_are_a_permutation_that_scores_fall_along(scores):
    ranks = rank_scores(scores)
    assert sorted(ranks) == list(range(1, len(scores) + 1))
    assert (np.diff(np.array(scores)[np.argsort(ranks)]) <= 0).all()


@given(scores=values, power=st.integers(-8, 8))
def test_scores_bend_at_the_same_rank_in_every_unit(scores, power):
    assert 1 <= knee(scores) <= len(scores)
    assert knee(np.ldexp(scores, power)) == knee(np.array(scores, dtype=float))
    assert knee(scores[::-1]) == knee(scores)


@given(y=labels, data=st.data())
def test_names_of_clusters_do_not_matter(y, data):
    found = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    names = np.array(data.draw(st.permutations(range(4))))
    accuracy = clustering_accuracy(y, found)
    assert accuracy == clustering_accuracy(y, names[found]) == clustering_accuracy(names[y], found)
    assert 1 / 16 <= accuracy <= 1.0
    assert clustering_accuracy(y, names[y]) == 1.0


@given(n=st.integers(1, 10_000))
def test_sizes_double_and_end_with_all(n):
    sizes = geometric_sizes(n)
    assert sizes[0] == 1
    assert sizes[-1] == n
    assert (sizes[1:] <= 2 * sizes[:-1]).all()


@st.composite
def results(draw) -> np.ndarray:
    cells = st.lists(st.integers(0, 9), min_size=4, max_size=4)
    return np.array(draw(st.lists(cells, min_size=3, max_size=8)), dtype=float)


@given(table=results(), data=st.data())
def test_a_comparison_knows_ranks_only(table, data):
    first = compare(table)
    order = np.array(data.draw(st.permutations(range(4))))
    np.testing.assert_allclose(compare(table[:, order]).average_ranks, first.average_ranks[order])
    np.testing.assert_allclose(compare(2.0**table).average_ranks, first.average_ranks)
    turned = compare(-table, higher_is_better=True)
    np.testing.assert_allclose(turned.average_ranks, first.average_ranks)
    assert first.average_ranks.sum() == pytest.approx(10.0)
    assert 0.0 <= first.p_value <= 1.0


@given(X=untied_tables, data=st.data())
def test_errors_of_an_order_do_not_depend_on_where_columns_are(X, data):
    n = X.shape[1]
    order, places = (np.array(data.draw(st.permutations(range(n)))) for _ in range(2))
    first = error_curve(X, order, cv=2, n_random=0).values["order"]
    moved = error_curve(X[:, np.argsort(places)], places[order], cv=2, n_random=0).values["order"]
    np.testing.assert_allclose(moved, first, rtol=1e-9)


@given(X=untied_tables, power=st.integers(-30, 30))
def test_errors_have_the_unit_of_the_table(X, power):
    first, other = (
        error_curve(values, VarianceRanker(), cv=2, n_random=1)
        for values in (X, np.ldexp(X, power))
    )
    for name, errors in first.values.items():
        np.testing.assert_allclose(np.ldexp(other.values[name], -power), errors, rtol=1e-9)
    np.testing.assert_allclose(np.ldexp(other.random, -power), first.random, rtol=1e-9)


@given(X=tables(), power=st.integers(-9, 9))
def test_associations_are_symmetric_and_know_no_units(X, power):
    found = associations(X)
    np.testing.assert_allclose(found, found.T)
    np.testing.assert_allclose(np.diagonal(found), 1.0)
    assert ((found >= 0.0) & (found <= 1.0 + 1e-9)).all()
    np.testing.assert_allclose(associations(np.ldexp(X, power)), found, atol=1e-9)
