"""Shared variance: its moments against all orders of the rows, and the ranking itself."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from unsuprank import SharedVariance
from unsuprank.rankers.coordinates import Coordinates, diagonal_sums
from unsuprank.rankers.coordinates import coordinates as choice
from unsuprank.rankers.shared_variance import others
from unsuprank.rankers.shared_variance.by_columns import sums_by_columns
from unsuprank.rankers.shared_variance.by_rows import sums_by_rows
from unsuprank.rankers.shared_variance.columns import CategoricalColumn
from unsuprank.rankers.shared_variance.quantile_bins import bin_codes, with_bins
from unsuprank.rankers.shared_variance.shuffles import (
    Sums,
    mean,
    parts,
    third_moment,
    upper_tail,
    variance,
)
from unsuprank.rankers.shared_variance.sums import mixed_triangles
from unsuprank.table import read_table


def sums_of(M: np.ndarray) -> Sums:
    """The definitions, as they stand."""
    d = np.diagonal(M)
    return Sums(
        trace=d.sum(),
        diagonal2=np.sum(d**2),
        diagonal3=np.sum(d**3),
        squares=np.sum(M**2),
        triangles=np.trace(M @ M @ M),
        diagonal_form=d @ M @ d,
        diagonal_squares=d @ np.diagonal(M @ M),
        cubes=np.sum(M**3),
    )


def coordinates(column: np.ndarray, nominal: bool) -> np.ndarray:
    """Centred coordinates of total variance 1; missing values at 0."""
    known = ~np.isnan(column)
    if nominal:
        values = np.unique(column[known])
        Z = (column[:, None] == values).astype(float)
    else:
        Z = np.where(known, column, 0.0)[:, None]
    Z = np.where(known[:, None], Z - Z[known].mean(axis=0), 0.0)
    size = np.sqrt(np.sum(Z**2) / known.sum())
    return Z / size if size > 0 else Z


def projection(Z: np.ndarray) -> np.ndarray:
    return Z @ np.linalg.pinv(Z, rcond=1e-9)


def mixed_table(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns with ties, gaps and rare values, and which of them are nominal."""
    draw = [
        lambda: rng.normal(size=rows),
        lambda: np.exp(2 * rng.normal(size=rows)),
        lambda: rng.integers(0, 3, rows),
        lambda: np.arange(rows) == rng.integers(rows),
        lambda: rng.integers(0, rows, rows),
    ]
    columns = [draw[rng.integers(5)]().astype(float) for _ in range(rng.integers(3, 7))]
    X = np.column_stack(columns)
    X[rng.random(X.shape) < rng.choice([0.0, 0.15])] = np.nan
    return X, rng.random(X.shape[1]) < 0.4


def varying(X: np.ndarray) -> np.ndarray:
    return np.array([len(np.unique(c[~np.isnan(c)])) > 1 for c in X.T])


