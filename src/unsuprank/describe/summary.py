"""Every column by itself: where its values lie, how they spread, what is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..table import SparseTable, Table, gini_index, read_table

#: Bars of a histogram.
BINS = 12
#: Values that are looked at together.
_BLOCK_VALUES = 2**22


@dataclass(frozen=True)
class ColumnSummary:
    """What there is to say about single columns, one entry of each array per column.

    Attributes
    ----------
    mean : ndarray
        Of the known values; NaN for nominal columns, the share of true values for boolean ones.
    mode : ndarray of object
        The most common value of nominal columns as text, None for numbers.
    spread : ndarray
        The standard deviation of numbers; the Gini impurity of nominal columns, which is the
        chance that two rows differ.
    missing, zero : ndarray
        Shares of the rows.
    low, high : ndarray
        The smallest and the largest known value, or code of a nominal value.
    histogram : ndarray of shape (n_columns, 12)
        Counts in equal bins from `low` to `high`.
    distinct : ndarray of int
        How many different values are known.

    A column without a known value has NaN where there is nothing to say.
    """

    mean: np.ndarray
    mode: np.ndarray
    spread: np.ndarray
    missing: np.ndarray
    zero: np.ndarray
    low: np.ndarray
    high: np.ndarray
    histogram: np.ndarray
    distinct: np.ndarray


def summarise_columns(X: Any) -> ColumnSummary:
    """Summarise every column of a table.

    Parameters
    ----------
    X : array-like, DataFrame or Table

    Examples
    --------
    >>> from unsuprank.describe import summarise_columns
    >>> summary = summarise_columns([[1.0, 0.0], [3.0, float("nan")]])
    >>> summary.mean, summary.spread, summary.missing
    (array([2., 0.]), array([1., 0.]), array([0. , 0.5]))
    """
    parts = [_summarise(block) for block in _column_blocks(read_table(X))]
    return ColumnSummary(*map(np.concatenate, zip(*parts, strict=True)))


def _column_blocks(table: Table) -> Iterator[Table]:
    """Some columns at a time, so that what is computed on the way stays small."""
    n = table.n_columns
    held = table.n_held if isinstance(table, SparseTable) else np.full(n, table.n_rows)
    before = np.cumsum(held) - held
    starts = np.flatnonzero(np.diff(before // _BLOCK_VALUES, prepend=-1))
    for columns in np.split(np.arange(n), starts[1:]):
        yield table.take(columns=columns)


def _summarise(table: Table) -> tuple[np.ndarray, ...]:
    """The fields of a summary, in their order."""
    n, moments = table.n_columns, table.moments
    low, high, spread = moments.low, moments.high, moments.spread.copy()
    mean = np.where(low < high, moments.mean, low)  # not what rounding makes of equal values
    known = np.full(n, table.n_rows)
    for j in np.flatnonzero(table.missing).tolist():
        known[j] -= np.isnan(table.column(j)).sum()
    columns, values = _not_zero(table)
    n_zero = known - np.bincount(columns, minlength=n)
    ends = np.searchsorted(columns, np.arange(1, n))
    distinct = np.array([len(np.unique(part)) for part in np.split(values, ends)]) + (n_zero > 0)
    bins = _bins(values, low[columns], high[columns]) + BINS * columns
    histogram = np.bincount(bins, minlength=BINS * n).reshape(n, BINS)
    some = np.flatnonzero(n_zero)
    histogram[some, _bins(np.zeros(len(some)), low[some], high[some])] += n_zero[some]
    mode = np.full(n, None, dtype=object)
    for j in np.flatnonzero(table.n_values).tolist():
        names, counts = value_counts(table, j)
        if known[j]:
            mode[j], spread[j] = str(names[counts.argmax()]), gini_index(counts)
        if j not in table.schema.boolean:
            mean[j], n_zero[j] = np.nan, 0
    missing = (table.n_rows - known) / table.n_rows
    zero = n_zero / table.n_rows
    return mean, mode, spread, missing, zero, low, high, histogram, distinct


def _not_zero(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Column and value of all that is known and not zero, column after column."""
    if isinstance(table, SparseTable):
        n_held, values = table.n_held, table.by_columns.data.astype(np.float64)
    else:
        n_held, values = np.full(table.n_columns, table.n_rows), table.values.ravel(order="F")
    given = (values != 0) & ~np.isnan(values)
    return np.repeat(np.arange(table.n_columns), n_held)[given], values[given]


def _bins(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Which of the equal bins from `low` to `high` each value is in; any for what is missing."""
    half_span = high / 2 - low / 2  # halves, so that the difference cannot overflow
    place = (values / 2 - low / 2) / np.where(half_span > 0, half_span, 1.0)
    return np.fmin(place * BINS, BINS - 1).astype(int)


def value_counts(X: Any, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Count the values of a nominal column.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    column : int

    Returns
    -------
    values, counts : ndarray
        In the order of the values.

    Examples
    --------
    >>> import pandas as pd
    >>> from unsuprank.describe import value_counts
    >>> value_counts(pd.DataFrame({"size": ["s", "m", "s", None]}), 0)
    (array(['m', 's'], dtype=object), array([1, 2]))
    """
    table = read_table(X)
    values = table.schema.categories[column]
    if values is None:
        raise ValueError(f"{table.schema.label(column)} holds numbers; see summarise_columns.")
    codes = table.column(column)
    return values, np.bincount(codes[~np.isnan(codes)].astype(int), minlength=len(values))


def repeated_columns(X: Any) -> list[tuple[int, int]]:
    """Find columns that repeat an earlier one exactly; constant columns do not count.

    Parameters
    ----------
    X : array-like, DataFrame or Table

    Returns
    -------
    list of (column, the first column with these values)

    Examples
    --------
    >>> from unsuprank.describe import repeated_columns
    >>> repeated_columns([[1, 5, 1], [2, 5, 2]])
    [(2, 0)]
    """
    table = read_table(X)
    seen: dict[bytes, int] = {}
    found = []
    for j in np.flatnonzero(table.varies).tolist():
        digest = hashlib.blake2b((table.column(j) + 0.0).tobytes(), digest_size=16)
        if (categories := table.schema.categories[j]) is not None:
            digest.update(repr(categories.tolist()).encode("utf-8", "surrogatepass"))
        first = seen.setdefault(digest.digest(), j)
        if first != j:
            found.append((j, first))
    return found
