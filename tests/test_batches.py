"""Work in batches: every item once and in order, a few at a time if they are long."""

from __future__ import annotations

import threading

import pytest

from unsuprank import _parallel
from unsuprank._parallel import in_batches


class Clock:
    """Time passes only while somebody works."""

    def __init__(self, monkeypatch, per_item: float) -> None:
        self.now, self.per_item, self.asked = 0.0, per_item, []
        self._lock = threading.Lock()
        monkeypatch.setattr(_parallel.time, "perf_counter", lambda: self.now)

    def work(self, start: int, stop: int) -> range:
        with self._lock:
            self.now += (stop - start) * self.per_item
            self.asked.append((start, stop))
        return range(start, stop)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("per_item", [0.0, 1e-6, 1e-3, 0.03, 10.0])
@pytest.mark.parametrize("total", [0, 1, 2, 4, 5, 37])
def test_every_item_once_and_in_order(monkeypatch, total, per_item, n_jobs):
    clock = Clock(monkeypatch, per_item)
    batches = list(in_batches(clock.work, total, n_jobs=n_jobs))
    assert [item for batch in batches for item in batch] == list(range(total))
    assert all(batches)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_long_items_are_worked_on_one_by_one(monkeypatch, n_jobs):
    clock = Clock(monkeypatch, 0.2)
    list(in_batches(clock.work, 7, n_jobs=n_jobs))
    assert {stop - start for start, stop in clock.asked} == {1}


@pytest.mark.parametrize("item_work", [0, 1e12])
def test_ctrl_c_does_not_wait_for_long_items(monkeypatch, item_work):
    clock, threads = Clock(monkeypatch, 0.2), []

    def noted(start, stop):
        threads.append(threading.current_thread())
        return clock.work(start, stop)

    list(in_batches(noted, 3, n_jobs=1, item_work=item_work))
    here = threading.current_thread()
    assert [thread is here for thread in threads] == [item_work == 0, False, False]


def test_short_items_are_worked_on_together(monkeypatch):
    clock = Clock(monkeypatch, 0.001)
    list(in_batches(clock.work, 304, n_jobs=1))
    assert clock.asked == [(0, 1), (1, 4), (4, 104), (104, 204), (204, 304)]
