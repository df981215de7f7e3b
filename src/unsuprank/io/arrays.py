"""Files that hold arrays: .npy, .npz, .mat and svmlight. Nothing is ever unpickled."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from .budget import check_bytes, check_cells
from .data_file import (
    DataFile,
    FileProblem,
    ReadOptions,
    check_width,
    matrix_columns,
    wrap_errors,
)
from .hdf5 import check_hdf5
from .matlab import HEADER_BYTES, read_matlab, version_of

#: Where the table usually is, and where the names of its columns are.
TABLE_KEYS = ("X", "x", "data", "fea", "features")
NAME_KEYS = ("feature_names", "var_names", "names", "columns", "genes")


def read_npy(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a .npy file, which holds one array."""
    try:
        # Mapped, so that a header that promises more than there is says so at once.
        matrix = np.array(np.load(path, mmap_mode="r", allow_pickle=False))
    except (ValueError, EOFError, OSError) as error:
        raise FileProblem(_refusal(source, error)) from None
    return _from_matrix(matrix, source)


def read_npz(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the table among the arrays of an .npz file, or the sparse matrix that SciPy stored."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            if not isinstance(stored, np.lib.npyio.NpzFile):
                raise FileProblem(f"{source} is not an .npz file")
            check_bytes(sum(_sizes(stored)), path, source)
            if {"format", "shape", "data"} <= set(stored.files):
                return _from_matrix(sparse.load_npz(path), source)
            return _from_variables(_plain_arrays(stored, source), source, options.key)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, FileProblem):
            raise
        raise FileProblem(_refusal(source, error)) from None


def _sizes(stored: Any) -> Iterator[int]:
    """Bytes of the arrays of an .npz file, as their headers tell, with eight or more for a cell."""
    for name in stored.zip.namelist():
        with stored.zip.open(name) as stream:
            if not name.endswith(".npy"):
                continue
            version = np.lib.format.read_magic(stream)
            one = version == (1, 0)
            read = (
                np.lib.format.read_array_header_1_0 if one else np.lib.format.read_array_header_2_0
            )
            shape, _, dtype = read(stream)
            yield math.prod(shape) * max(8, dtype.itemsize)


def _refusal(source: str, error: Exception) -> str:
    if "allow_pickle=False" in str(error) or "Python objects" in str(error):
        return (
            f"{source} holds Python objects, which are refused because unpickling can run any "
            "code; save plain numbers instead"
        )
    said = str(error).partition("\n")[0]  # the lines below tell programmers how to read it anyway
    return f"{source} cannot be read: {said}"


def _plain_arrays(stored: Any, source: str) -> dict[str, np.ndarray]:
    """Read all arrays but those with objects inside, which are refused if no table is left."""
    arrays, refused = {}, []
    for name in stored.files:
        try:
            arrays[name] = stored[name]
        except ValueError as error:
            refused.append(_refusal(f"{source} ({name})", error))
    if refused and not any(a.ndim == 2 for a in arrays.values()):
        raise FileProblem(refused[0])
    return arrays


def read_mat(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the table among the variables of a MATLAB file."""
    with path.open("rb") as stream:
        header = stream.read(HEADER_BYTES)
    read = {1: read_matlab, 2: _read_hdf5}.get(version_of(header), _read_version_4)
    with wrap_errors(f"{source} is not a readable .mat file"):
        variables = read(path, source)
    plain = {k: v for k, v in variables.items() if not k.startswith("__")}
    return _from_variables(plain, source, options.key)


def _read_version_4(path: Path, source: str) -> dict[str, Any]:
    from scipy.io import loadmat, whosmat

    with path.open("rb") as stream:
        if 0 not in stream.read(4):
            raise ValueError("it does not begin as one")
    plain = [shape for _, shape, kind in whosmat(path) if kind != "sparse"]
    check_cells(plain, path, source)
    return loadmat(path, spmatrix=False)  # True copies them


def _read_hdf5(path: Path, source: str) -> dict[str, np.ndarray]:
    try:
        import h5py
    except ImportError:
        raise FileProblem(
            f"{source} is a MATLAB 7.3 file; pip install 'unsuprank[io]' to read it"
        ) from None
    check_hdf5(path, source)
    with h5py.File(path) as stored:
        # MATLAB stores columns first, so every matrix comes transposed.
        return {
            name: np.asarray(item).T
            for name, item in stored.items()
            if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiub"
        }


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
    names = _find_names(variables, matrix.shape[1])
    beside = {name: _texts(v) or v for name, v in variables.items() if name != chosen}
    notes = [f"read {chosen!r}; not ranked: {', '.join(map(repr, beside))}"] if beside else []
    return _from_matrix(matrix, source, names, notes, beside)


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


def _find_names(variables: Mapping[str, Any], n_columns: int) -> list[str] | None:
    for key in NAME_KEYS:
        names = _texts(variables.get(key))
        if names is not None and len(names) == n_columns:
            return names
    return None


def _texts(variable: Any) -> list[str] | None:
    """Read an array of texts, or a cell array of MATLAB with one text in each cell."""
    if getattr(variable, "dtype", np.dtype(float)).kind not in "UO":
        return None
    flat = [np.asarray(v).ravel() for v in variable.ravel()]
    if not all(v.size == 1 and v.dtype.kind == "U" for v in flat):
        return None
    return [str(v[0]) for v in flat]


def _from_matrix(
    matrix: Any,
    source: str,
    names: list[str] | None = None,
    notes: list[str] | None = None,
    beside: Mapping[str, Any] | None = None,
) -> DataFile:
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub" or 0 in matrix.shape:
        shape = " x ".join(map(str, matrix.shape)) or "single value"
        raise FileProblem(
            f"{source} holds a {shape} array of {matrix.dtype}; a table of numbers is needed"
        )
    check_width(matrix.shape[1], source)
    columns = matrix_columns(matrix, names, source)
    return DataFile(source, columns, notes=notes or [], beside=beside or {})
