"""Coordinates of tables of every storage: the same sums by every way, in two passes."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unsuprank import Diversified, GreedyCSS, RandomRanker, SharedVariance, VarianceRanker
from unsuprank.column_totals import column_totals
from unsuprank.dask_rows import DaskRows
from unsuprank.rankers.centred_matrix import ColumnMatrix
from unsuprank.rankers.clustering_space import embed, embed_sparse
from unsuprank.rankers.coordinates import Coordinates, count_sketch, root_of_square
from unsuprank.rankers.coordinates import coordinates as choice
from unsuprank.rankers.coordinates.row_sums import Embedding, sums_over_rows
from unsuprank.rankers.shared_variance.chance import against_chance
from unsuprank.row_source import ArrayRows
from unsuprank.table import read_table

#: The module, which has the name of its function.
sketch_module = sys.modules["unsuprank.rankers.coordinates.count_sketch"]


def mapped(X: np.ndarray, path) -> np.memmap:
    """The array in a file."""
    np.save(path, X)
    return np.load(path, mmap_mode="r")


@pytest.fixture
def small_limits(monkeypatch) -> None:
    """Limits that small tables exceed."""
    monkeypatch.setattr(choice, "ROWS_AT_ONCE", 40)
    monkeypatch.setattr(choice, "HELD_BYTES", 0)
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
    embedding = Embedding(column_totals(table), 48)
    Z = embedding.coordinates(table)
    np.testing.assert_allclose(Z, embed(table.take(columns=table.varies)), rtol=1e-9, atol=1e-12)
    rows = ArrayRows(mapped(X, tmp_path / "x.npy"), nominal_features=nominal)
    found = sums_over_rows(rows, Embedding(column_totals(rows), 48), 1)
    np.testing.assert_allclose(found.G, Z.T @ Z, atol=1e-12)


def counts(seed: int, m: int, n: int) -> np.ndarray:
    """Counts, mostly 0, of which some depend on each other."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(m, n)) * (rng.random((m, n)) < 0.3) * 1.0
    X[:, 1] += X[:, 0]
    X[:, -1] += 3.0  # a column without any zero
    return X


@pytest.mark.parametrize("seed", range(200))
def test_sums_of_sparse_columns_are_those_of_dense_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = counts(seed, int(rng.integers(4, 60)), int(rng.integers(3, 40)))
    Z = embed_sparse(read_table(rng.choice([sparse.csr_array, sparse.csc_array])(X)))
    dense, weights = np.asarray(Z), rng.random(len(X))
    for matrix in (Z, ColumnMatrix(dense)):
        shared = ((dense.T @ dense) ** 2).sum(axis=0)
        np.testing.assert_allclose(matrix.gram_squares(), shared, atol=1e-12)
    powers = [weights**k @ dense**p for p, k in ((2, 1), (2, 2), (4, 1), (2, 0), (3, 0), (4, 0))]
    expected = [*powers, np.sum(dense**6, axis=0)]
    np.testing.assert_allclose(Z.diagonal_sums(weights), expected, rtol=1e-9, atol=1e-12)


def test_the_square_of_all_products_of_rows() -> None:
    """Exact in few directions, and on average in all."""
    rng = np.random.default_rng(0)
    few = embed_sparse(read_table(sparse.csr_array(counts(0, 50, 12))))
    C, K = root_of_square(few), np.asarray(few) @ np.asarray(few).T
    np.testing.assert_allclose(C @ C.T, K @ K, atol=1e-10)
    X = counts(1, 300, 120) + 2.0 * rng.poisson(1.0, (300, 1)) * (rng.random(120) < 0.2)
    many = embed_sparse(read_table(sparse.csr_array(X)))
    C, K = root_of_square(many), np.asarray(many) @ np.asarray(many).T
    assert np.sum((np.asarray(many).T @ C) ** 2) == pytest.approx(np.trace(K @ K @ K), rel=0.03)


def stored(X: np.ndarray, storage: str, path):
    """A table in memory or on disk, dense or sparse."""
    if storage == "dask":
        array = pytest.importorskip("dask.array")
        return DaskRows(array.from_array(X, chunks=(70, -1)))
    return {
        "dense": lambda: X,
        "csr": lambda: sparse.csr_array(X),
        "csc": lambda: sparse.csc_array(X),
        "mapped": lambda: mapped(X, path / "x.npy"),
    }[storage]()


