"""Arrays on disk: the same rows as in memory, and never all of them at once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from unsuprank import SPEC, AgnoSS, Genie3, input_rows, row_source
from unsuprank.input_rows import in_memory, is_on_disk, rows_of
from unsuprank.row_source import ArrayRows
from unsuprank.table import read_table

SETTINGS = {"n_estimators": 32, "max_samples": 20, "random_state": 0}


def matrix(n_rows: int = 90) -> np.ndarray:
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 6)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0.0
    return X


def mapped(X, tmp_path):
    stored = np.memmap(tmp_path / "x.bin", X.dtype, "w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    return np.memmap(tmp_path / "x.bin", X.dtype, "r", shape=X.shape)


def in_hdf5(X, tmp_path):
    h5py = pytest.importorskip("h5py")
    file = h5py.File(tmp_path / "x.h5", "w")
    return file.create_dataset("x", data=X, chunks=(7, X.shape[1]), compression="gzip")


def in_zarr(X, tmp_path):
    zarr = pytest.importorskip("zarr")
    stored = zarr.open(str(tmp_path / "x.zarr"), mode="w", shape=X.shape, dtype=X.dtype)
    stored[:] = X
    return stored


def backed(X, tmp_path):
    anndata = pytest.importorskip("anndata")
    anndata.AnnData(X).write_h5ad(tmp_path / "x.h5ad")
    return anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")


def backed_sparse(X, tmp_path):
    return backed(sparse.csr_matrix(X), tmp_path)


def values(table) -> np.ndarray:
    return np.column_stack([table.column(j) for j in range(table.n_columns)])


def as_in_memory(kind, X):
    return sparse.csr_matrix(X) if kind is backed_sparse else X


KINDS = [mapped, in_hdf5, in_zarr, backed, backed_sparse]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_from_disk_are_those_in_memory(kind, tmp_path, monkeypatch):
    X = matrix()
    stored = kind(X, tmp_path)
    assert is_on_disk(stored)
    rows = rows_of(stored)
    assert rows.shape == X.shape
    for gap in (1, 2**16):
        monkeypatch.setattr(row_source, "GAP_BYTES", gap)
        for some in ([0], [3, 4, 5, 40, 89], [], range(0, 90, 2), range(90)):
            some = np.array(some, dtype=int)
            np.testing.assert_array_equal(values(rows.take(some)), X[some])
    parts = [values(chunk) for chunk in rows.chunks(16)]
    assert [len(p) for p in parts] == [16] * 5 + [10]
    np.testing.assert_array_equal(np.concatenate(parts), X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_from_disk_are_those_from_memory(kind, n_jobs, tmp_path):
    X = matrix()
    whole = Genie3(**SETTINGS).fit(as_in_memory(kind, X))
    parts = Genie3(**SETTINGS, n_jobs=n_jobs).fit(kind(X, tmp_path))
    np.testing.assert_array_equal(parts.scores_, whole.scores_)
    assert parts.n_features_in_ == 6


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_small_is_read_whole_by_all_others(kind, tmp_path):
    X = matrix()
    expected = SPEC().fit(as_in_memory(kind, X)).scores_
    np.testing.assert_allclose(SPEC().fit(kind(X, tmp_path)).scores_, expected, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_large_is_never_read_whole(kind, tmp_path, monkeypatch):
    stored = kind(matrix(), tmp_path)
    monkeypatch.setattr(input_rows, "MEMORY_BUDGET", 8 * 90 * 6 - 1)
    with pytest.raises(ValueError, match="set max_samples=1024"):
        Genie3().fit(stored)
    with pytest.raises(
        ValueError,
        match=r"AgnoSS needs all rows; sample some, or use a ranker for large tables: .*Genie3",
    ):
        AgnoSS().fit(stored)
    with pytest.raises(ValueError, match="set max_samples=4096"):
        SPEC().fit(stored)
    Genie3(**SETTINGS).fit(stored)


def test_a_view_of_a_mapped_file_is_on_disk(tmp_path):
    X = matrix()
    stored = mapped(X, tmp_path)
    part = np.asarray(stored[10:, 1:4])
    assert is_on_disk(part)
    np.testing.assert_array_equal(rows_of(part).take(np.array([2, 5])).values, X[[12, 15], 1:4])


def test_changes_of_a_private_mapping_are_kept(tmp_path):
    mapped(matrix(), tmp_path)
    private = np.memmap(tmp_path / "x.bin", np.float32, "c", shape=(90, 6))
    private[3] = 7.0
    rows = ArrayRows(private)
    for _ in range(2):
        assert (rows.take(np.array([3])).values == 7.0).all()


def test_what_is_in_memory_is_not_on_disk():
    X = matrix()
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    things = (X, read_table(X), sparse.csr_matrix(X), polars.DataFrame(X), pandas.DataFrame(X))
    for thing in (*things, X.tolist(), None, "x.csv"):
        assert not is_on_disk(thing)
        assert in_memory(thing, None, "") is thing


@pytest.mark.parametrize("kind", [mapped, in_zarr, backed_sparse])
def test_another_process_reads_the_same_rows(kind, tmp_path):
    rows = rows_of(kind(matrix(2000), tmp_path))
    sent = pickle.dumps(rows)
    assert len(sent) < 2000
    again = pickle.loads(sent)
    np.testing.assert_array_equal(values(again.take(np.array([2, 1999]))), matrix(2000)[[2, 1999]])


def test_a_dataset_is_sent_by_its_name(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["deep/x"] = matrix()
    with h5py.File(tmp_path / "x.h5") as file:
        again = pickle.loads(pickle.dumps(rows_of(file["deep/x"])))
        np.testing.assert_array_equal(values(again.take(np.array([7]))), matrix()[[7]])


def test_nominal_columns_and_booleans(tmp_path):
    X = np.random.default_rng(0).integers(5, 9, (60, 3)).astype(float)
    X[4, 1] = np.nan
    expected = read_table(X, nominal_features=[1])
    found = rows_of(mapped(X, tmp_path), [1]).take(np.arange(60))
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.schema.categories[1].tolist() == expected.schema.categories[1].tolist()
    (tmp_path / "b").mkdir()
    flags = rows_of(mapped(X > 6, tmp_path / "b"))
    assert flags.take(np.arange(60)).schema.boolean == {0, 1, 2}


def test_columns_are_selected():
    rows = ArrayRows(matrix(), names=list("abcdef")).select(["e", "b"])
    assert rows.names == ["b", "e"]
    np.testing.assert_array_equal(rows.take(np.array([1, 8])).values, matrix()[[1, 8]][:, [1, 4]])
    assert [chunk.shape for chunk in rows.chunks(50)] == [(50, 2), (40, 2)]


def test_sparse_columns_are_refused(tmp_path):
    stored = backed(sparse.csc_matrix(matrix()), tmp_path)
    with pytest.raises(ValueError, match="stored by columns"):
        Genie3(**SETTINGS).fit(stored)


def test_nominal_columns_of_sparse_rows_are_refused(tmp_path):
    stored = backed_sparse(matrix(), tmp_path)
    with pytest.raises(ValueError, match="Columns of a sparse table are numbers"):
        Genie3(**SETTINGS, nominal_features=[0]).fit(stored)


def test_names_are_counted():
    with pytest.raises(ValueError, match="6 columns, and 2 names"):
        ArrayRows(matrix(), names=["a", "b"])
