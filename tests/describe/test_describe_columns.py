"""Columns by themselves and together, against computations of other libraries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from describe_tables import TABLES, clustering_space, mixed_with_gaps, small_numeric
from scipy import sparse
from scipy.stats import chi2_contingency
from sklearn.cluster import AgglomerativeClustering

from unsuprank import Genie3, SharedVariance, VarianceRanker
from unsuprank.describe import (
    associations,
    find_groups,
    find_neighbours,
    find_representatives,
    find_structure,
    heat_map,
    principal_plane,
    repeated_columns,
    score_rows,
    summarise_columns,
    value_counts,
)
from unsuprank.describe.plane import _largest_two
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
        assert found.distinct[j] == known.nunique()
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


def sparse_with_difficult_columns(rng):
    """Zeros among the values that are held, columns without any, full ones, and all magnitudes."""
    n_rows, n_columns = rng.integers(2, 30), rng.integers(1, 12)
    X = rng.normal(size=(n_rows, n_columns))
    X[:, rng.random(n_columns) < 0.4] = rng.choice([-2.0, 0.1, 0.1, 3.0])
    X = np.where(rng.random(n_columns) < 0.4, np.round(X), X)
    X *= 10.0 ** rng.choice([-323, -310, -160, 0, 0, 0, 160, 307], size=n_columns)
    held = rng.random(X.shape) < rng.choice([0.0, 0.1, 0.5, 1.0], size=n_columns)
    X = np.where(held, X, 0.0).astype(rng.choice([np.float32, np.float64]))
    X[~np.isfinite(X)] = 1.0
    rows, columns = np.nonzero(held)
    matrix = sparse.coo_array((X[held], (rows, columns)), shape=X.shape)
    return matrix.asformat(rng.choice(["csr", "csc"])), X


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("block", [2**22, 20])
def test_summaries_of_sparse_tables_are_those_of_dense_ones(block, monkeypatch):
    monkeypatch.setattr("unsuprank.describe.summary._BLOCK_VALUES", block)
    rng = np.random.default_rng(0)
    for _ in range(200):
        matrix, X = sparse_with_difficult_columns(rng)
        found, expected = summarise_columns(matrix), summarise_columns(X)
        for name in ("mode", "missing", "zero", "low", "high", "histogram", "distinct"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        constant = expected.low == expected.high
        np.testing.assert_array_equal(found.mean[constant], expected.mean[constant])
        size = np.maximum(np.abs(expected.low), np.abs(expected.high))
        for name in ("mean", "spread"):  # sums in another order; the smallest step is 5e-324
            difference = np.abs(getattr(found, name) - getattr(expected, name))
            assert (difference <= np.maximum(1e-14 * size, 5e-324)).all(), name


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


def test_score_rows_say_what_the_ranker_knows():
    frame = small_numeric()
    for ranker in (SharedVariance(), Genie3(5, random_state=0)):
        rows = pd.DataFrame(score_rows(ranker.fit(frame), frame))
        known = ranker.to_frame().drop(columns="selected")
        pd.testing.assert_frame_equal(rows[known.columns], known)
        assert len(known.columns) > 3


def beyond_chance(shared, rank_a, rank_b, n_rows):
    """The corrected measure from tr PQ, as one formula."""
    chance = rank_a * rank_b / (n_rows - 1)
    return np.sqrt(max(0.0, (shared - chance) / (np.sqrt(rank_a * rank_b) - chance)))


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_associations_from_projections(make):
    """The trace of the product of two projections, which a singular value decomposition gives."""
    frame = make().iloc[:, -9:]
    found = associations(frame)
    spans = []
    for name in frame:
        if frame[name].nunique() < 2:
            spans.append(None)
            continue
        left, lengths, _ = np.linalg.svd(clustering_space(frame[[name]]), full_matrices=False)
        spans.append(left[:, lengths > 1e-9 * lengths[0]])
    for i, a in enumerate(spans):
        for j, b in enumerate(spans):
            if a is None or b is None:
                assert found[i, j] == 0
                continue
            shared = np.trace(a @ a.T @ b @ b.T)
            expected = beyond_chance(shared, a.shape[1], b.shape[1], len(frame))
            assert found[i, j] == pytest.approx(expected, abs=1e-3)


def test_association_of_two_nominal_columns_is_that_of_chi_squared():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.integers(4, size=200), "b": rng.integers(3, size=200)})
    frame["b"] = np.where(rng.random(200) < 0.5, frame["a"] % 3, frame["b"])
    statistic = chi2_contingency(pd.crosstab(frame["a"], frame["b"]), correction=False).statistic
    expected = beyond_chance(statistic / 200, 3, 2, 200)
    assert associations(frame.astype(str))[0, 1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kinds", [(3, 4), (40, 40), (55, 2), (59, 40)])
def test_unrelated_columns_have_no_association_on_average(kinds):
    """Whatever the number of values: the mean of the squares before they are cut at 0."""
    rng = np.random.default_rng(0)
    squares = []
    for _ in range(150):
        a, b = (rng.permutation(np.arange(60) % k) for k in kinds)
        table = np.histogram2d(a, b, bins=kinds)[0]
        shared = (table**2 / np.outer(table.sum(axis=1), table.sum(axis=0))).sum() - 1
        (p, q), n = (k - 1 for k in kinds), 60
        squares.append((shared - p * q / (n - 1)) / (np.sqrt(p * q) - p * q / (n - 1)))
        frame = pd.DataFrame({"a": a.astype(str), "b": b.astype(str)})
        found = associations(frame, [0], [1])[0, 0]
        assert found == pytest.approx(np.sqrt(max(0, squares[-1])), abs=1e-6)
    assert abs(np.mean(squares)) < 3 * np.std(squares) / np.sqrt(150)


def test_an_identifier_is_like_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(50)], "x": rng.normal(size=50)})
    frame["nearly"] = frame["id"].replace("r1", "r0")
    frame["kind"] = rng.choice(["a", "b"], size=50)
    found = associations(frame)
    np.testing.assert_allclose(found[0], 0, atol=1e-6)
    assert found[2, 2] == pytest.approx(1)
    assert (found[2, [1, 3]] < 0.3).all()


def test_association_of_numbers_is_nearly_correlation():
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.normal(size=(rng.integers(4, 30), rng.integers(2, 8))) * rng.uniform(0.1, 100)
        X[:, -1] = X[:, 0] + 0.1 * rng.normal(size=len(X))
        np.testing.assert_allclose(associations(X), adjusted_correlation(X), atol=1e-3)
    many = rng.normal(size=(5000, 3)) @ rng.normal(size=(3, 3))
    np.testing.assert_allclose(associations(many), np.abs(np.corrcoef(many.T)), atol=2e-2)


def adjusted_correlation(X):
    chance = 1 / (len(X) - 1)
    return np.sqrt(np.clip((np.corrcoef(X.T) ** 2 - chance) / (1 - chance), 0, 1))


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
    correlation = adjusted_correlation(X)
    for j in range(30):
        others = leading[leading != j]
        best = others[np.argsort(-correlation[j, others])]
        np.testing.assert_array_equal(found.nearest[j], best[:2])
        np.testing.assert_allclose(found.association[j], correlation[j, best[:2]], atol=1e-3)
        assert found.n_strong[j] == (correlation[j, others] >= 0.7).sum()


def test_groups_are_those_of_average_linkage():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 20)) + 0.5 * rng.normal(size=(50, 20))
    leading = rng.permutation(20)[:15]
    found = find_groups(X, leading)
    distance = 1 - adjusted_correlation(X[:, leading])
    labels = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.3, metric="precomputed", linkage="average"
    ).fit_predict(distance)
    expected = {tuple(leading[labels == label]) for label in set(labels)}
    assert {tuple(group) for group in found.groups} == expected
    assert sorted(found.columns) == sorted(leading)
    np.testing.assert_allclose(found.matrix, adjusted_correlation(X[:, found.columns]), atol=1e-3)


def test_heat_map_of_names_counts_the_most_common_first():
    values = list("aaaabbbccd") * 2
    frame = pd.DataFrame({"kind": values, "many": [f"v{i % 9}" for i in range(20)]})
    frame["x"] = np.arange(20.0)
    frame.loc[3, "kind"] = None
    found = heat_map(frame, [0, 1, 2])
    shown = pd.DataFrame(found.values, index=found.rows, columns=found.columns).sort_index()
    assert found.nominal.tolist() == [j != 2 for j in found.columns]
    place = {"a": 0, "b": 1, "c": 2, "d": 3}
    expected = [np.nan if i == 3 else place[v] for i, v in enumerate(values)]
    np.testing.assert_array_equal(shown[0], expected)
    counts = frame["many"].value_counts()
    common = sorted(counts.index, key=lambda v: (-counts[v], v))
    np.testing.assert_array_equal(shown[1], [min(common.index(v), 7) for v in frame["many"]])


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


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_structure_is_what_columns_explain_of_the_others(make):
    frame = make().iloc[:300, -12:]
    found = find_structure(frame)
    spaces = {
        j: clustering_space(frame[[name]])
        for j, name in enumerate(frame)
        if frame[name].nunique() > 1
    }
    for j, own in spaces.items():
        others = np.hstack([z for k, z in spaces.items() if k != j])
        left, lengths, _ = np.linalg.svd(own, full_matrices=False)
        basis = left[:, lengths > 1e-9 * lengths[0]]
        explained = np.linalg.norm(basis.T @ others) ** 2 / np.linalg.norm(others) ** 2
        assert found.explained[j] == pytest.approx(explained, rel=1e-6)
        assert found.chance[j] == pytest.approx(basis.shape[1] / (len(frame) - 1), rel=1e-6)
    # Benjamini and Hochberg: the largest k of which p_(k) <= 5% of k / n.
    p = np.sort(found.p_values)
    k = np.flatnonzero(p <= 0.05 * np.arange(1, len(p) + 1) / len(p))
    cut = p[k[-1]] if len(k) else -1.0
    np.testing.assert_array_equal(found.beyond, found.p_values <= cut)
    assert found.n_beyond == found.beyond.sum()


def test_representatives_explain_what_least_squares_explain():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(120, 3))
    X = np.hstack([base + 0.2 * rng.normal(size=(120, 3)) for _ in range(4)])
    frame = pd.DataFrame(X).add_prefix("x")
    frame["id"] = [f"r{i}" for i in range(120)]
    found = find_representatives(frame)
    assert found.left_out.tolist() == [12]
    assert found.n_rows == 120
    assert found.few == 3  # the others take the noise out of these, which is more than chance
    assert {j % 3 for j in found.columns[:3]} == {0, 1, 2}
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for k in range(1, len(found.columns) + 1):
        chosen = Z[:, found.columns[:k]]
        rest = Z - chosen @ np.linalg.lstsq(chosen, Z, rcond=None)[0]
        expected = 1 - (rest**2).sum() / (Z**2).sum()
        assert found.explained[k - 1] == pytest.approx(expected, abs=1e-9)
    assert len(find_representatives(frame[["id"]]).columns) == 0


def test_there_are_no_more_neighbours_than_other_leading_columns():
    assert find_neighbours(small_numeric(), [0, 2], k=5).nearest.shape == (7, 1)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_eigenvalues_of_all_sizes(size):
    values, vectors = _largest_two(size * np.diag([0.2, 0.5, 1e-3]))
    np.testing.assert_allclose(values, [0.5 * size, 0.2 * size])
    np.testing.assert_allclose(np.abs(vectors), [[0, 1], [1, 0], [0, 0]], atol=1e-12)
    assert _largest_two(np.diag([-1e-18, 2.0]))[0].tolist() == [2.0, 0.0]
