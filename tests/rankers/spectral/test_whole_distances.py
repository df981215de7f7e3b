"""Exact distances and sums of tables of small whole numbers, against sums written out slowly."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import SPEC, _kernels
from unsuprank.rankers.spectral import rbf, whole_distances
from unsuprank.rankers.spectral.rbf import RBFGraph
from unsuprank.rankers.spectral.row_distances import RowDistances
from unsuprank.rankers.spectral.spec import moments_of, spec_scores
from unsuprank.rankers.spectral.whole_distances import LARGEST_ERROR, WEIGHT_ERROR, WholeDistances


@pytest.fixture(autouse=True)
def _on_any_processor(monkeypatch):
    monkeypatch.setattr(whole_distances, "FASTER", True)


KINDS = ["counts", "levels", "signs", "decimals", "offset", "large", "repeated"]


def whole_numbers(kind, seed):
    """A table of a kind, with up to three bands of rows and three panels of columns."""
    rng = np.random.default_rng(seed)
    shape = int(rng.choice([2, 3, 20, 63, 64, 65, 130, 150])), int(rng.choice([1, 5, 32, 33, 70]))
    if kind == "counts":
        return rng.poisson(rng.uniform(0.1, 5, size=shape[1]), size=shape).astype(float)
    if kind == "levels":
        return rng.integers(0, 256, size=shape).astype(float)
    if kind == "signs":
        return rng.choice([-2.0, 0.0, 2.0], size=shape)
    if kind == "decimals":
        return np.round(rng.normal(size=shape), int(rng.integers(1, 4)))
    if kind == "offset":
        return rng.integers(-9, 9, size=shape) + 1e6 * rng.integers(-500, 500, size=shape[1])
    if kind == "large":  # all that fits into a squared distance of 31 bits
        half = rng.choice([-1.0, 1.0], size=(shape[0] // 2, shape[1]))
        rows = np.vstack([half, -half, np.zeros((shape[0] % 2, shape[1]))])
        return rng.permutation(rows) * np.floor(np.sqrt((2**29 - 1) / shape[1]))
    X = rng.integers(0, 4, size=shape).astype(float)
    X[rng.integers(shape[0], size=shape[0] // 2)] = X[0]
    return X


def squared_distances(X):
    """Of all pairs; whole numbers of the table's unit are rounded to be exact."""
    unit = next(u for u in (1, 10, 100, 1000, 10000) if np.all(np.round(X * u) / u == X))
    codes = np.round(X * unit).astype(np.int64)
    return np.array([[np.sum((a - b) ** 2) for b in codes] for a in codes]), unit


def moments_written_out(X, W):
    """1' D 1, the best f' D f, that of f as it is, and f' L f, of all columns."""
    d = W.sum(axis=1)
    total = d.sum()
    centred = X - d @ X / total
    rough = [0.5 * np.sum(W * np.subtract.outer(f, f) ** 2) for f in X.T]
    return total, d @ centred**2, d @ X**2, np.array(rough)


def panel_of(lines):
    """The layout of one factor: pairs of numbers of 32 lines, in turn."""
    return np.ascontiguousarray(lines.reshape(32, -1, 2).transpose(1, 0, 2)).reshape(-1, 64)


@pytest.mark.parametrize("instruction_set", _kernels.pair_instruction_sets())
def test_products_of_pairs(instruction_set):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        pairs = int(rng.integers(0, 40))
        largest = [3, 300, 5000][seed % 3]
        rows = rng.integers(-largest, largest + 1, size=(8, 2 * pairs)).astype(np.int16)
        lines = rng.integers(-largest, largest + 1, size=(32, 2 * pairs)).astype(np.int16)
        sums = rng.integers(-1000, 1000, size=(8, 32)).astype(np.int32)
        expected = sums + rows.astype(np.int64) @ lines.T.astype(np.int64)
        _kernels.add_pair_tile(rows, panel_of(lines), instruction_set, sums)
        assert np.array_equal(sums, expected)


@pytest.mark.parametrize("instruction_set", _kernels.pair_instruction_sets())
def test_products_of_extreme_pairs(instruction_set):
    for a, b in ((-32768, 32767), (32767, 32767), (-32767, -32768)):
        rows = np.full((8, 2), a, dtype=np.int16)
        sums = np.zeros((8, 32), dtype=np.int32)
        _kernels.add_pair_tile(rows, np.full((1, 64), b, dtype=np.int16), instruction_set, sums)
        assert np.all(sums == 2 * a * b)


def test_every_build_has_products_that_work_everywhere():
    assert _kernels.pair_instruction_sets()[-1] == "generic"


