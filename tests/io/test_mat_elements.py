"""Sparse matrices of MATLAB files are checked before SciPy reads them."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from unsuprank.io import FileProblem, read_file
from unsuprank.io.mat_elements import COMPRESSED, HEADER_BYTES, check_sparse_matrices


def counts(seed: int) -> sparse.csc_array:
    rng = np.random.default_rng(seed)
    return sparse.csc_array(rng.poisson(0.5, size=(12, 5)).astype(float))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_in_order_is_read(tmp_path, compressed: bool, seed: int) -> None:
    path, X = tmp_path / "x.mat", counts(seed)
    savemat(path, {"X": X, "other": {"inner": X}}, do_compression=compressed)
    check_sparse_matrices(path, 2**20)
    np.testing.assert_array_equal(read_file(path).table().values, X.toarray())


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("part", "index", "value"),
    [("indices", 3, 12), ("indices", 0, 2**30), ("indptr", 2, 10_000), ("indptr", 5, 10_000)],
)
def test_an_index_that_leads_out_is_refused(
    tmp_path, nested: bool, compressed: bool, part: str, index: int, value: int
) -> None:
    path, X = tmp_path / "x.mat", counts(0)
    savemat(path, {"A": np.eye(3), "s": {"inner": X}} if nested else {"X": X})
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
