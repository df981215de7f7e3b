"""The data sets of a directory: .mat, .npz, .arff and .csv files, one each.

They are read by the package's own readers. A .mat or .npz file holds the table as ``X``, and an
.npz may hold a ``scale`` that its values are divided by. The column, or the vector beside the
table, that is named like a label holds the classes; all other columns are ranked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...io import DataFile, FileProblem, ReadOptions, read_file
from ...table import Table

#: Preferred first where a data set is there in several formats.
SUFFIXES = (".mat", ".npz", ".arff", ".csv")


@dataclass(frozen=True)
class DataSet:
    """A table, with labels where the file has them."""

    name: str
    table: Table
    y: np.ndarray | None = None

    @property
    def n_classes(self) -> int | None:
        """How many classes there are; None without labels."""
        return None if self.y is None else len(np.unique(self.y))


@dataclass(frozen=True)
class VersionedFile:
    """A data file with the content that it had at the start of a run."""

    path: Path
    checksum: str

    @classmethod
    def of(cls, path: Path) -> VersionedFile:
        """What is at a path, under its absolute name."""
        return cls(path.absolute(), file_checksum(path))

    def is_unchanged(self) -> bool:
        """Whether this is still what is there."""
        return self.path.exists() and file_checksum(self.path) == self.checksum


def find_data_sets(directory: Path) -> dict[str, Path]:
    """The data files of a directory by name, sorted without regard to case."""
    if not directory.is_dir():
        raise FileProblem(f"There is no data directory {directory}; name one that exists.")
    files = [p for p in directory.iterdir() if p.suffix in SUFFIXES and not p.name.startswith(".")]
    files.sort(key=lambda p: (p.stem.lower(), p.stem, SUFFIXES.index(p.suffix)))
    found: dict[str, Path] = {}
    for path in files:
        found.setdefault(path.stem, path)
    return found


def load_data_set(path: Path) -> DataSet:
    """Read one file; an unreadable one is a FileProblem that says which and why."""
    file = read_file(path, ReadOptions(key="X"))
    file = file.with_label(file.likely_label())
    return DataSet(path.stem, _scaled(file), None if file.label is None else file.label.values)


def _scaled(file: DataFile) -> Table:
    """The table in its true units: whole numbers take less space in a file than fractions."""
    table, scale = file.table(), file.beside.get("scale")
    return table if scale is None else Table(table.values / float(scale), table.schema)


def file_checksum(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
