"""What every reader is told and returns: named, typed columns, and what there is to say of them.

A column that cannot be ranked as it stands (numbers with a stray word in between) is not an error
while the file is read, because the reader of the message may want to drop it or to declare it
nominal. It carries its `problem`, which is raised by :meth:`DataFile.table` if the column is still
there by then.

A table is made once, by :meth:`DataFile.table`, after columns were set aside or declared nominal;
the label, the names of the rows and the notes stay with the :class:`DataFile`. That of a sparse
matrix is sparse if whoever asks for it can take it so.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from scipy import sparse

from ..table import Schema, SparseTable, Table, check_pointers, read_table
from .column_oddities import (
    is_label_name,
    looks_like_identifier,
    missing_marker,
    named_like_identifier,
)
from .file_column import FileColumn, column_of, numeric_columns, shorten
from .sparse_column import SparseColumn

#: Columns that are read at most.
MAX_COLUMNS = 1_000_000
#: Sparse files are read into dense tables up to this many bytes.
MAX_DENSE_BYTES = 8 * 2**30
#: And one of their columns takes so many at most.
MAX_COLUMN_BYTES = 2**30


class FileProblem(ValueError):
    """A file that cannot be used, in one sentence that says why and what to do."""

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))  # what others say may be of many lines


@contextmanager
def wrap_errors(sentence: str) -> Iterator[None]:
    """Say `sentence` of a file, and what was wrong, whatever its parser stumbles over.

    Libraries that parse files raise errors of many kinds where bytes are damaged.
    """
    try:
        yield
    except FileProblem:
        raise
    except Exception as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FileProblem(f"{sentence}: {shorten(said, 200)}") from error


@dataclass(frozen=True)
class ReadOptions:
    """What a reader may be told; the rest is detected."""

    format: str | None = None
    #: Whether the first row of a delimited file names the columns.
    header: bool | None = None
    #: Which variable of a .mat or .npz file is the table.
    key: str | None = None
    #: Which layer of an .h5ad file to read, or its raw matrix.
    layer: str | None = None
    raw: bool = False
    #: What separates the cells of a delimited file, and what the fraction of its numbers.
    sep: str | None = None
    decimal: str | None = None
    #: Cells that mean a missing value, beside those that everybody takes for such.
    na: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataFile:
    """The columns of a file, the names of its rows, and notes on how it was read."""

    source: str
    columns: list[FileColumn]
    row_names: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    #: What the file holds beside the table, by name: other variables of a .mat or .npz file,
    #: what is known of the cells of an .h5ad file. What has a value per row can be the label.
    beside: Mapping[str, Any] = field(default_factory=dict)
    #: The column that was set aside as a label, if any.
    label: FileColumn | None = None
    #: What the file calls the names of the rows.
    row_title: str = ""

    def __post_init__(self) -> None:
        names = unique_names(self.names)
        for j, (column, name) in enumerate(zip(self.columns, names, strict=True)):
            if column.name == name:
                continue
            self.columns[j] = column.renamed(name)
            if column.name:
                old, new = shorten(column.name), shorten(name)
                self.notes.append(f"column {old!r} occurs again; it is called {new!r}")

    def __repr__(self) -> str:
        """What it is, without its values: there may be a million columns."""
        size = f"{self.n_rows} rows, {len(self.columns)} columns"
        return f"<{type(self).__name__} {self.source!r}: {size}>"

    @property
    def names(self) -> list[str]:
        """The names of the columns that are ranked."""
        return [c.name for c in self.columns]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.columns[0].n_rows if self.columns else 0

    def without(self, names: Iterable[str]) -> DataFile:
        """Leave out the columns named."""
        unwanted = self._checked(names)
        return replace(self, columns=[c for c in self.columns if c.name not in unwanted])

    def with_label(self, name: str | None) -> DataFile:
        """Set aside the column `name`, or take what is called so beside the table, as labels.

        Labels are never ranked. None changes nothing.
        """
        if name is None:
            return self
        if name in self.beside and name not in self.names:
            return replace(self, label=self._column_beside(name))
        label = next(c for c in self.columns if c.name in self._checked([name]))
        return replace(self.without([name]), label=label)

    def with_nominal(self, names: Iterable[str]) -> DataFile:
        """Read the columns named as nominal, whatever they hold."""
        wanted = self._checked(names)
        return replace(
            self, columns=[c.as_nominal() if c.name in wanted else c for c in self.columns]
        )

    def only(self, names: Iterable[str]) -> DataFile:
        """Keep the columns named, in the order of the file."""
        wanted = self._checked(names)
        return replace(self, columns=[c for c in self.columns if c.name in wanted])

    def _checked(self, names: Iterable[str]) -> set[str]:
        """Return the names as a set, if all of them are columns."""
        wanted, known = set(names), self.names
        unknown = sorted(wanted - set(known))
        if unknown:
            shown = ", ".join(shorten(n) for n in known[:8]) + (" ..." if len(known) > 8 else "")
            near = {n.casefold(): n for n in reversed(known[:1000])}  # more would take long
            found = difflib.get_close_matches(unknown[0].casefold(), near, 1)
            hint = f"did you mean {shorten(near[found[0]])!r}? Its" if found else "its"
            raise FileProblem(
                f"{self.source} has no column {unknown[0]!r}; {hint} columns are {shown}"
            )
        return wanted

    def _column_beside(self, name: str) -> FileColumn:
        values = np.ravel(np.asarray(self.beside[name]))
        if len(values) != self.n_rows:
            raise FileProblem(
                f"{self.source}: {name!r} holds {len(values)} values, and the table has "
                f"{self.n_rows} rows; labels need one for each"
            )
        return column_of(name, values)

    def likely_label(self) -> str | None:
        """Find the first column, or vector beside the table, that is named like a label."""
        return next(filter(is_label_name, (*self.names, *self.beside)), None)

    def with_missing(self, words: Iterable[str]) -> DataFile:
        """Take cells that say one of `words` as missing."""
        wanted = frozenset(words)
        if not wanted:
            return self
        return replace(self, columns=[c.with_missing(wanted) for c in self.columns])

    def identifiers(self) -> dict[str, str]:
        """Find columns that tell rows apart and nothing else: the reason of each by name."""
        found = {c.name: looks_like_identifier(c) for c in self.columns}
        return {name: reason for name, reason in found.items() if reason}

    def suspects(self) -> list[tuple[str, str]]:
        """Find columns that may not be meant as they stand: name, and what to know of it."""
        found = []
        for c in self.columns:
            if is_label_name(c.name):
                hint = f"if it is the answer, set it aside with --label {c.name!r}"
                found.append((c.name, f"is named like a label; {hint}"))
            elif named_like_identifier(c.name):
                hint = f"leave it out with --drop {c.name!r} if it is one"
                found.append((c.name, f"is named like an identifier; {hint}"))
            marker = missing_marker(c)
            if marker:
                found.append((c.name, marker))
        return found

    def column_notes(self) -> list[str]:
        """Say what was made of cells that are no plain numbers or names."""
        return [f"column {shorten(c.name)!r} {c.note}" for c in self.columns if c.note]

    def rows(self) -> list[dict[str, Any]]:
        """Give the columns as rows to write, after the names of the rows where there are such."""
        self._check_written_out()
        cells = [c.cells() for c in self.columns]
        titles = self.names
        if self.row_names is not None:
            titles, cells = [self.row_title, *titles], [self.row_names, *cells]
        return [dict(zip(titles, row, strict=True)) for row in zip(*cells, strict=True)]

    def table(self, *, sparse: bool = False) -> Table:
        """Make the table that rankers take; raise the problem of a column that has one.

        Parameters
        ----------
        sparse : bool, default=False
            Let the table of a sparse matrix be sparse, if all of its columns are still as they
            were read; for rankers that take one (``takes_sparse``).
        """
        if not self.columns:
            raise FileProblem(f"{self.source} has no column left to rank")
        for c in self.columns:
            if c.problem:
                raise FileProblem(f"{self.source}: {c.problem}")
        if self.n_rows < 2:
            raise FileProblem(f"{self.source} has {self.n_rows} row(s); a ranking needs at least 2")
        held = [c for c in self.columns if isinstance(c, SparseColumn)]
        if sparse and len(held) == len(self.columns):
            part = held[0].held.take(columns=[c.place for c in held])
            return part.renamed(self.names)
        self._check_written_out()
        values = np.empty((self.n_rows, len(self.columns)), order="F")
        for j, c in enumerate(self.columns):
            values[:, j] = c.values
        boolean = frozenset(j for j, c in enumerate(self.columns) if c.boolean)
        categories = tuple(c.categories for c in self.columns)
        table = Table(values, Schema(tuple(self.names), categories, boolean))
        self._check_finite(table)
        return table

    def _check_written_out(self) -> None:
        """Refuse to write out a sparse matrix of unreasonable size."""
        n_held = sum(isinstance(c, SparseColumn) for c in self.columns)
        if 8 * self.n_rows * n_held > MAX_DENSE_BYTES:
            raise FileProblem(_too_large(self.n_rows, n_held, self.source))

    def _check_finite(self, table: Table) -> None:
        if table.infinite.any():
            j = int(np.flatnonzero(table.infinite)[0])
            row = int(np.flatnonzero(np.isinf(table.column(j)))[0]) + 1
            raise FileProblem(
                f"{self.source}: column {shorten(self.names[j])!r} holds an infinite value in row "
                f"{row}; replace it by a number or leave it empty"
            )


def check_width(n_columns: int, source: str) -> None:
    """Refuse more columns than anybody ranks."""
    if n_columns > MAX_COLUMNS:
        raise FileProblem(
            f"{source} has {n_columns:,} columns; up to {MAX_COLUMNS:,} are read, so check the "
            "file, or select columns first"
        )


def densify(matrix: Any, source: str) -> np.ndarray:
    """Write out a sparse matrix, if it is sound and of reasonable size; arrays pass through."""
    if not sparse.issparse(matrix):
        return np.asarray(matrix)
    check_width(matrix.shape[1], source)
    if hasattr(matrix, "check_format"):
        try:  # SciPy writes wherever the indices of a damaged file point to
            check_pointers(matrix)
        except ValueError as error:
            raise FileProblem(f"{source} holds a damaged sparse matrix: {error}") from None
    rows, columns = matrix.shape
    if 8 * rows * columns > MAX_DENSE_BYTES:
        raise FileProblem(_too_large(rows, columns, source))
    return matrix.toarray(order="F")


def _too_large(rows: int, columns: int, source: str) -> str:
    return (
        f"{source} holds {rows:,} x {columns:,} values, which is "
        f"{8 * rows * columns / 2**30:.0f} GB when written out; use a method that takes sparse "
        "tables, or select rows or columns first"
    )


def matrix_columns(matrix: Any, names: Sequence[str] | None, source: str) -> list[FileColumn]:
    """Make the columns of a matrix; those of a sparse one are written out when they are needed.

    Missing values and flags have no sparse form: a matrix with such is written out at once.
    """
    check_width(matrix.shape[1], source)
    held = sparse.issparse(matrix) and matrix.dtype.kind in "iuf"
    if not held or not np.isfinite(matrix.data).all():
        return numeric_columns(densify(matrix, source), names)
    if 8 * matrix.shape[0] > MAX_COLUMN_BYTES:
        raise FileProblem(f"{source} holds {matrix.shape[0]:,} rows; select some of them first")
    try:
        table = read_table(matrix, min_rows=0)
    except ValueError as error:
        raise FileProblem(f"{source} holds a damaged sparse matrix: {error}") from None
    if names is None:
        names = table.names
    return [SparseColumn(str(name), cast(SparseTable, table), j) for j, name in enumerate(names)]


def unique_names(names: Sequence[str]) -> list[str]:
    """Put "(2)", "(3)", ... after names that occur again, and let no name be empty."""
    taken = set(names)
    seen: dict[str, int] = {}
    unique = []
    for j, given in enumerate(names):
        name = first = given or f"x{j}"
        while name in seen or (name != first and name in taken):
            seen[first] += 1
            name = f"{first} ({seen[first]})"
        taken.add(name)
        seen.setdefault(name, 1)
        unique.append(name)
    return unique
