"""Greedy column-subset selection against the explicit projection formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unsuprank import GreedyCSS, SharedVariance
from unsuprank.column_totals import column_totals
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.coordinates import Coordinates
from unsuprank.rankers.subset.beyond_chance import (
    path_scores,
    standardised,
    third_moment,
)
from unsuprank.rankers.subset.column_subset import Residual as ResidualOf
from unsuprank.rankers.subset.column_subset import greedy_path
from unsuprank.rankers.subset.greedy_css import SCALES
from unsuprank.rankers.subset.neighbour_polish import filled_values
from unsuprank.table import read_table


def Residual(coordinates, *args):
    """Of an array."""
    return ResidualOf(ColumnMatrix(coordinates), *args)


def scaled_coordinates(table, scale):
    """All coordinates as an array, and the width of each column."""
    found = Coordinates.of(table)
    return np.asarray(found.with_spreads(SCALES[scale])), found.widths


def relative_spreads(table):
    """Spreads of all columns; the largest is 1."""
    spread = column_totals(table).spread
    return spread / (spread.max() or 1.0)


def blocks_of(coordinates, widths):
    edges = np.cumsum(widths)[:-1]
    return np.split(coordinates, edges, axis=1)


def explained(coordinates, widths, chosen):
    """Squared length of the projection of all coordinates on the chosen blocks."""
    blocks = blocks_of(coordinates, widths)
    span = np.hstack([blocks[j] for j in chosen])
    projector = span @ np.linalg.pinv(span, rcond=1e-7)
    return np.linalg.norm(projector @ coordinates) ** 2


def random_problem(rng):
    m = int(rng.integers(3, 14))
    widths = rng.choice([0, 1, 1, 1, 2, 3], size=int(rng.integers(1, 9)))
    coordinates = rng.normal(size=(m, widths.sum())) * rng.uniform(0.1, 5, size=widths.sum())
    coordinates -= coordinates.mean(axis=0)
    if widths.sum() > 2 and rng.random() < 0.3:  # a copy, up to a factor
        coordinates[:, -1] = -2 * coordinates[:, 0]
    return np.asfortranarray(coordinates), widths


@pytest.mark.parametrize("seed", range(300))
def test_every_gain_is_the_explicit_one(seed):
    coordinates, widths = random_problem(np.random.default_rng(seed))
    path = greedy_path(Residual(coordinates, widths), len(widths))
    residual = Residual(coordinates, widths)
    total = np.linalg.norm(coordinates) ** 2
    assert residual.total == pytest.approx(total)
    before = 0.0
    for t, pick in enumerate(path.picks):
        chosen = list(path.picks[:t])
        direct = np.array(
            [
                explained(coordinates, widths, [*chosen, j]) - before if widths[j] else 0.0
                for j in range(len(widths))
            ]
        )
        gains = residual.gains()
        assert gains == pytest.approx(direct, abs=1e-7 * total)
        assert direct[pick] >= direct.max() - 1e-7 * total
        assert path.unexplained[t] == pytest.approx(1 - before / total, abs=1e-9)
        residual.project_out(pick)
        before += direct[pick]
    if len(path.picks) < len(widths):  # nothing was left to explain
        spanned = explained(coordinates, widths, path.picks) if len(path.picks) else 0.0
        assert spanned == pytest.approx(total)


@pytest.mark.parametrize("seed", range(50))
def test_scores_fall_along_the_path_and_then_along_the_rest(seed):
    rng = np.random.default_rng(seed)
    coordinates, widths = random_problem(rng)
    path = greedy_path(Residual(coordinates, widths), max(1, len(widths) // 2))
    relevance = rng.normal(size=len(widths)) * 10.0 ** rng.integers(-2, 3)
    scores = path_scores(path.picks, path.unexplained[:-1], relevance)
    order = np.argsort(-scores, kind="stable")
    assert np.array_equal(order[: len(path.picks)], path.picks)
    rest = order[len(path.picks) :]
    assert np.all(np.diff(relevance[rest]) <= 0)
    assert np.array_equal(np.sign(scores[rest]), np.sign(relevance[rest]))
    assert scores.max() <= 2


@pytest.mark.parametrize("seed", range(60))
def test_columns_that_are_no_candidates_still_have_to_be_explained(seed):
    rng = np.random.default_rng(seed)
    coordinates, widths = random_problem(rng)
    candidates = rng.random(len(widths)) < 0.5
    some, all_columns = Residual(coordinates, widths, candidates), Residual(coordinates, widths)
    for pick in np.flatnonzero(candidates & (widths > 0)).tolist():
        assert some.left() == pytest.approx(all_columns.left(), abs=1e-9 * all_columns.total)
        assert some.squares() == pytest.approx(all_columns.squares(), rel=1e-9, abs=1e-9)
        found = np.where(candidates, all_columns.gains(), 0.0)
        assert some.gains() == pytest.approx(found, abs=1e-7 * all_columns.total)
        some.project_out(pick)
        all_columns.project_out(pick)


@pytest.mark.parametrize("seed", range(40))
def test_traces_of_what_is_left(seed):
    coordinates, widths = random_problem(np.random.default_rng(seed))
    residual = Residual(coordinates, widths)
    E = coordinates.copy()
    for pick in np.flatnonzero(widths)[:2].tolist():
        span = blocks_of(E, widths)[pick]
        E = E - span @ np.linalg.pinv(span, rcond=1e-7) @ E
        residual.project_out(pick)
    K = E @ E.T
    unit = np.linalg.norm(coordinates) ** 2
    assert residual.left() == pytest.approx(np.trace(K), abs=1e-7 * unit)
    assert residual.squares() == pytest.approx(np.trace(K @ K), abs=1e-7 * unit**2)
    assert residual.cubes() == pytest.approx(np.trace(K @ K @ K), rel=1e-7, abs=1e-9 * unit**3)


def test_chance_is_that_of_random_subspaces():
    """Mean, deviation and third moment for all ranks."""
    rng = np.random.default_rng(0)
    d = 9
    A = rng.normal(size=(d, 30)) * rng.uniform(0.3, 3, size=(d, 1))
    K = A @ A.T
    t, k2, k3 = np.trace(K), np.trace(K @ K), np.trace(K @ K @ K)
    for rank in (1, 2, 5):
        Q = np.linalg.qr(rng.normal(size=(40_000, d, rank)))[0]
        explained = np.einsum("kir,ij,kjr->k", Q, K, Q)
        one = np.array([explained.mean() + explained.std()])
        scores, deviation = standardised(one, np.array([rank]), np.array([t]), np.array([k2]), d)
        assert scores[0] == pytest.approx(1.0, abs=0.03)
        assert deviation[0] == pytest.approx(explained.std(), rel=0.02)
        third = np.mean((explained - explained.mean()) ** 3)
        noise = 0.08 * explained.std() ** 3  # four standard errors of a third moment
        assert third_moment(rank, t, k2, k3, d) == pytest.approx(third, abs=noise)


def test_a_subspace_leaves_what_its_complement_explains():
    """So both have the same spread, opposite skewness, and together explain everything."""
    K = np.diag([5.0, 3.0, 1.0, 0.5, 0.2, 0.1])
    d, t, k2, k3 = len(K), np.trace(K), np.trace(K @ K), np.trace(K @ K @ K)
    ranks = np.array([1, 2])
    ones = np.ones(2)
    low, high = (
        standardised(explained, rank, t * ones, k2 * ones, d)
        for explained, rank in (
            (np.array([1.5, 4.0]), ranks),
            (t - np.array([1.5, 4.0]), d - ranks),
        )
    )
    np.testing.assert_allclose(low[1], high[1])
    np.testing.assert_allclose(low[0], -high[0])
    for rank in ranks.tolist():
        third = third_moment(rank, t, k2, k3, d)
        assert third_moment(d - rank, t, k2, k3, d) == pytest.approx(-third)
    # A single direction that is uniform on the sphere: the moments of its coordinates.
    mean, second = t / d, (t**2 + 2 * k2) / (d * (d + 2))
    third = (t**3 + 6 * t * k2 + 8 * k3) / (d * (d + 2) * (d + 4))
    assert low[1][0] ** 2 == pytest.approx(second - mean**2)
    assert third_moment(1, t, k2, k3, d) == pytest.approx(third - 3 * mean * second + 2 * mean**3)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_beyond_chance_on_any_scale(unit):
    rank, trace, squares = np.array([1.0, 2.0]), np.full(2, 9.8), np.full(2, 35.3)
    explained = np.array([4.0, 5.0])
    scores, deviation = standardised(explained, rank, trace, squares, 6)
    other = standardised(unit * explained, rank, unit * trace, unit**2 * squares, 6)
    np.testing.assert_allclose(other[0], scores)
    np.testing.assert_allclose(other[1], unit * deviation)


def test_the_number_of_columns_is_told():
    rng = np.random.default_rng(5)
    signals = rng.normal(size=(120, 3))
    X = np.hstack([np.repeat(signals, 5, axis=1) + 0.05 * rng.normal(size=(120, 15)),
                   rng.normal(size=(120, 30))])  # fmt: skip
    ranker = GreedyCSS(n_features_to_select="auto").fit(X)
    assert ranker.n_features_ == 3
    assert ranker.transform(X).shape == (120, 3)
    assert sorted(ranker.order_[:3] // 5) == [0, 1, 2]
    assert (ranker.order_[:15] < 15).all()


def test_noise_has_no_picks():
    found = [GreedyCSS().fit(np.random.default_rng(s).lognormal(size=(60, 40))) for s in range(20)]
    assert sum(ranker.n_features_ > 0 for ranker in found) <= 3
    ranker = next(r for r in found if not len(r.picks_))
    X = np.random.default_rng(found.index(ranker)).lognormal(size=(60, 40))
    assert np.array_equal(ranker.order_, SharedVariance().fit(X).order_)
    assert GreedyCSS(n_features_to_select="auto").fit(X).transform(X).shape == (60, 1)


def test_identifiers_are_not_representatives():
    rng = np.random.default_rng(8)
    factor = rng.normal(size=150)
    frame = pd.DataFrame({f"x{j}": factor + rng.normal(size=150) for j in range(8)})
    frame["name"] = [f"n{i}" for i in range(150)]
    frame["ticket"] = [f"t{i}" for i in rng.integers(90, size=150)]
    ranker = GreedyCSS().fit(frame)
    assert set(ranker.order_[-2:]) == {8, 9}
    assert ranker.scores_[8] == 0.0


def test_columns_named_first_come_first():
    rng = np.random.default_rng(0)
    coordinates = rng.normal(size=(30, 10))
    path = greedy_path(
        Residual(coordinates - coordinates.mean(axis=0), np.ones(10, int)), 6, first=[7, 2]
    )
    assert set(path.picks[:2]) == {2, 7}
    assert len(set(path.picks)) == 6


def test_columns_named_first_come_first_even_if_they_add_nothing():
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(30, 2))
    coordinates = np.hstack([signals, signals @ rng.normal(size=(2, 3)), rng.normal(size=(30, 3))])
    coordinates -= coordinates.mean(axis=0)
    path = greedy_path(Residual(coordinates, np.ones(8, int)), 6, first=[0, 1, 2, 3])
    assert set(path.picks[:4]) == {0, 1, 2, 3}
    scores = path_scores(path.picks, path.unexplained[:-1], np.zeros(8))
    assert np.array_equal(np.argsort(-scores, kind="stable")[:6], path.picks)


def test_more_rows_than_columns_and_fewer_agree():
    rng = np.random.default_rng(0)
    tall = rng.normal(size=(60, 12)) @ rng.normal(size=(12, 12))
    tall -= tall.mean(axis=0)
    padded = np.hstack([tall, np.zeros((60, 80))])
    widths = np.ones(12, int)
    short = greedy_path(Residual(tall, widths), 12)
    wide = greedy_path(Residual(padded, np.concatenate([widths, np.ones(80, int)])), 12)
    assert np.array_equal(short.picks, wide.picks)
    assert short.unexplained == pytest.approx(wide.unexplained, abs=1e-12)


def test_an_ill_conditioned_table_keeps_its_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 30)) * 10.0 ** rng.uniform(-6, 6, size=30)
    Z, widths = scaled_coordinates(read_table(X), "raw")
    path = greedy_path(Residual(Z, widths), 30)
    total = np.linalg.norm(Z) ** 2
    for t in (1, 5, 20):
        share = explained(Z, widths, path.picks[:t]) / total
        assert 1 - path.unexplained[t] == pytest.approx(share, abs=1e-9)
    assert len(path.picks) == 30


def test_copies_come_after_everything_new():
    rng = np.random.default_rng(1)
    signals = rng.normal(size=(50, 4))
    X = np.hstack([signals, signals, 3 * signals])
    order = GreedyCSS().fit(X).order_
    assert sorted(order[:4] % 4) == [0, 1, 2, 3]


def test_constant_columns_are_last_and_equal_columns_tie_by_index():
    rng = np.random.default_rng(2)
    x = rng.normal(size=20)
    ranker = GreedyCSS().fit(np.column_stack([np.ones(20), x, x]))
    assert ranker.order_.tolist() == [1, 2, 0]
    assert ranker.scores_[0] == 0
    assert GreedyCSS().fit(np.ones((5, 3))).scores_.tolist() == [0, 0, 0]


def test_nominal_columns_are_chosen_as_a_whole():
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 4, size=200)
    frame = pd.DataFrame(
        {f"x{v}": (kind == v) + 0.3 * rng.normal(size=200) for v in range(4)}
        | {"kind": pd.Categorical(list(map("abcd".__getitem__, kind)))}
    )
    ranker = GreedyCSS(scale="standard").fit(frame)
    assert ranker.order_[0] == 4
    Z, widths = scaled_coordinates(read_table(frame), "standard")
    assert widths.tolist() == [1, 1, 1, 1, 4]
    assert ranker.explained_[0] == pytest.approx(explained(Z, widths, [4]) / np.vdot(Z, Z))


def test_missing_values_count_as_the_mean():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 6))
    X[3, 1] = X[5, 2] = X[:, 5] = np.nan
    filled = filled_values(read_table(X))
    assert not np.isnan(filled).any()
    assert filled[3, 1] == pytest.approx(np.delete(filled[:, 1], 3).mean())
    ranker = GreedyCSS().fit(X)
    assert ranker.scores_[5] == 0
    assert GreedyCSS(polish="knn", n_features_to_select=2).fit(X).scores_.shape == (6,)


def test_scores_of_picks_that_explain_nothing_more_still_fall():
    scores = path_scores(np.array([2, 0]), np.array([0.5, 0.5]), np.array([0.1, 0.2, 0.3, 9.0]))
    assert scores[2] == 1.5 > scores[0] > scores[3] > scores[1]
    alike = path_scores(np.array([2, 0]), np.zeros(2), np.array([0.1, 9.0, 0.3, 9.0]))
    assert alike[2] == 1.0 > alike[0] > alike[1] == alike[3]


def test_spreads_are_standard_deviations_of_any_size():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 5)) * np.array([1, 10, 1e-3, 2, 0])
    table = read_table(X)
    assert relative_spreads(table) == pytest.approx(X.std(axis=0) / X.std(axis=0).max())
    held = read_table(sparse.csr_array(X))
    assert relative_spreads(held) == pytest.approx(relative_spreads(table))
    for nothing in (np.zeros((4, 2)), sparse.csr_array((4, 2))):
        assert relative_spreads(read_table(nothing)).tolist() == [0.0, 0.0]
    for factor in (1e300, 1e-300):
        assert relative_spreads(read_table(X * factor)) == pytest.approx(relative_spreads(table))


@pytest.mark.parametrize("scale", ["standard", "half", "raw"])
def test_scale_decides_what_counts(scale):
    """Three quiet columns of one signal against two loud ones of another."""
    rng = np.random.default_rng(6)
    quiet, loud = rng.normal(size=(2, 100))
    X = np.column_stack([quiet + 0.1 * e for e in rng.normal(size=(3, 100))]
                        + [100 * (loud + 0.1 * e) for e in rng.normal(size=(2, 100))])  # fmt: skip
    assert (GreedyCSS(scale=scale).fit(X).order_[0] >= 3) == (scale != "standard")


def test_fewer_picks_are_a_prefix_of_more():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 60)) + rng.normal(size=(40, 60))
    few, many = GreedyCSS(n_picks=20).fit(X), GreedyCSS(n_picks=60).fit(X)
    assert np.array_equal(few.order_[:16], many.order_[:16])
    assert few.n_features_ == many.n_features_
    assert len(few.picks_) == 20 < len(many.picks_)


def test_beats_chance_on_faces(load_mat):
    X = load_mat("Yale")
    rng = np.random.default_rng(0)
    Z, widths = scaled_coordinates(read_table(X), "half")
    ranker = GreedyCSS(scale="half").fit(X)
    chance = explained(Z, widths, rng.permutation(X.shape[1])[:16]) / np.vdot(Z, Z)
    assert ranker.explained_[15] > chance
    assert ranker.explained_[15] == pytest.approx(
        explained(Z, widths, ranker.order_[:16]) / np.vdot(Z, Z)
    )


def two_blocks(seed, n_rows=80):
    """Four columns of one signal, four noisier ones of another, and six of noise."""
    rng = np.random.default_rng(seed)
    signals = np.repeat(rng.normal(size=(n_rows, 2)), 4, axis=1)
    signals += rng.normal(size=(n_rows, 8)) * np.repeat([0.05, 0.08], 4)
    return np.hstack([signals, rng.normal(size=(n_rows, 6))])


@pytest.mark.parametrize("seed", range(5))  # one table in twenty has a pick too many by chance
def test_picks_are_made_given_what_is_included(seed):
    X = two_blocks(seed)
    free = GreedyCSS(n_features_to_select="auto").fit(X)
    assert free.n_features_ == 2
    for included, other in ((2, 1), (5, 0)):
        ranker = GreedyCSS(n_features_to_select="auto", include=[included]).fit(X)
        assert ranker.picks_[0] == ranker.order_[0] == included
        assert ranker.picks_[1] // 4 == ranker.order_[1] // 4 == other
        assert ranker.n_features_ == 1
        assert ranker.get_support().sum() == 2
    both = GreedyCSS(n_features_to_select="auto", include=[0, 4, 13]).fit(X)
    assert both.n_features_ == 0
    assert np.flatnonzero(both.get_support()).tolist() == [0, 4, 13]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_explained_given_what_is_included_is_the_explicit_share(seed):
    X = two_blocks(seed)
    included = np.random.default_rng(seed).choice(14, 3, replace=False)
    ranker = GreedyCSS(include=included).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert set(ranker.picks_[:3]) == set(included)
    for k in range(1, len(ranker.picks_) + 1):
        share = explained(Z, np.ones(14, int), ranker.picks_[:k]) / np.linalg.norm(Z) ** 2
        assert ranker.explained_[k - 1] == pytest.approx(share)


def test_what_is_excluded_is_not_picked_and_others_stand_for_it():
    X = two_blocks(3)
    free = GreedyCSS(n_features_to_select=2).fit(X)
    ranker = GreedyCSS(n_features_to_select=2, exclude=free.picks_[:2]).fit(X)
    assert not set(ranker.picks_) & set(free.picks_[:2])
    assert sorted(ranker.order_[:2] // 4) == [0, 1]
    assert set(ranker.order_[-2:]) == set(free.picks_[:2])


def test_included_columns_without_variation_do_no_harm():
    X = np.hstack([two_blocks(0), np.full((80, 1), 3.0)])
    ranker = GreedyCSS(n_features_to_select="auto", include=[14, 1]).fit(X)
    assert ranker.order_[:2].tolist() == [1, 14]
    assert ranker.picks_[0] == 1
    assert ranker.order_[2] // 4 == 1
    assert ranker.get_support().sum() == 3


@pytest.mark.parametrize("n_selected", [1, 4, 6])
def test_the_polish_keeps_what_is_included(n_selected):
    X = two_blocks(1)
    ranker = GreedyCSS(
        n_features_to_select=n_selected, polish="knn", include=[11, 13], exclude=[0, 4]
    ).fit(X)
    assert set(ranker.order_[:2]) == {11, 13}
    kept = np.flatnonzero(ranker.get_support())
    assert len(kept) == max(2, n_selected)
    assert {11, 13} <= set(kept)
    assert not {0, 4} & set(kept)
    assert set(ranker.picks_[: len(kept)]) == set(kept)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_chance_has_no_unit(size):
    given = (np.array([1.5, 4.0]), np.array([1, 2]), np.full(2, 9.8), np.full(2, 35.3))
    explained, rank, trace, squares = given
    scores, deviation = standardised(*given, 6)
    scaled = standardised(size * explained, rank, size * trace, size**2 * squares, 6)
    np.testing.assert_allclose(scaled[0], scores)
    np.testing.assert_allclose(scaled[1], size * deviation)
