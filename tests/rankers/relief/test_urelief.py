"""URelief against a plain transcription of Alg. 3, the shared references, and its promises."""

from __future__ import annotations

import _thread
import signal
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from relief_oracle import differences, urelief
from sklearn import config_context

from unsuprank import URelief, urelief_path
from unsuprank._progress import use_display
from unsuprank.table import read_table


def random_table(rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
    """Values and the nominal columns among them; all kinds of columns, ties, gaps."""
    m, n = int(rng.integers(2, 40)), int(rng.integers(1, 14))
    m = int(rng.choice([m, 63, 64, 65])) if rng.random() < 0.1 else m
    columns, nominal = [], []
    for j in range(n):
        kind = rng.choice(["real", "integer", "binary", "name", "constant", "scaled"])
        column = {
            "real": lambda: rng.normal(size=m),
            "integer": lambda: rng.integers(0, rng.integers(2, 15), size=m),
            "binary": lambda: rng.integers(0, 2, size=m),
            "name": lambda: rng.integers(0, rng.integers(1, 6), size=m),
            "constant": lambda: np.full(m, 3.5),
            "scaled": lambda: rng.integers(0, 4, size=m) * 10.0 ** rng.integers(-30, 30),
        }[kind]().astype(float)
        if rng.random() < 0.3:
            column[rng.random(m) < rng.choice([0.1, 0.5, 1.0], p=[0.6, 0.3, 0.1])] = np.nan
        if kind == "name":
            nominal.append(j)
        columns.append(column)
    values = np.column_stack(columns)
    if rng.random() < 0.2:
        values[rng.integers(m, size=m // 2)] = values[0]
    return values, nominal


def random_limit(rng: np.random.Generator, most: int) -> int:
    return int(rng.choice([1, most, rng.integers(1, most + 1)]))


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(300))
@pytest.mark.filterwarnings("ignore:All neighbours are identical")
def test_agrees_with_the_oracle(seed):
    rng = np.random.default_rng(seed)
    X, nominal = random_table(rng)
    k, i = random_limit(rng, len(X) - 1), random_limit(rng, len(X))
    ranker = URelief(k, i, nominal_features=nominal or None, random_state=seed).fit(X)
    rows = np.arange(len(X))
    if i < len(X):
        rows = np.random.RandomState(seed).permutation(len(X))[:i]
    table = read_table(X, nominal_features=nominal or None)
    expected = urelief(differences(table.values, table.n_values), rows, k)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("levels", [3, 4, 8, 98])
def test_ties_across_tiles_go_to_the_first_row(levels):
    # Ranges like 97 are not coded exactly: many rows are then measured in float64.
    rng = np.random.default_rng(levels)
    X = rng.integers(0, levels, size=(150, 3)).astype(float)
    X[:2] = [[0], [levels - 1]]
    expected = urelief(differences(X, np.zeros(3, dtype=int)), range(150), 7)
    np.testing.assert_allclose(URelief(7).fit(X).scores_, expected, rtol=0, atol=1e-9)


def brute_force(X: np.ndarray, k: int) -> np.ndarray:
    """Alg. 3 with all rows in NumPy, for tables too large for the oracle."""
    t = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    differ, column, both = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for r in range(len(t)):
        d = abs(t - t[r])
        distance = d.mean(axis=1)
        distance[r] = np.inf
        nearest = np.argsort(np.round(distance * 2.0**32), kind="stable")[:k]
        differ += distance[nearest].mean() / len(t)
        column += d[nearest].mean(axis=0) / len(t)
        both += (d[nearest] * distance[nearest, None]).mean(axis=0) / len(t)
    return both / differ - (column - both) / (1 - differ)


@pytest.mark.parametrize("k", [1, 30, 299])
def test_several_tiles(k):
    X = np.random.default_rng(k).normal(size=(300, 150)) ** 3
    np.testing.assert_allclose(URelief(k).fit(X).scores_, brute_force(X, k), rtol=0, atol=1e-12)


def test_rows_that_nearly_tie_are_told_apart():
    # All distances differ by less than the codes can see.
    rng = np.random.default_rng(0)
    X = np.zeros((400, 2))
    X[1:, 0] = 1 + rng.permutation(399) * 1e-7
    X[:, 1] = rng.permutation(400) * 1e-7
    X[0, 1] = 1
    expected = brute_force(X, 5)
    np.testing.assert_allclose(URelief(5).fit(X).scores_, expected, rtol=0, atol=1e-9)


def test_more_names_than_codes():
    # Names are coded modulo 65534, so the rows r and r + 65534 look alike to the search.
    m, folded = 65_600, 65_534
    seed = next(s for s in range(1000) if np.random.RandomState(s).permutation(m)[0] < m - folded)
    X = np.column_stack([np.arange(m), np.arange(m)]).astype(float)
    X[m - folded :: 3, 0] = m - 1  # so that some other rows do share a name
    rows = np.random.RandomState(seed).permutation(m)[:8]
    d = np.empty((8, 2))
    for i, r in enumerate(rows):
        pairs = np.column_stack([X[:, 0] != X[r, 0], abs(X[:, 1] - X[r, 1]) / (m - 1)])
        pairs[r] = 9
        d[i] = pairs[np.argmin(np.round(pairs.mean(axis=1) * 2.0**32))]
    distance = d.mean(axis=1)
    both, column = (d * distance[:, None]).mean(axis=0), d.mean(axis=0)
    expected = both / distance.mean() - (column - both) / (1 - distance.mean())
    scores = URelief(1, 8, nominal_features=[0], random_state=seed).fit(X).scores_
    np.testing.assert_allclose(scores, expected, atol=1e-12)


class TestReferences:
    """Score vectors of CLUS, relative to their largest value."""

    @staticmethod
    def distance(scores, place, name):
        with np.load(place / "clus" / f"{name}__seed0.npz") as stored:
            expected = stored["URelief"]
        return abs(scores - expected).max() / abs(expected).max()

    @pytest.mark.parametrize(("name", "tolerance"), [("madelon", 1e-5), ("colon", 1e-2)])
    def test_numeric(self, load_mat, reference_dir, name, tolerance):
        scores = URelief(30).fit(load_mat(name)).scores_
        assert self.distance(scores, reference_dir, f"{name}__URelief_K30") < tolerance

    @pytest.mark.parametrize(
        ("name", "gaps"),
        [("synth_mixed__URelief_K15", False), ("synth_mixed_miss__URelief_usedesc_K15", True)],
    )
    def test_mixed(self, reference_dir, name, gaps):
        with np.load(reference_dir / "clus" / "synth_data.npz") as data:
            X = np.hstack([data["num"], data["nom"].astype(float)])
            if gaps:
                X[data["missing"]] = np.nan
        scores = URelief(15, nominal_features=range(12, 20)).fit(X).scores_
        assert self.distance(scores, reference_dir, name) < 1e-9


@pytest.fixture
def mixed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=400),
            "name": rng.choice(["a", "b", "c"], size=400),
            "flag": rng.random(400) < 0.3,
            "count": rng.integers(0, 97, size=400),
        }
    )
    frame.loc[::7, "real"] = np.nan
    frame.loc[::5, "name"] = None
    return frame


