"""What linear rankers ask of a table, however it is stored.

Z has the coordinates of all columns of a table (:mod:`..clustering_space`), a row for each of its
rows. It is never made where it would not fit. What is asked for are sums over its rows, products of
its columns with a few vectors, and what each column z shares with all others, z'ZZ'z. There are
three ways to that, and which one is taken is a matter of cost, in multiplications:

========  =======================================  ========================================
way       what is made                             for
========  =======================================  ========================================
rows      K = ZZ', the products of the rows        few rows
columns   G = Z'Z, the products of the columns,    few columns; the only way of rows that
          summed up in one pass over the rows      come some at a time
products  neither: G is made a line at a time,     sparse tables of many rows and columns,
          squared and added up                     at the cost of the pairs of values a row
========  =======================================  ========================================

All three are exact. If each of them costs more than a fit should, or takes more memory than a
program should, the rows are sketched (:mod:`.count_sketch`), or sampled where there are categories.

Rows that are read from disk or by a cluster are gone through twice: for means and spreads, and then
for sums.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._parallel import blas_threads, interruptible
from ...column_totals import ColumnTotals, column_totals
from ...row_source import RowSource
from ...table import SparseTable, Table
from ..centred_matrix import ColumnMatrix
from ..clustering_space import embed, embed_sparse, embedding_widths, gram
from .count_sketch import count_sketch
from .row_sums import Embedding, RowSums, sums_over_rows

Rows: TypeAlias = Table | RowSource

#: Up to this many rows, products of rows are made even if there are fewer columns.
FEW_ROWS = 1024
#: Rows that are read from disk at once, if there are no more.
ROWS_AT_ONCE = 4096
#: Products of rows, or of columns, are made if there are at most so many lines of them.
MOST_ROWS = 8192
MOST_COLUMNS = 4096
#: Multiplications that a fit may take in products of matrices, and with single values.
DENSE_WORK = 8 * 10**12
SPARSE_WORK = 4 * 10**10
#: Less than this is cheap, so that it does not decide.
CHEAP_WORK = 2 * 10**9
#: How much faster products of dense matrices are than those of single values.
BLAS_SPEED = 20
#: Bytes of the values of sparse rows up to which they are read into memory.
HELD_BYTES = 2**30
#: Categorical columns of more values are not made coordinates.
MANY_VALUES = 48
#: Rows of a sample that stands for a table.
SAMPLED_ROWS = 16_384

Way = Literal["rows", "columns", "products"]


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of the columns of a table that vary; see the prose of the module."""

    #: The table, or what stands for it, and in which way it does.
    rows: Rows
    rows_used: str
    way: Way
    n_jobs: int
    verbose: int = 0

    @classmethod
    def of(cls, rows: Rows, n_jobs: int | None = None, verbose: int = 0) -> Coordinates:
        """Choose a way, and shorten the table if there is none."""
        n_jobs = blas_threads() if n_jobs is None else n_jobs
        if isinstance(rows, RowSource) and _can_be_read(rows):
            rows = rows.take(np.arange(rows.n_rows))
        way = _way_of_source(rows) if isinstance(rows, RowSource) else _way_of_table(rows)
        if way is not None:
            return cls(rows, "all rows", way, n_jobs, verbose)
        if any(values is not None for values in rows.schema.categories):
            return cls.of_sample(rows, n_jobs, verbose)
        sketch = count_sketch(rows, verbose)
        used = f"all {rows.n_rows:,} rows, in a sketch of {sketch.n_rows:,}"
        return cls(sketch, used, "rows", n_jobs, verbose)

    @classmethod
    def of_sample(cls, rows: Rows, n_jobs: int, verbose: int) -> Coordinates:
        """A sample of the rows, the same one at every call."""
        sample = cls.of(rows.take(rows.sample_rows(SAMPLED_ROWS)), n_jobs, verbose)
        if rows.n_rows <= SAMPLED_ROWS:
            return sample
        used = f"a sample of {SAMPLED_ROWS:,} of {rows.n_rows:,} rows"
        return replace(sample, rows_used=used)

    @property
    def n_rows(self) -> int:
        """Rows of the table, or of what stands for it."""
        return self.rows.n_rows

    @cached_property
    def totals(self) -> ColumnTotals:
        """Means and spreads of all columns."""
        return column_totals(self.rows, self.verbose)

    @cached_property
    def varies(self) -> np.ndarray:
        """Which columns have coordinates."""
        return self.rows.varies if isinstance(self.rows, Table) else self.totals.varies

    @cached_property
    def widths(self) -> np.ndarray:
        """How many coordinates each column has; 0 for a constant one."""
        n_values = [0 if values is None else len(values) for values in self.rows.schema.categories]
        return np.where(self.varies, np.maximum(n_values, 1), 0).astype(np.int32)

    @cached_property
    def grouped(self) -> np.ndarray:
        """Which of the columns that vary have too many values to have coordinates in sums."""
        return self.widths[self.varies] > MANY_VALUES

    @cached_property
    def table(self) -> Table:
        """The columns that vary, of a table in memory."""
        assert isinstance(self.rows, Table)
        return self.rows.take(columns=self.varies)

    @cached_property
    def matrix(self) -> ColumnMatrix:
        """Z, of a table in memory."""
        if isinstance(self.table, SparseTable):
            return embed_sparse(self.table)
        return ColumnMatrix(embed(self.table))

    @cached_property
    def shared_squares(self) -> np.ndarray:
        """z'ZZ'z of each coordinate z, by way of products."""
        return self.matrix.gram_squares(self.n_jobs)

    @cached_property
    def embedding(self) -> Embedding:
        """What makes the coordinates of some rows."""
        return Embedding(self.totals, MANY_VALUES)

    @cached_property
    def over_rows(self) -> RowSums:
        """Sums over the rows of all that has coordinates."""
        return sums_over_rows(self.rows, self.embedding, self.n_jobs, self.verbose)

    @cached_property
    def kernel(self) -> np.ndarray:
        """ZZ', without categorical columns of more than `MANY_VALUES`."""
        embedded = self.table.take(columns=~self.grouped)
        if not embedded.n_columns:
            return np.zeros((self.n_rows, self.n_rows))
        return gram(embedded, self.n_jobs).T  # symmetric, and row after row

    def with_spreads(self, power: float) -> ColumnMatrix:
        """Z with each column times a power of its spread, or a matrix with the same products.

        The spread of a categorical column is the root of its Gini index.
        """
        factors: Any = 1.0
        if power:
            spreads = self.totals.spread[self.varies]
            factors = (spreads / spreads.max(initial=1e-300)) ** power
            factors = np.repeat(factors, self.widths[self.varies])
        if self.way == "columns" and not self.grouped.any():
            return ColumnMatrix(root_of(self.over_rows.G) * factors)
        return self.matrix if not power else self.matrix / (1.0 / factors)


