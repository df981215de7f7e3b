"""The number of threads of BLAS is left as it was found, whatever runs on threads of ours."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import VarianceRanker
from unsuprank._parallel import blas_threads, one_blas_thread
from unsuprank.evaluation import error_curve
from unsuprank.rankers.spectral import graph
from unsuprank.rankers.spectral.graph import GraphOptions, nearest_rows


@pytest.fixture(autouse=True)
def _left_as_found():
    # Limits that enclose all others hide what is tested here, so there is none.
    before = blas_threads()
    if before == 1:
        pytest.skip("BLAS has one thread only")
    yield
    assert blas_threads() == before


def test_an_error_lifts_the_limit():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        1 / 0  # noqa: B018


def test_limits_that_overlap_are_lifted_by_the_last():
    before = blas_threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == 1
    second.__exit__(None, None, None)
    assert blas_threads() == before


def test_neighbours(monkeypatch):
    X = np.random.default_rng(0).normal(size=(400, 20))
    monkeypatch.setattr(graph, "BLOCK_WORK", 20 * X.size)
    for _ in range(20):
        nearest_rows(X, GraphOptions(n_jobs=2))


def test_curves_of_clusters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(3, size=60)
    error_curve(X, VarianceRanker(), y=y, measure="nmi", cv=3, n_random=3, n_jobs=2)
