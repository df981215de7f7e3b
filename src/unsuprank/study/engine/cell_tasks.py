"""Cells that are computed by the workers of a Dask cluster.

Every worker reads the data sets itself, from the paths that they have here. What Dask cannot do
with a task is to kill it: a cell over its time is left to end, and then counts as one over its
limit, as it would elsewhere. A worker that dies costs the cells that it had begun, which others
begin anew; a cell that takes several workers with it is one that failed.
"""

from __future__ import annotations

import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

from ..._cluster import submit
from ..._parallel import one_blas_thread
from ..data.data_sets import DataShelf
from ..plan.cells import Cell
from .workers import Outcome, attempt


class CellTasks:
    """Cells that are under way.

    Parameters
    ----------
    client : Client
    files : dict of str to Path
        Data sets by name.
    """

    def __init__(self, client: Any, files: dict[str, Path]) -> None:
        from distributed import as_completed

        self._client = client
        self._files = tuple((name, str(path.absolute())) for name, path in files.items())
        self._under_way: dict[str, Cell] = {}
        self._completed = as_completed([], loop=client.loop)

    @property
    def cells(self) -> list[Cell]:
        """The cells that are not back yet."""
        return list(self._under_way.values())

    def want_more(self) -> bool:
        """Tell whether a thread of the cluster may soon have nothing to do."""
        return len(self._under_way) < 2 * max(1, sum(self._client.nthreads().values()))

    def give(self, cell: Cell, seconds: float | None) -> None:
        """Hand out a cell that may take `seconds`."""
        future = submit(self._client, compute_within, cell, self._files, seconds)
        self._under_way[future.key] = cell
        self._completed.add(future)

    def take(self) -> tuple[Cell, Outcome]:
        """Wait for a cell, and give its outcome."""
        future = next(self._completed)
        cell = self._under_way.pop(future.key)
        if future.status == "finished":
            return cell, future.result()
        return cell, {"status": "failed", "reason": f"the task was lost: {future.exception()}"}


def compute_within(
    cell: Cell, files: tuple[tuple[str, str], ...], seconds: float | None
) -> Outcome:
    """Compute a cell on a worker; if it takes longer than it may, that is its outcome."""
    started = time.monotonic()
    with one_blas_thread():
        outcome = attempt(cell, _shelf(files, threading.get_ident()))
    if seconds is not None and time.monotonic() - started > seconds:
        return {"status": "limit", "reason": f"more than {seconds:g} s"}
    return outcome


@cache
def _shelf(files: tuple[tuple[str, str], ...], _thread: int) -> DataShelf:
    """The data sets of a thread of a worker, kept for its next cell."""
    return DataShelf({name: Path(path) for name, path in files})
