"""Why a column is where it is: every number and name against an independent computation."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from describe_tables import mixed_with_gaps, small_numeric, wide
from scipy.stats import false_discovery_control
from sklearn.cluster import AgglomerativeClustering

from unsuprank import (
    Diversified,
    Genie3,
    GreedyCSS,
    SharedVariance,
    SymbolicScore,
    VarianceRanker,
)
from unsuprank.describe import associations, measure_stability, why
from unsuprank.describe import reasons as reasons_module
from unsuprank.describe.reasons import leaders_of
from unsuprank.table import read_table


def blocks(seed=0, n_rows=60):
    """Three columns of one signal, two of another, four of noise, and a constant."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n_rows, 2)), [3, 2], axis=1)
    X = np.hstack([X + 0.3 * rng.normal(size=X.shape), rng.normal(size=(n_rows, 4))])
    names = [*("a1", "a2", "a3", "b1", "b2"), *(f"noise{j}" for j in range(4))]
    return pd.DataFrame(X, columns=names).assign(constant=2.0)


def corrected_correlations(frame):
    m = len(frame)
    squared = frame.corr().fillna(0.0).to_numpy() ** 2
    return np.sqrt(np.clip((squared - 1 / (m - 1)) / (1 - 1 / (m - 1)), 0.0, 1.0))


@pytest.mark.parametrize("ranker", [GreedyCSS(), VarianceRanker(), Genie3(random_state=0)])
def test_rows_are_those_of_an_independent_computation(ranker):
    frame = blocks()
    fitted = ranker.set_params(n_features_to_select=3).fit(frame)
    found = why(fitted, frame).to_frame()
    at = [list(frame).index(name) for name in found["feature"]]
    assert at == fitted.order_.tolist()
    assert found["rank"].tolist() == list(range(1, 11))
    np.testing.assert_array_equal(found["score"], fitted.scores_[at])
    np.testing.assert_array_equal(found["selected"], fitted.get_support()[at])
    squared = frame.drop(columns="constant").corr().to_numpy() ** 2
    explained = np.append((squared.sum(axis=0) - 1) / 8, 0.0)
    np.testing.assert_allclose(found["explained"], explained[at], atol=1e-9)
    np.testing.assert_allclose(found["chance"], np.where(np.array(at) < 9, 1 / 59, 0.0))
    p_values = SharedVariance(views="line").fit(frame).p_values_
    beyond = false_discovery_control(p_values) <= 0.05
    np.testing.assert_array_equal(found["p_value"], p_values[at])
    np.testing.assert_array_equal(found["beyond_chance"], beyond[at])


def test_p_values_are_those_of_shuffled_columns():
    frame = blocks().drop(columns="constant")
    Z = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    rng = np.random.default_rng(0)
    for row in why(VarianceRanker().fit(frame), frame).rows:
        others = Z[:, frame.columns != row["feature"]]
        shuffled = rng.permuted(np.tile(Z[:, frame.columns == row["feature"]], 2000), axis=0)
        explained = np.square(others.T @ shuffled / len(Z)).mean(axis=0)
        assert row["p_value"] == pytest.approx(np.mean(explained >= row["explained"]), abs=0.04)
        assert row["chance"] == pytest.approx(explained.mean(), rel=0.06)


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_those_of_another_clustering(seed):
    frame = blocks(seed)
    fitted = VarianceRanker().fit(frame)
    found = why(fitted, frame)
    strength = corrected_correlations(frame)
    np.fill_diagonal(strength, 1.0)
    clusters = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=0.3
    ).fit(1 - strength)
    for row in found.rows:
        j = frame.columns.get_loc(row["feature"])
        members = np.flatnonzero(clusters.labels_ == clusters.labels_[j])
        best = members[np.argmin(fitted.ranking_[members])]
        same_group = {r["feature"] for r in found.rows if r["group"] == row["group"]}
        assert same_group == set(frame.columns[members])
        if best == j:
            assert row["represented_by"] is row["association"] is None
            assert set(row["stands_for"]) == same_group - {row["feature"]}
        else:
            assert row["represented_by"] == frame.columns[best]
            assert row["association"] == pytest.approx(strength[j, best], abs=1e-6)
            assert row["stands_for"] == []


def test_what_replaced_a_column_is_said():
    frame = blocks()
    fitted = GreedyCSS(n_features_to_select=2).fit(frame)
    reasons = why(fitted, frame)
    first, second = fitted.get_feature_names_out()[
        np.argsort(fitted.ranking_[fitted.get_support()])
    ]
    assert {first[0], second[0]} == {"a", "b"}
    for name in ("a1", "a2", "a3", "b1", "b2"):
        leader = first if name[0] == first[0] else second
        strength = corrected_correlations(frame)[
            frame.columns.get_loc(name), frame.columns.get_loc(leader)
        ]
        text = reasons[name]
        if name == leader:
            assert "is selected: it shares more with the other columns than by chance (" in text
            assert ", and it stands for " in text
        else:
            assert text.endswith(
                f"is not selected: {leader}, which ranks before it, stands for it "
                f"(association {strength:.2f})."
            )
    assert "than by chance" in reasons["noise0"]
    rank = fitted.ranking_[frame.columns.get_loc("constant")]
    assert reasons["constant"] == (
        f"constant has rank {rank} of 10 and is not selected: it has the same value in all rows."
    )
    assert str(reasons).splitlines() == [row["text"] for row in reasons.rows]
    with pytest.raises(KeyError, match="'nobody' is not a column"):
        reasons["nobody"]


