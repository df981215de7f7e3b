"""What users hold that is not in memory, as sources of rows.

Small tables are read whole, whatever they are; of others, that is refused beyond a budget.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from ._cluster import client_of, current_client
from .dask_rows import ClusterRows, DaskRows, SharedRows, is_dask
from .row_source import ArrayRows, RowSource, mapping_of
from .table import ColumnChoice, Table, is_anndata, read_table

#: Bytes, with eight for every cell, up to which a table on disk may be read whole.
MEMORY_BUDGET = 2**31
#: A table on disk is read whole if its values take no more than this, whatever is asked of it.
SMALL_BYTES = 2**28
#: What arrays in memory have and arrays on disk have not.
_IN_MEMORY = ("__array_interface__", "__dlpack__", "__cuda_array_interface__")


def is_on_disk(X: Any) -> bool:
    """Tell whether the rows of `X` are read when they are asked for."""
    if isinstance(X, RowSource):
        return True
    if is_anndata(X):
        return bool(getattr(X, "isbacked", False)) or is_dask(X.X)
    if is_dask(X):
        return True
    if isinstance(X, np.ndarray):
        return mapping_of(X) is not None
    if isinstance(X, Table) or sparse.issparse(X) or any(hasattr(X, a) for a in _IN_MEMORY):
        return False
    if not isinstance(nw.from_native(X, pass_through=True), type(X)):
        return False  # a DataFrame
    return all(hasattr(X, a) for a in ("shape", "dtype", "__getitem__")) and len(X.shape) == 2


def rows_of(
    X: Any, nominal_features: ColumnChoice = None, estimator: Any = None, scheduler: Any = None
) -> Any:
    """What gives the rows of `X`: a source if it is on disk, a table otherwise.

    The rows of a Dask collection are worked on by the cluster of `scheduler`, or else by the one
    that Dask's collections are computed by, if there is any.
    """
    if isinstance(X, RowSource):
        return X
    if not is_on_disk(X):
        return read_table(X, nominal_features=nominal_features, estimator=estimator)
    array, names = (X.X, X.var_names) if is_anndata(X) else (X, None)
    if is_dask(array):
        client = current_client() if scheduler is None else client_of(scheduler)
        return DaskRows(array, names, nominal_features, client)
    return ArrayRows(array, names, nominal_features)


def spread_out(rows: Table | RowSource, scheduler: Any) -> Table | RowSource:
    """The same rows, worked on by a cluster if there is a scheduler."""
    client = None if isinstance(rows, ClusterRows) else client_of(scheduler)
    return rows if client is None else SharedRows(rows, client)


def read_rows(
    X: Any, nominal_features: ColumnChoice, estimator: Any, scheduler: Any = None
) -> Table | RowSource:
    """A table on disk as a source of rows; a small one, and what is in memory, as a table."""
    rows = rows_of(X, nominal_features, estimator, scheduler)
    if isinstance(rows, RowSource) and 8 * rows.n_rows * rows.n_columns <= SMALL_BYTES:
        return rows.take(np.arange(rows.n_rows))
    return spread_out(rows, scheduler) if isinstance(rows, RowSource) else rows


def in_memory(X: Any, nominal_features: ColumnChoice, advice: str) -> Any:
    """What `read_table` can read: `X` itself, or a table of all of its rows if it is on disk.

    More than `MEMORY_BUDGET` is refused, with an `advice` of what to do instead.
    """
    if not is_on_disk(X):
        return X
    if not isinstance(X, np.ndarray):
        X = rows_of(X, nominal_features)
    n_bytes = 8 * X.shape[0] * X.shape[1]
    if n_bytes > MEMORY_BUDGET:
        raise ValueError(
            f"X takes {n_bytes / 2**30:.1f} GB when it is read whole, more than the "
            f"{MEMORY_BUDGET / 2**30:g} GB that are; {advice}."
        )
    return X if isinstance(X, np.ndarray) else X.take(np.arange(X.n_rows))
