"""Alg. 3 of the paper, pair by pair: slow, plain, and shared by the tests of URelief."""

from __future__ import annotations

import math

import numpy as np

#: Distances are equal if they round to the same multiple of this.
TIE = 2.0**-32


def difference(x: float, y: float, n_values: int, low: float, high: float) -> float:
    """d_i of two values of one column."""
    missing = math.isnan(x) + math.isnan(y)
    if n_values:
        return 1 - 1 / n_values if missing else float(x != y)
    if missing == 2:
        return 1.0
    span = high - low
    if missing:
        known = y if math.isnan(x) else x
        t = (known - low) / span if span else 0.0
        return max(t, 1 - t)
    return abs(x - y) / span if span else 0.0


def differences(values: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """d_i for all pairs of rows and all columns."""
    m, n = values.shape
    out = np.zeros((m, m, n))
    for j in range(n):
        known = values[~np.isnan(values[:, j]), j]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        for a in range(m):
            for b in range(a + 1):
                d = difference(values[a, j], values[b, j], n_values[j], low, high)
                out[a, b, j] = out[b, a, j] = d
    return out


def neighbors(d: np.ndarray, row: int, n_neighbors: int) -> list[int]:
    """The nearest rows; ties by row index."""
    others = [b for b in range(len(d)) if b != row]
    others.sort(key=lambda b: (round(math.fsum(d[row, b]) / d.shape[2] / TIE), b))
    return others[:n_neighbors]


def urelief(d: np.ndarray, rows, n_neighbors: int) -> np.ndarray:
    """Scores from the differences of all pairs, for the drawn `rows`."""
    n = d.shape[2]
    differ, column, both = 0.0, np.zeros(n), np.zeros(n)
    share = 1 / (len(rows) * n_neighbors)
    for r in rows:
        for k in neighbors(d, r, n_neighbors):
            distance = d[r, k].mean()
            differ += distance * share
            column += d[r, k] * share
            both += d[r, k] * distance * share
    first = both / differ if differ > 0 else np.zeros(n)
    second = (column - both) / (1 - differ) if 1 - differ > 1e-12 else np.zeros(n)
    return first - second
