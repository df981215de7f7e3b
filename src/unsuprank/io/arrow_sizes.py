"""What the buffers of an Arrow file take once they are unpacked, without unpacking them.

A file ends in a footer that tells where its batches are. A batch is a message, which lists how many
values its columns have and where their buffers are, and the buffers, each of which begins with its
size unpacked if it is compressed. Footer and messages are FlatBuffers: a table knows by a list of
offsets where its fields are, and zero is the offset of a field that is not there.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MAGIC = b"ARROW1"
#: Fields of the footer, of a message, of a batch of names and of a batch of rows, by their numbers.
DICTIONARIES, BATCHES = 2, 3
HEADER_TYPE, HEADER = 1, 2
NAMES = 1
NODES, BUFFERS, COMPRESSION = 1, 2, 3
#: The type of a message that holds names, and what a message begins with unless it is an old one.
OF_NAMES = 2
CONTINUED = 0xFFFFFFFF


class _Fields(NamedTuple):
    """A table of a FlatBuffer."""

    data: Any
    at: int

    @classmethod
    def root(cls, data: Any, at: int) -> _Fields:
        return cls(data, at + _number("I", data, at))

    def place(self, field: int) -> int:
        """Where a field is; 0 if it is not there."""
        known = self.at - _number("i", self.data, self.at)
        if 4 + 2 * field >= _number("H", self.data, known):
            return 0
        offset = _number("H", self.data, known + 4 + 2 * field)
        return self.at + offset if offset else 0

    def table(self, field: int) -> _Fields:
        return self.root(self.data, self.place(field))

    def vector(self, field: int, layout: str) -> Iterator[tuple[int, ...]]:
        """The items of a field that holds a list of them."""
        place = self.place(field)
        if not place:
            return iter(())
        start = place + _number("I", self.data, place)
        size = _number("I", self.data, start) * struct.calcsize(layout)
        return struct.iter_unpack(layout, self.data[start + 4 : start + 4 + size])


def _number(kind: str, data: Any, at: int) -> int:
    return struct.unpack_from("<" + kind, data, at)[0]


def unpacked_bytes(path: Path) -> int:
    """Bytes of all buffers of a file, and eight for every value of a column."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[: len(MAGIC)] != MAGIC:
            return len(data)  # of the first version, which has no compression
        end = len(data) - len(MAGIC) - 4
        footer = _Fields.root(data, end - _number("i", data, end))
        return sum(
            _batch_bytes(data, offset, offset + size)
            for field in (DICTIONARIES, BATCHES)
            for offset, size, _ in footer.vector(field, "<qi4xq")
        )


def _batch_bytes(data: Any, start: int, body: int) -> int:
    message = _Fields.root(data, start + (8 if _number("I", data, start) == CONTINUED else 4))
    batch = message.table(HEADER)
    if _number("B", data, message.place(HEADER_TYPE)) == OF_NAMES:
        batch = batch.table(NAMES)
    values = 8 * sum(length for length, _ in batch.vector(NODES, "<qq"))
    compressed = batch.place(COMPRESSION)
    for offset, length in batch.vector(BUFFERS, "<qq"):
        unpacked = _number("q", data, body + offset) if compressed and length else -1
        values += length if unpacked < 0 else unpacked
    return values
