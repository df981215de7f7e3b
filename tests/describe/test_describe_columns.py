"""Columns by themselves and together, against computations of other libraries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from describe_tables import TABLES, clustering_space, mixed_with_gaps, small_numeric
from sklearn.cluster import AgglomerativeClustering

from unsuprank import VarianceRanker
from unsuprank.describe import (
    associations,
    find_groups,
    find_neighbours,
    heat_map,
    principal_plane,
    repeated_columns,
    score_rows,
    summarise_columns,
    value_counts,
)
from unsuprank.rankers.clustering_space import HALVES_ROWS, gram
from unsuprank.table import read_table


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_summaries_are_those_of_pandas(make):
    frame = make()
    found = summarise_columns(frame)
    for j, name in enumerate(frame):
        column = frame[name]
        known = column.dropna()
        assert found.missing[j] == pytest.approx(column.isna().mean())
        if column.dtype.kind == "f" and len(known):
            assert found.mean[j] == pytest.approx(known.mean())
            assert found.spread[j] == pytest.approx(known.std(ddof=0))
            assert (found.low[j], found.high[j]) == (known.min(), known.max())
            assert found.zero[j] == (column == 0).mean()
            if known.nunique() > 1:
                np.testing.assert_array_equal(found.histogram[j], np.histogram(known, 12)[0])
            assert found.mode[j] is None
        elif len(known):
            share = known.value_counts(normalize=True)
            assert found.spread[j] == pytest.approx(1 - (share**2).sum())
            assert found.mode[j] == str(share.index[0])
            assert found.histogram[j].sum() == len(known)
            values, counts = value_counts(frame, j)
            assert dict(zip(values, counts, strict=True)) == known.value_counts().to_dict()


def test_summaries_of_difficult_columns():
    frame = pd.DataFrame(
        {
            "tenths": [0.1] * 9,  # whose sum is not nine tenths
            "huge": np.linspace(-1e300, 1e300, 9),
            "none": np.nan,
            "flag": [True, False, False] * 3,
        }
    )
    found = summarise_columns(read_table(frame))
    assert found.spread[0] == 0.0
    assert found.mean[0] == 0.1
    assert found.spread[1] == pytest.approx(np.linspace(-1, 1, 9).std() * 1e300)
    assert found.histogram[1].sum() == 9
    assert np.isnan([found.mean[2], found.spread[2], found.low[2]]).all()
    assert found.missing[2] == 1
    assert found.histogram[2].sum() == 0
    assert found.mean[3] == found.zero[3] / 2 == pytest.approx(1 / 3)


def test_summaries_are_the_same_in_blocks(monkeypatch):
    frame = mixed_with_gaps()
    whole = summarise_columns(frame)
    monkeypatch.setattr("unsuprank.describe.summary._BLOCK_VALUES", 200)
    for name, values in vars(summarise_columns(frame)).items():
        pd.testing.assert_frame_equal(pd.DataFrame(values), pd.DataFrame(getattr(whole, name)))


def test_repeated_columns():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [-0.0, 1.0, 2.0], "c": 1.0, "d": 1.0})
    frame["e"] = ["x", "y", "z"]  # has the codes of a, but other values
    frame["f"] = ["x", "y", "z"]
    frame["g"] = ["x", "y", "w"]
    assert repeated_columns(frame) == [(1, 0), (5, 4)]


def test_counts_of_numbers_are_refused():
    with pytest.raises(ValueError, match="column 'a' holds numbers"):
        value_counts(small_numeric(), 0)


def test_score_rows_are_sorted_and_say_nothing_where_there_is_nothing():
    frame = small_numeric()
    frame.iloc[0, 0] = np.nan
    ranker = VarianceRanker().fit(frame.fillna(0))
    rows = score_rows(ranker, frame)
    assert [row["rank"] for row in rows] == list(range(1, 8))
    assert rows[0]["feature"] == "g"
    by_name = {row["feature"]: row for row in rows}
    assert by_name["a"]["missing"] == 1 / 40
    assert by_name["a"]["mode"] is None
    assert by_name["b"]["spread"] == pytest.approx(frame["b"].std(ddof=0))


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_associations_from_the_clustering_space(make):
    """The Frobenius norm of Z_a' Z_b over those of Z_a' Z_a and Z_b' Z_b, pair by pair."""
    frame = make().iloc[:, -9:]
    found = associations(frame)
    spaces = [
        clustering_space(frame[[name]]) if frame[name].nunique() > 1 else None for name in frame
    ]
    norm = np.linalg.norm
    for i, a in enumerate(spaces):
        for j, b in enumerate(spaces):
            none = a is None or b is None
            expected = 0.0 if none else norm(a.T @ b) / np.sqrt(norm(a.T @ a) * norm(b.T @ b))
            assert found[i, j] == pytest.approx(expected, abs=1e-5)


