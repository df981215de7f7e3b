"""A CountSketch of the rows: all rows of a table in few.

Rows are dealt out at random to a smaller number of rows, and added up there with random signs: a
sparse sign matrix times the table. Inner products of columns stay the same on average, with errors
like those of a sample of so many rows; but every row takes part, and a column that is rarely
different from zero is not lost. What has nothing to do with a column in the table has nothing to do
with it in the sketch, which is why chance can be computed from the sketch as if it were the table.

It is for numbers: categories cannot be added up.

References
----------
K. L. Clarkson, D. P. Woodruff (2017). Low-rank approximation and regression in input sparsity time.
Journal of the ACM 63, 54.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from ..._progress import progress
from ...column_totals import column_totals
from ...row_source import RowSource, chunk_rows
from ...table import Schema, SparseTable, Table

#: Bytes of a sketch, and how many rows it has at the least and at the most.
SKETCH_BYTES = 2**29
LEAST_ROWS, MOST_ROWS = 1024, 8192


def count_sketch(rows: Table | RowSource, verbose: int = 0) -> Table:
    """A sketch of a numeric table, whose columns are centred first.

    Missing values are at the centre. The draws depend on the number of rows only.
    """
    totals = column_totals(rows, verbose)
    rng = np.random.default_rng(rows.n_rows)
    n_rows = min(max(SKETCH_BYTES // (8 * max(rows.n_columns, 1)), LEAST_ROWS), MOST_ROWS)
    places = rng.permutation(rows.n_rows) % n_rows
    signs = rng.choice(np.array([-1.0, 1.0]), rows.n_rows)
    with progress("sketching rows", rows.n_rows, verbose) as bar:
        sketch, sparse_rows = rows.accumulate(
            AddRows(places, signs, totals.mean),
            partial(_empty_sketch, n_rows, rows.n_columns),
            chunk_rows(rows.n_columns),
            bar,
        )
    excess = np.bincount(places, signs, n_rows) if sparse_rows else None
    for j in range(rows.n_columns):
        if excess is not None:  # what was added up was not centred
            sketch[:, j] -= excess * totals.mean[j]
        sketch[:, j] /= totals.spread[j] or 1.0
    return Table(sketch, Schema(rows.schema.names, (None,) * rows.n_columns))


#: A sketch, and whether what was added to it was sparse.
Sketch = tuple[np.ndarray, bool]


def _empty_sketch(n_rows: int, n_columns: int) -> Sketch:
    sketch = np.empty((n_rows, n_columns), order="F")
    for column in sketch.T:  # new memory can be slow to come by, and Ctrl-C should not wait for it
        column[:] = 0.0
    return sketch, False


@dataclass(frozen=True)
class AddRows:
    """Adds rows to a sketch."""

    places: np.ndarray
    signs: np.ndarray
    centre: np.ndarray

    def __call__(self, sketch: Sketch, first: int, chunk: Table) -> Sketch:
        part = slice(first, first + chunk.n_rows)
        to = self.places[part], np.arange(chunk.n_rows)
        signs = sparse.csr_array((self.signs[part], to), (len(sketch[0]), chunk.n_rows))
        if isinstance(chunk, SparseTable):
            added = (signs @ chunk.by_rows).tocoo()
            sketch[0][added.row, added.col] += added.data
        else:
            touched = np.unique(to[0])
            sketch[0][touched] += signs[touched] @ np.nan_to_num(chunk.values - self.centre)
        return sketch[0], chunk.is_sparse
