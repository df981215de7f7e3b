"""Read the data sets of a directory: .mat, .npz, .arff and .csv files, one each.

A .mat or .npz file holds ``X`` and, for the labels, ``Y`` or ``y``; an .npz may hold a
``scale`` that its values are divided by. In .arff and .csv files a column named class,
label, target, y or Y holds the labels, and all others are numbers.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LABEL_COLUMNS = ("class", "label", "target", "y")
#: Preferred first where a data set is there in several formats.
SUFFIXES = (".mat", ".npz", ".arff", ".csv")

Labels = np.ndarray | None


@dataclass(frozen=True)
class DataSet:
    """A table of numbers, with labels where the file has them."""

    name: str
    X: np.ndarray
    y: Labels
    checksum: str

    @property
    def n_classes(self) -> int | None:
        return None if self.y is None else len(np.unique(self.y))


def find_data_sets(directory: Path) -> dict[str, Path]:
    """The data files of a directory by name, sorted without regard to case."""
    if not directory.is_dir():
        raise FileNotFoundError(f"There is no data directory {directory}.")
    files = [p for p in directory.iterdir() if p.suffix in SUFFIXES and not p.name.startswith(".")]
    files.sort(key=lambda p: (p.stem.lower(), p.stem, SUFFIXES.index(p.suffix)))
    found: dict[str, Path] = {}
    for path in files:
        found.setdefault(path.stem, path)
    return found


def load_data_set(path: Path) -> DataSet:
    """Read one file; an unreadable one is a ValueError that says which and why."""
    try:
        X, y = _READERS[path.suffix](path)
        X = np.array(X, dtype=np.float64, order="C")
    except Exception as error:
        raise ValueError(f"{path.name} cannot be read as a data set: {error}") from error
    if X.ndim != 2 or min(X.shape) < 1:
        raise ValueError(f"{path.name} cannot be read as a data set: X has shape {X.shape}.")
    if y is not None:
        y = np.asarray(y).ravel()
        if len(y) != len(X):
            raise ValueError(f"{path.name} has {len(X)} rows, but {len(y)} labels.")
    return DataSet(path.stem, X, y, file_checksum(path))


def file_checksum(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_mat(path: Path) -> tuple[np.ndarray, Labels]:
    from scipy.io import loadmat

    return _from_arrays(loadmat(path))


def _read_npz(path: Path) -> tuple[np.ndarray, Labels]:
    with np.load(path) as stored:
        X, y = _from_arrays(stored)
        return X.astype(np.float64) / float(stored.get("scale", 1)), y


def _from_arrays(stored) -> tuple[np.ndarray, Labels]:
    if "X" not in stored:
        raise ValueError("it has no array called X")
    X = stored["X"]
    if hasattr(X, "toarray"):
        X = X.toarray()
    return X, next((np.asarray(stored[key]) for key in ("Y", "y") if key in stored), None)


def _read_arff(path: Path) -> tuple[np.ndarray, Labels]:
    from scipy.io.arff import loadarff

    data, meta = loadarff(str(path))
    return _split_columns(list(meta.names()), [data[name] for name in meta.names()])


def _read_csv(path: Path) -> tuple[np.ndarray, Labels]:
    with path.open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    ragged = next((i for i, row in enumerate(rows, 2) if len(row) != len(header)), None)
    if ragged is not None:
        raise ValueError(f"line {ragged} does not have {len(header)} cells")
    return _split_columns(header, [np.array(column) for column in zip(*rows, strict=True)])


def _split_columns(names: list[str], columns: list[np.ndarray]) -> tuple[np.ndarray, Labels]:
    features, y = [], None
    for name, column in zip(names, columns, strict=True):
        if name.lower() in LABEL_COLUMNS:
            y = column
            continue
        try:
            features.append(column.astype(np.float64))
        except ValueError:
            raise ValueError(f"column {name!r} does not hold numbers") from None
    return np.column_stack(features), y


_READERS: dict[str, Callable[[Path], tuple[np.ndarray, Labels]]] = {
    ".mat": _read_mat,
    ".npz": _read_npz,
    ".arff": _read_arff,
    ".csv": _read_csv,
}
