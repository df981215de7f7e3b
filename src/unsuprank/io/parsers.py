"""What reads binary files, in a process of its own that :mod:`.locked_door` starts and limits.

The libraries that parse these files follow what a damaged one says. They may crash, never end, or
ask for any amount of memory, which costs nothing but this process. It hands over arrays, texts and
tables of Arrow in files that it writes itself. This module is also run without the package, which
would take long to import, so that it imports nothing of it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import math
import os
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

Wanted = Mapping[str, Any]
#: The first bytes of a MATLAB file that tell its version, and what those of version 7.3 are.
_VERSION = slice(124, 128)
_HDF5_VERSIONS = (b"\x00\x02IM", b"\x02\x00MI")


class Refusal(ValueError):
    """What is wrong with a file, in a sentence whose subject is the file."""


def read_npy(path: Path, _: Wanted) -> Any:
    """Read the array of a .npy file."""
    # A header may promise more than there is; a mapped file says so at once.
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    _check_dtype(array.dtype)
    return np.array(array)


def _check_dtype(dtype: np.dtype) -> None:
    if dtype.itemsize == 0:
        raise Refusal("holds values of no size")


def read_npz(path: Path, _: Wanted) -> Any:
    """Read the arrays of an .npz file by their names, or the sparse matrix that SciPy stored."""
    with np.load(path, allow_pickle=False) as stored:
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise Refusal("is not an .npz file")
        if {"format", "shape", "data"} <= set(stored.files):
            from scipy import sparse

            return sparse.load_npz(path)
        arrays, refused = {}, []
        for name in stored.files:
            try:
                arrays[name] = stored[name]
            except ValueError as error:
                refused.append(error)
    if refused and not any(array.ndim == 2 for array in arrays.values()):
        raise refused[0]
    return arrays


def read_mat(path: Path, _: Wanted) -> dict[str, Any]:
    """Read the variables of a MATLAB file of any version."""
    with path.open("rb") as stream:
        start = stream.read(_VERSION.stop)
    if start[_VERSION] in _HDF5_VERSIONS:
        return _read_matlab_hdf5(path)
    from scipy.io import loadmat

    variables = loadmat(path, spmatrix=False)
    return {name: value for name, value in variables.items() if not name.startswith("__")}


def _read_matlab_hdf5(path: Path) -> dict[str, Any]:
    with _open_hdf5(path) as stored:
        # MATLAB stores columns first, so every matrix comes transposed.
        return {
            name: np.asarray(item).T
            for name, item in stored.items()
            if getattr(item, "dtype", np.dtype("V1")).kind in "fiub"
        }


def _open_hdf5(path: Path) -> Any:
    """Open a file, unless something in it leads to another: that could be any file at all."""
    import h5py

    stored, elsewhere = h5py.File(path), []

    def look_at_link(name: str, link: Any) -> None:
        if not isinstance(link, (h5py.HardLink, h5py.SoftLink)):
            elsewhere.append(name)

    def look_at_storage(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
            elsewhere.append(name)

    stored.visititems_links(look_at_link)
    stored.visititems(look_at_storage)
    if elsewhere:
        raise Refusal(f"takes {elsewhere[0]!r} from another file; store all of it in this one")
    return stored


def check_hdf5(path: Path, _: Wanted) -> None:
    """Open everything that is in a file, and read all attributes and texts."""

    def visit(_: str, item: Any) -> None:
        for name in item.attrs:
            item.attrs[name]
        if getattr(item, "dtype", np.dtype(float)).kind in "OV":
            item[()]

    with _open_hdf5(path) as stored:
        visit("", stored)
        stored.visititems(visit)


def read_h5ad(path: Path, wanted: Wanted) -> dict[str, Any]:
    """Read the matrix of an AnnData that is wanted, and what is told of its cells and genes."""
    layer, raw = wanted["layer"], wanted["raw"]
    with _open_hdf5(path) as stored:
        old = "raw.X" in stored  # by versions before 0.7
        has_raw, layers = old or "raw/X" in stored, list(stored.get("layers", ()))
        start = ("raw." if old else "raw/") if raw and has_raw else ""
        place = f"layers/{layer}" if layer in layers else f"{start}X"
        matrix = _matrix(stored[place]) if place in stored else None
        cells, obs = _frame(stored["obs"])
        genes, _ = _frame(stored[f"{start}var"])
    shape = (len(cells), len(genes))
    if matrix is not None and tuple(matrix.shape) != shape:
        raise Refusal(f"is damaged: it tells of {shape} cells and genes, and has {matrix.shape}")
    return {
        "obs": obs,
        "obs_names": cells,
        "var_names": genes,
        "X": None if raw or layer else matrix,
        "layers": {name: matrix if name == layer else None for name in layers},
        "raw": {"X": matrix if raw else None, "var_names": genes} if has_raw else None,
    }


def _matrix(item: Any) -> Any:
    """A dense or a sparse matrix as AnnData stores it."""
    import h5py

    if isinstance(item, h5py.Dataset):
        return item[()]
    from scipy import sparse

    kind = str(item.attrs.get("encoding-type", item.attrs.get("h5sparse_format")))[:3]
    shape = item.attrs["shape" if "shape" in item.attrs else "h5sparse_shape"]
    make = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}[kind]
    parts = tuple(item[part][()] for part in ("data", "indices", "indptr"))
    return make(parts, shape=tuple(map(int, shape)))


def _frame(item: Any) -> tuple[list[str], dict[str, Any]]:
    """The names of the rows of a table as AnnData stores it, and its columns by name."""
    import h5py

    if isinstance(item, h5py.Dataset):  # by versions before 0.7
        first, *names = item.dtype.names
        values = item[()]
        columns = {n: _categories_beside(item, n, values[n]) for n in names}
        return _texts_of(values[first]), columns
    columns = {name: _column(item[name]) for name in item.attrs["column-order"]}
    return _texts_of(item[item.attrs["_index"]][()]), columns


def _texts_of(values: np.ndarray) -> list[str]:
    return [v.decode() if isinstance(v, bytes) else str(v) for v in np.ravel(values).tolist()]


def _column(item: Any) -> Any:
    """Values of a column: an array, or a list of texts; None where one is missing."""
    import h5py

    if isinstance(item, h5py.Dataset):
        if "categories" in item.attrs:
            return _of_codes(item.file[item.attrs["categories"]][()], item[()])
        return _plain(item[()])
    if "codes" in item:
        return _of_codes(item["categories"][()], item["codes"][()])
    values, gaps = item["values"][()], item["mask"][()]
    return _of_codes(values, np.where(gaps, -1, np.arange(len(values))))


def _categories_beside(item: Any, name: str, values: np.ndarray) -> Any:
    stored = f"uns/{name}_categories"
    return _of_codes(item.file[stored][()], values) if stored in item.file else _plain(values)


def _plain(values: np.ndarray) -> Any:
    return values if values.dtype.kind in "fiub" else _texts_of(values)


def _of_codes(categories: np.ndarray, codes: np.ndarray) -> Any:
    """The category of each code; those of code -1 are missing."""
    words = _plain(np.ravel(categories))
    if isinstance(words, np.ndarray):
        if (codes >= 0).all():
            return words[codes]
        if words.dtype.kind in "fiu":
            return np.append(words.astype(float), np.nan)[codes]
        words = words.tolist()
    words.append(None)
    return [words[code] for code in codes.tolist()]


def read_arrow(path: Path, wanted: Wanted) -> Any:
    """Read the columns of a Parquet or a Feather file that can be ranked, or those wanted.

    The others become empty ones. The fields of the table say which types the file declares.
    """
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    pa.set_memory_pool(pa.system_memory_pool())  # others set addresses aside
    if wanted["kind"] == "Feather":
        table = pyarrow.feather.read_table(path)
        return _declared(table.schema, table)
    with pyarrow.parquet.ParquetFile(path) as file:
        described, schema = file.metadata, file.schema_arrow
    leaves = (described.schema.column(j) for j in range(described.num_columns))
    # A text that many rows have may be stored once; written out it could take any memory.
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    names = wanted["columns"] or [field.name for field in schema if _is_flat(field.type)]
    with pyarrow.parquet.ParquetFile(path, read_dictionary=texts) as file:
        table = file.read(names)
    if table.num_rows != described.num_rows:
        raise ValueError(f"it says {described.num_rows:,} rows, and has {table.num_rows:,}")
    return _declared(schema, table)


def _declared(schema: Any, table: Any) -> Any:
    import pyarrow as pa

    table.validate(full=True)  # offsets of a damaged file may lead out of its buffers
    left = dict.fromkeys(table.column_names, -1)
    fields, columns = [], []
    for field in schema:
        read = _is_flat(field.type) and field.name in left
        places = table.schema.get_all_field_indices(field.name) if read else []
        if read:
            left[field.name] += 1
        values = table.column(places[left[field.name]]) if read else pa.nulls(table.num_rows)
        fields.append(pa.field(field.name, values.type, metadata={"type": str(field.type)}))
        columns.append(values)
    return pa.table(columns, schema=pa.schema(fields, schema.metadata))


def _is_flat(kind: Any) -> bool:
    """Whether a type of Arrow is not one of lists, structures or bytes, which nobody can rank."""
    return not str(kind).startswith(
        ("list", "large_list", "fixed_size_list", "struct", "map", "union", "dense_union")
        + ("sparse_union", "run_end", "extension", "binary", "large_binary", "fixed_size_binary")
    )


def read_workbook(path: Path, wanted: Wanted) -> dict[str, Any]:
    """Read the rows of a sheet as texts: the one that is wanted, or the first that has any."""
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(BytesIO(path.read_bytes()))
    names = workbook.sheet_names
    key = wanted["key"]
    if key is not None and key not in names:
        raise Refusal(f"has no sheet {key!r}; it has {', '.join(names)}")
    for name in names if key is None else [key]:
        rows = workbook.get_sheet_by_name(name).to_python()
        cells = [[_cell_text(cell) for cell in row] for row in rows]
        if any(map(any, cells)):
            return {"sheets": names, "sheet": name, "cells": cells}
    raise Refusal("is empty")


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, (date, datetime, time)):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds())
    return str(cell)


READERS: dict[str, Callable[[Path, Wanted], Any]] = {
    "npy": read_npy,
    "npz": read_npz,
    "mat": read_mat,
    "h5ad": read_h5ad,
    "hdf5": check_hdf5,
    "arrow": read_arrow,
    "workbook": read_workbook,
}


class Parcel:
    """What was read, as JSON and files of arrays in a directory."""

    def __init__(self, place: Path, memory: float) -> None:
        self._place, self._left, self._n_files = place, memory, 0

    def pack(self, value: Any) -> Any:
        """Describe a value; whatever nobody can rank becomes None."""
        if isinstance(value, Mapping):
            return {"fields": {str(name): self.pack(item) for name, item in value.items()}}
        if hasattr(value, "validate") and hasattr(value, "schema"):
            return self._pack_table(value)
        if hasattr(value, "tocsr"):
            held = value if value.format in ("csr", "csc") else value.tocsr()
            parts = [self.pack(part) for part in (held.data, held.indices, held.indptr)]
            return {"sparse": held.format, "shape": [int(n) for n in held.shape], "parts": parts}
        if isinstance(value, np.ndarray):
            return self._pack_array(value)
        return {"plain": value}

    def _pack_array(self, array: np.ndarray) -> Any:
        if array.dtype.kind in "fiubc":
            self._take(array.size)
            np.save(path := self._new_file(), array, allow_pickle=False)
            return {"array": path.name}
        return {"plain": texts_in(array)}

    def _pack_table(self, table: Any) -> Any:
        import pyarrow as pa

        self._take(math.prod(table.shape))
        path = self._new_file()
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table.unify_dictionaries())
        return {"table": path.name}

    def _new_file(self) -> Path:
        self._n_files += 1
        return self._place / f"{self._n_files}.npy"

    def _take(self, n_cells: int) -> None:
        """Count eight bytes for every cell: this is what tables are made of."""
        self._left -= 8 * n_cells
        if self._left < 0:
            raise MemoryError


def texts_in(array: np.ndarray) -> list[str] | None:
    """An array of texts, or a cell array of MATLAB with one text in each cell, as a list."""
    if array.dtype.kind not in "UO" or array.dtype.itemsize == 0:
        return None
    flat = [np.asarray(value).ravel() for value in array.ravel()]
    if not all(value.size <= 1 and value.dtype.kind == "U" for value in flat):
        return None
    return [str(value[0]).rstrip() if value.size else "" for value in flat]


def answer(request: Wanted) -> dict[str, Any]:
    """Read what is asked for; whatever is wrong with the file is an answer, too."""
    parcel = Parcel(Path(request["place"]), request["memory"])
    try:
        found = READERS[request["reader"]](Path(request["path"]), request["wanted"])
        return {"found": parcel.pack(found)}
    except MemoryError:
        return {"too_large": True}
    except Refusal as refusal:
        return {"refused": str(refusal)}
    except ImportError as error:
        return {"needs": error.name}
    except BaseException as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        return {"failed": said, "errno": getattr(error, "errno", None)}


def limit_this_process(memory: int, seconds: int) -> None:
    """Let this process come to an end by what its file does not call for, and in silence."""
    faulthandler.disable()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):  # where it is not known how much there is
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def serve(request: Wanted) -> None:
    """Read a file, and leave the answer in the directory that the request names."""
    limit_this_process(request["memory"], request["seconds"])
    said = json.dumps(answer(request), default=str)
    Path(request["place"], "answer.json").write_text(said, encoding="utf-8")
