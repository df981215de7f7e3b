"""Parts of tables, and the order of their values."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank.table import coding, column_major, read_table


def test_no_copy_of_all_columns():
    table = read_table(np.arange(12.0).reshape(3, 4))
    assert table.take(columns=np.ones(4, dtype=bool)) is table
    assert table.take() is table
    assert table.take(columns=np.array([True, False, True, True])).n_columns == 3
    assert table.take(columns=[3, 2, 1, 0]).values[0].tolist() == [3.0, 2.0, 1.0, 0.0]
    assert table.take(rows=[0, 2], columns=np.ones(4, dtype=bool)).n_rows == 2


@pytest.mark.parametrize("order", ["C", "F", "neither"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (4, 0), (5, 3), (8, 2), (9, 40)])
def test_column_major(shape, dtype, order, monkeypatch):
    monkeypatch.setattr(coding, "BLOCK_ROWS", 4)
    X = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    X = np.asarray(X, order=order) if order != "neither" else np.repeat(X, 2, axis=1)[:, ::2]
    found = column_major(X)
    assert found.dtype == np.float64
    assert found.flags.f_contiguous
    np.testing.assert_array_equal(found, X.astype(np.float64))
    assert np.shares_memory(found, X) == (
        dtype is np.float64 and X.flags.f_contiguous and X.size > 0
    )
