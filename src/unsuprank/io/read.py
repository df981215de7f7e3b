"""Which reader a file needs: by its ending, or by its first bytes where there is none."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .._temporary import TemporaryDirectory
from .arff import read_arff
from .arrays import read_mat, read_npy, read_npz, read_svmlight
from .arrow_columns import read_feather, read_parquet
from .data_file import DataFile, FileProblem, ReadOptions
from .delimited import read_delimited
from .file_column import shorten
from .foreign_formats import how_to_convert
from .h5ad import read_h5ad
from .locked_door import memory_for
from .spreadsheet import read_spreadsheet

#: Bytes of standard input that are read at most.
MAX_STREAM = 2**32
#: Bytes of memory that reading takes for every byte of text.
BYTES_A_CHARACTER = 5


@dataclass(frozen=True)
class FileFormat:
    """How files of a format are known, and what reads them."""

    read: Callable[[Path, str, ReadOptions], DataFile]
    endings: tuple[str, ...]
    #: First bytes of such a file, where it has any of its own.
    magic: bytes | None = None


FORMATS = {
    "csv": FileFormat(read_delimited, (".csv", ".tsv", ".tab", ".txt", ".dat")),
    "arff": FileFormat(read_arff, (".arff",)),
    "parquet": FileFormat(read_parquet, (".parquet", ".pq"), b"PAR1"),
    "feather": FileFormat(read_feather, (".feather", ".arrow", ".ipc"), b"ARROW1"),
    "excel": FileFormat(
        read_spreadsheet, (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), b"\xd0\xcf\x11\xe0"
    ),
    "mat": FileFormat(read_mat, (".mat",), b"MATLAB"),
    "npy": FileFormat(read_npy, (".npy",), b"\x93NUMPY"),
    "npz": FileFormat(read_npz, (".npz",), b"PK\x03\x04"),
    "svmlight": FileFormat(read_svmlight, (".svm", ".svmlight", ".libsvm")),
    "h5ad": FileFormat(read_h5ad, (".h5ad",), b"\x89HDF"),
}


def read_file(path: str | Path, options: ReadOptions | None = None) -> DataFile:
    """Read a table from a file, or from standard input for ``-``.

    Parameters
    ----------
    path : str or Path
        CSV and relatives (also with .gz), ARFF, Parquet, Feather, workbooks (.xlsx, .xls, .ods),
        .mat, .npy, .npz, svmlight, .h5ad.
    options : ReadOptions, optional

    Returns
    -------
    DataFile

    Raises
    ------
    FileProblem
        In one sentence, with the line where there is one.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = place.write_text("height;town\\n1,75;Graz\\n1,62;Brno\\n")
    >>> read_file(place).names
    ['height', 'town']
    """
    options = options or ReadOptions()
    if str(path) == "-":
        return _read_stream(options)
    path = Path(path)
    if path.is_dir():
        raise FileProblem(f"{path} is a directory; name a file in it")
    if not path.exists():
        raise FileProblem(f"{path} does not exist")
    if not path.is_file():
        raise FileProblem(f"{path} is {_what_else(path)}, not a file; save its content to one")
    try:
        return _read_path(path, path.name, options)
    except PermissionError:
        raise FileProblem(f"{path} cannot be opened: permission denied") from None


def _what_else(path: Path) -> str:
    return "a FIFO (a named pipe)" if path.is_fifo() else "a device or a socket"


def _read_stream(options: ReadOptions) -> DataFile:
    with TemporaryDirectory() as place:
        copy = Path(place) / "stdin"
        _copy(sys.stdin.buffer, copy, MAX_STREAM, "standard input")
        return _read_path(copy, "standard input", options)


def _read_path(path: Path, source: str, options: ReadOptions) -> DataFile:
    if _first_bytes(path, 2) == b"\x1f\x8b":
        with TemporaryDirectory() as place:
            plain = Path(place) / path.name.removesuffix(".gz")
            try:
                with gzip.open(path) as stream:
                    _copy(stream, plain, memory_for(path) // BYTES_A_CHARACTER, source)
            except (OSError, EOFError, zlib.error) as error:
                raise FileProblem(f"{source} cannot be unzipped: {error}") from None
            return _read_plain(plain, source, options)
    return _read_plain(path, source, options)


def _copy(stream: IO[bytes] | gzip.GzipFile, target: Path, most: int, source: str) -> None:
    """Copy a stream into a file of so many bytes at most."""
    with target.open("wb") as copy:
        while piece := stream.read(2**20):
            if copy.tell() + len(piece) > most:
                raise FileProblem(
                    f"{source} has more than its budget of {most / 2**20:,.0f} MB of text; unpack "
                    "or save it to a file first, if that is meant"
                )
            copy.write(piece)


def _read_plain(path: Path, source: str, options: ReadOptions) -> DataFile:
    name = format_of(path, options)
    if name not in FORMATS:
        raise FileProblem(f"{name!r} is not a known format; choose one of {', '.join(FORMATS)}")
    if path.stat().st_size == 0:
        raise FileProblem(f"{source} is empty")
    try:
        data = FORMATS[name].read(path, source, options)
    except (FileProblem, MemoryError):
        raise
    except Exception as error:  # whatever a damaged byte leads to in somebody's parser
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the fault is not the file's content
        said = shorten(f"{type(error).__name__}: {error}", 200)
        raise FileProblem(f"{source} is damaged, or not {name}: {said}") from error
    return data.with_missing(options.na)


def format_of(path: Path, options: ReadOptions) -> str:
    """Name the format of a file: what the options say, or its ending, or its first bytes."""
    return options.format or _known_by_ending(path) or _known_by_content(path)


def _known_by_ending(path: Path) -> str | None:
    ending = path.suffix.lower()
    return next((name for name, format in FORMATS.items() if ending in format.endings), None)


def _known_by_content(path: Path) -> str:
    conversion = how_to_convert(path)
    if conversion:
        raise FileProblem(conversion)
    start = _first_bytes(path, 65536)
    if start.startswith(b"PK\x03\x04") and (b"xl/" in start or b"opendocument" in start):
        return "excel"
    for name, format in FORMATS.items():
        if format.magic is not None and start.startswith(format.magic):
            return name
    lower = start.lower()
    return "arff" if b"@attribute" in lower and b"@relation" in lower else "csv"


def _first_bytes(path: Path, count: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(count)


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from a later one in its place; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