class TestMoments:
    @pytest.mark.parametrize("rows", [4, 5, 6, 7])
    def test_all_orders(self, rows):
        rng = np.random.default_rng(rows)
        orders = np.array(list(permutations(range(rows))))
        for _ in range(200 if rows < 7 else 40):
            X, nominal = mixed_table(rng, rows)
            blocks = [coordinates(c, k) for c, k in zip(X.T, nominal, strict=True)]
            K = sum(Z @ Z.T for Z in blocks[1:])
            P = projection(blocks[0])
            values = np.einsum("ij,oij->o", P, K[orders[:, :, None], orders[:, None, :]])
            p, k = parts(rows, sums_of(P)), parts(rows, sums_of(K))
            size = 1e-10 * max(1.0, np.abs(values).max())
            assert mean(rows, p, k) == pytest.approx(values.mean(), abs=size)
            assert variance(rows, p, k) == pytest.approx(values.var(), abs=size)
            third = np.mean((values - values.mean()) ** 3)
            assert third_moment(rows, p, k) == pytest.approx(
                third, abs=1e-10 * max(1.0, np.abs(values).max() ** 3)
            )

    def test_expanded_variance(self):
        """The form that is usually given."""
        rng = np.random.default_rng(0)
        n = 30
        P = projection(coordinates(rng.exponential(size=n) ** 2, False))
        Z = np.exp(rng.normal(size=(n, 5)))
        Z -= Z.mean(axis=0)
        K = Z @ Z.T
        p, t, k2 = np.trace(P), np.trace(K), np.sum(K**2)
        dP, dK = np.sum(np.diagonal(P) ** 2), np.sum(np.diagonal(K) ** 2)
        expected = 2 * ((n - 1) * p - p**2) * ((n - 1) * k2 - t**2)
        expected /= (n - 1) ** 2 * (n + 1) * (n - 2)
        diagonal = n * (n + 1) * dP - (n - 1) * (p**2 + 2 * p)
        diagonal *= n * (n + 1) * dK - (n - 1) * (t**2 + 2 * k2)
        expected += diagonal / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
        found = variance(n, parts(n, sums_of(P)), parts(n, sums_of(K)))
        assert found == pytest.approx(expected, rel=1e-12)

    def test_tail(self):
        scores, skewness = np.array([-1.0, 0.5, 3.0, 6.0]), np.array([0.7, -0.4, 1.5, 3.0])
        expected = stats.pearson3.sf(scores, skewness)
        np.testing.assert_allclose(upper_tail(scores, skewness), expected, rtol=1e-9)
        assert upper_tail(np.array([2.0]), np.array([0.0]))[0] == pytest.approx(stats.norm.sf(2))


def test_sums_over_names():
    rng = np.random.default_rng(1)
    for _ in range(50):
        column = rng.integers(0, rng.integers(2, 9), 20).astype(float)
        column[rng.random(20) < 0.3] = np.nan
        names = CategoricalColumn.of(column, 1.0)
        Z = coordinates(column, True)
        for found, M in ((names.products(), Z @ Z.T), (names.projection(), projection(Z))):
            for field, value in vars(sums_of(M)).items():
                assert getattr(found, field) == pytest.approx(value, rel=1e-9, abs=1e-10), field


def test_diagonal_sums():
    rng = np.random.default_rng(2)
    for rows in range(1, 40):
        widths = rng.integers(1, 4, 5).astype(np.int32)
        Z, k = np.asfortranarray(rng.normal(size=(rows, widths.sum()))), rng.random(rows)
        expected = []
        for block in np.split(Z, np.cumsum(widths)[:-1], axis=1):
            h = np.sum(block**2, axis=1)
            cubes = np.sum(h * block[:, 0])
            expected.append([h @ k, h @ k**2, h**2 @ k, h.sum(), cubes, h @ h, np.sum(h**3)])
        np.testing.assert_allclose(diagonal_sums(Z, widths, k), np.transpose(expected), rtol=1e-12)


