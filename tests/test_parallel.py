"""Work on threads: BLAS is left as it was found, and Ctrl-C does not wait for long calls."""

from __future__ import annotations

import hashlib
import os
import signal
import threading

import numpy as np
import pytest

from unsuprank import VarianceRanker
from unsuprank._parallel import blas_threads, interruptible, one_blas_thread
from unsuprank.evaluation import error_curve
from unsuprank.rankers.centred_matrix import ColumnMatrix
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
    X = ColumnMatrix(np.random.default_rng(0).normal(size=(400, 20)))
    monkeypatch.setattr(graph, "BLOCK_WORK", 20 * X.n_held)
    for _ in range(20):
        nearest_rows(X, GraphOptions(n_jobs=2))


def test_curves_of_clusters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(3, size=60)
    error_curve(X, VarianceRanker(), y=y, measure="nmi", cv=3, n_random=3, n_jobs=2)


class TestInterruptible:
    def test_is_the_call_itself(self):
        assert interruptible(0, divmod, 7, 2) == interruptible(1e12, divmod, 7, 2) == (3, 1)
        assert interruptible(1e12, sorted, [1, 2], reverse=True) == [2, 1]
        with pytest.raises(ZeroDivisionError):
            interruptible(1e12, divmod, 1, 0)

    def test_what_holds_around_it_holds_inside(self):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            interruptible(1e12, np.divide, 1.0, 0.0)

    def test_only_the_main_thread_has_another_one_work(self):
        main = threading.get_ident()
        assert interruptible(0, threading.get_ident) == main
        assert interruptible(1e12, threading.get_ident) != main
        other = threading.Thread(
            target=lambda: seen.append(interruptible(1e12, threading.get_ident))
        )
        seen: list[int] = []
        other.start()
        other.join()
        assert seen == [other.ident]

    def test_an_interrupt_does_not_wait_for_the_end(self):
        ended = []

        def deaf() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000)
            ended.append(True)

        # A shell that runs tests in the background has them ignore interrupts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                interruptible(1e12, deaf)
        finally:
            signal.signal(signal.SIGINT, before)
        assert not ended
