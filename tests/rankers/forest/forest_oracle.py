"""Slow and plain: the heuristic, the trees and the scores as the paper defines them.

Nothing here knows of kernels or inner products. Tables are plain arrays with nominal codes and
NaN; impurities are variances and Gini indices, computed from the rows of a node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def impurity_mass(x: np.ndarray, weights: np.ndarray, nominal: bool) -> float:
    """|E| times the variance or Gini index of an attribute, over the rows that know it."""
    known = ~np.isnan(x)
    x, w = x[known], weights[known]
    total = w.sum()
    if total == 0 or (x == x[0]).all():  # the mean of equal decimals may not be equal to them
        return 0.0
    if nominal:
        shares = np.array([w[x == v].sum() for v in np.unique(x)]) / total
        return total * (1 - (shares**2).sum())
    mean = (w * x).sum() / total
    return (w * (x - mean) ** 2).sum()


@dataclass
class Oracle:
    """The training table, with what normalises the impurities."""

    X: np.ndarray
    n_values: np.ndarray

    def __post_init__(self) -> None:
        ones = np.ones(len(self.X))
        self.norm = np.array(
            [
                impurity_mass(x, ones, nominal > 0) / max((~np.isnan(x)).sum(), 1)
                for x, nominal in zip(self.X.T, self.n_values, strict=True)
            ]
        )
        self._masses: dict[tuple[bytes, bytes], float] = {}

    def mass(self, rows: np.ndarray, weights: np.ndarray) -> float:
        """|E| times the impurity of E: the mean over attributes of the normalised ones."""
        key = rows.tobytes(), weights.tobytes()  # many tests of a node leave the same rows
        if key not in self._masses:
            self._masses[key] = self._mass(rows, weights)
        return self._masses[key]

    def _mass(self, rows: np.ndarray, weights: np.ndarray) -> float:
        total = 0.0
        for j, norm in enumerate(self.norm):
            if norm > 0:
                total += impurity_mass(self.X[rows, j], weights, self.n_values[j] > 0) / norm
        return total / self.X.shape[1]

    def h(self, rows: np.ndarray, weights: np.ndarray, right: np.ndarray) -> float:
        """The heuristic of Alg. 2 for a split."""
        return (
            self.mass(rows, weights)
            - self.mass(rows[right], weights[right])
            - self.mass(rows[~right], weights[~right])
        )

    def prototype(self, rows: np.ndarray, times: np.ndarray) -> list:
        """Per attribute: the mean, or the shares of the values; None if nothing is known."""
        out: list = []
        for j, k in enumerate(self.n_values):
            x = self.X[rows, j]
            known = ~np.isnan(x)
            if not known.any():  # what the leaf does not know, the whole training set does
                x, known = self.X[:, j], ~np.isnan(self.X[:, j])
                times_j = np.ones(len(self.X))
            else:
                times_j = times
            x, w = x[known], times_j[known]
            if not len(x):
                out.append(None)
            elif k:
                out.append(np.array([w[x == v].sum() for v in range(k)]) / w.sum())
            else:
                out.append((w * x).sum() / w.sum())
        return out

    def error(self, row: np.ndarray, prototype: list) -> float:
        """Squared error of a row, normalised per attribute; unknown values do not count."""
        total = 0.0
        for j, (value, centre) in enumerate(zip(row, prototype, strict=True)):
            if np.isnan(value) or self.norm[j] == 0 or centre is None:
                continue
            if self.n_values[j]:
                indicator = np.arange(self.n_values[j]) == value
                total += ((indicator - centre) ** 2).sum() / self.norm[j]
            else:
                total += (value - centre) ** 2 / self.norm[j]
        return total / self.X.shape[1]


def in_words(words: np.ndarray, value: float) -> bool:
    """Whether a nominal value is in the set that the bits of `words` describe."""
    code = int(value)
    return bool(int(words[code // 64]) >> (code % 64) & 1)


MASK = 2**64 - 1


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def stream_key(a: int, b: int) -> int:
    mixed = mix((a + 0x9E3779B97F4A7C15) & MASK)
    return mix(mixed ^ ((b * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) & MASK))


def chance(seed: int, tree: int, node: int, row_key: int) -> float:
    """The number in [0, 1) that decides where a row without the tested value goes."""
    return (stream_key(stream_key(seed, tree) ^ int(row_key), node) >> 11) * 2.0**-53
