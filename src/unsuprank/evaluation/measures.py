"""How far predictions of all features are from the truth.

The paper calls its measure an MSE; its tables hold the mean over features of the root of
the mean squared error of each feature, on raw values. That is ``rmse`` here, and the
default everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy import sparse

from ..table import SparseTable, Table

#: Reconstruction measures, lower is better.
RECONSTRUCTION = ("rmse", "mse", "relative")
_BLOCK_ROWS = 256

#: Rows of a table, or of a sparse one those of their values that are not zero.
Values: TypeAlias = np.ndarray | sparse.csr_array


@dataclass(frozen=True)
class Fold:
    """Training and test rows, ready for a model.

    Missing values are filled in with the training mean (nominal columns: the most common
    training value); those of the test rows do not count when errors are measured.
    """

    train: Values
    test: Values
    #: Test values that count, or None where all do.
    known: np.ndarray | None
    nominal: np.ndarray
    #: What a model that ignores its input predicts: training means and modes.
    constant: np.ndarray

    @cached_property
    def constant_rmse(self) -> float:
        """The error of predicting training means and modes."""
        return summarise(self, feature_errors(self, lambda _rows: self.constant), "rmse")


def squares_overflow(table: Table) -> str | None:
    """What to say of values so large that squared distances are no numbers, or None."""
    limit = np.sqrt(np.finfo(float).max / (8.0 * max(1, table.n_rows * table.n_columns)))
    largest = np.maximum(np.abs(table.moments.low), np.abs(table.moments.high))
    too_large = np.flatnonzero((largest > limit) & (table.n_values == 0))
    if not len(too_large):
        return None
    j = int(too_large[0])
    return (
        f"C{table.schema.label(j)[1:]} holds values of size {largest[j]:.2g}, whose squared "
        "differences are too large for a number; divide it by a constant."
    )


def in_standard_units(table: Table) -> Table:
    """The same with numbers in units of their standard deviations; names and constants stay."""
    numbers, spread = table.varies & (table.n_values == 0), table.moments.spread
    std = np.where(numbers & (spread > 0.0), spread, 1.0)
    if isinstance(table, SparseTable):
        matrix = table.by_rows.astype(np.float64)
        matrix.data /= std[matrix.indices]
        return SparseTable(matrix, table.schema)
    return replace(table, values=np.asfortranarray(table.values / std))


def make_fold(table: Table, train_rows: np.ndarray, test_rows: np.ndarray) -> Fold:
    """Split `table`; nothing of the test rows enters what is learned."""
    nominal = table.n_values > 0
    if isinstance(table, SparseTable):
        train, test = (table.by_rows[rows].astype(float) for rows in (train_rows, test_rows))
        return Fold(train, test, None, nominal, train.sum(axis=0) / max(1, len(train_rows)))
    train, test = (np.ascontiguousarray(table.values[rows]) for rows in (train_rows, test_rows))
    constant = _means_and_modes(train, nominal)
    known = None
    if table.missing.any():
        known = ~np.isnan(test)
        train = np.where(np.isnan(train), constant, train)
        test = np.where(known, test, constant)
    return Fold(train, test, known, nominal, constant)


def _means_and_modes(train: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    holes = np.isnan(train)
    count = np.maximum((~holes).sum(axis=0), 1)
    constant = np.where(holes, 0.0, train).sum(axis=0) / count
    for j in np.flatnonzero(nominal):
        codes = train[~holes[:, j], j].astype(int)
        constant[j] = np.bincount(codes, minlength=1).argmax()
    return constant


def feature_errors(fold: Fold, predict: Callable[[slice], np.ndarray]) -> np.ndarray:
    """Mean squared error of each numeric feature, error rate of each nominal one.

    Parameters
    ----------
    fold : Fold
    predict : callable
        Predictions of all features for a slice of the test rows.
    """
    total = np.zeros(fold.test.shape[1])
    n_rows = fold.test.shape[0]
    for start in range(0, n_rows, _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        error = written_out(fold.test[rows]) - predict(rows)
        np.square(error, out=error)
        if fold.nominal.any():
            error[:, fold.nominal] = error[:, fold.nominal] != 0
        if fold.known is not None:
            error *= fold.known[rows]
        total += error.sum(axis=0)
    count = n_rows if fold.known is None else np.maximum(fold.known.sum(axis=0), 1)
    return total / count


def written_out(values: Values) -> np.ndarray:
    """Some rows with all of their values."""
    return values if isinstance(values, np.ndarray) else values.toarray()


def summarise(fold: Fold, errors: np.ndarray, measure: str) -> float:
    """One number from the per-feature errors of :func:`feature_errors`.

    ``rmse`` is the mean over features of the root mean squared error, ``mse`` of the mean
    squared error; nominal features enter with their error rate. ``relative`` is ``rmse``
    divided by that of predicting the training means and modes.
    """
    if measure == "mse":
        return float(errors.mean())
    rmse = float(np.where(fold.nominal, errors, np.sqrt(errors)).mean())
    if measure == "rmse":
        return rmse
    base = fold.constant_rmse
    if base == 0.0:
        return 1.0 if rmse == 0.0 else float("inf")
    return rmse / base
