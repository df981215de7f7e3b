"""The spectral baselines against stored vectors of the toolbox scikit-feature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank import SPEC, LaplacianScore
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.scaling import centred
from unsuprank.rankers.spectral.complete_graph import CompleteGraph
from unsuprank.rankers.spectral.graph import GraphOptions, neighbour_graph
from unsuprank.rankers.spectral.mcfs import mcfs_coefficients, spectral_targets
from unsuprank.rankers.spectral.ndfs_solver import NDFSOptions, ndfs, normalised_laplacian
from unsuprank.rankers.spectral.ndfs_toolbox import ToolboxLaplacian, toolbox_ndfs
from unsuprank.rankers.spectral.spec import spec_scores

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore:The neighbour graph")]


@pytest.fixture(scope="module", params=["Isolet", "colon"])
def case(request, load_mat, reference_dir):
    """Name, data, stored vectors, and the stored graph."""
    X = load_mat(request.param)
    place = reference_dir / "scikit-feature"
    stored = dict(np.load(place / f"{request.param}_lap_spec_mcfs.npz"))
    stored |= dict(np.load(place / f"{request.param}_ndfs.npz"))
    row, column = stored["graph_binary_row"], stored["graph_binary_col"]
    graph = sparse.csr_array((np.ones(len(row)), (row, column)), shape=(len(X), len(X)))
    return request.param, X, stored, graph


def with_heat(X, graph, t):
    edges = graph.tocoo()
    squared = np.square(X[edges.row] - X[edges.col]).sum(axis=1)
    weights = np.exp(-squared / (2 * t * t))
    return sparse.csr_array((weights, (edges.row, edges.col)), shape=graph.shape)


def test_laplacian_given_the_graph(case):
    _, X, stored, graph = case
    Z = ColumnMatrix(centred(X)[0])
    np.testing.assert_allclose(spec_scores(Z, graph), stored["lap_binary"], rtol=1e-8)
    heat = with_heat(X, graph, float(stored["lap_heat_auto_t"]))
    np.testing.assert_allclose(spec_scores(Z, heat), stored["lap_heat_auto"], rtol=1e-8)


def test_laplacian_end_to_end(case):
    name, X, stored, graph = case
    if name != "Isolet":
        pytest.skip("three-valued columns: which of equally near rows are neighbours is open")
    ours = neighbour_graph(ColumnMatrix(X), GraphOptions(5, "binary"))
    assert abs(ours - graph).max() == 0
    for weights, key in (("binary", "lap_binary"), ("heat", "lap_heat_auto")):
        ranker = LaplacianScore(standardize=False, weights=weights).fit(X)
        np.testing.assert_allclose(ranker.raw_scores_, stored[key], rtol=1e-8)
        np.testing.assert_allclose(2 - ranker.scores_, stored[key], rtol=1e-8)


def test_spec(case):
    _, X, stored, _ = case
    graph = CompleteGraph.of(ColumnMatrix(X))
    Z, norms = centred(X)
    means = X.mean(axis=0) / np.where(norms > 0, norms, 1.0)
    np.testing.assert_allclose(graph.gamma, stored["spec_auto_gamma"], rtol=1e-12)
    most = int(stored["n_classes"]) + 1
    for style in (-1, 0, most):
        np.testing.assert_allclose(
            spec_scores(ColumnMatrix(Z), graph, style, means),
            stored[f"spec_auto_style{style}"],
            rtol=1e-8,
        )


def test_mcfs_targets_span_the_same_space(case):
    _, _, stored, graph = case
    theirs = stored["mcfs_Y"]
    ours = spectral_targets(graph, theirs.shape[1])
    explained = theirs @ np.linalg.lstsq(theirs, ours, rcond=None)[0]
    np.testing.assert_allclose(explained, ours, atol=1e-8)


def test_mcfs_given_the_targets(case):
    name, X, stored, _ = case
    if name == "colon":
        pytest.skip("100 steps on 62 rows cannot agree; the next test says what holds instead")
    Z, norms = centred(X)
    coef = mcfs_coefficients(ColumnMatrix(Z), norms, stored["mcfs_Y"], 100, as_toolbox=True)
    expected = stored["mcfs_norm100_score_absmax"]
    np.testing.assert_allclose(
        np.abs(coef).max(axis=1), expected, rtol=1e-6, atol=1e-12 * expected.max()
    )


def test_mcfs_stops_where_the_toolbox_divides_by_rounding_errors(case):
    """On colon the two cannot agree, and no agreement is claimed.

    The stored run takes 100 steps on 62 rows, where 61 fit everything; its coefficients reach
    1e11, which another order of summation would change altogether. Ours stop after 61 steps.
    """
    name, X, stored, _ = case
    if name != "colon":
        pytest.skip("more rows than steps: the test above compares the coefficients")
    assert np.abs(stored["mcfs_norm100_coef"]).max() > 1e9
    Y = stored["mcfs_Y"] - stored["mcfs_Y"].mean(axis=0)
    Z, norms = centred(X)
    for as_toolbox in (True, False):
        coef, again = (
            mcfs_coefficients(ColumnMatrix(Z), norms, stored["mcfs_Y"], k, as_toolbox=as_toolbox)
            for k in (100, 61)
        )
        assert np.isfinite(coef).all()
        assert np.abs(coef).max() < 1
        assert (np.count_nonzero(coef, axis=0) <= 61).all()
        error = np.linalg.norm((X - X.mean(axis=0)) @ coef - Y, axis=0)
        assert (error < np.linalg.norm(Y, axis=0)).all()
        np.testing.assert_array_equal(coef, again)


def test_published_defaults_end_to_end(case):
    """Degenerate on both sets: raw scores of 0 up to 1e-6 and less, with a warning."""
    _, X, stored, _ = case
    for cls, key in ((LaplacianScore, "lap_ex"), (SPEC, "spec_ex")):
        with pytest.warns(UserWarning, match="tie"):
            raw = cls(preset="scikit-feature").fit(X).raw_scores_
        largest = stored[key].max()
        # Differences of numbers near 1: the last digit of 1 is all the agreement there can be.
        np.testing.assert_allclose(raw, stored[key], rtol=0, atol=1e-13)
        if largest > 1e-9:
            np.testing.assert_allclose(raw, stored[key], rtol=1e-5)


def test_ndfs_as_the_toolbox(case):
    _, X, stored, graph = case
    options = NDFSOptions(gamma=1e9, max_iter=1000)
    result = toolbox_ndfs(ColumnMatrix(X), ToolboxLaplacian(graph), stored["F0"], options)
    assert len(result.objective) == int(stored["n_iter"])
    np.testing.assert_allclose(result.objective, stored["obj"], rtol=1e-9)
    scale = np.abs(stored["ndfs_coef"]).max()
    np.testing.assert_allclose(result.coef, stored["ndfs_coef"], rtol=1e-5, atol=1e-9 * scale)


def test_ndfs_objective_never_increases(case):
    _, X, stored, graph = case
    options = NDFSOptions(gamma=1e9, max_iter=8)
    result = ndfs(ColumnMatrix(X), normalised_laplacian(graph), stored["F0"], options)
    assert (np.diff(result.objective) <= 0).all()
    assert len(result.objective) > 3
