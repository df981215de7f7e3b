"""Names and kinds of columns, and the ways to say which ones are meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

#: How columns are named: names, patterns of names, indices or a mask.
ColumnChoice = str | Sequence[str] | Sequence[int] | np.ndarray | None


@dataclass(frozen=True)
class Schema:
    """Names and kinds of the columns of a table."""

    names: tuple[str, ...] | None
    #: Per column: the sorted values of a nominal column, None for a numeric one.
    categories: tuple[np.ndarray | None, ...]
    #: Columns that were boolean; they are nominal with two values, and 0/1 for
    #: methods that know numbers only.
    boolean: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of_array(
        cls,
        dtype: Any,
        n_columns: int,
        names: Sequence[Any] | None = None,
        nominal: ColumnChoice = None,
    ) -> Schema:
        """That of an array: numbers, or booleans; values of nominal columns are to be found."""
        known = None if names is None else tuple(str(name) for name in names)
        if dtype == np.bool_:
            return cls(known, (np.array([False, True]),) * n_columns, frozenset(range(n_columns)))
        unknown = column_mask(nominal, n_columns, known).tolist()
        return cls(known, tuple(np.empty(0) if is_nominal else None for is_nominal in unknown))

    @property
    def n_columns(self) -> int:
        return len(self.categories)

    @property
    def without_values(self) -> np.ndarray:
        """Mask of the nominal columns whose values are not known."""
        return np.array([c is not None and not len(c) for c in self.categories], dtype=bool)

    def label(self, column: int) -> str:
        """How messages call a column."""
        return f"column {column}" if self.names is None else f"column {self.names[column]!r}"

    def take(self, columns: np.ndarray) -> Schema:
        """The schema of some columns, in the order given."""
        picked = columns.tolist()
        return Schema(
            None if self.names is None else tuple(self.names[j] for j in picked),
            tuple(self.categories[j] for j in picked),
            frozenset(i for i, j in enumerate(picked) if j in self.boolean),
        )

    def with_nominal(self, nominal: np.ndarray, categories: Sequence[np.ndarray]) -> Schema:
        """The schema in which the columns of a mask are nominal, with values of their own."""
        found = list(self.categories)
        for j, values in zip(np.flatnonzero(nominal).tolist(), categories, strict=True):
            found[j] = values
        return Schema(self.names, tuple(found), self.boolean)


def column_mask(
    wanted: ColumnChoice,
    n_columns: int,
    names: tuple[str, ...] | None,
    parameter: str = "nominal_features",
) -> np.ndarray:
    """Mask of the columns that somebody names, by `parameter`, in one of many ways.

    Names may be patterns: ``"MT-*"`` is all columns whose names begin so.
    """
    mask = np.zeros(n_columns, dtype=bool)
    if wanted is None:
        return mask
    items = np.atleast_1d(np.asarray(wanted))  # one name or number is as good as a list of it
    if items.dtype == np.bool_:
        if items.shape != (n_columns,):
            raise ValueError(
                f"{parameter} as a mask needs one entry per column ({n_columns}), got {items.size}."
            )
        return items.copy()
    for item in items.tolist():
        mask[_column_indices(item, n_columns, names, parameter)] = True
    return mask


def _column_indices(
    item: Any, n_columns: int, names: tuple[str, ...] | None, parameter: str
) -> list[int]:
    if names is not None and item in names:
        return [names.index(item)]
    if isinstance(item, int) and 0 <= item < n_columns:
        return [item]
    if names is not None and isinstance(item, str):
        found = [j for j, name in enumerate(names) if fnmatchcase(name, item)]
        if found:
            return found
    raise ValueError(
        f"{parameter} names {item!r}, which is not a column; X has {n_columns} columns"
        + ("." if names is None else f": {', '.join(names[:8])}{' ...' if n_columns > 8 else ''}.")
    )
