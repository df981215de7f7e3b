"""Tables of many rows: some rows at a time, or folded into few."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unsuprank import GreedyCSS, RandomRanker, SharedVariance, VarianceRanker
from unsuprank.column_totals import column_totals
from unsuprank.rankers import large_tables
from unsuprank.rankers.clustering_space import embed
from unsuprank.rankers.shared_variance.by_chunks import chunk_coordinates, sums_by_chunks
from unsuprank.row_source import ArrayRows
from unsuprank.table import read_table


def mapped(X: np.ndarray, path) -> np.memmap:
    """The array in a file."""
    np.save(path, X)
    return np.load(path, mmap_mode="r")


@pytest.fixture
def small_limits(monkeypatch) -> None:
    """Limits that small tables exceed."""
    monkeypatch.setattr(large_tables, "FEW_ROWS", 40)
    monkeypatch.setattr("unsuprank.input_rows.SMALL_BYTES", 0)
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 300)


def mixed(seed: int, m: int = 1200) -> np.ndarray:
    """Numbers with gaps, a copy, noise, a constant and two columns of small whole numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 9))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=m)
    X[:, 2] *= 1e6
    X[:, 3] = 4.0
    X[:, 4] = (X[:, 0] > 0.5) + rng.integers(0, 2, m)
    X[:, 5] = rng.integers(0, 5, m)
    X[rng.random(m) < 0.2, 6] = np.nan
    return X