@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_exact(kind):
    for seed in range(30):
        X = whole_numbers(kind, seed)
        m = len(X)
        whole = WholeDistances.of(X, n_jobs=2)
        assert whole is not None
        expected, unit = squared_distances(X)
        assert whole.unit == 1 / unit
        for band in whole.bands():
            found = whole.of_band(band)
            assert np.all(found[:, m - band.start :] == whole.none)
            for r, row in enumerate(range(band.start, band.stop)):
                assert np.array_equal(found[r, r + 1 : m - band.start], expected[row, row + 1 :])
                assert np.all(found[r, : r + 1] == whole.none)
            assert np.all(found[band.stop - band.start :] == whole.none)


@pytest.mark.parametrize("kind", KINDS)
def test_moments(kind):
    exact = 0
    for seed in range(30):
        X = whole_numbers(kind, seed)
        graph = RBFGraph.of(X)
        found = graph.exact_moments()
        if found is None:
            continue  # few rows, or a column that is near to constant
        exact += 1
        squared, unit = squared_distances(X)
        W = np.exp(-graph.gamma * squared.astype(float))
        total, best, raw, rough = moments_written_out(np.round(X * unit), W)
        varies = np.ptp(X, axis=0) > 0
        assert np.array_equal(found.constant, ~varies)
        np.testing.assert_allclose(found.total, total, rtol=1e-9)
        np.testing.assert_allclose(found.rough[varies], rough[varies], rtol=LARGEST_ERROR)
        twice = 2 * LARGEST_ERROR
        np.testing.assert_allclose(found.centred_square[varies], best[varies], rtol=twice)
        np.testing.assert_allclose(found.raw_square[varies], raw[varies], rtol=twice)
    assert exact >= 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", [-1, 0])
def test_scores_are_those_of_any_table(kind, style, monkeypatch):
    for seed in range(20):
        X = whole_numbers(kind, seed)
        scores = SPEC(style=style, n_jobs=1).fit(X).raw_scores_
        assert np.array_equal(SPEC(style=style, n_jobs=2).fit(X).raw_scores_, scores)
        with monkeypatch.context() as never:
            never.setattr(WholeDistances, "of", lambda *_args, **_more: None)
            graph = RBFGraph.of(X)
            assert isinstance(graph.distances, RowDistances)
            np.testing.assert_allclose(scores, spec_scores(X, graph, style), rtol=1e-8, atol=1e-13)


def test_many_rows_are_tuned_by_some(monkeypatch):
    for seed in range(30):
        X = whole_numbers(KINDS[seed % len(KINDS)], seed)
        monkeypatch.setattr(rbf, "STORED_ROWS", max(2, len(X) - 3))
        graph = RBFGraph.of(X)
        assert isinstance(graph.distances, WholeDistances)
        assert len(X) == 2 or graph.kept is None
        some = X[np.linspace(0, len(X) - 1, rbf.STORED_ROWS).astype(int)]
        distances = squared_distances(X)[1] ** 2 * np.array(
            [np.sum((a - b) ** 2) for i, a in enumerate(some) for b in some[:i]]
        )
        typical = np.median(distances)
        np.testing.assert_allclose(graph.gamma, 1 / typical if typical > 0 else 1.0)
        W = graph.toarray()
        expected = np.exp(-graph.gamma * squared_distances(X)[0])
        np.testing.assert_allclose(W, expected, rtol=1e-12)


def test_a_sample_may_be_off_centre():
    """Numbers of some rows may differ more from their own mean than from that of all."""
    X = np.zeros((4000, 1))
    X[::2] = 16000.0
    X[:3000:3] = -15000.0
    whole = WholeDistances.of(X)
    assert whole is not None
    some = whole.among(np.flatnonzero(X[:, 0] != 0))
    assert some.of_band(some.bands()[0]).max() >= 31000**2


def test_slower_processors_use_doubles(monkeypatch):
    X = whole_numbers("levels", 0)
    exact = SPEC().fit(X).raw_scores_
    monkeypatch.setattr(whole_distances, "FASTER", False)
    assert isinstance(RBFGraph.of(X).distances, RowDistances)
    np.testing.assert_allclose(SPEC().fit(X).raw_scores_, exact, rtol=1e-8)


def test_same_columns_have_the_same_score():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        X = np.tile(rng.integers(0, 100, size=(200, 7)), 11).astype(float)
        raw = SPEC().fit(X).raw_scores_
        assert np.array_equal(raw, np.tile(raw[:7], 11))


def test_what_is_not_whole_or_not_small():
    whole = np.arange(70.0).reshape(10, 7)
    assert WholeDistances.of(whole) is not None
    for value in (0.5e-4, np.pi, 1e9, 1e300, -(2.0**31)):
        other = whole.copy()
        other[-1, -1] = value
        assert WholeDistances.of(other) is None
    for value, fits in ((-0.5, True), (20000.0, True), (0.1234, False)):
        other = whole.copy()
        other[-1, -1] = value  # the last one makes 690000 units of 69
        assert (WholeDistances.of(other) is not None) == fits


