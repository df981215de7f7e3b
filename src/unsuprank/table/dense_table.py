"""Tables with all values in memory, a column after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import _kernels
from .chunked_rows import ChunkedRows
from .schema import Schema


@dataclass(frozen=True)
class Moments:
    """Smallest and largest values, means and standard deviations of columns."""

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


@dataclass(frozen=True)
class Table(ChunkedRows):
    """Typed columns; see the prose of :mod:`unsuprank.table`."""

    values: np.ndarray
    schema: Schema

    #: Whether only values that are not zero are held.
    is_sparse: ClassVar[bool] = False

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]

    def column(self, j: int) -> np.ndarray:
        """Values of one column: numbers, or codes of nominal values; NaN is missing."""
        return self.values[:, j]

    def block(self, first: int, last: int) -> np.ndarray:
        """Values of the columns ``first .. last - 1``, in Fortran order; not to be written to."""
        return self.values[:, first:last]

    def take(self, rows: Any = None, columns: Any = None) -> Table:
        """Part of the table; names, nominal values and what was boolean are kept.

        Parameters
        ----------
        rows, columns : indices, boolean mask or slice, optional
            All by default. Indices may repeat and come in any order. Of a mask that keeps all
            columns, and no rows named, the table itself.
        """
        if rows is None and keeps_all(columns):
            return self
        picked = None if columns is None else as_indices(columns)
        values = self.values if rows is None else self.values[as_indices(rows)]
        if picked is not None:
            values = values[:, picked]
        schema = self.schema if picked is None else self.schema.take(picked)
        return Table(np.asfortranarray(values), schema)

    def without_unused_values(self, columns: np.ndarray | None = None) -> Table:
        """The table without nominal values that no row has, of all columns or those of a mask."""
        nominal = (self.n_values > 0) & (True if columns is None else columns)
        nominal[list(self.schema.boolean)] = False
        if not nominal.any():
            return self
        values, used = self.values.copy(order="F"), []
        for j in np.flatnonzero(nominal).tolist():
            known = ~np.isnan(values[:, j])
            codes, values[known, j] = np.unique(values[known, j], return_inverse=True)
            used.append(self.schema.categories[j][codes.astype(int)])  # type: ignore[index]
        return Table(values, self.schema.with_nominal(nominal, used))

    def renamed(self, names: Iterable[str]) -> Table:
        """The same columns under other names."""
        other = copy(self)
        other.__dict__.pop("names", None)
        schema = Schema(tuple(names), self.schema.categories, self.schema.boolean)
        other.__dict__["schema"] = schema
        return other

    #: Rows can be had in any order at no cost; see :mod:`unsuprank.row_source`.
    random_access: ClassVar[bool] = True

    def chunks(self, n_rows: int) -> Iterator[Table]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""
        for first in range(0, self.n_rows, n_rows):
            yield self.take(slice(first, first + n_rows))

    @cached_property
    def n_values(self) -> np.ndarray:
        """Number of values of each nominal column; 0 for numeric columns."""
        categories = self.schema.categories
        if set(map(type, categories)) <= {type(None)}:  # the quick way for wide numeric tables
            return np.zeros(len(categories), dtype=np.int32)
        return np.array([0 if c is None else len(c) for c in categories], dtype=np.int32)

    @cached_property
    def moments(self) -> Moments:
        """What is known of the numbers of each column, and of the codes of nominal ones."""
        values, known = self.values, ~np.isnan(self.values)
        count = known.sum(axis=0)
        low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        # A power of two changes no digit, and keeps squares of large numbers finite.
        exponent = np.frexp(np.where(count > 0, np.maximum(np.abs(low), np.abs(high)), 0.0))[1]
        scaled = np.ldexp(np.where(known, values, 0.0), -exponent)
        mean = scaled.sum(axis=0) / np.maximum(count, 1)
        deviation = np.where(known, scaled - mean, 0.0)
        spread = np.sqrt((deviation**2).sum(axis=0) / np.maximum(count, 1))
        mean, spread = np.ldexp(mean, exponent), np.ldexp(spread, exponent)
        constant = ~(low < high)  # a rounded mean would show a spread where there is none
        mean[constant], spread[constant] = low[constant], 0.0
        spread[count == 0] = np.nan
        return Moments(low, high, mean, spread)

    @cached_property
    def _flags(self) -> np.ndarray:
        return _kernels.column_flags(self.values)

    @property
    def missing(self) -> np.ndarray:
        """Whether each column has missing values."""
        return (self._flags & _kernels.MISSING) != 0

    @property
    def varies(self) -> np.ndarray:
        """Whether each column has at least two different known values."""
        return (self._flags & _kernels.VARIES) != 0

    @property
    def infinite(self) -> np.ndarray:
        """Whether each column has infinities; `read_table` refuses them."""
        return (self._flags & _kernels.INFINITE) != 0

    def require_complete(self, who: str, others: Sequence[str]) -> None:
        """Refuse missing values with a message that says who takes them."""
        if self.missing.any():
            where = self.schema.label(int(np.flatnonzero(self.missing)[0]))
            raise ValueError(
                f"{who} cannot take missing values (NaN), and {where} has some; fill them in, or "
                f"use a ranker that accepts them: {', '.join(others)}."
            )

    def require_numeric(self, who: str, others: Sequence[str]) -> None:
        """Refuse nominal columns with a message that says who takes them."""
        for j in np.flatnonzero(self.n_values):
            if int(j) not in self.schema.boolean:
                raise ValueError(
                    f"{who} needs numbers, and {self.schema.label(int(j))} is nominal; encode or "
                    f"drop it, or use a ranker that accepts it: {', '.join(others)}."
                )


def keeps_all(columns: Any) -> bool:
    """Whether a mask, or none at all, leaves no column out."""
    return columns is None or (getattr(columns, "dtype", None) == np.bool_ and bool(columns.all()))


def as_indices(wanted: Any) -> Any:
    """Indices of what a mask or a list of indices names; a slice is as good as they are."""
    if isinstance(wanted, slice):
        return wanted
    wanted = np.asarray(wanted)
    return np.flatnonzero(wanted) if wanted.dtype == np.bool_ else wanted.astype(np.intp)
