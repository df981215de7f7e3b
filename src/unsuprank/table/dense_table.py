"""Tables with all values in memory, a column after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import _kernels
from .in_chunks import InChunks
from .schema import Schema

#: Bytes of values that are made of a sparse table at a time.
BLOCK_BYTES = 2**24


@dataclass(frozen=True)
class Table(InChunks):
    """Typed columns; see the prose of :mod:`unsuprank.table`."""

    values: np.ndarray
    schema: Schema

    #: Whether only values that are not zero are held.
    is_sparse: ClassVar[bool] = False

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, self.n_columns

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; x0, x1, ... where nothing names them."""
        names = self.schema.names
        return [f"x{j}" for j in range(self.n_columns)] if names is None else list(names)

    def column(self, j: int) -> np.ndarray:
        """Values of one column: numbers, or codes of nominal values; NaN is missing."""
        return self.values[:, j]

    def block(self, first: int, last: int) -> np.ndarray:
        """Values of the columns ``first .. last - 1``, in Fortran order; not to be written to."""
        return self.values[:, first:last]

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """All columns, as many at a time as are at hand in one piece, and which ones they are."""
        yield slice(0, self.n_columns), self.values

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

    def without_unused_values(self) -> Table:
        """The table as it would be read from its own rows: without nominal values that none has."""
        nominal = set(np.flatnonzero(self.n_values).tolist()) - self.schema.boolean
        if not nominal:
            return self
        values, categories = self.values.copy(order="F"), list(self.schema.categories)
        for j in nominal:
            known, names = ~np.isnan(values[:, j]), categories[j]
            used, values[known, j] = np.unique(values[known, j], return_inverse=True)
            categories[j] = None if names is None else names[used.astype(int)]
        return Table(values, replace(self.schema, categories=tuple(categories)))

    def renamed(self, names: Iterable[str]) -> Table:
        """The same columns under other names."""
        other = copy(self)
        other.__dict__.pop("names", None)
        schema = Schema(tuple(names), self.schema.categories, self.schema.boolean)
        other.__dict__["schema"] = schema
        return other

    def sample_rows(self, most: int, seed: int = 0) -> np.ndarray:
        """Indices of at most `most` rows, in order; all of them if there are no more."""
        if self.n_rows <= most:
            return np.arange(self.n_rows)
        return np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False))

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
