"""MATLAB files: what SciPy's reader gives, and an error for whatever is damaged."""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat

from unsuprank.io import FileProblem, read_file
from unsuprank.io.budget import ALWAYS
from unsuprank.io.matlab import COMPRESSED, HEADER_BYTES, MATRIX, read_matlab, version_of


def counts(seed: int) -> sparse.csc_array:
    rng = np.random.default_rng(seed)
    return sparse.csc_array(rng.poisson(0.5, size=(12, 5)).astype(float))


def variables(seed: int) -> dict:
    """Something of every kind."""
    rng = np.random.default_rng(seed)
    names = np.empty((1, 3), dtype=object)
    names[0] = ["one", "zwölf", ""]
    mixed = np.empty((2, 2), dtype=object)
    mixed[:] = [[np.eye(2), "text"], [counts(seed), np.arange(3)]]
    kinds = ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
    numbers = {f"x{k}": rng.integers(0, 99, size=(4, 3)).astype(k) for k in kinds}
    return numbers | {
        "cube": rng.normal(size=(2, 3, 4)),
        "logical": rng.random((3, 2)) < 0.5,
        "pairs": rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2)),
        "sparse": counts(seed),
        "empty": np.empty((0, 3)),
        "names": names,
        "mixed": mixed,
        "rows": np.array(["a", "bcd", "ef"]),
    }


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_variables_are_those_that_were_saved(tmp_path, compressed: bool, seed: int) -> None:
    path = tmp_path / "x.mat"
    saved = variables(seed)
    savemat(path, saved | {"s": {"a": 1.0}}, do_compression=compressed)
    found, expected = read_matlab(path, "x.mat"), loadmat(path, spmatrix=False)
    assert set(found) == {*saved, "s"}
    for name in set(saved) - {"names", "mixed", "rows", "sparse"}:
        np.testing.assert_array_equal(found[name], expected[name])
        assert found[name].dtype == (expected[name].dtype if name != "logical" else np.uint8)
    np.testing.assert_array_equal(found["sparse"].toarray(), expected["sparse"].toarray())
    assert [cell.tolist() for cell in found["names"][0]] == [["one"], ["zwölf"], [""]]
    assert found["rows"].tolist() == ["a", "bcd", "ef"]
    mixed = found["mixed"]
    assert mixed.shape == (2, 2)
    np.testing.assert_array_equal(mixed[0, 0], np.eye(2))
    assert mixed[0, 1].tolist() == ["text"]
    np.testing.assert_array_equal(mixed[1, 0].toarray(), counts(seed).toarray())
    assert found["s"].size == 0


@pytest.mark.parametrize("compressed", [False, True])
def test_sparse_tables(tmp_path, compressed: bool) -> None:
    path, X = tmp_path / "x.mat", counts(1)
    savemat(path, {"X": X, "other": {"inner": X}}, do_compression=compressed)
    np.testing.assert_array_equal(read_file(path).table().values, X.toarray())


def element(kind: int, content: bytes) -> bytes:
    return struct.pack(">II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def test_other_processors_write_bytes_the_other_way_round(tmp_path) -> None:
    X = np.arange(6.0).reshape(3, 2)
    parts = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 3, 2))
    parts += struct.pack(">HH4s", 1, 1, b"X") + element(9, X.astype(">f8").tobytes(order="F"))
    path = tmp_path / "x.mat"
    path.write_bytes(b"MATLAB".ljust(124) + b"\x01\x00MI" + element(MATRIX, parts))
    assert version_of(path.read_bytes()) == 1
    np.testing.assert_array_equal(loadmat(path)["X"], X)
    np.testing.assert_array_equal(read_matlab(path, "x.mat")["X"], X)


def test_version_4(tmp_path) -> None:
    path, X = tmp_path / "x.mat", np.arange(6.0).reshape(3, 2)
    savemat(path, {"X": X}, format="4")
    np.testing.assert_array_equal(read_file(path).table().values, X)
    savemat(path, {"X": counts(2)}, format="4")
    np.testing.assert_array_equal(read_file(path).table().values, counts(2).toarray())


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("part", "index", "value"),
    [("indices", 3, 12), ("indices", 0, 2**30), ("indptr", 2, 10_000), ("indptr", 5, 10_000)],
)
def test_an_index_that_leads_out_is_refused(
    tmp_path, compressed: bool, part: str, index: int, value: int
) -> None:
    path, X = tmp_path / "x.mat", counts(0)
    savemat(path, {"A": np.eye(3), "X": X})
    written = getattr(X, part).astype("<i4")
    changed = written.copy()
    changed[index] = value
    content = path.read_bytes().replace(written.tobytes(), changed.tobytes())
    assert changed.tobytes() in content
    path.write_bytes(_packed(content) if compressed else content)
    with pytest.raises(FileProblem, match="do not fit together"):
        read_file(path)


def _packed(content: bytes) -> bytes:
    """The same file with its last variable compressed."""
    at = HEADER_BYTES
    while at + 8 + (size := int.from_bytes(content[at + 4 : at + 8], "little")) < len(content):
        at += 8 + size
    packed = zlib.compress(content[at:])
    return content[:at] + struct.pack("<II", COMPRESSED, len(packed)) + packed


def test_what_unpacks_into_too_much_is_refused(tmp_path) -> None:
    path = tmp_path / "x.mat"
    savemat(path, {"X": np.eye(3)})
    packed = zlib.compress(b"\0" * (ALWAYS + 1))
    path.write_bytes(path.read_bytes() + struct.pack("<II", COMPRESSED, len(packed)) + packed)
    with pytest.raises(FileProblem, match="more than its budget of 256 MB"):
        read_file(path)


def test_damage_anywhere_is_an_error_or_another_value(tmp_path) -> None:
    """Every byte of a file in turn, and some at random."""
    path, rng = tmp_path / "x.mat", random.Random(0)
    saved = variables(0)
    others = {name: saved[name] for name in ("sparse", "names", "rows", "pairs")}
    savemat(path, {"X": saved["xf8"]} | others)
    whole = path.read_bytes()
    refused = 0
    for at in [*range(HEADER_BYTES - 4, len(whole)), *([None] * 300)]:
        content = bytearray(whole)
        for place in [at] if at is not None else rng.choices(range(len(whole)), k=9):
            content[place] = rng.choice((0, 1, 5, 14, 127, 128, 255))
        path.write_bytes(content)
        try:
            read_file(path).table()
        except FileProblem:
            refused += 1
    assert 100 < refused < 0.8 * len(whole)


@pytest.mark.parametrize("length", [0, 3, 100, 127, 130, 136, 200, 300])
def test_files_that_end_too_early(tmp_path, length: int) -> None:
    path = tmp_path / "x.mat"
    savemat(path, {"X": np.eye(12)})
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(FileProblem):
        read_file(path)
