"""Mutants of valid inputs: what disks, networks, hands and enemies make of a file.

Mutant number i of a door depends on the seed, the door and i, and on nothing else.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable

from .hdf5_mutants import inside_hdf5

#: What numbers in headers are replaced by.
NUMBERS = (0, 1, 2, 127, 255, 256, 65535, 2**16, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
#: What cells, names and tokens of text are replaced by.
TOKENS = (
    *("", " ", '"', "'", ",", ";", "\t", "\n", "\r\n", "\0", "\ufeff", "nan", "inf", "-inf", "NA"),
    *("1e999", "-1e308", "5e-324", "0x1f", "1,5", "1.5.2", "9" * 400, "-", "--", "@", "=1+1", "{"),
    *("}", "[", "]", "%", "?", "\\", "💥", "\x1b[31m", "null", "true", "../../x", "/etc/passwd"),
    *("99999999:1", "0:1", "-1:1", "qid:3", "@data", "@attribute a {", "__class__", "2020-13-45"),
)

Mutate = Callable[[bytes, random.Random], bytes]


def flip_bits(content: bytes, rng: random.Random) -> bytes:
    raw = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        if raw:
            raw[_place(raw, rng)] ^= 1 << rng.randrange(8)
    return bytes(raw)


def put_bytes(content: bytes, rng: random.Random) -> bytes:
    raw = bytearray(content)
    at = _place(raw, rng)
    raw[at : at + rng.choice([0, 1, 4, 16])] = rng.randbytes(rng.choice([1, 4, 16]))
    return bytes(raw)


def put_number(content: bytes, rng: random.Random) -> bytes:
    raw = bytearray(content)
    at, kind = _place(raw, rng), rng.choice("BHIQ")
    order = rng.choice("<>")
    mask = 2 ** (8 * struct.calcsize(kind)) - 1
    number = struct.pack(order + kind, rng.choice(NUMBERS) & mask)
    raw[at : at + len(number)] = number
    return bytes(raw)


def cut_off(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def leave_out(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    return content[:at] + content[at + rng.choice([1, 3, 50, 400]) :]


def repeat(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    part = content[at : at + rng.choice([1, 8, 64, 500])]
    return content[:at] + part * rng.choice([2, 3, 40]) + content[at + len(part) :]


def shuffle_parts(content: bytes, rng: random.Random) -> bytes:
    a, b, c = sorted(_place(content, rng) for _ in range(3))
    return content[:a] + content[b:c] + content[a:b] + content[c:]


def zero_out(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    length = min(rng.choice([4, 64, 512]), len(content) - at)
    return content[:at] + bytes(length) + content[at + length :]


def put_token(content: bytes, rng: random.Random) -> bytes:
    token = rng.choice(TOKENS).encode()
    at = _place(content, rng)
    return content[:at] + token + content[at + rng.choice([0, 0, 1, len(token)]) :]


def recode(content: bytes, rng: random.Random) -> bytes:
    text = content.decode("latin-1")
    return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-7"]))


BYTES: tuple[Mutate, ...] = (
    *(flip_bits, put_bytes, put_number, cut_off, leave_out, repeat, shuffle_parts, zero_out),
)
TEXT: tuple[Mutate, ...] = (*BYTES, *(put_token,) * 8, recode)


def mutant(content: bytes, rng: random.Random, *, text: bool) -> bytes:
    """A mutant of a file; of archives, half of the time of what is inside."""
    changes = rng.choice([1, 1, 1, 2, 4])
    inside = rng.random() < 0.5
    if inside and content.startswith(b"PK"):
        return _inside_zip(content, rng)
    if inside and b"\x89HDF\r\n" in content[:1024]:
        return inside_hdf5(content, rng)
    if inside and content.startswith(b"\x1f\x8b"):
        return gzip.compress(mutant(gzip.decompress(content), rng, text=True))
    for _ in range(changes):
        content = rng.choice(TEXT if text else BYTES)(content, rng)
    return content


def _inside_zip(content: bytes, rng: random.Random) -> bytes:
    """Another archive with a mutant of one of the members."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        names = old.namelist()
        chosen = rng.choice(names)
        for name in names:
            raw = old.read(name)
            if name == chosen:
                raw = mutant(raw, rng, text=name.endswith((".xml", ".rels")))
                name = rng.choice([name] * 9 + ["../outside.npy"])
            new.writestr(name, raw, rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    return made.getvalue()


def _place(content: bytes | bytearray, rng: random.Random) -> int:
    """Somewhere in a file; half of the time near its beginning, where headers are."""
    if not content:
        return 0
    near = min(len(content), 256) if rng.random() < 0.5 else len(content)
    return rng.randrange(near)


def dice(seed: int, door: str, number: int) -> random.Random:
    """The source of chance of one mutant."""
    return random.Random(zlib.crc32(f"{seed} {door} {number}".encode()))