def test_a_selected_copy_is_not_said_to_be_replaced():
    frame = blocks()
    reasons = why(VarianceRanker(n_features_to_select=1.0).fit(frame), frame)
    row = next(row for row in reasons.rows if row["represented_by"])
    ending = f"but {row['represented_by']}, which ranks before it, says much the same (association"
    assert ending in row["text"]


def test_what_is_forced_is_said():
    frame = blocks()
    ranker = VarianceRanker(n_features_to_select=2, include="noise3", exclude="a*").fit(frame)
    reasons = why(ranker, frame)
    assert "noise3 has rank 1 of 10 and is selected because it is included: " in reasons["noise3"]
    assert "is not selected because it is excluded: " in reasons["a1"]


def test_many_columns_join_the_groups_of_the_leading_ones(monkeypatch):
    frame = blocks()
    fitted = VarianceRanker().fit(frame)
    table = read_table(frame)
    whole = leaders_of(table, fitted.order_)
    monkeypatch.setattr(reasons_module, "MAX_GROUPED", 5)
    leading, others = fitted.order_[:5], fitted.order_[5:]
    leaders = leaders_of(table, fitted.order_)
    strength = associations(table)
    for j in others:
        best = leading[np.argmax(strength[j, leading])]
        expected = whole[best] if strength[j, best] >= 0.7 else j
        assert leaders[j] == expected


@pytest.mark.parametrize("make", [small_numeric, mixed_with_gaps, wide])
def test_tables_of_all_kinds(make):
    frame = make()
    ranker = Genie3(n_estimators=20, random_state=0).fit(frame)
    reasons = why(ranker, frame)
    assert [row["feature"] for row in reasons.rows] == [frame.columns[j] for j in ranker.order_]
    assert all(row["text"].endswith(".") for row in reasons.rows)
    assert why(ranker, read_table(frame)) == reasons


def test_frames_of_rankers():
    frame = blocks()
    for ranker, more in (
        (VarianceRanker(), []),
        (GreedyCSS(n_picks=10), []),
        (Diversified(VarianceRanker()), []),
        (SharedVariance(), ["explained", "chance", "p_value", "q_value"]),
        (Genie3(random_state=0), ["score_sem", "rank_low", "rank_high"]),
        (SymbolicScore(random_state=0), ["score_sem", "rank_low", "rank_high"]),
    ):
        found = ranker.set_params(n_features_to_select=3).fit(frame).to_frame()
        assert list(found) == ["feature", "rank", "score", "selected", *more]
        assert found["feature"].tolist() == [frame.columns[j] for j in ranker.order_]
        assert found["rank"].tolist() == list(range(1, 11))
        assert found["score"].tolist() == ranker.scores_[ranker.order_].tolist()
        assert found["selected"].tolist() == [True] * 3 + [False] * 7
    low_high = ranker.rank_interval_[ranker.order_]
    np.testing.assert_array_equal(found[["rank_low", "rank_high"]], low_high)
    assert (found["rank_low"] <= found["rank"]).all()
    assert (found["rank"] <= found["rank_high"]).all()


def test_rank_intervals_know_what_is_forced():
    frame = blocks()
    ranker = Genie3(random_state=0, include="noise1", exclude=["a1", "a2"]).fit(frame)
    found = ranker.to_frame()
    assert (found["rank_low"] <= found["rank"]).all()
    assert (found["rank"] <= found["rank_high"]).all()
    assert found.loc[0, ["rank_low", "rank_high"]].tolist() == [1, 1]
    assert found["rank_high"][1:8].max() <= 8
    assert found["rank_low"][8:].min() >= 9
    stability = measure_stability(ranker, frame)
    assert stability.high[ranker.order_[0]] == 1
    assert stability.low[ranker.order_[8:]].min() >= 9


def test_frames_need_pandas(monkeypatch):
    ranker = VarianceRanker().fit(np.eye(3))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="A frame needs pandas, which is not installed: pip"):
        ranker.to_frame()


def test_lists_end_where_they_become_long():
    names = [f"c{k}" for k in range(reasons_module.MAX_LISTED + 1)]
    assert reasons_module._listed(names[:1]) == "c0"
    assert reasons_module._listed(names[:2]) == "c0 and c1"
    assert reasons_module._listed(names[:-1]).endswith(f" and {names[-2]}")
    assert reasons_module._listed(names).endswith(f"{names[-2]} and 1 more")


@pytest.mark.parametrize(
    ("share", "words"), [(0.5, "50.0%"), (0.001, "0.1%"), (0.0009, "less than 0.1%")]
)
def test_shares_in_words(share, words):
    assert reasons_module._percent(share) == words
