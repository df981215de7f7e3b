"""What a table is asked for, wherever its rows are: its columns, and all rows in turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from .._parallel import in_order
from .._progress import Progress
from .schema import Schema

T = TypeVar("T")


class ChunkedRows(ABC):
    """Whatever gives its rows in turn; a subclass may do the work where the rows are."""

    #: Names and kinds of the columns.
    schema: Schema

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.schema.n_columns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, self.n_columns

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; x0, x1, ... where nothing names them."""
        names = self.schema.names
        return [f"x{j}" for j in range(self.n_columns)] if names is None else list(names)

    def sample_rows(self, most: int, seed: int = 0) -> np.ndarray:
        """Indices of at most `most` rows, in order; all of them if there are no more."""
        if self.n_rows <= most:
            return np.arange(self.n_rows)
        return np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False))

    @abstractmethod
    def chunks(self, n_rows: int) -> Iterator[Any]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""

    def over_chunks(
        self, work: Callable[[Any], T], n_rows: int, bar: Progress, n_jobs: int | None = 1
    ) -> Iterator[T]:
        """``work(chunk)`` of all chunks, in order; `bar` is told of the rows that are done."""
        starts = range(0, self.n_rows, n_rows)
        for result, first in zip(self._over_chunks(work, n_rows, n_jobs), starts, strict=True):
            yield result
            bar.advance(min(n_rows, self.n_rows - first))

    def _over_chunks(
        self, work: Callable[[Any], T], n_rows: int, n_jobs: int | None
    ) -> Iterator[T]:
        return in_order(work, self.chunks(n_rows), n_jobs)

    def accumulate(
        self,
        add: Callable[[T, int, Any], T],
        start: Callable[[], T],
        n_rows: int,
        bar: Progress,
    ) -> T:
        """``total = add(total, first, chunk)`` for all chunks, one after the other.

        The first total is ``start()``; `first` is the row that a chunk begins with, and `add` may
        change the total that it is given.
        """
        total, first = start(), 0
        for chunk in self.chunks(n_rows):
            total = add(total, first, chunk)
            first += chunk.n_rows
            bar.advance(chunk.n_rows)
        return total