class TestSameAnswer:
    @pytest.mark.parametrize("n_iterations", [1.0, 0.3])
    def test_threads_memory_and_tasks(self, mixed, n_iterations, monkeypatch):
        def scores(**params):
            return URelief(9, n_iterations, random_state=0, **params).fit(mixed).scores_

        expected = scores()
        assert np.array_equal(scores(n_jobs=2, working_memory=0.001), expected)
        with config_context(working_memory=0.02):
            assert np.array_equal(scores(n_jobs=3), expected)
        monkeypatch.setattr("unsuprank.rankers.relief.relief_path.SERIAL_DIFFERENCES", 0)
        monkeypatch.setattr("unsuprank.rankers.relief.relief_path.TASK_DIFFERENCES", 1)
        assert np.array_equal(scores(n_jobs=2), expected)
        assert np.array_equal(scores(n_jobs=4), expected)

    def test_units_and_order_of_columns_do_not_matter(self):
        X = np.random.default_rng(0).integers(0, 12, size=(90, 5)).astype(float)
        scores = URelief(5).fit(X).scores_
        turned = URelief(5).fit(X[:, ::-1] * [1, 10, 0.1, 3, 7] + 5).scores_
        np.testing.assert_allclose(turned[::-1], scores, atol=1e-12)

    def test_unsigned_integers_do_not_wrap(self):
        X = np.random.default_rng(0).integers(0, 255, size=(50, 4))
        expected = URelief(5).fit(X).scores_
        assert np.array_equal(URelief(5).fit(X.astype(np.uint8)).scores_, expected)

    def test_huge_and_tiny_ranges(self):
        X = np.random.default_rng(0).uniform(-1, 1, size=(50, 3))
        expected = URelief(5).fit(X).scores_
        X = X * [1.7e308, 1, 1e-300]
        np.testing.assert_allclose(URelief(5).fit(X).scores_, expected, atol=1e-12)


class TestPath:
    def test_equals_single_fits(self, mixed):
        counts, draws = [7, 3, 400, 7], [1.0, 0.25, 100, 0.5, 1]
        with pytest.warns(UserWarning, match="n_neighbors=400"):
            path = urelief_path(mixed, counts, draws, random_state=5, n_jobs=2)
        assert path.shape == (4, 5, 4)
        for a, k in enumerate(counts):
            for b, i in enumerate(draws):
                single = URelief(min(k, 399), i, random_state=5).fit(mixed).scores_
                np.testing.assert_allclose(path[a, b], single, rtol=0, atol=1e-12)

    def test_bad_settings(self, mixed):
        for bad in ([], 5, [0], [[1, 2]]):
            with pytest.raises((ValueError, TypeError), match="n_neighbors"):
                urelief_path(mixed, n_neighbors=bad)
        for bad in ([], 0.5, [0.5, -1]):
            with pytest.raises((ValueError, TypeError), match="n_iterations"):
                urelief_path(mixed, n_iterations=bad)


