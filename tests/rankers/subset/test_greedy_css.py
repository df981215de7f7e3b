"""Greedy column-subset selection against the explicit projection formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import GreedyCSS
from unsuprank.rankers.subset.column_subset import Residual, greedy_path, path_scores
from unsuprank.rankers.subset.coordinates import filled_values, relative_spreads, scaled_coordinates
from unsuprank.table import read_table


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
    path = greedy_path(coordinates, widths, len(widths))
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
    coordinates, widths = random_problem(np.random.default_rng(seed))
    n_picks = max(1, len(widths) // 2)
    path = greedy_path(coordinates, widths, n_picks)
    scores = path_scores(path)
    order = np.argsort(-scores, kind="stable")
    assert np.array_equal(order[: len(path.picks)], path.picks)
    rest = order[len(path.picks) :]
    adds = path.would_add[rest]
    assert np.all(np.diff(adds) <= 0)
    spent = rest[adds == 0]
    assert np.all(np.diff(path.alone[spent]) <= 0)


def test_columns_named_first_come_first():
    rng = np.random.default_rng(0)
    coordinates = rng.normal(size=(30, 10))
    path = greedy_path(coordinates - coordinates.mean(axis=0), np.ones(10, int), 6, first=[7, 2])
    assert set(path.picks[:2]) == {2, 7}
    assert len(set(path.picks)) == 6


def test_columns_named_first_come_first_even_if_they_add_nothing():
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(30, 2))
    coordinates = np.hstack([signals, signals @ rng.normal(size=(2, 3)), rng.normal(size=(30, 3))])
    coordinates -= coordinates.mean(axis=0)
    path = greedy_path(coordinates, np.ones(8, int), 6, first=[0, 1, 2, 3])
    assert set(path.picks[:4]) == {0, 1, 2, 3}
    order = np.argsort(-path_scores(path), kind="stable")
    assert np.array_equal(order[:6], path.picks)


def test_more_rows_than_columns_and_fewer_agree():
    rng = np.random.default_rng(0)
    tall = rng.normal(size=(60, 12)) @ rng.normal(size=(12, 12))
    tall -= tall.mean(axis=0)
    padded = np.hstack([tall, np.zeros((60, 80))])
    widths = np.ones(12, int)
    short = greedy_path(tall, widths, 12)
    wide = greedy_path(padded, np.concatenate([widths, np.ones(80, int)]), 12)
    assert np.array_equal(short.picks, wide.picks)
    assert short.unexplained == pytest.approx(wide.unexplained, abs=1e-12)


def test_an_ill_conditioned_table_keeps_its_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 30)) * 10.0 ** rng.uniform(-6, 6, size=30)
    ranker = GreedyCSS(scale="raw").fit(X)
    path_share = ranker.explained_
    Z, widths = scaled_coordinates(read_table(X), "raw")
    total = np.linalg.norm(Z) ** 2
    for t in (1, 5, 20):
        assert path_share[t - 1] == pytest.approx(
            explained(Z, widths, ranker.picks_[:t]) / total, abs=1e-9
        )
    assert len(ranker.picks_) == 30


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
    assert ranker.scores_[0] == -1
    assert GreedyCSS().fit(np.ones((5, 3))).scores_.tolist() == [-1, -1, -1]


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
    assert ranker.scores_[5] == -1
    assert GreedyCSS(polish="knn", n_features_to_select=2).fit(X).scores_.shape == (6,)


def test_spreads_are_standard_deviations_of_any_size():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 5)) * np.array([1, 10, 1e-3, 2, 0])
    table = read_table(X)
    assert relative_spreads(table) == pytest.approx(X.std(axis=0) / X.std(axis=0).max())
    for factor in (1e300, 1e-300):
        assert relative_spreads(read_table(X * factor)) == pytest.approx(relative_spreads(table))


@pytest.mark.parametrize("scale", ["standard", "half", "raw"])
def test_scale_decides_what_counts(scale):
    rng = np.random.default_rng(6)
    small, large = rng.normal(size=(2, 100))
    X = np.column_stack([small + 0.1 * rng.normal(size=(3, 100))[i] for i in range(3)] + [large])
    X[:, 3] *= {"standard": 100.0, "half": 100.0, "raw": 100.0}[scale]
    assert (GreedyCSS(scale=scale).fit(X).order_[0] == 3) == (scale != "standard")


def test_fewer_picks_are_a_prefix_of_more():
    X = np.random.default_rng(7).normal(size=(40, 60))
    few = GreedyCSS(n_picks=20).fit(X)
    many = GreedyCSS(n_picks=60).fit(X)
    assert np.array_equal(few.order_[:20], many.order_[:20])
    assert len(many.picks_) == 39  # centred rows have one dimension less


@pytest.mark.parametrize(
    "bad", [{"n_picks": 0}, {"n_picks": 2.5}, {"scale": "log"}, {"polish": "tree"}]
)
def test_bad_parameters_are_named(bad):
    with pytest.raises((TypeError, ValueError), match=next(iter(bad))):
        GreedyCSS(**bad).fit(np.eye(4))


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
