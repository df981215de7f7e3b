"""The evaluation of rankings of sparse tables: what it is for dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from unsuprank import URelief, VarianceRanker
from unsuprank.evaluation import error_curve, selection_frequency
from unsuprank.evaluation.judges import kmeans_labels
from unsuprank.evaluation.prediction_curve import no_curve_because, prediction_curve
from unsuprank.table import read_table


def random_values(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """Mostly zeros: counts, which tie, or decimals, or numbers of any size."""
    X = rng.choice(
        [rng.poisson(1.0, (m, n)), rng.integers(0, 99, (m, n)) / 10, rng.normal(size=(m, n))]
    )
    return X * (rng.random((m, n)) < 0.3)


@pytest.mark.parametrize(
    ("kind", "measure"),
    [("csr", "rmse"), ("csc", "relative"), ("coo", "mse"), ("csr", "classification")],
)
def test_error_curves_are_those_of_the_dense_table(kind, measure) -> None:
    rng = np.random.default_rng(0)
    X, y = random_values(rng, 60, 9), np.arange(60) % 3
    X[:, 0] += y
    held = sparse.coo_array(X).asformat(kind)
    for ranker in (VarianceRanker(), URelief(5)):
        options = {"y": y, "measure": measure, "n_random": 2, "sizes": [1, 4, 9]}
        expected = error_curve(X, ranker, **options)
        found = error_curve(held, ranker, **options)
        name = type(ranker).__name__
        np.testing.assert_array_equal(found.orders[name], expected.orders[name])
        np.testing.assert_allclose(found.values[name], expected.values[name], rtol=1e-12)
        np.testing.assert_allclose(found.random, expected.random, rtol=1e-12)


def test_columns_that_are_too_many_to_be_written_out_stay_sparse(monkeypatch) -> None:
    rng = np.random.default_rng(1)
    X, y = sparse.csr_array(rng.normal(size=(60, 9))), np.arange(60) % 3  # no ties
    options = {"y": y, "sizes": [3, 9], "n_random": 0}
    monkeypatch.setattr("unsuprank.evaluation.judges.KMEANS_STARTS", 2)
    measures = ("classification", "nmi")
    curves = [error_curve(X, VarianceRanker(), measure=m, **options) for m in measures]
    of_dense = error_curve(X.toarray(), VarianceRanker(), measure="nmi", **options)
    assert np.array_equal(curves[1].values["VarianceRanker"], of_dense.values["VarianceRanker"])
    monkeypatch.setattr("unsuprank.evaluation.judges.WRITTEN_BYTES", 0)
    for expected in curves:
        found = error_curve(X, VarianceRanker(), measure=expected.measure, **options)
        np.testing.assert_allclose(
            found.values["VarianceRanker"], expected.values["VarianceRanker"]
        )
    same = sparse.csr_array(np.repeat([[0.0, 1.0], [2.0, 0.0]], 5, axis=0))
    assert len(np.unique(kmeans_labels(same, np.arange(10), 0))) == 2


def test_prediction_curves_and_selection_frequencies() -> None:
    X = random_values(np.random.default_rng(2), 50, 8)
    dense, held = read_table(X), read_table(sparse.csc_array(X))
    assert no_curve_because(held) is None
    expected = prediction_curve(dense, VarianceRanker(), cv=5, n_random=3)
    found = prediction_curve(held, VarianceRanker(), cv=5, n_random=3)
    np.testing.assert_allclose(found.error, expected.error, rtol=1e-12)
    np.testing.assert_allclose(found.random_low, expected.random_low, rtol=1e-12)
    for ranker in (VarianceRanker(n_features_to_select=3), URelief(5, n_features_to_select=3)):
        often = [selection_frequency(ranker, t, n_resamples=5) for t in (X, sparse.csr_array(X))]
        np.testing.assert_array_equal(often[0].frequency, often[1].frequency)


def test_what_needs_all_values_says_so() -> None:
    X = sparse.csr_array(random_values(np.random.default_rng(3), 30, 5))
    with pytest.raises(TypeError, match="all columns at once"):
        error_curve(X, VarianceRanker(), model=LinearRegression())
    with pytest.raises(TypeError, match="all values at once"):
        error_curve(X, VarianceRanker(), measure=lambda X, selected, y: 0.0)
    with pytest.raises(ValueError, match="too large for a number"):
        error_curve(X * 1e300, VarianceRanker())


@pytest.mark.data
def test_text(load_mat) -> None:
    X = load_mat("PCMAC")[:300]
    options = {"sizes": [4, 16, X.shape[1]], "cv": 3, "n_random": 1}
    expected = error_curve(X, VarianceRanker(), **options)
    found = error_curve(sparse.csr_array(X), VarianceRanker(), **options)
    np.testing.assert_allclose(
        found.values["VarianceRanker"], expected.values["VarianceRanker"], rtol=1e-12
    )
