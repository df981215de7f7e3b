"""One column of a file, with the way back from its values to what the file says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from ..table import code_values, column_major


@dataclass(frozen=True)
class FileColumn:
    """One column of a file: numbers, or codes of nominal values; NaN is missing."""

    name: str
    values: np.ndarray
    #: Sorted values of a nominal column, None for numbers.
    categories: np.ndarray | None = None
    #: Why the column cannot be ranked as it stands; empty for sound columns.
    problem: str = ""
    #: What was made of the cells (dates became days, a unit was left out); empty for most columns.
    note: str = ""
    #: The cells as the file has them, where the values were made of them.
    as_written: FileColumn | None = None

    @property
    def boolean(self) -> bool:
        """Whether the column holds True and False, and nothing is missing."""
        known = self.categories is not None and self.categories.dtype == np.bool_
        return known and not np.isnan(self.values).any()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def extremes(self) -> tuple[float, ...]:
        """The smallest and the largest of the known values, if there are any."""
        known = self.values[~np.isnan(self.values)]
        return (float(known.min()), float(known.max())) if known.size else ()

    def renamed(self, name: str) -> FileColumn:
        """Call the column by another name."""
        return replace(self, name=name)

    def texts(self) -> list[str]:
        """Give the values as texts, which are empty where a value is missing."""
        if self.as_written is not None:
            return self.as_written.texts()
        if self.categories is None:
            return ["" if np.isnan(v) else f"{v:.17g}" for v in self.values]
        words = [str(c) for c in self.categories]
        return ["" if np.isnan(v) else words[int(v)] for v in self.values]

    def cells(self) -> list[Any]:
        """Give the values as files show them: None where missing, whole numbers without a point."""
        if self.categories is not None or self.as_written is not None:
            return [text or None for text in self.texts()]
        return [
            None if np.isnan(v) else int(v) if v.is_integer() and abs(v) < 2**53 else v
            for v in self.values.tolist()
        ]

    def as_nominal(self) -> FileColumn:
        """Read the column as nominal, whatever it holds."""
        if self.as_written is not None:
            return replace(self.as_written, name=self.name)
        if self.categories is not None:
            return replace(self, problem="")
        return nominal_column(self.name, self.values)

    def as_numbers(self, numbers: np.ndarray, note: str) -> FileColumn:
        """Read a nominal column as numbers, one for each of its categories."""
        known = ~np.isnan(self.values)
        values = np.full(len(self.values), np.nan)
        values[known] = numbers[self.values[known].astype(int)]
        return FileColumn(self.name, values, note=note, as_written=self)

    def with_missing(self, words: Collection[str]) -> FileColumn:
        """Take cells that say one of `words`, or that number, as missing."""
        if self.categories is None:
            found = np.isin(self.values, [float(w) for w in words if is_number(w)])
            return (
                replace(self, values=np.where(found, np.nan, self.values)) if found.any() else self
            )
        if self.categories.dtype == np.bool_ or not set(words) & set(map(str, self.categories)):
            return self
        return nominal_column(self.name, [None if t in words or not t else t for t in self.texts()])


def parse_floats(cells: Sequence[str]) -> np.ndarray:
    """Read texts as float64 as Python reads them, but for "1_000": a well of a plate is no number.

    A ValueError if one of them is not a number.
    """
    if "_" in "".join(cells):
        raise ValueError("an underscore is no part of a number")
    # NumPy would make an array of texts, all as wide as the longest, on its way to numbers.
    return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number."""
    try:
        parse_floats([cell])
    except ValueError:
        return False
    return True


def nominal_column(name: str, cells: Sequence | np.ndarray) -> FileColumn:
    """Make a nominal column from its values; None and NaN are missing."""
    if not isinstance(cells, np.ndarray):
        cells = np.array([*cells, None], dtype=object)[:-1]  # texts stay as they are
    return FileColumn(name, *code_values(cells))


def coded_column(name: str, words: Sequence, codes: np.ndarray) -> FileColumn:
    """Make a nominal column from its different values and the place of each row's among them.

    Words that no row has are left out; None and NaN are missing.
    """
    used = np.bincount(codes, minlength=len(words)) > 0
    column = nominal_column(name, list(compress(words, used)))
    return replace(column, values=column.values[(np.cumsum(used) - 1)[codes]])


def boolean_column(name: str, values: np.ndarray) -> FileColumn:
    """Make a column of True and False from numbers 1 and 0; NaN is missing."""
    return FileColumn(name, values, np.array([False, True]))


def column_of(name: str, values: np.ndarray) -> FileColumn:
    """Make a column from a vector of numbers, booleans or texts; None and NaN are missing."""
    if values.dtype.kind == "b":
        return boolean_column(name, values.astype(np.float64))
    if values.dtype.kind in "fiu":
        return FileColumn(name, values.astype(np.float64))
    return nominal_column(name, values)


def numeric_columns(matrix: np.ndarray, names: Sequence[str] | None = None) -> list[FileColumn]:
    """Make the columns of a plain matrix; they are called x0, x1, ... if nothing names them."""
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    values = column_major(matrix)
    make = boolean_column if matrix.dtype == np.bool_ else FileColumn
    return [make(str(n), values[:, j]) for j, n in enumerate(names)]


def shorten(name: str, width: int = 60) -> str:
    """Write a name on one line of bounded width, without characters that steer a terminal."""
    flat = " ".join(name.split())
    flat = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in flat[: width + 1])
    return flat if len(flat) <= width else flat[: width - 1] + "…"