class TestBadInput:
    X = np.random.default_rng(0).normal(size=(10, 3))

    def test_more_iterations_than_rows(self):
        with pytest.raises(ValueError, match="n_iterations=11"):
            URelief(3, 11).fit(self.X)

    def test_too_many_neighbors_are_cut(self):
        with pytest.warns(UserWarning, match=r"as many are used as there are \(9\)"):
            cut = URelief(10).fit(self.X).scores_
        assert np.array_equal(cut, URelief(9).fit(self.X).scores_)

    @pytest.mark.parametrize("value", [0.0, 7.3])
    def test_identical_rows(self, value):
        with pytest.warns(UserWarning, match="identical"):
            scores = URelief(3).fit(np.full((300, 4), value)).scores_
        assert np.array_equal(scores, np.zeros(4))

    def test_two_rows(self):
        scores = URelief(1).fit(np.array([[0.0, 1.0, 5.0], [1.0, 1.0, 2.0]])).scores_
        assert np.isfinite(scores).all()
        assert scores[1] == 0

    def test_column_without_values(self):
        X = np.c_[self.X, np.full(10, np.nan)]
        assert URelief(3).fit(X).scores_[3] == pytest.approx(0, abs=1e-12)

    def test_infinity(self):
        X = self.X.copy()
        X[2, 1] = np.inf
        with pytest.raises(ValueError, match="infinity in column 1"):
            URelief(3).fit(X)

    def test_one_row_and_no_columns(self):
        for X in (self.X[:1], self.X[:, :0]):
            with pytest.raises(ValueError, match=r"minimum|0 feature"):
                URelief(3).fit(X)

    def test_bad_input_changes_nothing(self):
        ranker = URelief(3).fit(self.X)
        before = ranker.scores_.copy()
        with pytest.raises(ValueError, match="infinity"):
            ranker.fit(np.full((5, 2), np.inf))
        assert np.array_equal(ranker.scores_, before)
        assert ranker.n_features_in_ == 3


class TestLongRuns:
    X = np.random.default_rng(0).normal(size=(700, 40))

    def test_progress_goes_from_start_to_end(self):
        seen = []

        class Display:
            def __init__(self, label):
                assert label == "URelief"

            def update(self, done, total, note=""):
                seen.append(done / total)

            def close(self):
                seen.append("closed")

        with use_display(Display):
            URelief(5, working_memory=0.1).fit(self.X)
        assert seen[-1] == "closed"
        assert seen[:-1] == sorted(seen[:-1])
        assert seen[-2] == pytest.approx(1)

    def test_silent_by_default(self, capfd):
        URelief(5).fit(self.X)
        assert capfd.readouterr() == ("", "")

    def test_interrupt(self):
        # Many short calls: an interrupt gets through between any two of them.
        X = np.random.default_rng(0).normal(size=(20_000, 300))
        # A shell that runs tests in the background has them ignore interrupts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        stop = threading.Timer(0.2, _thread.interrupt_main)
        stop.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                URelief(30, n_jobs=2).fit(X)
        finally:
            stop.join()
            signal.signal(signal.SIGINT, before)


def columns_that_hold_the_cluster(n_clusters: int, seed: int) -> np.ndarray:
    """150 rows: five copies of the cluster of a row, and 20 columns of noise."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(150.0) % n_clusters
    return np.c_[np.repeat(cluster[:, None], 5, axis=1), rng.uniform(size=(150, 20))]


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_neighbours_within_a_cluster_agree_on_its_columns(n_clusters):
    """What the documentation says about too few neighbours."""
    for seed in range(3):
        X = columns_that_hold_the_cluster(n_clusters, seed)
        assert sorted(URelief(n_neighbors=30).fit(X).ranking_[:5]) == [21, 22, 23, 24, 25]
        for enough in (100, 0.8, 1.0):
            assert sorted(URelief(n_neighbors=enough).fit(X).ranking_[:5]) == [1, 2, 3, 4, 5]


def test_a_fraction_of_the_rows_as_neighbours():
    X = np.random.default_rng(0).normal(size=(40, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fraction, count in ((0.5, 20), (0.001, 1), (1.0, 39), (np.float32(0.25), 10)):
            same = URelief(n_neighbors=fraction).fit(X).scores_
            assert np.array_equal(same, URelief(n_neighbors=count).fit(X).scores_)
        both = urelief_path(X, [0.5, 10], [1.0])[:, 0]
    np.testing.assert_allclose(both, [URelief(k).fit(X).scores_ for k in (20, 10)], rtol=1e-12)