def oracle(X: np.ndarray, nominal: np.ndarray):
    """Share explained, share by chance, score and skewness of each column, plainly."""
    n = len(X)
    blocks = [coordinates(c, k) for c, k in zip(X.T, nominal, strict=True)]
    K = sum(Z @ Z.T for Z in blocks)
    for Z in blocks:
        P, rest = projection(Z), K - Z @ Z.T
        p, k = parts(n, sums_of(P)), parts(n, sums_of(rest))
        e, chance, spread = np.sum(P * rest), mean(n, p, k), variance(n, p, k)
        known = spread > 1e-12 * np.sum(rest**2)
        score = (e - chance) / np.sqrt(spread) if known else 0.0
        skewness = third_moment(n, p, k) / spread**1.5 if known else 0.0
        t = np.trace(rest)
        yield (e / t, chance / t, score, skewness) if t > 0 else (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("few_rows", [0, 1024], ids=["coordinates", "rows"])
@pytest.mark.parametrize("many_values", [2, 48], ids=["groups", "indicators"])
def test_against_the_oracle(few_rows, many_values, monkeypatch):
    monkeypatch.setattr(choice, "FEW_ROWS", few_rows)
    monkeypatch.setattr(choice, "MANY_VALUES", many_values)
    rng = np.random.default_rng(few_rows)
    for _ in range(60):
        X, nominal = mixed_table(rng, rng.integers(8, 40))
        keep = varying(X)
        if keep.sum() < 2:
            continue
        ranker = SharedVariance(views="line", nominal_features=nominal).fit(X)
        expected = np.array(list(oracle(X[:, keep], nominal[keep])))
        np.testing.assert_allclose(ranker.explained_[keep], expected[:, 0], atol=1e-9)
        np.testing.assert_allclose(ranker.chance_[keep], expected[:, 1], atol=1e-9)
        np.testing.assert_allclose(ranker.scores_[keep], expected[:, 2], rtol=1e-6, atol=1e-6)
        assert not ranker.scores_[~keep].any()


def table_of(X: np.ndarray, nominal: np.ndarray):
    return read_table(X, nominal_features=np.flatnonzero(nominal).tolist())


@pytest.mark.parametrize("many_values", [2, 48], ids=["groups", "indicators"])
@pytest.mark.parametrize("way", [sums_by_rows, sums_by_columns])
def test_sums_are_those_of_the_definitions(way, many_values, monkeypatch):
    monkeypatch.setattr(choice, "MANY_VALUES", many_values)
    rng = np.random.default_rng(0)
    for _ in range(25):
        X, nominal = mixed_table(rng, rng.integers(6, 30))
        keep = varying(X)
        if not keep.any():
            continue
        X, nominal = X[:, keep], nominal[keep]
        table = table_of(X, nominal)
        grouped = table.n_values > many_values
        blocks = [coordinates(c, k) for c, k in zip(X.T, nominal, strict=True)]
        scaled = keep if way is sums_by_columns else ~grouped
        blocks = [Z / np.sqrt(max(1, scaled.sum())) for Z in blocks]
        K = sum(Z @ Z.T for Z in blocks)
        found, k = way(Coordinates(table, "all rows", "rows", 1)), np.diagonal(K)
        for name, value in vars(sums_of(K)).items():
            if name == "cubes" and way is sums_by_columns:
                assert np.isnan(found.whole.cubes)
            elif name == "triangles" and way is sums_by_columns and grouped.any():
                continue  # estimated
            else:
                rel = 1e-5 if name == "diagonal_squares" else 1e-9  # in single precision
                size = 1e-9 * k.sum() ** 3
                assert getattr(found.whole, name) == pytest.approx(value, rel=rel, abs=size), name
        for j, Z in enumerate(blocks):
            H, P = Z @ Z.T, projection(Z)
            h = np.diagonal(H)
            expected = [np.sum(P * K), np.sum(H * K), h @ k, h @ k**2, h**2 @ k]
            shared = [values[j] for values in vars(found.shared).values()]
            assert shared == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_table_without_a_column():
    """What mean and variance need is exact, and the rest of the third moment right on average."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.exponential(size=(25, 3)), rng.integers(0, 3, 25)])
    nominal = np.array([False, False, False, True])
    off = []
    for _ in range(300):
        Y = np.column_stack([rng.permutation(column) for column in X.T])
        found = others.relations(Coordinates.of(table_of(Y, nominal))).others
        blocks = [coordinates(c, k) / 2 for c, k in zip(Y.T, nominal, strict=True)]
        K = sum(Z @ Z.T for Z in blocks)
        exact = [parts(25, sums_of(K - Z @ Z.T)) for Z in blocks]
        for name in ("trace", "aa", "qq", "aaa"):
            expected = [getattr(rest, name) for rest in exact]
            np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-9, atol=1e-12)
        off.append(
            [
                [getattr(found, name)[j] - getattr(rest, name) for j, rest in enumerate(exact)]
                for name in ("aaq", "aqq", "cubes")
            ]
        )
    error = np.std(off, axis=0) / np.sqrt(len(off))
    assert (np.abs(np.mean(off, axis=0)) < 4 * error).all()


def test_mixed_triangles_of_single_directions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        h, k = rng.normal(size=(2, 9)) * rng.uniform(0.1, 3, size=(2, 1))
        H, K = np.outer(h, h), np.outer(k, k)
        expected = 3 * np.trace(K @ K @ H) + 3 * np.trace(K @ H @ H)
        found = mixed_triangles(np.sum(H * K), np.sum(K**2), np.trace(K), sums_of(H))
        assert found == pytest.approx(expected)
    assert mixed_triangles(0.0, 0.0, 0.0, sums_of(H)) == 0.0


def test_p_values_are_close_to_those_of_the_exact_third_moment():
    """The sums that are only right on average are right enough."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        X = np.column_stack([rng.normal(size=(80, 6)), rng.exponential(size=(80, 6)) ** 2])
        X[:, 0] += 0.7 * X[:, 1]
        nominal = np.zeros(14, dtype=bool)
        nominal[12:] = True
        X = np.column_stack([X, rng.integers(0, 5, 80), rng.integers(0, 20, 80)])
        expected = np.array(list(oracle(X, nominal)))
        tail = upper_tail(expected[:, 2], expected[:, 3])
        found = SharedVariance(views="line", nominal_features=nominal).fit(X).p_values_
        np.testing.assert_allclose(found[tail < 0.9], tail[tail < 0.9], atol=0.01)
        small = tail < 0.1
        np.testing.assert_allclose(np.log(found[small]), np.log(tail[small]), rtol=0.05)


class TestRanking:
    @pytest.fixture
    def frame(self):
        rng = np.random.default_rng(5)
        signal = rng.normal(size=120)
        frame = pd.DataFrame(
            {
                "a": signal + 0.3 * rng.normal(size=120),
                "b": np.exp(signal),
                "group": np.where(signal > 0.5, "high", np.where(signal < -0.5, "low", "middle")),
                "gaps": np.where(rng.random(120) < 0.5, signal, np.nan),
                "noise": rng.normal(size=120),
                "rare": np.arange(120) % 24 == 3,
                "names": rng.integers(0, 60, 120).astype(str),
                "identifier": [f"row {i}" for i in range(120)],
                "constant": 1.5,
            }
        )
        return frame

    def test_signal_before_noise_before_nothing(self, frame):
        ranker = SharedVariance(views="line").fit(frame)
        assert set(frame.columns[ranker.order_[:4]]) == {"a", "b", "group", "gaps"}
        scores = dict(zip(frame.columns, ranker.scores_, strict=True))
        assert scores["identifier"] == scores["constant"] == 0.0
        assert abs(scores["names"]) < 3
        assert ranker.p_values_[:4].max() < 1e-6
        assert ranker.p_values_[4:].min() > 0.01

    def test_order_of_rows_and_columns(self, frame):
        expected = SharedVariance(views="line").fit(frame)
        mixed_up = frame.sample(frac=1, random_state=0)[frame.columns[::-1]]
        turned = SharedVariance(views="line").fit(mixed_up)
        np.testing.assert_allclose(turned.scores_[::-1], expected.scores_, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(turned.p_values_[::-1], expected.p_values_, rtol=1e-6)

    def test_names_of_values_make_no_difference(self, frame):
        other = frame.assign(group=frame["group"].map({"high": "x", "low": "z", "middle": "a"}))
        expected = SharedVariance(views="line").fit(frame).scores_
        found = SharedVariance(views="line").fit(other).scores_
        np.testing.assert_allclose(found, expected, rtol=1e-9)

    def test_constants_and_units_make_no_difference(self, frame):
        expected = SharedVariance(views="line").fit(frame).scores_
        without = SharedVariance(views="line").fit(frame.drop(columns="constant")).scores_
        np.testing.assert_array_equal(without, expected[:-1])
        scaled = SharedVariance(views="line").fit(frame.assign(a=5000 * frame["a"] - 7)).scores_
        np.testing.assert_allclose(scaled, expected, rtol=1e-9)

    def test_copies_tie(self):
        X = np.random.default_rng(0).normal(size=(50, 4))
        scores = SharedVariance(views="line").fit(X[:, [0, 1, 2, 3, 1]]).scores_
        assert scores[1] == pytest.approx(scores[4], rel=1e-12)
        assert np.argsort(-scores)[:2].tolist() in ([1, 4], [4, 1])

    def test_two_values_as_names_or_numbers(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        X[:, 0] = X[:, 1] > 1
        as_names = SharedVariance(views="line", nominal_features=[0]).fit(X)
        as_numbers = SharedVariance(views="line").fit(X)
        np.testing.assert_allclose(as_names.scores_, as_numbers.scores_, rtol=1e-9)
        np.testing.assert_allclose(as_names.p_values_, as_numbers.p_values_, rtol=1e-6)

    def test_threads(self, frame):
        one, two = (SharedVariance(views="line", n_jobs=k).fit(frame) for k in (1, 2))
        np.testing.assert_array_equal(one.scores_, two.scores_)
        np.testing.assert_array_equal(one.p_values_, two.p_values_)

    @pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e300, 9e307])
    def test_sizes(self, scale):
        X = np.random.default_rng(0).uniform(-1, 1, size=(40, 4))
        X[:, 1] += X[:, 0]
        expected = SharedVariance(views="line").fit(X / 2)
        found = SharedVariance(views="line").fit(X / 2 * np.array([scale, 1, 1, scale]))
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-6)

    @pytest.mark.parametrize("rows", [2, 3, 4, 5])
    def test_few_rows(self, rows):
        X = np.random.default_rng(0).normal(size=(rows, 5))
        ranker = SharedVariance(views="line").fit(X)
        assert np.isfinite(ranker.scores_).all()
        assert ((ranker.p_values_ >= 0) & (ranker.p_values_ <= 1)).all()

    def test_one_column_and_none_that_varies(self):
        for X in (np.arange(9.0)[:, None], np.ones((9, 3))):
            ranker = SharedVariance(views="line").fit(X)
            assert not ranker.scores_.any()
            assert (ranker.p_values_ == 1).all()

    def test_missing_throughout(self):
        X = np.random.default_rng(0).normal(size=(30, 4))
        X[:, 2] = np.nan
        scores = SharedVariance(views="line").fit(X).scores_
        assert scores[2] == 0.0
        np.testing.assert_array_equal(
            scores[[0, 1, 3]], SharedVariance(views="line").fit(X[:, [0, 1, 3]]).scores_
        )


