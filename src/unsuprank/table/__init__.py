"""Any input a user may hold, read into typed columns.

Every ranker works on a :class:`Table`: one float64 matrix in Fortran order, so that a
column is contiguous, where nominal columns hold the codes ``0 .. k-1`` of their values
and NaN marks what is missing. A :class:`Schema` remembers names and nominal values, so
that new rows are read the way the training rows were.

A table is made once, by :func:`read_table` or by a reader of files, and then handed on: every
ranker, plot, report and function of the evaluation takes it as it is. The rest of the package
asks it for parts (:meth:`Table.take`), for single columns, for blocks of columns and for samples
of rows. A :class:`SparseTable` answers the same questions from the values that are not zero.

Everything is converted to float64 before any arithmetic: unsigned integers never wrap.
"""

from .chunked_rows import ChunkedRows
from .coding import code_values, column_major, find_categories, gini_index
from .dense_table import Table
from .reading import is_anndata, read_table
from .schema import ColumnChoice, Schema, column_mask
from .sparse_table import NUMBERS_ONLY, SparseTable, check_pointers, checked_matrix

__all__ = [
    "NUMBERS_ONLY",
    "ColumnChoice",
    "ChunkedRows",
    "Schema",
    "SparseTable",
    "Table",
    "check_pointers",
    "checked_matrix",
    "code_values",
    "column_major",
    "column_mask",
    "find_categories",
    "gini_index",
    "is_anndata",
    "read_table",
]
