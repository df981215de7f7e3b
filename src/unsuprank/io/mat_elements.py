"""The sparse matrices of a MATLAB file, checked before SciPy follows their indices.

A file of version 5 to 7 is a header of 128 bytes and a list of elements: a type, a size and that
many bytes, in steps of eight. A matrix is an element made of elements, and may be compressed. Of a
sparse one, rows and column starts are looked at; SciPy takes them on trust.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

MATRIX, COMPRESSED, SPARSE = 14, 15, 5
#: NumPy's names for the types of numbers in elements.
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4"}
NUMBERS |= {7: "f4", 9: "f8", 12: "i8", 13: "u8"}
HEADER_BYTES = 128


def check_sparse_matrices(path: Path, most_bytes: int) -> None:
    """Raise ValueError if a sparse matrix of the file has an index that leads out of it.

    `most_bytes` are unpacked of an element at most. Files before version 5 are left to SciPy.
    """
    data = path.read_bytes()
    order = {b"IM": "<", b"MI": ">"}.get(data[126:HEADER_BYTES])
    if order is None:
        return
    for kind, content in _elements(data[HEADER_BYTES:], order):
        if kind == COMPRESSED:
            unpacked = zlib.decompressobj().decompress(content, most_bytes)
            kind, content = next(_elements(unpacked, order), (0, b""))
        if kind == MATRIX:
            _check_matrix(content, order)


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and content of one element after the other."""
    at = 0
    while at + 8 <= len(data):
        first, second = np.frombuffer(data, order + "u4", 2, at).tolist()
        if first >> 16:  # up to four bytes, in the place of the size
            kind, size, start, at = first & 0xFFFF, first >> 16, at + 4, at + 8
        else:
            kind, size, start = first, second, at + 8
            at = start + size + (0 if kind == COMPRESSED else -size % 8)
        yield kind, data[start : start + size]


def _check_matrix(content: bytes, order: str) -> None:
    parts = _elements(content, order)
    flags = next(parts, (0, b""))[1]
    if len(flags) < 4 or np.frombuffer(flags, order + "u4", 1)[0] & 0xFF != SPARSE:
        for kind, inner in parts:  # of cells and structures
            if kind == MATRIX:
                _check_matrix(inner, order)
        return
    shape, _, rows, starts, values = (_numbers(next(parts, (0, b"")), order) for _ in range(5))
    held = int(starts[-1]) if len(starts) else -1
    fits = (
        len(shape) == 2
        and len(starts) == shape[1] + 1
        and starts[0] == 0
        and (np.diff(starts) >= 0).all()
        and held <= min(len(rows), len(values))
        and (held == 0 or (rows[:held].min() >= 0 and rows[:held].max() < shape[0]))
    )
    if not fits:
        raise ValueError("the indices of a sparse matrix do not fit together")


def _numbers(element: tuple[int, bytes], order: str) -> np.ndarray:
    kind, content = element
    if kind not in NUMBERS:
        return np.empty(0)
    dtype = np.dtype(order + NUMBERS[kind])
    return np.frombuffer(content, dtype, len(content) // dtype.itemsize).astype(np.float64)