def test_association_of_numbers_is_correlation():
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.normal(size=(rng.integers(3, 30), rng.integers(2, 8))) * rng.uniform(0.1, 100)
        X[:, -1] = X[:, 0] + 0.1 * rng.normal(size=len(X))
        np.testing.assert_allclose(associations(X), np.abs(np.corrcoef(X.T)), atol=1e-5)


def test_association_of_renamed_values_is_one():
    rng = np.random.default_rng(0)
    a = rng.integers(3, size=2000)
    frame = pd.DataFrame({"a": a.astype(str), "renamed": np.array(["x", "z", "y"])[a]})
    frame["other"] = rng.integers(4, size=2000).astype(str)
    frame["constant"] = "c"
    found = associations(frame)
    np.testing.assert_allclose(found[0, :2], 1, atol=1e-6)
    assert found[0, 2] < 0.1
    assert (found[3] == 0).all()


def test_neighbours_are_the_largest_correlations():
    X = np.random.default_rng(1).normal(size=(12, 30))
    X[:, 3] = X[:, 0] + 0.05 * X[:, 1]
    leading = np.array([3, 9, 4, 0, 20, 7])
    found = find_neighbours(X, leading, k=2)
    correlation = np.abs(np.corrcoef(X.T))
    for j in range(30):
        others = leading[leading != j]
        best = others[np.argsort(-correlation[j, others])]
        np.testing.assert_array_equal(found.nearest[j], best[:2])
        np.testing.assert_allclose(found.association[j], correlation[j, best[:2]], atol=1e-5)
        assert found.n_strong[j] == (correlation[j, others] >= 0.7).sum()


def test_groups_are_those_of_average_linkage():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 20)) + 0.5 * rng.normal(size=(50, 20))
    leading = rng.permutation(20)[:15]
    found = find_groups(X, leading)
    distance = 1 - np.abs(np.corrcoef(X[:, leading].T))
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.3, metric="precomputed", linkage="average"
    ).fit_predict(distance)
    expected = {tuple(leading[labels == label]) for label in set(labels)}
    assert {tuple(group) for group in found.groups} == expected
    assert sorted(found.columns) == sorted(leading)
    expected = np.abs(np.corrcoef(X[:, found.columns].T))
    np.testing.assert_allclose(found.matrix, expected, atol=1e-5)


def test_heat_map_is_standardised_and_cut():
    frame = small_numeric()
    frame.iloc[5, 2] = np.nan
    frame.iloc[7, 3] = 1e6
    found = heat_map(frame, [2, 3, 0])
    assert sorted(found.rows) == list(range(40))
    assert sorted(found.columns) == [0, 2, 3]
    z = ((frame - frame.mean()) / frame.std(ddof=0)).clip(-3, 3).to_numpy()
    np.testing.assert_allclose(found.values, z[np.ix_(found.rows, found.columns)], rtol=1e-9)
    assert len(heat_map(np.arange(900.0).reshape(450, 2), [0]).rows) == 200


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("some", [False, True], ids=["all columns", "some columns"])
def test_principal_plane_is_that_of_a_singular_value_decomposition(make, some):
    frame = make()
    columns = np.arange(0, frame.shape[1], 2) if some else None
    Z = clustering_space(frame if columns is None else frame.iloc[:, columns])
    left, lengths, _ = np.linalg.svd(Z, full_matrices=False)
    found = principal_plane(frame, columns)
    assert found.share == pytest.approx((lengths[:2] ** 2).sum() / (Z**2).sum(), abs=1e-9)
    assert found.share <= 1
    n = frame.shape[1] if columns is None else len(columns)
    expected = left[:, :2] * lengths[:2] / np.sqrt(n)
    np.testing.assert_allclose(np.abs(found.coordinates), np.abs(expected), atol=1e-7)


def test_plane_of_what_has_no_plane():
    line = principal_plane([[1.0, 2.0], [2.0, 2.0], [4.0, 2.0]])
    assert line.share == 1.0
    assert not line.coordinates[:, 1].any()
    nothing = principal_plane(np.ones((5, 3)))
    assert nothing.share == 0.0
    assert nothing.coordinates.shape == (5, 2)
    assert not nothing.coordinates.any()


@pytest.mark.parametrize("n_rows", [7, 300, HALVES_ROWS, HALVES_ROWS + 77])
def test_gram_is_whole_and_symmetric(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 9))
    found = gram(read_table(X))
    Z = (X - X.mean(axis=0)) / X.std(axis=0) / 3
    np.testing.assert_allclose(found, Z @ Z.T, atol=1e-12)
    assert np.array_equal(found, found.T)
