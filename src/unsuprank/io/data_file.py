"""What every reader returns: named, typed columns and what there is to say about them.

A column that cannot be ranked as it stands (dates, numbers with a stray word in between)
is not an error while the file is read, because the reader of the message may want to drop
it or to declare it nominal. It carries its `problem`, which is raised by :meth:`DataFile.table`
if the column is still there by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from ..table import Schema, Table

#: Names that a column with the answer, or with a running number, usually has.
LABEL_NAMES = frozenset({"class", "label", "labels", "target", "y", "outcome", "cluster"})
ID_NAMES = frozenset({"id", "ids", "index", "identifier", "uuid", "barcode", "rowname", "rownames"})
#: Sparse files are read into dense tables up to this many bytes.
MAX_DENSE_BYTES = 8 * 2**30


class FileProblem(ValueError):
    """A file that cannot be used, in one sentence that says why and what to do."""


@dataclass(frozen=True)
class Column:
    """One column: numbers, or codes of nominal values; NaN is missing."""

    name: str
    values: np.ndarray
    #: Sorted values of a nominal column, None for numbers.
    categories: np.ndarray | None = None
    boolean: bool = False
    #: Why the column cannot be ranked as it stands; empty for sound columns.
    problem: str = ""

    def texts(self) -> list[str]:
        """The values as text, empty where missing."""
        if self.categories is None:
            return ["" if np.isnan(v) else f"{v:.17g}" for v in self.values]
        words = [str(c) for c in self.categories]
        return ["" if np.isnan(v) else words[int(v)] for v in self.values]

    def as_nominal(self) -> Column:
        if self.categories is not None:
            return replace(self, problem="")
        return nominal_column(self.name, self.values, ~np.isnan(self.values))


def nominal_column(name: str, cells: Sequence | np.ndarray, known: np.ndarray) -> Column:
    """A nominal column from its values and a mask of those that are not missing."""
    cells = np.asarray(cells)
    categories, codes = np.unique(cells[known], return_inverse=True)
    values = np.full(len(cells), np.nan)
    values[known] = codes
    return Column(name, values, categories)


@dataclass(frozen=True)
class DataFile:
    """The columns of a file, the names of its rows, and notes on how it was read."""

    source: str
    columns: list[Column]
    row_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    #: The column that was set aside as a label, if any.
    label: Column | None = None

    def __post_init__(self) -> None:
        _make_names_unique(self.columns, self.notes)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def without(self, names: Iterable[str]) -> DataFile:
        """All columns but those named."""
        unwanted = {self._known(name) for name in names}
        return replace(self, columns=[c for c in self.columns if c.name not in unwanted])

    def with_label(self, name: str | None) -> DataFile:
        """The column `name` set aside, so that it is not ranked."""
        if name is None:
            return self
        label = self.columns[self.names.index(self._known(name))]
        return replace(self.without([name]), label=label)

    def with_nominal(self, names: Iterable[str]) -> DataFile:
        """The columns named read as nominal, whatever they hold."""
        wanted = {self._known(name) for name in names}
        return replace(
            self, columns=[c.as_nominal() if c.name in wanted else c for c in self.columns]
        )

    def only(self, names: Iterable[str]) -> DataFile:
        """The columns named, in the order of the file."""
        wanted = {self._known(name) for name in names}
        return replace(self, columns=[c for c in self.columns if c.name in wanted])

    def _known(self, name: str) -> str:
        names = self.names
        if name in names:
            return name
        shown = ", ".join(shorten(n) for n in names[:8]) + (" ..." if len(names) > 8 else "")
        raise FileProblem(f"{self.source} has no column {name!r}; its columns are {shown}")

    def suspects(self) -> list[tuple[str, str]]:
        """Columns that look like a label or an identifier: name and reason."""
        found = []
        for c in self.columns:
            lower = c.name.strip().lower()
            unique = c.categories is not None and c.values.size == len(c.categories) > 2
            if lower in LABEL_NAMES:
                found.append((c.name, "is named like a label"))
            elif lower in ID_NAMES:
                found.append((c.name, "is named like an identifier"))
            elif unique:
                found.append((c.name, "holds a different text in every row, like an identifier"))
        return found

    def table(self) -> Table:
        """All columns as a table that rankers take; raises the first column's problem."""
        if not self.columns:
            raise FileProblem(f"{self.source} has no column left to rank")
        for c in self.columns:
            if c.problem:
                raise FileProblem(f"{self.source}: {c.problem}")
        if self.n_rows < 2:
            raise FileProblem(f"{self.source} has {self.n_rows} row(s); a ranking needs at least 2")
        values = np.empty((self.n_rows, len(self.columns)), order="F")
        for j, c in enumerate(self.columns):
            values[:, j] = c.values
        infinite = np.isinf(values).any(axis=0)
        if infinite.any():
            j = int(np.flatnonzero(infinite)[0])
            row = int(np.flatnonzero(np.isinf(values[:, j]))[0]) + 1
            raise FileProblem(
                f"{self.source}: column {shorten(self.names[j])!r} holds an infinite value in row "
                f"{row}; replace it by a number or leave it empty"
            )
        boolean = frozenset(j for j, c in enumerate(self.columns) if c.boolean)
        return Table(
            values, Schema(tuple(self.names), tuple(c.categories for c in self.columns), boolean)
        )


def shorten(name: str, width: int = 60) -> str:
    """A name on one line of bounded width."""
    flat = " ".join(name.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def numeric_columns(matrix: np.ndarray, names: Sequence[str] | None = None) -> list[Column]:
    """Columns of a plain matrix; they are called x0, x1, ... if nothing names them."""
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    if matrix.dtype == np.bool_:
        both = np.array([False, True])
        return [
            Column(n, matrix[:, j].astype(float), both, boolean=True) for j, n in enumerate(names)
        ]
    values = np.asfortranarray(matrix, dtype=np.float64)
    return [Column(str(n), values[:, j]) for j, n in enumerate(names)]


def densify(matrix, source: str) -> np.ndarray:
    """A dense copy of a sparse matrix, if it is of reasonable size; arrays pass through."""
    if not sparse.issparse(matrix):
        return np.asarray(matrix)
    rows, columns = matrix.shape
    if 8 * rows * columns > MAX_DENSE_BYTES:
        raise FileProblem(
            f"{source} holds {rows:,} x {columns:,} values, which is "
            f"{8 * rows * columns / 2**30:.0f} GB when written out; select rows or columns first"
        )
    return matrix.toarray(order="F")


def _make_names_unique(columns: list[Column], notes: list[str]) -> None:
    taken = {c.name for c in columns}
    seen: dict[str, int] = {}
    for j, c in enumerate(columns):
        name = c.name or f"x{j}"
        if name in seen:
            first = name
            while name in taken:
                seen[first] += 1
                name = f"{first} ({seen[first]})"
            notes.append(f"column {shorten(first)!r} occurs again; it is called {shorten(name)!r}")
        if name != c.name:
            columns[j] = replace(c, name=name)
        taken.add(name)
        seen.setdefault(name, 1)