def test_limits_of_size():
    most = np.floor(np.sqrt(2**29 - 1))
    assert WholeDistances.of(np.array([[-most], [most], [0.0]])) is not None
    assert WholeDistances.of(np.array([[-most - 1], [most + 1], [0.0]])) is None
    assert WholeDistances.of(np.array([[-40000.0], [40000.0]])) is None
    assert WholeDistances.of(np.array([[-60000.0], [60000.0]])) is None  # 5536 in 16 bits


def test_rows_that_nothing_is_near_are_left_to_double_precision():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(300, 6)).astype(float)
    X[7] = [90, 0, 0, 0, 0, 0]
    graph = RBFGraph.of(X)
    assert isinstance(graph.distances, WholeDistances)
    assert graph.exact_moments() is None
    squared, _ = squared_distances(X)
    total, best, _, rough = moments_written_out(X, np.exp(-graph.gamma * squared))
    moments = moments_of(X, graph)
    np.testing.assert_allclose(moments.total, total, rtol=1e-12)
    np.testing.assert_allclose(moments.rough / moments.centred_square, rough / best, rtol=1e-9)


def test_refusal_of_a_column_after_all_sums():
    """No row of the first band is alone, but one of the last is."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(300, 6)).astype(float)
    X[:, 0] = 0
    assert RBFGraph.of(X).exact_moments() is not None
    X[299, 0] = 90
    assert RBFGraph.of(X).exact_moments() is None


def test_weights_are_as_near_as_is_claimed():
    """The error of a weight is half a unit and a bit, from 1 down to nothing."""
    table = WholeDistances.of(np.arange(4000.0)[:, None])
    assert table is not None
    squared = table.of_band(slice(0, 64))
    squared[0, 0] = 0
    squared[1:] = table.none
    gamma = 3e-6
    degree, _ = table.band_sums(slice(0, 64), squared, gamma)
    assert degree[0] == _kernels.WHOLE_ONE + degree.sum() // 2
    weight = degree[1:4000] / _kernels.WHOLE_ONE
    error = np.abs(weight - np.exp(-gamma * np.arange(1, 4000) ** 2))
    assert error.max() < WEIGHT_ERROR
    assert weight[-100] == 0  # exp(-45)


def test_many_columns():
    """More than are multiplied at once."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, size=(70, 1100)).astype(float)
    whole = WholeDistances.of(X)
    expected, _ = squared_distances(X)
    assert np.array_equal(whole.of_band(slice(0, 64))[0, 1:70], expected[0, 1:])
    assert np.array_equal(whole.of_band(slice(64, 70))[0, 1:6], expected[64, 65:])


def test_kernels_refuse_what_would_be_out_of_bounds():
    X = np.asfortranarray(np.arange(12.0).reshape(6, 2))
    table = _kernels.WholeTable(X, None)
    squared = np.empty((64, 64), dtype=np.int32)
    with pytest.raises(ValueError, match="panel"):
        table.read_columns(2)
    with pytest.raises(ValueError, match="columns come first"):
        table.read_rows(0)
    assert table.read_columns(0)
    with pytest.raises(ValueError, match="band"):
        table.read_rows(6)
    for use in (
        lambda: table.distances(0, squared),
        lambda: table.add_sums(0, squared, 1.0, np.zeros(64, dtype=np.int64), np.zeros(32)),
        lambda: table.weighted_sums(np.zeros(6), np.zeros((3, 32))),
    ):
        with pytest.raises(ValueError, match="not read"):
            use()
    assert table.read_rows(0)
    with pytest.raises(ValueError, match="distances"):
        table.distances(0, np.empty((64, 6), dtype=np.int32))
    with pytest.raises(ValueError, match="band"):
        table.distances(64, squared)
    table.distances(0, squared)
    with pytest.raises(ValueError, match="degrees"):
        table.add_sums(0, squared, 1.0, np.zeros(6, dtype=np.int64), np.zeros(32))
    with pytest.raises(ValueError, match="degrees"):
        table.weighted_sums(np.zeros(5), np.zeros((3, 32)))
    with pytest.raises(ValueError, match="columns"):
        _kernels.WholeTable(np.asfortranarray(X[:, :1]), table)
    fractions = _kernels.WholeTable(X / 7, None)
    assert not fractions.read_columns(0)
    with pytest.raises(ValueError, match="columns come first"):
        fractions.read_rows(0)
    with pytest.raises(ValueError, match="instructions"):
        _kernels.add_pair_tile(
            np.zeros((8, 2), np.int16),
            np.zeros((1, 64), np.int16),
            "none",
            np.zeros((8, 32), np.int32),
        )


def test_values_between():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=int(rng.integers(0, 3000))) * 50
        if seed % 2:
            values = values.astype(np.int32)
        low, high = np.sort(rng.integers(-60, 60, size=2)).tolist()
        below, found = _kernels.values_between(values, low, high)
        assert below == np.sum(values < low)
        assert np.array_equal(found, values[(values >= low) & (values <= high)])
        assert found.dtype == values.dtype
