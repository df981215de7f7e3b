"""Chance for columns with missing values: they are shuffled among their known rows only.

The others' K is then restricted to these rows and centred on them. With w the indicator of the n
known rows and a_i = (Kw)_i / n - w'Kw / (2 n^2), its entries are K_ij - a_i - a_j, and sums over
them follow from products of K, and of its entries squared and cubed, with a few vectors for each
pattern of known rows. Only tr K^3 would take a matrix for each. It is taken to be as large, beside
the sums of K and of its squares, as that of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from .shuffles import Sums

#: Patterns of known rows that are looked at together.
PATTERNS = 128


@dataclass(frozen=True)
class Patterns:
    """Which rows are known in columns, each pattern once."""

    #: Rows x patterns, 1 where a row is known.
    known: np.ndarray
    #: The pattern of each column.
    of_column: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Patterns:
        """Those of the columns of a matrix."""
        known = ~np.isnan(values)
        _, first, of_column = np.unique(
            np.packbits(known, axis=0), axis=1, return_index=True, return_inverse=True
        )
        return cls(known[:, first].astype(np.float64), of_column.ravel())

    @cached_property
    def n_known(self) -> np.ndarray:
        """Known rows of each pattern."""
        return self.known.sum(axis=0).astype(int)


def restricted_sums(kernel: np.ndarray, whole: Sums, known: np.ndarray) -> tuple[Sums, np.ndarray]:
    """Sums over K restricted to each pattern and centred there, and its diagonals."""
    parts = [
        _some_sums(kernel, whole, known[:, first : first + PATTERNS])
        for first in range(0, known.shape[1], PATTERNS)
    ]
    sums = (
        np.concatenate([getattr(part, field.name) for part, _ in parts]) for field in fields(Sums)
    )
    return Sums(*sums), np.hstack([diagonal for _, diagonal in parts])


def _some_sums(kernel: np.ndarray, whole: Sums, w: np.ndarray) -> tuple[Sums, np.ndarray]:
    n, squared = np.maximum(w.sum(axis=0), 1.0), kernel**2
    Kw, Sw = kernel @ w, squared @ w
    a = w * (Kw / n - _dot(w, Kw) / (2.0 * n**2))
    d = w * (np.diagonal(kernel)[:, None] - 2.0 * a)
    Ka, level = kernel @ a, a.sum(axis=0)
    squares = _dot(w, Sw) - 4.0 * _dot(a, Kw) + 2.0 * n * _dot(a, a) + 2.0 * level**2
    cubes = _dot(w, (squared * kernel) @ w) - 6.0 * _dot(a, Sw)
    cubes += 6.0 * _dot(a**2, Kw) + 6.0 * _dot(a, Ka)
    cubes -= 2.0 * n * _dot(a, a**2) + 6.0 * _dot(a, a) * level
    of_rows = Sw - 2.0 * (a * Kw + Ka) + n * a**2 + 2.0 * a * level + _dot(a, a)
    trace = d.sum(axis=0)
    sums = Sums(
        trace=trace,
        diagonal2=_dot(d, d),
        diagonal3=_dot(d, d**2),
        squares=squares,
        triangles=_triangles(whole, trace, squares),
        diagonal_form=_dot(d, kernel @ d) - 2.0 * _dot(a, d) * trace,
        diagonal_squares=_dot(d, of_rows),
        cubes=cubes,
    )
    return sums, d


def _dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", x, y)


def _triangles(whole: Sums, trace: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """tr K^3 is at least |K|^4 / tr K, by as much as for all rows."""
    if not whole.squares > 0.0:
        return np.zeros(len(trace))
    beyond = whole.trace * whole.triangles / whole.squares**2
    return beyond * squares**2 / np.where(trace > 0.0, trace, 1.0)
