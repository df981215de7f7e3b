"""Variables of MATLAB files of version 5 to 7.

A file is a header of 128 bytes and a list of elements: a type, a size and that many bytes, in steps
of eight. A matrix is an element made of elements (flags, shape, name, content), and may be
compressed. Readers that follow a damaged file wherever it leads crash; here every size and index
is compared with what is there. Numbers, texts, cells of them and sparse matrices are read; of
structures, objects and functions no more than that they are there.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .budget import allowed_bytes, check_bytes

HEADER_BYTES = 128
#: What the header ends in, and the order of bytes that follows from it.
ORDERS = {b"IM": "<", b"MI": ">"}
#: Types of elements: of numbers, with NumPy's names, and of texts, with Python's.
MATRIX, COMPRESSED = 14, 15
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4"}
NUMBERS |= {7: "f4", 9: "f8", 12: "i8", 13: "u8"}
TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
#: Classes of matrices.
CELL, TEXT, SPARSE, OPAQUE = 1, 4, 5, 17
CLASSES = dict(
    zip(range(6, 16), ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), strict=True)
)
COMPLEX = 0x800


class Element(NamedTuple):
    """A piece of a file."""

    kind: int
    content: bytes


def version_of(header: bytes) -> int:
    """The number that the header of a file gives its format, or 0: 1 up to version 7, 2 for 7.3."""
    order = ORDERS.get(header[126:HEADER_BYTES])
    return int(np.frombuffer(header, order + "u2", 1, 124)[0]) >> 8 if order else 0


def read_matlab(path: Path, source: str) -> dict[str, Any]:
    """Read the variables of a file; raise ValueError if it is damaged."""
    data = path.read_bytes()
    return dict(_Reader(path, source, ORDERS[data[126:HEADER_BYTES]]).variables(data))


class _Reader:
    def __init__(self, path: Path, source: str, order: str) -> None:
        self._path, self._source, self._order = path, source, order
        #: Bytes of elements that were unpacked, and of the values that were made of them.
        self._unpacked, self._taken = 0, 0

    def _take(self, n_bytes: int) -> None:
        self._taken += n_bytes
        check_bytes(self._taken, self._path, self._source)

    def variables(self, data: bytes) -> Iterator[tuple[str, Any]]:
        for element in self._elements(data[HEADER_BYTES:]):
            if element.kind == COMPRESSED:
                element = next(self._elements(self._unpack(element.content)), Element(0, b""))
            if element.kind == MATRIX:
                yield self._matrix(element.content)

    def _unpack(self, content: bytes) -> bytes:
        most = allowed_bytes(self._path) - self._unpacked
        unpacked = zlib.decompressobj().decompress(content, most + 1)
        self._unpacked += len(unpacked)
        check_bytes(self._unpacked, self._path, self._source)
        return unpacked

    def _elements(self, data: bytes) -> Iterator[Element]:
        """One element after the other."""
        at = 0
        while at + 8 <= len(data):
            first, second = np.frombuffer(data, self._order + "u4", 2, at).tolist()
            if first >> 16:  # up to four bytes, in the place of the size
                kind, size, start, following = first & 0xFFFF, first >> 16, at + 4, at + 8
            else:
                kind, size, start = first, second, at + 8
                following = start + size + (0 if kind == COMPRESSED else -size % 8)
            if start + size > len(data) or following - start < size:
                raise ValueError("an element is longer than the file")
            yield Element(kind, data[start : start + size])
            at = following

    def _matrix(self, content: bytes) -> tuple[str, Any]:
        """Name and value of a matrix."""
        if not content:  # an empty cell
            return "", np.empty(0)
        parts = self._elements(content)
        flags, shape = self._numbers(next(parts, None)), self._numbers(next(parts, None))
        if not len(flags) or flags.dtype.kind != "u" or shape.dtype.kind != "i":
            raise ValueError("a matrix has no flags or no shape")
        kind = int(flags[0]) & 0xFF
        if kind == OPAQUE:  # its name stands where others have their shape
            return shape.astype(np.uint8).tobytes().decode("latin-1"), np.empty(0, dtype=object)
        if len(shape) < 2 or shape.min() < 0:
            raise ValueError("a matrix has no shape")
        name = self._numbers(next(parts, None)).astype(np.uint8).tobytes().decode("latin-1")
        return name, self._value(kind, tuple(shape.tolist()), parts, bool(flags[0] & COMPLEX))

    def _value(
        self, kind: int, shape: tuple[int, ...], parts: Iterator[Element], pairs: bool
    ) -> Any:
        if kind == CELL:
            return self._cells(shape, parts)
        if kind == TEXT:
            return self._texts(shape, next(parts, None))
        if kind == SPARSE:
            return self._sparse(shape, parts, pairs)
        if kind not in CLASSES:
            return np.empty(0, dtype=object)
        self._take(8 * math.prod(shape))
        values = self._complex(parts, pairs)
        if len(values) != math.prod(shape):
            raise ValueError("a matrix holds more or fewer values than its shape says")
        values = values if pairs else values.astype(CLASSES[kind])
        return values.reshape(shape, order="F")

    def _numbers(self, element: Element | None) -> np.ndarray:
        if element is None or element.kind not in NUMBERS:
            raise ValueError("numbers are missing, or of an unknown type")
        dtype = np.dtype(self._order + NUMBERS[element.kind])
        values = np.frombuffer(element.content, dtype, len(element.content) // dtype.itemsize)
        return values.astype(dtype.newbyteorder("="))

    def _complex(self, parts: Iterator[Element], pairs: bool) -> np.ndarray:
        real = self._numbers(next(parts, None))
        if not pairs:
            return real
        imaginary = self._numbers(next(parts, None))
        if len(imaginary) != len(real):
            raise ValueError("real and imaginary parts do not fit together")
        return real + 1j * imaginary

    def _cells(self, shape: tuple[int, ...], parts: Iterator[Element]) -> np.ndarray:
        items = [self._matrix(part.content)[1] for part in parts if part.kind == MATRIX]
        if len(items) != math.prod(shape):
            raise ValueError("an array of cells holds more or fewer than its shape says")
        values = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):
            values[k] = item
        return values.reshape(shape, order="F")

    def _texts(self, shape: tuple[int, ...], element: Element | None) -> np.ndarray:
        """The rows of an array of characters, without the blanks that make them equally long."""
        if element is None or element.kind not in TEXTS:
            raise ValueError("a text is missing, or of an unknown type")
        self._take(4 * len(element.content))  # NumPy's texts have four bytes a character
        code = TEXTS[element.kind]
        if code in ("utf-16", "utf-32"):
            code += "-le" if self._order == "<" else "-be"
        text = element.content.decode(code, "replace")
        n_rows = shape[0]
        if n_rows <= 1:
            return np.array([text.rstrip()])
        if len(text) != math.prod(shape) or not text:
            raise ValueError("a text is longer or shorter than its shape says")
        return np.array([text[k::n_rows].rstrip() for k in range(n_rows)])

    def _sparse(
        self, shape: tuple[int, ...], parts: Iterator[Element], pairs: bool
    ) -> sparse.csc_array:
        rows, starts = self._numbers(next(parts, None)), self._numbers(next(parts, None))
        values = self._complex(parts, pairs)
        held = int(starts[-1]) if len(starts) else -1
        fits = (
            len(shape) == 2
            and len(starts) == shape[1] + 1
            and starts[0] == 0
            and (np.diff(starts.astype(np.int64)) >= 0).all()
            and 0 <= held <= min(len(rows), len(values))
            and (held == 0 or (rows[:held].min() >= 0 and rows[:held].max() < shape[0]))
        )
        if not fits:
            raise ValueError("the indices of a sparse matrix do not fit together")
        values = values if pairs else values[:held].astype(np.float64)
        return sparse.csc_array((values[:held], rows[:held], starts), shape=shape)
