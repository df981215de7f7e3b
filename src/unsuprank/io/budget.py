"""How much a file may turn into: a small file that unpacks into gigabytes is a mistake or a trap.

A file may unpack into `GROWTH` times its size, and a small one into `ALWAYS` bytes, with eight
bytes for every cell. Tables of real measurements, compressed, stay far below that. Sparse matrices
are judged by what they store when they are read, and by `MAX_DENSE_BYTES` if they are written out.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from .data_file import FileProblem

#: Bytes that any file may unpack into.
ALWAYS = 256 * 2**20
#: Times its size that a larger file may unpack into.
GROWTH = 200
_PIECE = 2**20
_DELIMITERS = (b",", b";", b"\t", b"|", b" ")


def check_cells(shapes: Iterable[Iterable[int]], path: Path, source: str) -> None:
    """Refuse a file whose arrays, of these shapes, take more than its budget."""
    check_bytes(8 * sum(math.prod(map(int, shape)) for shape in shapes), path, source)


def unzip(path: Path, source: str) -> bytes:
    """Unpack a gzip file up to its budget, for its bytes and, if it is a text, for its cells.

    Python holds all characters of a text in as many bytes as the widest needs.
    """
    pieces, size, width, n_cells = [], 0, 1, 0
    with gzip.open(path) as stream:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            n_cells += piece.count(b"\n") + max(map(piece.count, _DELIMITERS))
            width = max(width, _width(piece))
            check_bytes(max(width * size, 8 * n_cells), path, source)
    return b"".join(pieces)


def _width(piece: bytes) -> int:
    """Bytes for a character of a text with these bytes of UTF-8."""
    first = np.frombuffer(piece, dtype=np.uint8).max()
    return 4 if first >= 0xF0 else 2 if first >= 0xC4 else 1


def allowed_bytes(path: Path) -> int:
    """How many bytes a file may unpack into."""
    return max(ALWAYS, GROWTH * path.stat().st_size)


def check_bytes(n_bytes: int, path: Path, source: str) -> None:
    """Refuse a file that unpacks into more bytes than its budget."""
    size, allowed = path.stat().st_size, allowed_bytes(path)
    if n_bytes > allowed:
        raise FileProblem(
            f"{source} has {size:,} bytes and unpacks into more than its budget of "
            f"{allowed / 2**20:,.0f} MB; store the table without compression, or as a "
            "sparse .npz, if that is meant"
        )
