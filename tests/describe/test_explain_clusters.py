"""Which columns set clusters apart: against plain computations, chance, and known markers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from describe_tables import plain_share
from scipy.stats import binom, chi2_contingency, false_discovery_control, mannwhitneyu

from unsuprank import explain_clusters
from unsuprank.describe.cluster_shares import _least_p_values, cluster_shares
from unsuprank.describe.explain import holm
from unsuprank.io import read_file
from unsuprank.rankers.shared_variance import span_sums, upper_tail
from unsuprank.table import read_table


def mixed(rng, n, noise_only=True):
    """A table of all kinds of columns, and labels that have nothing to do with them, or much."""
    labels = rng.choice(list("abc"), n, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "heavy": rng.standard_cauchy(n),
            "counts": rng.poisson(0.3, n).astype(float),
            "gaps": np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
            "rare": (rng.random(n) < 0.03).astype(float),
            "coin": rng.random(n) < 0.5,
            "names": rng.choice(np.array([*"xyz", None], dtype=object), n),
            "many": [f"r{i}" for i in rng.integers(0, n, n)],
        }
    )
    if not noise_only:
        frame["normal"] += 2.0 * (labels == "b")
        frame["gaps"] -= 1.5 * (labels == "c")
        frame["names"] = np.where(rng.random(n) < 0.5, labels, frame["names"])
    return frame, labels


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_shares_of_a_regression(seed):
    frame, labels = mixed(np.random.default_rng(seed), 60, noise_only=False)
    found = explain_clusters(frame, labels)
    every = pd.get_dummies(labels).to_numpy(float)
    for j, name in enumerate(frame):
        assert found.overall.scores[j] == pytest.approx(plain_share(frame[name], every), abs=1e-9)
        for c, contrast in enumerate(found.per_cluster.values()):
            wanted = plain_share(frame[name], every[:, [c]])
            assert contrast.scores[j] == pytest.approx(wanted, abs=1e-9)


def test_names_are_chi_squared():
    frame, labels = mixed(np.random.default_rng(1), 80)
    counts = pd.crosstab(frame["coin"], labels == "a")
    squared = chi2_contingency(counts, correction=False).statistic / 80
    score = explain_clusters(frame, labels).per_cluster["a"].scores[list(frame).index("coin")]
    assert score == pytest.approx((squared - 1 / 79) / (1 - 1 / 79))


def test_moments_are_those_of_all_orders():
    frame = pd.DataFrame({"x": [1.0, 5.0, 2.0, np.nan, 4.0, 4.0], "s": [*"aba", None, *"ca"]})
    clusters = np.array([0, 0, 1, 1, 2, 0])
    table = read_table(frame)
    found = cluster_shares(table, clusters)
    orders = set(permutations(clusters.tolist()))  # each stands for equally many orders of the rows
    shares = [cluster_shares(table, np.array(order))["scores"] for order in orders]
    mean, deviation = np.mean(shares, axis=0), np.std(shares, axis=0)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(found["deviations"], found["scores"] / deviation, atol=1e-9)


def test_span_sums_are_those_of_the_projection():
    vectors = np.random.default_rng(0).normal(size=(9, 3))
    vectors, _ = np.linalg.qr(vectors - vectors.mean(axis=0))
    P = vectors @ vectors.T
    d = np.diagonal(P)
    wanted = [P.trace(), d @ d, (d**3).sum(), (P**2).sum(), np.trace(P @ P @ P)]
    wanted += [d @ P @ d, d @ np.diagonal(P @ P), (P**3).sum()]
    found = span_sums(vectors)
    names = ["trace", "diagonal2", "diagonal3", "squares", "triangles"]
    names += ["diagonal_form", "diagonal_squares", "cubes"]
    np.testing.assert_allclose([getattr(found, name) for name in names], wanted)


def test_standard_errors_are_those_of_resampling():
    rng = np.random.default_rng(0)
    frame, labels = mixed(rng, 300, noise_only=False)
    frame = frame[["normal", "gaps", "names"]]
    draws = [rng.integers(0, 300, 300) for _ in range(100)]
    again = [explain_clusters(frame.iloc[rows], labels[rows]) for rows in draws]
    found = explain_clusters(frame, labels)
    for name in (None, *"abc"):
        contrast = found.per_cluster.get(name, found.overall)
        spread = np.std([e.per_cluster.get(name, e.overall).scores for e in again], axis=0)
        error = (contrast.scores - contrast.low) / 1.96
        clear = contrast.scores > 0.1
        np.testing.assert_allclose(error[clear], spread[clear], rtol=0.3)


def test_noise_is_not_beyond_chance():
    rng = np.random.default_rng(0)
    found = [explain_clusters(*mixed(rng, 60)) for _ in range(200)]
    wrong = [any(c.beyond.any() for c in (e.overall, *e.per_cluster.values())) for e in found]
    assert sum(wrong) <= binom.ppf(0.99, len(wrong), 0.05)  # one table in twenty, but for luck


def test_one_special_row_among_two_halves_is_not_beyond_chance():
    special = np.zeros(80)
    special[3] = 1.0
    found = explain_clusters(special[:, None], np.repeat([0, 1], 40))
    assert not found.overall.beyond.any()
    assert found.overall.p_values[0] == 1.0


def test_small_clusters_in_wide_tables_do_not_find_noise():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 300)) < 0.9, 0.0, rng.exponential(size=(400, 300)))
    labels = np.repeat([0, 1, 2], [200, 185, 15])
    found = [explain_clusters(X, rng.permutation(labels)) for _ in range(10)]
    assert sum(any(c.beyond.any() for c in e.per_cluster.values()) for e in found) <= 2


def test_directions():
    x = np.array([1.0, 1.1, 1.2, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2, np.nan] * 4)
    labels = np.array(["low"] * 3 + ["mid"] * 3 + ["high"] * 3 + ["mid"])[np.arange(40) % 10]
    names = np.where(labels == "mid", "yes", "no")
    frame = pd.DataFrame({"x": x, "y": -np.abs(x - 5), "name": names, "same": 1.0})
    found = explain_clusters(frame, labels).per_cluster
    assert found["low"].direction[0] == "lower"
    assert found["high"].direction[:2] == ["higher", "lower"]
    assert found["mid"].direction[:2] == ["between", "higher"]
    assert {"more yes": 1.0, "less no": 0.0}[found["mid"].direction[2]] == found["mid"].inside[2]
    assert found["mid"].direction[3] == ""
    assert found["mid"].inside[0] == pytest.approx(5.1)
    assert found["mid"].beyond.tolist() == [True, True, True, False]
    assert found["mid"].scores[2] == pytest.approx(1.0)
    assert (
        explain_clusters(frame, labels == "mid").per_cluster[False].direction[0] == "at both ends"
    )


def test_missing_labels_are_left_out():
    frame, labels = mixed(np.random.default_rng(3), 90, noise_only=False)
    known = np.arange(90) % 4 > 0
    some = np.where(known, labels, None)
    given, wanted = explain_clusters(frame, some), explain_clusters(frame[known], labels[known])
    pd.testing.assert_frame_equal(given.to_frame(), wanted.to_frame())
    as_category = pd.Series(some).astype("category")
    pd.testing.assert_frame_equal(
        explain_clusters(frame, as_category).to_frame(), wanted.to_frame()
    )


def test_labels_of_all_kinds():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for labels in (np.arange(40) % 3, np.arange(40) % 2 == 0, [1.0, np.nan, 2.0, 2.5] * 10):
        known = {v for v in np.asarray(labels).tolist() if v == v}
        assert set(explain_clusters(X, labels).per_cluster) == known


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([0, 1], "one label for each of the 6 rows"),
        ([0] * 6, "1 different values"),
        (range(6), "6 different values"),
        ([None] * 6, "0 different values"),
        (np.zeros((6, 2)), "has shape"),
    ],
)
def test_labels_that_are_no_clusters(labels, says):
    with pytest.raises(ValueError, match=says):
        explain_clusters(np.arange(12.0).reshape(6, 2), labels)


def test_units_and_outliers_do_not_matter():
    frame, labels = mixed(np.random.default_rng(5), 70, noise_only=False)
    twisted = frame.assign(normal=np.exp(3 * frame["normal"]), counts=-5 * frame["counts"])
    for a, b in zip(
        explain_clusters(frame, labels).per_cluster.values(),
        explain_clusters(twisted, labels).per_cluster.values(),
        strict=True,
    ):
        np.testing.assert_allclose(a.p_values, b.p_values)
        np.testing.assert_allclose(a.scores, b.scores, atol=1e-12)


def test_holm():
    np.testing.assert_allclose(
        holm(np.array([[0.01, 0.04], [0.03, 0.5]])), [[0.04, 0.09], [0.09, 0.5]]
    )


def test_frame_and_top():
    frame, labels = mixed(np.random.default_rng(2), 100, noise_only=False)
    found = explain_clusters(frame, labels)
    rows = found.to_frame()
    assert len(rows) == 4 * frame.shape[1]
    for label, top in found.top(3).items():
        own = rows[(rows["cluster"] == label) & rows["beyond_chance"]]
        assert own["feature"].tolist()[:3] == top
        assert own["score"].is_monotonic_decreasing
    assert rows[rows["cluster"].isna()]["rank"].tolist() == list(range(1, frame.shape[1] + 1))


def test_penguins(data_dir):
    data = read_file(data_dir / "mixed/penguins_openml42585.arff").with_label("species")
    found = explain_clusters(data.table(), data.label.texts())
    for contrast in (found.overall, *found.per_cluster.values()):
        place = {found.columns[j]: rank for rank, j in enumerate(contrast.order)}
        measured = ("culmen_length_mm", "culmen_depth_mm", "flipper_length_mm")
        assert all(place[name] < place["sex"] for name in measured)
        assert all(contrast.beyond[found.columns.index(name)] for name in measured)
        assert not contrast.beyond[found.columns.index("sex")]


@pytest.mark.filterwarnings("ignore")
def test_cell_types_have_the_markers_of_wilcoxon(data_dir):
    anndata = pytest.importorskip("anndata")
    cells = anndata.read_h5ad(data_dir / "singlecell/10x_pbmc68k_reduced.h5ad").raw.to_adata()
    labels, X = np.asarray(cells.obs["bulk_labels"]), cells.X.toarray()
    found = explain_clusters(cells, labels)
    shared = total = 0
    for label, contrast in found.per_cluster.items():
        inside = labels == label
        markers = false_discovery_control(mannwhitneyu(X[inside], X[~inside]).pvalue) < 0.05
        shared += markers[contrast.order[:5]].sum()
        total += 5
    assert total == 50
    assert shared >= 0.8 * total


def test_means_and_shares_are_those_of_the_rows():
    """Of the known values inside and outside of each cluster."""
    frame, labels = mixed(np.random.default_rng(5), 120, noise_only=False)
    for label, found in explain_clusters(frame, labels).per_cluster.items():
        for rows, means in ((labels == label, found.inside), (labels != label, found.outside)):
            assert means[0] == pytest.approx(frame["normal"][rows].mean())
            assert means[3] == pytest.approx(frame["gaps"][rows].mean())
            of_name = frame["names"] == found.direction[6].split()[1]
            known = frame["names"].notna() & rows
            assert means[6] == pytest.approx(of_name[known].mean())


def test_two_rows_a_cluster_are_enough():
    labels = np.arange(8) // 2
    found = explain_clusters(np.column_stack([labels, np.arange(8.0) % 3]), labels)
    assert found.per_cluster[3].direction[0] == "higher"
    with pytest.raises(ValueError, match="5 different values in 8"):
        explain_clusters(np.arange(16.0).reshape(8, 2), [0, 0, 1, 1, 2, 2, 3, 4])


def test_the_frame_says_what_was_found():
    frame, labels = mixed(np.random.default_rng(6), 60, noise_only=False)
    frame.loc[labels == "c", "gaps"] = np.nan
    found = explain_clusters(frame, labels)
    rows = found.to_frame().set_index(["cluster", "feature"])
    for label, own in found.per_cluster.items():
        for j, name in enumerate(frame):
            row = rows.loc[(label, name)]
            for value, expected in ((row["inside"], own.inside), (row["outside"], own.outside)):
                assert (pd.isna(value) and np.isnan(expected[j])) or value == expected[j]
            assert row["score"] == own.scores[j]
    assert np.isnan(found.per_cluster["c"].inside[3])


def test_the_direction_of_a_cluster_has_the_moments_of_all_orders():
    rng = np.random.default_rng(0)
    centred = rng.exponential(size=(6, 2)) - 1.0
    centred -= centred.mean(axis=0)
    projected = rng.exponential(size=(6, 2))
    projected -= projected.mean(axis=0)
    found = _least_p_values(centred, projected)
    for j in range(2):
        length = np.linalg.norm(projected[:, j])
        along = projected[:, j] / length
        all_orders = np.array([centred[list(order), j] @ along for order in permutations(range(6))])
        deviation = np.sqrt(np.mean(all_orders**2))
        skewness = np.mean(all_orders**3) / deviation**3
        assert found[j] == pytest.approx(upper_tail(length / deviation, skewness), rel=1e-9)
    assert _least_p_values(centred, np.zeros((6, 2))) == pytest.approx(0.5)
