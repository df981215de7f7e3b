"""What Arrow files take unpacked, told from their buffers, against pyarrow that unpacks them."""

from __future__ import annotations

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from unsuprank.io.arrow_sizes import unpacked_bytes  # noqa: E402


def taken(table):
    """Bytes of all buffers in memory, with eight for every value, and the number of buffers."""
    total, n_buffers = 0, 0
    for column in table.columns:
        arrays = list(column.chunks)
        if column.num_chunks and isinstance(column.chunk(0), pa.DictionaryArray):
            arrays.append(column.chunk(0).dictionary)  # which all chunks share
        while arrays:
            array = arrays.pop()
            buffers = [b for b in own_buffers(array) if b is not None]
            total += 8 * len(array) + sum(b.size for b in buffers)
            n_buffers += len(buffers)
            arrays += children(array)
    return total, n_buffers


def own_buffers(array):
    inner = sum(len(child.buffers()) for child in children(array))
    buffers = array.buffers()
    return buffers[: len(buffers) - inner]


def children(array):
    if isinstance(array, pa.ListArray):
        return [array.values]
    if isinstance(array, pa.StructArray):
        return [array.field(j) for j in range(array.type.num_fields)]
    return []


def random_table(rng):
    n = int(rng.integers(0, 3000))
    words = np.array(["a", "bc", "def" * 9, None], dtype=object)
    columns = {
        "number": pa.array(rng.normal(size=n)),
        "gap": pa.array(
            [None if v < 3 else v for v in rng.integers(9, size=n).tolist()], pa.int8()
        ),
        "flag": pa.array(rng.random(n) < 0.5),
        "text": pa.array(words[rng.integers(4, size=n)].tolist(), pa.string()),
        "name": pa.array([f"name {v}" for v in rng.integers(9999, size=n)]).dictionary_encode(),
        "list": pa.array([[1, 2]] * n, pa.list_(pa.int64())),
        "pair": pa.array(
            [{"u": 1.5, "v": "w"}] * n, pa.struct({"u": pa.float64(), "v": pa.string()})
        ),
        "nothing": pa.nulls(n),
    }
    kept = [name for name in columns if rng.random() < 0.7] or ["number"]
    return pa.table({name: columns[name] for name in kept})


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_sizes_are_those_of_the_buffers(tmp_path, compression):
    path, rng = tmp_path / "t.arrow", np.random.default_rng(1)
    for _ in range(100):
        table, options = random_table(rng), pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_file(path, table.schema, options=options) as file:
            file.write_table(table, max_chunksize=int(rng.integers(500, 3500)))
        with pa.ipc.open_file(path) as file:
            whole = file.read_all()
        expected, n_buffers = taken(whole)
        assert abs(unpacked_bytes(path) - expected) <= 64 * n_buffers  # they end on multiples of it


def test_a_file_of_the_first_version_has_no_compression(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + b"0" * 96)
    assert unpacked_bytes(tmp_path / "t.feather") == 100