def root_of(inner: np.ndarray) -> np.ndarray:
    """R with R'R = `inner`, a symmetric matrix without negative eigenvalues but for rounding.

    Columns have the same length while the root is taken, so that short ones keep their digits.
    """
    size = np.sqrt(np.diagonal(inner))
    size = np.where(size > 0.0, size, 1.0)
    work = 9 * len(inner) ** 3
    lengths, axes = interruptible(work, np.linalg.eigh, inner / np.outer(size, size))
    return np.sqrt(np.maximum(lengths, 0.0))[:, None] * axes.T * size


def _can_be_read(rows: RowSource) -> bool:
    """Whether all rows fit into memory in the form that they are stored in."""
    sparse = rows.held_bytes is not None and rows.held_bytes <= HELD_BYTES
    return sparse or rows.n_rows <= ROWS_AT_ONCE


def _way_of_source(rows: RowSource) -> Way | None:
    n_values = [1 if values is None else len(values) for values in rows.schema.categories]
    width = sum(n_values)
    can_be_summed = max(n_values, default=0) <= MANY_VALUES and width <= MOST_COLUMNS
    return "columns" if can_be_summed and rows.n_rows * width**2 <= DENSE_WORK else None


def _way_of_table(table: Table) -> Way | None:
    if isinstance(table, SparseTable):
        return _way_of_sparse(table)
    m, width = table.n_rows, int(embedding_widths(table)[table.n_values <= MANY_VALUES].sum())
    if m * width * min(m, width) > DENSE_WORK and not table.n_values.any():
        return None
    return "rows" if m <= max(width, FEW_ROWS) else "columns"


def _way_of_sparse(table: SparseTable) -> Way | None:
    """What is exact in all sums if that is cheap, else the cheapest way."""
    m, n = table.n_rows, int(table.varies.sum())
    if m <= FEW_ROWS:
        return "rows"
    held, held_rows = table.n_held.astype(float), np.diff(table.by_rows.indptr).astype(float)
    costs: dict[Way, float] = {}
    if n <= MOST_COLUMNS:
        costs["columns"] = m * n**2 / BLAS_SPEED
    if m <= MOST_ROWS:
        costs["rows"] = held @ held + m * held.sum()
    costs["products"] = held_rows @ held_rows / 2
    cheapest = min(costs, key=lambda way: max(costs[way], CHEAP_WORK) + (way == "products"))
    return cheapest if costs[cheapest] <= SPARSE_WORK else None
