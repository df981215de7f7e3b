"""Work on all rows of a table, a bounded number of them at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol, TypeVar

from .._parallel import in_order

T = TypeVar("T")


class _Advances(Protocol):
    def advance(self, amount: float = 1) -> None: ...


class InChunks(ABC):
    """Whatever gives its rows in turn; a subclass may do the work where the rows are."""

    @abstractmethod
    def chunks(self, n_rows: int) -> Iterator[Any]:
        """All rows in turn, `n_rows` at a time; the last chunk may have fewer."""

    def over_chunks(
        self, work: Callable[[Any], T], n_rows: int, bar: _Advances, n_jobs: int | None = 1
    ) -> Iterator[T]:
        """``work(chunk)`` of all chunks, in order; `bar` is told of the rows that are done."""
        for done, result in self._over_chunks(partial(_counted, work), n_rows, n_jobs):
            yield result
            bar.advance(done)

    def _over_chunks(
        self, work: Callable[[Any], T], n_rows: int, n_jobs: int | None
    ) -> Iterator[T]:
        return in_order(work, self.chunks(n_rows), n_jobs)

    def accumulate(
        self,
        add: Callable[[T, int, Any], T],
        start: Callable[[], T],
        n_rows: int,
        bar: _Advances,
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


def _counted(work: Callable[[Any], T], chunk: Any) -> tuple[int, T]:
    return chunk.n_rows, work(chunk)
