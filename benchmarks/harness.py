"""Timing and reporting for `make bench`.

Machines are noisy, so a speed is never a number of seconds alone: it is the ratio of two
times measured in turn in the same run, each the best of several.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def best_of(work: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the fastest of `repeats` calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def alternate(ours: Callable[[], object], peer: Callable[[], object], repeats: int = 3):
    """Best seconds of two pieces of work, run in turn so that noise hits both."""
    mine = theirs = float("inf")
    for _ in range(repeats):
        mine = min(mine, best_of(ours, 3 if mine < 0.1 else 1))  # short work needs more tries
        theirs = min(theirs, best_of(peer, 1))
    return mine, theirs


def load(name: str) -> np.ndarray | None:
    """A real data set as float64, or None where UNSUPRANK_DATA does not have it."""
    from scipy.io import loadmat

    place = Path(os.environ.get("UNSUPRANK_DATA", ""))
    if (place / f"{name}.mat").is_file():
        return loadmat(place / f"{name}.mat")["X"].astype(np.float64)
    if (place / f"{name}.npz").is_file():
        with np.load(place / f"{name}.npz") as stored:
            return stored["X"].astype(np.float64) / float(stored.get("scale", 1))
    return None


def report(what: str, figure: str, target: str = "", detail: str = "") -> None:
    """One line of results."""
    print(f"{what:<58} {figure:>12}  {f'(target {target})' if target else '':<20} {detail}")


def report_ratio(what: str, ours: float, peer: float, floor: float | None = None) -> None:
    """How many times faster than the peer we are."""
    target = "" if floor is None else f">= {floor:g}x"
    report(what, f"{peer / ours:.1f}x", target, f"{_seconds(ours)} against {_seconds(peer)}")


def _seconds(s: float) -> str:
    return f"{s * 1e3:.1f} ms" if s < 1 else f"{s:.2f} s"
