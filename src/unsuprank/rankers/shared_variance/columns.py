"""A column by itself: sums over its inner products H = Z Z', and over its projection P = U U'.

A number has one coordinate z, so that H_ij = z_i z_j and P = H / sum z^2, and everything follows
from sums of powers. What a name adds depends on the name only: H_ij = f^2 ([same] - s_i - s_j +
sum s^2) with s the share of a row's name and f^2 one over the Gini index, and P_ij = [same] /
count - 1 / known. Both are 0 where a value is missing, and their rows sum to 0 with or without
missing values. Sums over pairs of rows are then sums over pairs of names, and those sums over
pairs of counts, since names of equal counts are alike: an identifier of a hundred thousand values
has few different counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ...table import gini_index
from .shuffles import Sums


@dataclass(frozen=True)
class CategoricalColumn:
    """A nominal column: the name of each known row, and how often each name occurs."""

    rows: np.ndarray
    #: Which names of the table occur, ...
    present: np.ndarray
    #: ... and which of these each row has.
    codes: np.ndarray
    counts: np.ndarray
    #: One over the Gini index, times the square of the scale of the coordinates.
    factor: float

    @classmethod
    def of(cls, values: np.ndarray, scale: float) -> CategoricalColumn:
        """The names of a column of codes; those that do not occur are left out."""
        rows = np.flatnonzero(~np.isnan(values))
        found, codes, counts = np.unique(values[rows], return_inverse=True, return_counts=True)
        factor = scale**2 / gini_index(counts)
        return cls(rows, found.astype(np.intp), codes, counts.astype(np.float64), factor)

    @classmethod
    def of_counts(cls, counts: np.ndarray, scale: float) -> CategoricalColumn:
        """The names of a column of which only counts are known, not the name of each row."""
        present = np.flatnonzero(counts)
        some = counts[present].astype(np.float64)
        nothing = np.broadcast_to(0, int(counts.sum()))  # it has a length, and takes no memory
        return cls(nothing, present, nothing, some, scale**2 / gini_index(some))

    @property
    def shares(self) -> np.ndarray:
        return self.counts / len(self.rows)

    @property
    def rank(self) -> int:
        return len(self.counts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """H_ii of each known row."""
        s = self.shares
        return (self.factor * (1.0 - 2.0 * s + np.sum(s**2)))[self.codes]

    def products(self) -> Sums:
        """Sums over H."""
        counts, times = np.unique(self.counts, return_counts=True)
        s, known = self.shares, len(self.rows)
        s2, s3, s4 = (np.sum(s**p) for p in (2, 3, 4))
        shares = counts / known
        triangles = (self.factor * known) ** 3 * (s3 - 3 * s4 + 3 * s2 * s3 - s2**3)
        off = self.factor * (s2 - np.add.outer(shares, shares))
        return _sums_over_names(counts, times, off, np.full(len(counts), self.factor), triangles)

    def projection(self) -> Sums:
        """Sums over P."""
        counts, times = np.unique(self.counts, return_counts=True)
        off = np.full((len(counts), len(counts)), -1.0 / len(self.rows))
        return _sums_over_names(counts, times, off, 1.0 / counts, float(self.rank))


def _sums_over_names(
    counts: np.ndarray, times: np.ndarray, off: np.ndarray, same: np.ndarray, triangles: float
) -> Sums:
    """Sums over the matrix that has `off` between rows of different names, `same` more if not.

    There are `times` names of each of the `counts`.
    """
    rows, pairs = times * counts, times * counts**2
    diagonal = np.diagonal(off) + same

    def entries(power: int) -> float:
        return rows @ off**power @ rows + pairs @ (diagonal**power - np.diagonal(off) ** power)

    weighted = rows * diagonal
    return Sums(
        trace=rows @ diagonal,
        diagonal2=rows @ diagonal**2,
        diagonal3=rows @ diagonal**3,
        squares=entries(2),
        triangles=triangles,
        diagonal_form=weighted @ off @ weighted + pairs @ (diagonal**2 * same),
        diagonal_squares=weighted @ off**2 @ rows
        + pairs @ (diagonal * (diagonal**2 - np.diagonal(off) ** 2)),
        cubes=entries(3),
    )


@dataclass(frozen=True)
class Powers:
    """Sums of powers of the coordinates of numeric columns."""

    z2: np.ndarray
    z3: np.ndarray
    z4: np.ndarray
    z6: np.ndarray

    @classmethod
    def of(cls, Z: np.ndarray) -> Powers:
        """Those of columns of coordinates."""
        squares = Z * Z
        pairs = ((Z, Z), (squares, Z), (squares, squares), (squares, squares * squares))
        return cls(*(np.einsum("ij,ij->j", x, y) for x, y in pairs))

    def products(self) -> Sums:
        """Sums over H."""
        z2, z3, z4, z6 = self.z2, self.z3, self.z4, self.z6
        return Sums(+z2, +z4, +z6, z2**2, z2**3, z3**2, z2 * z4, z3**2)

    def projection(self) -> Sums:
        """Sums over P, which is H of coordinates of length 1."""
        one = np.ones_like(self.z2)
        z2, z3 = self.z2, self.z3
        return Powers(one, z3 / z2**1.5, self.z4 / z2**2, self.z6 / z2**3).products()


def span_sums(vectors: np.ndarray) -> Sums:
    """Sums over the projection onto orthonormal `vectors`, each of which sums to 0."""
    diagonal = np.einsum("ij,ij->i", vectors, vectors)
    rank, diagonal2 = float(vectors.shape[1]), np.sum(diagonal**2)
    return Sums(
        trace=rank,
        diagonal2=diagonal2,
        diagonal3=np.sum(diagonal**3),
        squares=rank,
        triangles=rank,
        diagonal_form=np.sum((vectors.T @ diagonal) ** 2),
        diagonal_squares=diagonal2,
        cubes=np.sum(np.einsum("ia,ib,ic->abc", vectors, vectors, vectors) ** 2),
    )


def category_sums(codes: np.ndarray) -> Sums:
    """Sums over the projection onto what the codes of a nominal column span."""
    return CategoricalColumn.of(codes, 1.0).projection()


def stack(sums: Sequence[Sums]) -> Sums:
    """The sums of several columns as those of one matrix per column."""
    return Sums(*(np.array([getattr(s, field.name) for s in sums]) for field in fields(Sums)))


def put(sums: Sums, column: int, values: Sums) -> None:
    """Set the sums of one column."""
    for field in fields(sums):
        getattr(sums, field.name)[column] = getattr(values, field.name)
