"""The kernels of URelief against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import _kernels

testing = pytest.importorskip("unsuprank._testing_kernels", reason="wheels leave it out")

TILE = _kernels.RELIEF_TILE
MISSING_IN_ROW, MISSING_IN_QUERY = -1, -2


def packed(queries: np.ndarray) -> np.ndarray:
    """Query codes (rows x columns) as the kernel wants them: by fours, each code twice."""
    half = queries.astype(np.int16).view(np.uint16).astype(np.uint32)
    grouped = half.reshape(TILE // 4, 4, -1).transpose(0, 2, 1)
    return np.ascontiguousarray(grouped | grouped << 16).reshape(-1)


@pytest.mark.parametrize(
    ("measured", "matched"), [(8, 0), (0, 8), (16, 24), (128, 136), (520, 8), (0, 0)]
)
def test_tile_sums(measured, matched):
    rng = np.random.default_rng(measured + matched)
    codes = [
        np.hstack(
            [
                rng.choice([0, 1, 7559, 7560, 3780, 42], size=(TILE, measured)),
                rng.choice([0, 1, -3, 32767, -32768, missing], size=(TILE, matched)),
            ]
        ).astype(np.int16)
        for missing in (MISSING_IN_QUERY, MISSING_IN_ROW)
    ]
    queries, rows = codes[0][:, None].astype(np.int64), codes[1][None].astype(np.int64)
    expected = np.minimum(queries, rows)[..., :measured].sum(axis=-1)
    expected += 3780 * (queries == rows)[..., measured:].sum(axis=-1)
    block = np.ascontiguousarray(codes[1].T).reshape(-1)
    sums = testing.relief_tile_sums(packed(codes[0]), block, measured, 3780)
    assert np.array_equal(sums.reshape(TILE, TILE), expected)


@pytest.mark.parametrize("span", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 20])
def test_small_integers_are_coded_exactly(span):
    values = np.asfortranarray(np.arange(span + 1.0)[:, None] + 7)
    columns = _kernels.Columns(values, np.zeros(1, dtype=np.int32))
    rows = _kernels.ReliefRows(columns, np.arange(span + 1))
    rows.read_blocks(0, rows.n_blocks)
    assert rows.largest_error == 0


def test_kernels_refuse_what_would_be_out_of_bounds():
    columns = _kernels.Columns(np.zeros((5, 2), order="F"), np.zeros(2, dtype=np.int32))
    for order in (np.arange(4), np.zeros(5, dtype=np.int64), np.arange(1, 6)):
        with pytest.raises(ValueError, match="order"):
            _kernels.ReliefRows(columns, order)
    rows = _kernels.ReliefRows(columns, np.arange(5))
    with pytest.raises(ValueError, match="block"):
        rows.read_blocks(0, 2)
    for first, last, k in ((0, 6, 1), (1, 5, 1), (0, 0, 1), (0, 5, 5), (0, 5, 0)):
        with pytest.raises(ValueError, match="out of bounds"):
            _kernels.ReliefSearch(rows, first, last, k)
    search = _kernels.ReliefSearch(rows, 0, 5, 2)
    with pytest.raises(ValueError, match="block"):
        search.compare(1, 0, 1)
    sums, distances = np.zeros(2 * len(rows.term_columns())), np.zeros(1)
    for counts in ([0], [3], [2, 1]):
        with pytest.raises(ValueError, match=r"ascend|shape"):
            search.add_sums(0, 5, np.array(counts), sums, distances)
