"""Mutants of HDF5 files that the library can open, and that mean something else.

A changed byte of such a file mostly ends in the library. What is changed through the library comes
as far as those who believe what arrays and attributes say.
"""

from __future__ import annotations

import io
import random
from typing import Any

import h5py
import numpy as np

#: What arrays and attributes are replaced by.
ODD: tuple[Any, ...] = (
    *(-1, 0, 1, 3, 127, 2**20, 2**31 - 1, -(2**31), 2**40, 2**63 - 1, 0.5, float("nan")),
    *("", "csr", "csc", "array", "dataframe", "../x", "\N{COLLISION SYMBOL}", b"\xff\xfe"),
    *([], [0, 0], [2**40, 2**40], [-1, 5], [[1.0, 2.0]], ["a", "b"], h5py.Empty("f8")),
)


def inside_hdf5(content: bytes, rng: random.Random) -> bytes:
    """A file with one of its arrays, groups or attributes changed; a damaged one as it is."""
    held = io.BytesIO(content)
    with h5py.File(held, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = rng.choice(names)
        item = file[name]
        if item.attrs and rng.random() < 0.4:
            _change_attribute(item.attrs, rng)
        elif _is_here(item) and item.size and rng.random() < 0.8:
            _change_array(file, name, rng)
        else:
            _change_place(file, name, rng.choice(names), rng)
    return held.getvalue()


def _is_here(item: Any) -> bool:
    return isinstance(item, h5py.Dataset) and not (item.external or item.is_virtual)


def _change_attribute(attributes: Any, rng: random.Random) -> None:
    name = rng.choice(sorted(attributes))
    if rng.random() < 0.2:
        del attributes[name]
    else:
        attributes[name] = rng.choice(ODD)


def _change_array(file: h5py.File, name: str, rng: random.Random) -> None:
    values = np.atleast_1d(file[name][()])
    attributes = dict(file[name].attrs)
    change = rng.randrange(4)
    if change == 0 and values.dtype.kind in "iuf":  # a number somewhere
        value = rng.choice([odd for odd in ODD if isinstance(odd, (int, float))])
        with np.errstate(all="ignore"):
            values.flat[rng.randrange(values.size)] = np.array([value]).astype(values.dtype)[0]
    elif change == 1:  # fewer or more
        keep = rng.randrange(len(values) + 1)
        values = np.concatenate([values[:keep], values]) if rng.random() < 0.3 else values[:keep]
    elif change == 2 and values.dtype.kind in "iuf":  # of another kind
        with np.errstate(all="ignore"):
            values = values.astype(rng.choice(["i1", "u8", "f4", "f8", "?", "c16", "S3", ">i4"]))
    else:  # of another shape
        values = rng.choice([values.reshape(1, -1), values.reshape(-1), values.T, values.flat[0]])
    del file[name]
    file[name] = values
    file[name].attrs.update(attributes)


def _change_place(file: h5py.File, name: str, other: str, rng: random.Random) -> None:
    """Take something away, put something else in its place, or call it otherwise."""
    change = rng.randrange(4)
    if change == 0:
        file.move(name, f"{name}x")
        return
    target = file[other]
    inside = other == name or other.startswith(f"{name}/")
    del file[name]
    if change == 1 and not inside:
        file[name] = target
    elif change == 2:
        file[name] = rng.choice(ODD)
    elif change == 3:
        file[name] = h5py.SoftLink(f"/{name}")
