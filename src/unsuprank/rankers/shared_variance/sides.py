"""What columns show, and what the others show them: sums over the others, against chance.

A side is a table that stands for the columns: their values, their normal scores or their curves.
A view has two, the side that the column shows and that of the others, whose products make up K.
What is shared, and its moments over all orders of the column's rows, follow from the sums of
:mod:`.others`, for columns with missing values over their known rows (:mod:`.known_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...table import SparseTable
from ..centred_matrix import CentredMatrix, ColumnMatrix
from ..clustering_space import embed
from ..coordinates import Coordinates
from .by_rows import whole_kernel
from .chance import standardised
from .columns import CategoricalColumn, Powers
from .known_rows import Patterns, restricted_sums
from .others import Relations, relations_of, sums_of_table
from .shuffles import Sums
from .sums import ColumnSums, TableSums, category_diagonal_sums
from .tails import log_tail

#: Fewer known rows have too few orders for a tail.
LEAST_KNOWN = 6


class Seen(NamedTuple):
    """What a view tells of each column; NaN where it tells nothing."""

    scores: np.ndarray
    log_p: np.ndarray

    @classmethod
    def nothing(cls, n_columns: int) -> Seen:
        """No column is seen."""
        return cls(*np.full((2, n_columns), np.nan))


@dataclass(frozen=True)
class Side:
    """A table that stands for the columns."""

    coordinates: Coordinates

    @cached_property
    def found(self) -> TableSums:
        """Sums over the products of its columns."""
        return sums_of_table(self.coordinates)

    @cached_property
    def places(self) -> np.ndarray:
        """Where each column is among those that vary, -1: nowhere."""
        varies = self.coordinates.varies
        return np.where(varies, np.cumsum(varies) - 1, -1)

    @property
    def numeric(self) -> np.ndarray:
        """Columns that vary and are numbers."""
        schema = self.coordinates.rows.schema
        return self.coordinates.varies & np.array([c is None for c in schema.categories])

    def matrix_of(self, columns: np.ndarray) -> ColumnMatrix:
        """Coordinates of numbers, as long as they are among all columns."""
        coordinates, places = self.coordinates, self.places[columns]
        if isinstance(coordinates.table, SparseTable):
            return coordinates.matrix[:, places]
        share = len(places) / max(coordinates.table.n_columns - coordinates.grouped.sum(), 1)
        return ColumnMatrix(embed(coordinates.table.take(columns=places)) * np.sqrt(share))

    def restricted(self, patterns: Patterns) -> tuple[Sums, np.ndarray]:
        """Sums over K, and its diagonal, in the rows of each pattern."""
        kernel = whole_kernel(self.coordinates, self.found.names)
        return restricted_sums(kernel, self.found.whole, patterns.known)


def summed_view(show: Side, others: Side, patterns: Patterns | None) -> Seen:
    """What columns of one side share with the others of another side, which may be the same."""
    same = show is others
    columns = np.flatnonzero(show.coordinates.varies if same else show.numeric)
    n: Any = show.coordinates.n_rows
    if patterns is not None:
        columns = columns[patterns.n_known[patterns.of_column[columns]] >= LEAST_KNOWN]
        n = patterns.n_known[patterns.of_column[columns]]
    seen = Seen.nothing(len(show.places))
    if np.min(n, initial=LEAST_KNOWN) < LEAST_KNOWN or not len(columns):
        return seen
    found = _of_columns(others.found, others.places[columns])
    if patterns is not None:
        found = _in_known_rows(found, others, columns, patterns)
    powers = None if same else Powers(*_picked(show.found.powers, show.places[columns]))
    if powers is not None:
        projected = cross_forms(show, others, columns) / powers.z2
        found = replace(found, shared=replace(found.shared, projected=projected))
    seen.scores[columns], seen.log_p[columns] = _tails(n, relations_of(found, n, powers))
    return seen


def _tails(n: Any, found: Relations) -> tuple[np.ndarray, np.ndarray]:
    scores, skewness = standardised(n, found)
    tails = np.full(len(scores), np.nan)
    known = np.isfinite(scores) & np.isfinite(skewness)
    tails[known] = log_tail(scores[known], skewness[known])
    return scores, tails


def _picked(held: Any, places: np.ndarray) -> list[np.ndarray]:
    """Entries of all fields, 0 for places of -1."""
    return [np.where(places >= 0, v[places], 0.0) for v in vars(held).values()]


def _of_columns(found: TableSums, places: np.ndarray) -> TableSums:
    """What is found of some columns, nothing for places of -1."""
    names = {i: found.names[k] for i, k in enumerate(places.tolist()) if k in found.names}
    shared, powers = (
        ColumnSums(*_picked(found.shared, places)),
        Powers(*_picked(found.powers, places)),
    )
    return TableSums(found.whole, shared, powers, names)


def _in_known_rows(
    found: TableSums, others: Side, columns: np.ndarray, patterns: Patterns
) -> TableSums:
    """The same with K of the known rows of each column."""
    whole, diagonals = others.restricted(patterns)
    own = patterns.of_column[columns]
    sums = np.zeros((3, len(columns)))
    numeric = others.numeric[columns]
    h = np.square(np.asarray(others.matrix_of(columns[numeric])))
    k = diagonals[:, own[numeric]]
    sums[:, numeric] = [np.einsum("ij,ij->j", *pair) for pair in ((h, k), (h, k**2), (h**2, k))]
    for i, counted in found.names.items():
        values = others.coordinates.table.column(int(others.places[columns[i]]))
        names = CategoricalColumn.of(values, 1.0)
        names = replace(names, factor=counted.factor)
        sums[:, i] = category_diagonal_sums(names, diagonals[:, own[i]])[:3]
    shared = replace(found.shared, h_k=sums[0], h_kk=sums[1], hh_k=sums[2])
    return replace(found, whole=Sums(*(v[own] for v in vars(whole).values())), shared=shared)


def cross_forms(show: Side, others: Side, columns: np.ndarray) -> np.ndarray:
    """z'Kz of numbers of one side in the K of the other."""
    Z, n_jobs = show.matrix_of(columns), show.coordinates.n_jobs
    if show.coordinates.way == "rows":
        kernel = whole_kernel(others.coordinates, others.found.names)
        return Z.quadratic_forms(kernel, n_jobs)
    theirs = others.coordinates.matrix
    if isinstance(Z, CentredMatrix) and isinstance(theirs, CentredMatrix):
        both = Z.beside(theirs).gram_squares(n_jobs)[: len(columns)]
        return both - show.found.shared.products[show.places[columns]]
    return np.sum((np.asarray(Z).T @ np.asarray(theirs)) ** 2, axis=1)
