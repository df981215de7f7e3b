"""Files that hold arrays: .npy, .npz, .mat and svmlight. Nothing is ever unpickled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .data_file import DataFile, FileProblem, ReadOptions, matrix_columns, wrap_errors
from .locked_door import parse

#: Where the table usually is, and where the names of its columns are.
TABLE_KEYS = ("X", "x", "data", "fea", "features")
NAME_KEYS = ("feature_names", "var_names", "names", "columns", "genes")


def read_npy(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a .npy file, which holds one array."""
    return _from_matrix(parse("npy", path, source), source)


def read_npz(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the table among the arrays of an .npz file, or the sparse matrix that SciPy stored."""
    found = parse("npz", path, source)
    if isinstance(found, dict):
        return _from_variables(found, source, options.key)
    return _from_matrix(found, source)


def read_mat(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the table among the variables of a MATLAB file."""
    return _from_variables(parse("mat", path, source), source, options.key)


def read_svmlight(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read an svmlight file; its labels stand beside the table, called "label"."""
    from sklearn.datasets import load_svmlight_file

    # Given a name, it would unpack .gz and .bz2, whatever comes out of them.
    with path.open("rb") as stream, wrap_errors(f"{source} is not an svmlight file"):
        matrix, label = load_svmlight_file(stream)
    notes = ["the first number of every line is a label; it is not ranked"]
    return _from_matrix(matrix, source, notes=notes, beside={"label": label})


def _from_variables(variables: Mapping[str, Any], source: str, key: str | None) -> DataFile:
    tables = {
        name: value
        for name, value in variables.items()
        if getattr(value, "ndim", 0) == 2 and value.dtype.kind in "fiub"
    }
    chosen = _choose(tables, list(variables), source, key)
    matrix = tables[chosen]
    names = next((variables[k] for k in NAME_KEYS if _names(variables.get(k), matrix)), None)
    beside = {name: value for name, value in variables.items() if name != chosen}
    notes = [f"read {chosen!r}; not ranked: {', '.join(map(repr, beside))}"] if beside else []
    return _from_matrix(matrix, source, names, notes, beside)


def _names(variable: Any, matrix: Any) -> bool:
    """Whether a variable holds a text for every column of a matrix."""
    return isinstance(variable, list) and len(variable) == matrix.shape[1]


def _choose(tables: Mapping[str, Any], all_names: list[str], source: str, key: str | None) -> str:
    if key is not None:
        if key in tables:
            return key
        raise FileProblem(
            f"{source} has no table of numbers called {key!r}; it holds {', '.join(all_names)}"
        )
    wide = [name for name, value in tables.items() if min(value.shape) > 1]
    for name in (*TABLE_KEYS, *(wide if len(wide) == 1 else ())):
        if name in tables:
            return name
    if not tables:
        raise FileProblem(f"{source} holds no table of numbers")
    raise FileProblem(
        f"{source} holds several tables; choose one of {', '.join(tables)} with --key"
    )


def _from_matrix(
    matrix: Any,
    source: str,
    names: list[str] | None = None,
    notes: list[str] | None = None,
    beside: Mapping[str, Any] | None = None,
) -> DataFile:
    if getattr(matrix, "ndim", 0) == 1:
        matrix = matrix[:, None]
    kind = matrix.dtype.kind if hasattr(matrix, "dtype") else "O"
    if kind not in "fiub" or matrix.ndim != 2 or 0 in matrix.shape:
        what = " x ".join(map(str, matrix.shape)) or "single value" if kind != "O" else "text"
        raise FileProblem(f"{source} holds a {what} array; a table of numbers is needed")
    columns = matrix_columns(matrix, names, source)
    return DataFile(source, columns, notes=notes or [], beside=beside or {})
