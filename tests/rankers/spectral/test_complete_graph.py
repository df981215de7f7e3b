"""The graph of all pairs of rows and the sums over it, against sums written out slowly."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import SPEC
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.scaling import centred
from unsuprank.rankers.spectral import complete_graph
from unsuprank.rankers.spectral.complete_graph import CompleteGraph, median
from unsuprank.rankers.spectral.spec import spec_scores

pytestmark = pytest.mark.untraced

KINDS = ["normal", "counts", "levels", "offset", "repeated", "isolated"]


def table_of(kind, seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.choice([2, 3, 20, 64, 65, 150])), int(rng.choice([1, 5, 33]))
    if kind == "counts":
        return rng.poisson(rng.uniform(0.1, 5, size=shape[1]), size=shape).astype(float)
    if kind == "levels":
        return rng.integers(0, 256, size=shape).astype(float)
    X = rng.normal(size=shape)
    if kind == "offset":
        X += 1e3 * rng.integers(-500, 500, size=shape[1])
    if kind == "repeated":
        X[rng.integers(shape[0], size=shape[0] // 2)] = X[0]
    if kind == "isolated":
        X[0] += 90
    return X


def squared_distances(X):
    return np.square(X[:, None] - X).sum(axis=2)


def typical_distance(X):
    typical = np.median(squared_distances(X)[np.triu_indices(len(X), 1)])
    return typical if typical > 0 else 1.0


@pytest.fixture(params=["one band", "bands"])
def _in_bands(request, monkeypatch):
    if request.param == "bands":
        monkeypatch.setattr(complete_graph, "BAND_ROWS", 7)
        monkeypatch.setattr(complete_graph, "BAND_BYTES", 8)


@pytest.mark.usefixtures("_in_bands")
@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_sums(kind):
    for seed in range(20):
        X = table_of(kind, seed)
        graph = CompleteGraph.of(ColumnMatrix(X), n_jobs=2)
        assert graph.gamma == pytest.approx(1 / typical_distance(X), rel=1e-6)
        W = np.exp(-graph.gamma * squared_distances(X))
        for same in (
            graph,
            CompleteGraph.of(ColumnMatrix(X), graph.gamma),
        ):  # distances kept or made again
            np.testing.assert_allclose(same.toarray(), W, rtol=1e-6, atol=1e-12)
            degree, form = same.sums(ColumnMatrix(X))
            np.testing.assert_allclose(degree, W.sum(axis=1), rtol=1e-6)
            np.testing.assert_allclose(form, [f @ W @ f for f in X.T], rtol=1e-6)


@pytest.mark.usefixtures("_in_bands")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", [-1, 0])
def test_scores(kind, style):
    """``f' L f`` as a sum over pairs, where nothing cancels."""
    for seed in range(20):
        X = table_of(kind, seed)
        W = np.exp(-squared_distances(X) / typical_distance(X))
        degree = W.sum(axis=1)
        rough = np.array([0.5 * np.sum(W * np.subtract.outer(f, f) ** 2) for f in X.T])
        centred = X - degree @ X / degree.sum() if style == 0 else X
        varies = np.ptp(X, axis=0) > 0
        expected = np.full(X.shape[1], 2.0)
        expected[varies] = rough[varies] / (degree @ centred**2)[varies]
        found = SPEC(style=style, standardize=False, n_jobs=1).fit(X).raw_scores_
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-13)
        for n_jobs in (2, 3, None):
            again = SPEC(style=style, standardize=False, n_jobs=n_jobs).fit(X).raw_scores_
            assert np.array_equal(again, found)


def test_many_rows_are_tuned_by_some(monkeypatch):
    for seed in range(30):
        X = table_of(KINDS[seed % len(KINDS)], seed)
        if len(X) < 10:
            continue
        monkeypatch.setattr(complete_graph, "STORED_ROWS", len(X) - 3)
        graph = CompleteGraph.of(ColumnMatrix(X))
        assert not graph.kept
        some = X[np.linspace(0, len(X) - 1, len(X) - 3).astype(int)]
        assert graph.gamma == pytest.approx(1 / typical_distance(some), rel=1e-6)
        same = CompleteGraph.of(ColumnMatrix(X), graph.gamma)
        Z = ColumnMatrix(centred(X)[0])
        np.testing.assert_array_equal(spec_scores(Z, graph), spec_scores(Z, same))


def test_gamma_is_in_the_unit_of_the_data():
    X = np.random.default_rng(0).normal(size=(20, 3))
    expected = np.exp(-0.5 * squared_distances(X))

    def weights(factor, gamma):
        return CompleteGraph.of(ColumnMatrix(X * factor), gamma).toarray()

    np.testing.assert_allclose(weights(1.0, 0.5), expected)
    np.testing.assert_allclose(weights(2.0**500, 2.0**-1001), expected)
    assert np.array_equal(weights(2.0**-600, 0.5), np.ones((20, 20)))
    with pytest.warns(UserWarning, match="no two rows are connected"):
        assert np.array_equal(weights(2.0**600, 0.5), np.eye(20))


def test_median():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(2, 40))
        values = rng.normal(size=m * (m - 1) // 2)
        if seed % 2:
            values = np.round(values)  # many ties
        cut = int(rng.integers(len(values) + 1))
        bands = [np.append(values[:cut], np.full(m, np.inf)), values[cut:]]
        assert median(bands, m) == np.median(values)


def test_columns_of_another_order_have_the_same_scores():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, size=(200, 77)).astype(float)
    raw = SPEC().fit(X).raw_scores_
    np.testing.assert_allclose(SPEC().fit(X[:, ::-1]).raw_scores_[::-1], raw, rtol=1e-12)