#: Every ranker that needs nothing but sums of products of columns.
LINEAR = [
    SharedVariance(views="line"),
    GreedyCSS(n_picks=6),
    GreedyCSS(n_picks=6, include=[3], exclude=[4]),
    GreedyCSS(n_picks=6, scale="half"),
    GreedyCSS(n_picks=6, scale="raw"),
    VarianceRanker(),
    Diversified(VarianceRanker(), n_picks=6),
]
#: Those of them that take rows some at a time, beside those that need all rows in memory.
IN_MEMORY, BY_CHUNKS = ("csr", "csc", "mapped"), ("csr", "csc", "mapped", "dask")
CASES = [(r, s) for r in LINEAR for s in (BY_CHUNKS if r.streams_rows else IN_MEMORY)]


@pytest.mark.parametrize(("ranker", "storage"), CASES, ids=str)
@pytest.mark.parametrize("shape", [(30, 60), (400, 12), (1500, 12)], ids=str)
def test_every_storage_gives_the_same_scores(ranker, storage, shape, tmp_path, small_limits):
    X = counts(7, *shape)
    expected = ranker.fit(X).scores_
    ranker.fit(stored(X, storage, tmp_path))
    size = np.abs(expected).max()
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-10, atol=1e-10 * size)


@pytest.mark.parametrize("seed", range(10))
def test_every_way_gives_the_same_scores(seed: int, monkeypatch) -> None:
    X = counts(seed, 150, 40)
    table = read_table(sparse.csr_array(X))
    expected = against_chance(Coordinates(table, "all rows", "rows", 1))
    by_columns = against_chance(Coordinates(table, "all rows", "columns", 1))
    by_products = against_chance(Coordinates(table, "all rows", "products", 1))
    for found in (by_columns, by_products):
        size = 1e-10 * np.abs(expected.scores).max()
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-10, atol=size)
        np.testing.assert_allclose(found.explained, expected.explained, rtol=1e-10)
        np.testing.assert_allclose(found.chance, expected.chance, rtol=1e-10)
    monkeypatch.setattr("unsuprank.rankers.subset.column_subset.MOST_LINES", 10)
    without = GreedyCSS(n_picks=5).fit(table)
    monkeypatch.undo()
    assert np.array_equal(GreedyCSS(n_picks=5).fit(table).picks_, without.picks_)


def test_p_values_of_estimated_skewness_are_nearly_the_same() -> None:
    table = read_table(sparse.csr_array(counts(3, 1500, 300)))
    by_columns = against_chance(Coordinates(table, "all rows", "columns", 1)).p_values
    by_products = against_chance(Coordinates(table, "all rows", "products", 1)).p_values
    np.testing.assert_allclose(by_products, by_columns, rtol=0.15, atol=1e-4)


class CountedRows(ArrayRows):
    """Rows that know how often all of them were gone through."""

    passes = 0.0

    def chunks(self, n_rows: int):
        self.passes += 1
        return super().chunks(n_rows)

    def take(self, rows: np.ndarray):
        self.passes += len(rows) / self.n_rows
        return super().take(rows)


@pytest.mark.parametrize("ranker", [r for r in LINEAR if r.streams_rows], ids=str)
@pytest.mark.parametrize("columns", [4, 4096], ids=["sketch", "sums"])
def test_rows_are_gone_through_at_most_twice(
    ranker, columns, tmp_path, small_limits, monkeypatch
) -> None:
    monkeypatch.setattr(choice, "MOST_COLUMNS", columns)
    rows = CountedRows(mapped(counts(1, 500, 9), tmp_path / "x.npy"))
    ranker.fit(rows)
    assert 0 < rows.passes <= 2


def test_which_way_is_taken(monkeypatch) -> None:
    def way(m: int, n: int, density: float) -> str:
        X = sparse.random_array((m, n), density=density, rng=np.random.default_rng(0), format="csr")
        return Coordinates.of(read_table(X)).way

    assert way(1000, 50, 0.1) == "rows"
    assert way(1100, 50, 0.1) == "columns"
    assert way(1200, 5000, 0.01) == "rows"
    assert way(9000, 5000, 0.01) == "products"
    dense = [(1024, 20), (1025, 20), (1100, 1200)]
    ways = [Coordinates.of(read_table(np.random.default_rng(0).random(s))).way for s in dense]
    assert ways == ["rows", "columns", "rows"]
    monkeypatch.setattr(choice, "SPARSE_WORK", 1000.0)
    X = sparse.random_array((3000, 40), density=0.05, rng=np.random.default_rng(0), format="csr")
    monkeypatch.setattr(choice, "MOST_COLUMNS", 10)
    assert Coordinates.of(read_table(X)).rows_used == "all 3,000 rows, in a sketch of 8,192"