@pytest.mark.parametrize("nominal", [None, [4, 5]])
@pytest.mark.parametrize("seed", range(4))
def test_chunks_give_what_the_table_in_memory_gives(
    tmp_path, small_limits, nominal, seed: int
) -> None:
    X = mixed(seed)
    on_disk = mapped(X, tmp_path / "x.npy")
    for ranker in (SharedVariance(nominal_features=nominal), GreedyCSS(nominal_features=nominal)):
        expected = ranker.fit(X).scores_
        ranker.fit(on_disk)
        np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-9, atol=1e-9)
        assert ranker.rows_used_ == "all rows"
    for name in ("explained_", "chance_", "p_values_"):
        inside = getattr(SharedVariance(nominal_features=nominal).fit(X), name)
        outside = getattr(SharedVariance(nominal_features=nominal).fit(on_disk), name)
        np.testing.assert_allclose(outside, inside, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("nominal", [None, [4, 5]])
def test_coordinates_of_a_chunk_are_those_of_the_whole_table(tmp_path, nominal) -> None:
    X = mixed(0, 200)
    table = read_table(X, nominal_features=nominal)
    varying = table.take(columns=table.varies)
    Z = chunk_coordinates(table, column_totals(table))
    np.testing.assert_allclose(Z, embed(varying), rtol=1e-9, atol=1e-12)
    rows = ArrayRows(mapped(X, tmp_path / "x.npy"), nominal_features=nominal)
    found = sums_by_chunks(rows, 1)
    np.testing.assert_allclose(found.sums.G, Z.T @ Z, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_tall_sparse_table_comes_in_chunks(small_limits, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(900, 12)) * (rng.random((900, 12)) < 0.3) * 1.0
    X[:, 1] += X[:, 0]
    for ranker in (SharedVariance(), GreedyCSS()):
        expected = ranker.fit(X).scores_
        np.testing.assert_allclose(
            ranker.fit(sparse.csr_array(X)).scores_, expected, rtol=1e-8, atol=1e-8
        )


def test_folding_keeps_inner_products_on_average(monkeypatch) -> None:
    monkeypatch.setattr(large_tables, "FOLDED_ROWS", 64)
    rng = np.random.default_rng(0)
    inner, expected = [], []
    for m in range(300, 700):  # the draws depend on the number of rows
        X = np.maximum(rng.normal(size=(m, 3)) - 0.5, 0.0)
        X[:, 1] += X[:, 0]
        folded = large_tables.fold(read_table(sparse.csr_array(X)))
        dense = large_tables.fold(read_table(X))
        np.testing.assert_allclose(folded.values, dense.values, atol=1e-10)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        inner.append(folded.values.T @ folded.values / m)
        expected.append(Z.T @ Z / m)
    error = np.std(inner, axis=0) / np.sqrt(len(inner))
    assert (np.abs(np.mean(inner, axis=0) - np.mean(expected, axis=0)) < 4 * error + 1e-12).all()


def test_chance_is_kept_by_folding(small_limits, monkeypatch) -> None:
    monkeypatch.setattr(large_tables, "WIDE", 10)
    monkeypatch.setattr(large_tables, "FOLDED_ROWS", 256)
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 50_000)
    rng = np.random.default_rng(5)
    p_values = []
    for _ in range(6):
        X = sparse.random_array((3000, 200), density=0.05, rng=rng, format="csr")
        ranker = SharedVariance().fit(X)
        assert ranker.rows_used_ == "all 3,000 rows, folded into 256"
        p_values.append(ranker.p_values_)
    share = np.mean(np.concatenate(p_values) < 0.05)
    assert 0.03 < share < 0.07


def test_a_table_on_disk_with_many_names_is_sampled(tmp_path, small_limits, monkeypatch) -> None:
    monkeypatch.setattr(large_tables, "SAMPLED_ROWS", 300)
    X = mixed(1)
    X[:, 5] = np.random.default_rng(0).integers(0, 90, len(X))
    ranker = SharedVariance(nominal_features=[5]).fit(mapped(X, tmp_path / "x.npy"))
    assert ranker.rows_used_ == "a sample of 300 of 1,200 rows"
    assert set(ranker.order_[:2]) == {0, 1}


def test_frames_and_arrays_are_taken_as_they_are() -> None:
    frame = pd.DataFrame(mixed(0))
    assert SharedVariance().fit(frame).rows_used_ == "all rows"
    with pytest.raises(ValueError, match="sample of the rows"):
        SharedVariance(bins=3)._relations(ArrayRows(mixed(0)))


def test_controls_take_tables_of_any_length(tmp_path, small_limits) -> None:
    X = mixed(0)[:, :6]
    on_disk = mapped(X, tmp_path / "x.npy")
    spread = VarianceRanker().fit(on_disk).scores_
    np.testing.assert_allclose(spread, VarianceRanker().fit(X).scores_, rtol=1e-12)
    chance = RandomRanker(random_state=0)
    np.testing.assert_array_equal(chance.fit(on_disk).scores_, chance.fit(X).scores_)
    with pytest.raises(ValueError, match="without gaps"):
        VarianceRanker().fit(mapped(mixed(0), tmp_path / "gaps.npy"))


def test_how_many_columns_are_too_many(tmp_path, small_limits, monkeypatch) -> None:
    """A number counts as one, a name as many as it has values."""
    X = mixed(2)
    on_disk = mapped(X, tmp_path / "x.npy")
    for wide, nominal, used in (
        (9, None, "all rows"),
        (8, None, "all 1,200 rows, folded into 256"),
        (13, [5], "all rows"),
        (12, [5], "a sample of 300 of 1,200 rows"),
    ):
        monkeypatch.setattr(large_tables, "FOLDED_ROWS", 256)
        monkeypatch.setattr(large_tables, "SAMPLED_ROWS", 300)
        monkeypatch.setattr(large_tables, "WIDE", wide)
        complete = on_disk if nominal else mapped(np.nan_to_num(X), tmp_path / "whole.npy")
        ranker = SharedVariance(nominal_features=nominal).fit(complete)
        assert ranker.rows_used_ == used, (wide, nominal)


@pytest.mark.parametrize("n_rows", [39, 41, 299, 300])
def test_a_sample_that_would_hold_all_rows_is_all_rows(
    tmp_path, small_limits, monkeypatch, n_rows
) -> None:
    monkeypatch.setattr(large_tables, "SAMPLED_ROWS", 300)
    monkeypatch.setattr(large_tables, "WIDE", 4)
    X = mixed(3, n_rows)
    ranker = SharedVariance(nominal_features=[5])
    expected = ranker.fit(X).scores_
    ranker.fit(mapped(X, tmp_path / "x.npy"))
    assert ranker.rows_used_ == "all rows"
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-9, atol=1e-9)
