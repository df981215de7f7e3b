"""Parts of tables."""

from __future__ import annotations

import numpy as np

from unsuprank.table import read_table


def test_no_copy_of_all_columns():
    table = read_table(np.arange(12.0).reshape(3, 4))
    assert table.take(columns=np.ones(4, dtype=bool)) is table
    assert table.take() is table
    assert table.take(columns=np.array([True, False, True, True])).n_columns == 3
    assert table.take(columns=[3, 2, 1, 0]).values[0].tolist() == [3.0, 2.0, 1.0, 0.0]
    assert table.take(rows=[0, 2], columns=np.ones(4, dtype=bool)).n_rows == 2
