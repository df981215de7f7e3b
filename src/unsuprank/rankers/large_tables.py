"""Tables of many rows for rankers that need nothing but inner products of columns.

What such a ranker sees of a table are sums over rows. Up to `WIDE` coordinates, the rows can come
some at a time, in any number, and the sums are exact. Of wider tables with many rows, the products
of all columns with each other would be too many, and so would those of all rows; then the rows are
*folded*: dealt out at random to `FOLDED_ROWS` rows, and added up there with random signs. Inner
products of columns stay the same on average, with errors like those of a sample of so many rows;
but every row takes part, and a column that is rarely different from zero is not lost. What has
nothing to do with a column in the table has nothing to do with it after folding, which is why
chance can be reckoned from the folded rows as if they were the table.

Columns of many names cannot be folded, and their sums are not those of coordinates; a table on disk
with such columns is represented by a sample of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from .._progress import progress
from ..column_totals import column_totals
from ..row_source import RowSource, chunk_rows
from ..table import Schema, SparseTable, Table

#: Up to this many rows, all rows are compared with each other.
FEW_ROWS = 4096
#: Up to this many coordinates, all coordinates are compared with each other.
WIDE = 2048
#: Nominal columns of more values are not made coordinates.
MANY_VALUES = 48
#: Rows that a large table is folded into, and of a sample that stands for it.
FOLDED_ROWS = 2048
SAMPLED_ROWS = 16_384

Rows = Table | RowSource


def manageable(rows: Rows, verbose: int = 0) -> tuple[Rows, str]:
    """A table or a source of rows in a form whose sums can be had, and how it stands for `rows`.

    A table in memory with all of its values is taken as it is.
    """
    few = rows.n_rows <= FEW_ROWS
    if isinstance(rows, SparseTable):
        narrow = int(rows.varies.sum()) <= WIDE
        return (rows, "all rows") if few or narrow else (fold(rows, verbose), _folded(rows))
    if isinstance(rows, Table):
        return rows, "all rows"
    n_values = _n_values(rows)
    if few:
        return rows.take(np.arange(rows.n_rows)), "all rows"
    wide = np.maximum(n_values, 1).sum() > WIDE
    if n_values.max(initial=0) > MANY_VALUES or (wide and n_values.any()):
        # Names cannot be added up as folding does.
        return _sampled(rows)
    return (fold(rows, verbose), _folded(rows)) if wide else (rows, "all rows")


def comes_in_chunks(rows: Rows) -> bool:
    """Whether the rows, in manageable form, are to be looked at some at a time."""
    return isinstance(rows, RowSource) or (rows.is_sparse and rows.n_rows > FEW_ROWS)


def _folded(rows: Rows) -> str:
    return f"all {rows.n_rows:,} rows, folded into {FOLDED_ROWS:,}"


def _n_values(rows: Rows) -> np.ndarray:
    return np.array([0 if c is None else len(c) for c in rows.schema.categories])


def _sampled(rows: RowSource) -> tuple[Table, str]:
    if rows.n_rows <= SAMPLED_ROWS:
        return rows.take(np.arange(rows.n_rows)), "all rows"
    picked = np.random.default_rng(0).choice(rows.n_rows, SAMPLED_ROWS, replace=False)
    return rows.take(np.sort(picked)), f"a sample of {SAMPLED_ROWS:,} of {rows.n_rows:,} rows"


def fold(rows: Rows, verbose: int = 0) -> Table:
    """Deal the rows of a numeric table out to few rows, and add them up with random signs.

    Columns are centred first, and missing values are at the centre. The draws depend on the number
    of rows only.
    """
    totals = column_totals(rows, verbose)
    rng = np.random.default_rng(rows.n_rows)
    places = rng.permutation(rows.n_rows) % FOLDED_ROWS
    signs = rng.choice(np.array([-1.0, 1.0]), rows.n_rows)
    with progress("folding rows", rows.n_rows, verbose) as bar:
        folded, sparse_rows = rows.accumulate(
            Folding(places, signs, totals.mean),
            partial(_nothing_folded, rows.n_columns),
            chunk_rows(rows.n_columns),
            bar,
        )
    excess = np.bincount(places, signs, FOLDED_ROWS) if sparse_rows else None
    for j in range(rows.n_columns):
        if excess is not None:  # what was folded was not centred
            folded[:, j] -= excess * totals.mean[j]
        folded[:, j] /= totals.spread[j] or 1.0
    return Table(folded, Schema(rows.schema.names, (None,) * rows.n_columns))


#: Folded rows, and whether what was folded was sparse.
Folded = tuple[np.ndarray, bool]


def _nothing_folded(n_columns: int) -> Folded:
    folded = np.empty((FOLDED_ROWS, n_columns), order="F")
    for column in folded.T:  # new memory can be slow to come by, and Ctrl-C should not wait for it
        column[:] = 0.0
    return folded, False


@dataclass(frozen=True)
class Folding:
    """Adds rows to the folded ones."""

    places: np.ndarray
    signs: np.ndarray
    centre: np.ndarray

    def __call__(self, folded: Folded, first: int, chunk: Table) -> Folded:
        part = slice(first, first + chunk.n_rows)
        places, signs = self.places[part], self.signs[part]
        if isinstance(chunk, SparseTable):
            _fold_sparse(folded[0], chunk, places, signs)
        else:
            _fold_dense(folded[0], chunk, places, signs, self.centre)
        return folded[0], chunk.is_sparse


def _fold_dense(
    folded: np.ndarray, chunk: Table, places: np.ndarray, signs: np.ndarray, centre: np.ndarray
) -> None:
    signed = np.nan_to_num((chunk.values - centre) * signs[:, None])
    to = sparse.csr_array(
        (np.ones(len(places)), (places, np.arange(len(places)))), (len(folded), len(places))
    )
    touched = np.unique(places)
    folded[touched] += to[touched] @ signed


def _fold_sparse(
    folded: np.ndarray, chunk: SparseTable, places: np.ndarray, signs: np.ndarray
) -> None:
    held = chunk.by_rows
    row = np.repeat(np.arange(chunk.n_rows), np.diff(held.indptr))
    flat = folded.reshape(-1, order="F")  # a view: column after column
    at = held.indices.astype(np.intp) * len(folded) + places[row]
    np.add.at(flat, at, held.data * signs[row])