class TestBins:
    def test_squares_are_found(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=300)
        X = np.column_stack([x, x**2, rng.normal(size=(300, 6))])
        assert SharedVariance(views="line").fit(X).p_values_[:2].min() > 1e-6
        found = SharedVariance(bins=3).fit(X)
        assert set(found.order_[:2]) == {0, 1}
        assert found.p_values_[:2].max() < 1e-6

    def test_codes(self):
        assert bin_codes(np.array([3.0, 1.0, np.nan, 2.0, 4.0]), 2).tolist()[:2] == [1.0, 0.0]
        assert np.isnan(bin_codes(np.array([np.nan, 1.0]), 2)[0])
        assert bin_codes(np.arange(9.0), 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]

    @pytest.mark.parametrize("bins", [2, 3, 5])
    def test_what_varies_still_does(self, bins):
        for ones in range(1, 20):
            column = (np.arange(20) < ones).astype(float)
            assert len(np.unique(bin_codes(column, bins))) == 2
            assert len(np.unique(bin_codes(-column, bins))) == 2


@pytest.mark.data
def test_random_names_come_last_on_titanic(data_dir):
    from unsuprank.io import read_file

    table = read_file(data_dir / "mixed" / "titanic_openml40945.arff").table()
    ranker = SharedVariance(views="line").fit(table)
    order = [table.names[j] for j in ranker.order_]
    assert set(order[:4]) == {"pclass", "fare", "survived", "sex"}
    assert set(order[-2:]) == {"name", "body"}


def test_columns_without_values_have_no_bins():
    X = np.column_stack([np.arange(9.0), np.full(9, np.nan), np.full(9, 2.0)])
    found = with_bins(read_table(X), 3)
    assert found.n_values.tolist() == [3, 0, 1]