def test_a_sketch_keeps_inner_products_on_average(monkeypatch) -> None:
    monkeypatch.setattr(sketch_module, "MOST_ROWS", 64)
    rng = np.random.default_rng(0)
    inner, expected = [], []
    for m in range(300, 700):  # the draws depend on the number of rows
        X = np.maximum(rng.normal(size=(m, 3)) - 0.5, 0.0)
        X[:, 1] += X[:, 0]
        sketch = count_sketch(read_table(sparse.csr_array(X)))
        dense = count_sketch(read_table(X))
        np.testing.assert_allclose(sketch.values, dense.values, atol=1e-10)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        inner.append(sketch.values.T @ sketch.values / m)
        expected.append(Z.T @ Z / m)
    error = np.std(inner, axis=0) / np.sqrt(len(inner))
    assert (np.abs(np.mean(inner, axis=0) - np.mean(expected, axis=0)) < 4 * error + 1e-12).all()


def test_chance_is_kept_by_a_sketch(small_limits, monkeypatch) -> None:
    monkeypatch.setattr(choice, "SPARSE_WORK", 0)
    monkeypatch.setattr(sketch_module, "MOST_ROWS", 256)
    monkeypatch.setattr("unsuprank.row_source.CHUNK_CELLS", 50_000)
    rng = np.random.default_rng(5)
    p_values = []
    for _ in range(6):
        X = sparse.random_array((3000, 200), density=0.05, rng=rng, format="csr")
        ranker = SharedVariance().fit(X)
        assert ranker.rows_used_ == "all 3,000 rows, in a sketch of 256"
        p_values.append(ranker.p_values_)
    share = np.mean(np.concatenate(p_values) < 0.05)
    assert 0.03 < share < 0.07


def test_a_table_on_disk_with_many_names_is_sampled(tmp_path, small_limits, monkeypatch) -> None:
    monkeypatch.setattr(choice, "SAMPLED_ROWS", 300)
    X = mixed(1)
    X[:, 5] = np.random.default_rng(0).integers(0, 90, len(X))
    ranker = SharedVariance(nominal_features=[5]).fit(mapped(X, tmp_path / "x.npy"))
    assert ranker.rows_used_ == "a sample of 300 of 1,200 rows"
    assert set(ranker.order_[:2]) == {0, 1}


def test_frames_and_arrays_are_taken_as_they_are() -> None:
    frame = pd.DataFrame(mixed(0))
    assert SharedVariance().fit(frame).rows_used_ == "all rows"
    with pytest.raises(ValueError, match="sample of the rows"):
        SharedVariance(bins=3)._score(ArrayRows(mixed(0)))


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
        (8, None, "all 1,200 rows, in a sketch of 256"),
        (13, [5], "all rows"),
        (12, [5], "a sample of 300 of 1,200 rows"),
    ):
        monkeypatch.setattr(sketch_module, "MOST_ROWS", 256)
        monkeypatch.setattr(choice, "SAMPLED_ROWS", 300)
        monkeypatch.setattr(choice, "MOST_COLUMNS", wide)
        complete = on_disk if nominal else mapped(np.nan_to_num(X), tmp_path / "whole.npy")
        ranker = SharedVariance(nominal_features=nominal).fit(complete)
        assert ranker.rows_used_ == used, (wide, nominal)


@pytest.mark.parametrize("n_rows", [39, 41, 299, 300])
def test_a_sample_that_would_hold_all_rows_is_all_rows(
    tmp_path, small_limits, monkeypatch, n_rows
) -> None:
    monkeypatch.setattr(choice, "SAMPLED_ROWS", 300)
    monkeypatch.setattr(choice, "MOST_COLUMNS", 4)
    X = mixed(3, n_rows)
    ranker = SharedVariance(nominal_features=[5])
    expected = ranker.fit(X).scores_
    ranker.fit(mapped(X, tmp_path / "x.npy"))
    assert ranker.rows_used_ == "all rows"
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-9, atol=1e-9)
