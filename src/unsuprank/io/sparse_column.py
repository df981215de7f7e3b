"""Columns of files that hold sparse matrices, written out one by one when they are asked for."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..table import SparseTable
from .file_column import FileColumn


class SparseColumn(FileColumn):
    """A column of numbers of a sparse table, most of which are zero.

    Parameters
    ----------
    name : str
    held : SparseTable
        What holds the values of all columns.
    place : int
        The column's place in it.
    """

    held: SparseTable
    place: int

    def __init__(self, name: str, held: SparseTable, place: int) -> None:
        # The way around a frozen dataclass; the values are not one of its fields here.
        self.__dict__.update(name=name, held=held, place=place)

    @property
    def values(self) -> np.ndarray:
        return self.held.column(self.place)

    @property
    def n_rows(self) -> int:
        return self.held.n_rows

    @property
    def extremes(self) -> tuple[float, ...]:
        values = self.held.held_values(self.place)
        if len(values) < self.n_rows:
            values = np.append(values, 0.0)
        return (float(values.min()), float(values.max())) if values.size else ()

    def renamed(self, name: str) -> SparseColumn:
        return SparseColumn(name, self.held, self.place)

    def with_missing(self, words: Collection[str]) -> FileColumn:
        written = FileColumn(self.name, self.values)
        found = written.with_missing(words)
        return self if found is written else found
