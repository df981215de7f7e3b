"""Which reader a file needs: by its ending, or by its first bytes where there is none."""

from __future__ import annotations

import gzip
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from .arff import read_arff
from .arrays import read_mat, read_npy, read_npz, read_svmlight
from .data_file import DataFile, FileProblem
from .delimited import read_delimited
from .h5ad import read_h5ad
from .parquet import read_parquet

#: Ending of a file name to format.
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".dat": "csv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".mat": "mat",
    ".npy": "npy",
    ".npz": "npz",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".h5ad": "h5ad",
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))
_MAGIC = (
    (b"PAR1", "parquet"),
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"MATLAB", "mat"),
    (b"\x89HDF", "h5ad"),
)


@dataclass(frozen=True)
class ReadOptions:
    """What a reader may be told instead of finding it out."""

    format: str | None = None
    header: bool | None = None
    key: str | None = None
    layer: str | None = None
    raw: bool = False


def read_file(path: str | Path, options: ReadOptions | None = None) -> DataFile:
    """Read a table from a file, or from standard input for ``-``.

    Parameters
    ----------
    path : str or Path
        CSV and relatives (also with .gz), ARFF, Parquet, .mat, .npy, .npz, svmlight, .h5ad.
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
    try:
        return _read_path(path, path.name, options)
    except PermissionError:
        raise FileProblem(f"{path} cannot be opened: permission denied") from None


def _read_stream(options: ReadOptions) -> DataFile:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "stdin"
        copy.write_bytes(sys.stdin.buffer.read())
        return _read_path(copy, "standard input", options)


def _read_path(path: Path, source: str, options: ReadOptions) -> DataFile:
    zipped = _starts_with(path, b"\x1f\x8b")
    if zipped:
        with tempfile.TemporaryDirectory() as place:
            plain = Path(place) / path.name.removesuffix(".gz")
            plain.write_bytes(_unzip(path, source))
            return _read_plain(plain, source, options)
    return _read_plain(path, source, options)


def _unzip(path: Path, source: str) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise FileProblem(f"{source} cannot be unzipped: {error}") from None


def _read_plain(path: Path, source: str, options: ReadOptions) -> DataFile:
    kind = options.format or ENDINGS.get(path.suffix.lower()) or _guess(path)
    if kind not in FORMATS:
        raise FileProblem(f"{kind!r} is not a known format; choose one of {', '.join(FORMATS)}")
    if path.stat().st_size == 0:
        raise FileProblem(f"{source} is empty")
    if kind == "csv":
        tabs = "\t" if path.suffix.lower() == ".tsv" else None
        return read_delimited(path.read_bytes(), source, header=options.header, delimiter=tabs)
    if kind == "arff":
        return read_arff(path.read_bytes(), source)
    if kind == "parquet":
        return read_parquet(path, source)
    if kind == "mat":
        return read_mat(path, source, options.key)
    if kind == "npy":
        return read_npy(path, source)
    if kind == "npz":
        return read_npz(path, source, options.key)
    if kind == "svmlight":
        return read_svmlight(path, source)
    return read_h5ad(path, source, layer=options.layer, raw=options.raw)


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic


def _guess(path: Path) -> str:
    with path.open("rb") as stream:
        start = stream.read(65536)
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            return kind
    lower = start.lower()
    return "arff" if b"@attribute" in lower and b"@relation" in lower else "csv"
