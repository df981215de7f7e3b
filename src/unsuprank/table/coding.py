"""Values of nominal columns and their codes, and numbers from columns of any type."""

from __future__ import annotations

import numpy as np

from .schema import Schema

#: Rows that are brought from row-major into column-major order at a time.
BLOCK_ROWS = 512


def _known(column: np.ndarray) -> np.ndarray:
    """Mask of the values that are not missing (None, NaN, NA, NaT)."""
    if column.dtype != object:
        return column == column
    # None is not equal to None here, and NaN is never equal to itself; pandas' NA makes
    # comparisons undefined, hence the explicit loop.
    return np.fromiter(
        (v is not None and type(v).__name__ != "NAType" and v == v for v in column),
        dtype=bool,
        count=len(column),
    )


def gini_index(counts: np.ndarray) -> float:
    """The Gini index of a nominal column whose values occur so often."""
    return float(1.0 - np.sum((counts / counts.sum()) ** 2))


def types_of_values(column: np.ndarray) -> set[type]:
    """The types of the values of a column of objects; what is missing is none."""
    kinds = set(map(type, column))
    if float in kinds:  # NaN may be all that is
        kinds = set(map(type, column[_known(column)]))
    return {kind for kind in kinds if kind.__name__ not in ("NoneType", "NAType")}


def code_values(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the values of a nominal column, NaN where one is missing, and its sorted values."""
    categories = find_categories(column)
    return _codes(column, categories), categories


def find_categories(column: np.ndarray) -> np.ndarray:
    """The sorted values of a nominal column; what is missing is none."""
    if column.dtype == np.bool_:
        return np.array([False, True])
    known = column[_known(column)]
    try:
        return np.unique(known)
    except TypeError:  # values of several types have no order of their own
        distinct = sorted(set(known.tolist()), key=lambda v: (type(v).__name__, str(v)))
        return np.array([*distinct, None], dtype=object)[:-1]


def column_major(values: np.ndarray) -> np.ndarray:
    """The numbers of a matrix as float64 in Fortran order; the matrix itself if it is that.

    NumPy makes such a copy column by column, and for each reads all of the memory of the rows
    again; a few rows at a time stay in the cache, which takes a third of the time. It also hears of
    Ctrl-C between them.
    """
    if values.flags.f_contiguous:
        return np.asarray(values, dtype=np.float64, order="F")
    copied = np.empty(values.shape, order="F")
    for first in range(0, len(values), BLOCK_ROWS):
        copied[first : first + BLOCK_ROWS] = values[first : first + BLOCK_ROWS]
    return copied


def encode_columns(columns: list[np.ndarray], schema: Schema) -> np.ndarray:
    """The matrix of a table: numbers, and codes of nominal values."""
    n_rows = len(columns[0]) if columns else 0
    values = np.empty((n_rows, len(columns)), dtype=np.float64, order="F")
    for j, (column, categories) in enumerate(zip(columns, schema.categories, strict=True)):
        if categories is None:
            values[:, j] = _as_numbers(column, schema.label(j))
        else:
            values[:, j] = _codes(column, categories)
    return values


def _as_numbers(column: np.ndarray, label: str) -> np.ndarray:
    if column.dtype == object:
        column = np.where(_known(column), column, np.nan)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{label.capitalize()} should hold numbers: {error}. If it holds names, list it in "
            "nominal_features or give a DataFrame."
        ) from None


def _codes(column: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """Position of each value in `categories`; NaN for missing and unseen values."""
    position = {value: code for code, value in enumerate(categories.tolist())}
    known = _known(column)
    codes = np.full(len(column), np.nan)
    codes[known] = [position.get(value, np.nan) for value in column[known].tolist()]
    return codes
