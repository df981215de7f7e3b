"""Files that hold sparse matrices: read without being written out, and ranked as dense ones are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file

from unsuprank import URelief, VarianceRanker, sc
from unsuprank.io import FileProblem, read_file
from unsuprank.io import data_file as data_file_module
from unsuprank.table import SparseTable, Table


def counts(seed: int = 0, m: int = 30, n: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(m, n)) * (rng.random((m, n)) < 0.4) * 1.0
    X[0, -1] = 3.0  # an svmlight file knows its width by its last column
    return X


def written(place, kind: str, X: np.ndarray):
    path = place / f"t.{kind}"
    if kind == "npz":
        sparse.save_npz(path, sparse.csr_matrix(X))
    elif kind == "mat":
        savemat(path, {"X": sparse.csc_matrix(X)})
    elif kind == "svmlight":
        dump_svmlight_file(X, np.arange(len(X)), str(path), zero_based=False)
    else:
        anndata = pytest.importorskip("anndata")
        adata = anndata.AnnData(sparse.csr_matrix(X))
        adata.layers["twice"] = sparse.csc_matrix(2 * X)
        adata.raw = adata
        adata.write_h5ad(path)
    return path


@pytest.mark.parametrize("kind", ["npz", "mat", "svmlight", "h5ad"])
def test_a_sparse_file_is_a_sparse_table_for_who_takes_one(tmp_path, kind) -> None:
    X = counts()
    data = read_file(written(tmp_path, kind, X))
    table = data.table(sparse=True)
    assert isinstance(table, SparseTable)
    np.testing.assert_array_equal(table.dense().values, X)
    dense = data.table()
    assert type(dense) is Table
    np.testing.assert_array_equal(dense.values, X)
    assert table.names == dense.names == data.names
    np.testing.assert_array_equal(data.columns[3].values, X[:, 3])
    assert [row[data.names[2]] for row in data.rows()] == X[:, 2].tolist()


def test_columns_that_are_left_out_or_changed(tmp_path) -> None:
    X = counts()
    data = read_file(written(tmp_path, "npz", X))
    part = data.without(["x1", "x4"]).table(sparse=True)
    assert isinstance(part, SparseTable)
    np.testing.assert_array_equal(part.dense().values, np.delete(X, [1, 4], axis=1))
    named = data.with_nominal(["x2"])
    assert type(named.table(sparse=True)) is Table
    assert data.with_missing(["77"]).columns == data.columns
    gaps = data.with_missing(["1"]).table(sparse=True)
    np.testing.assert_array_equal(np.isnan(gaps.values), X == 1.0)
    assert data.with_label("x0").label.n_rows == len(X)


def test_missing_values_and_flags_are_written_out(tmp_path) -> None:
    X = sparse.csr_matrix(counts())
    X.data[0] = np.nan
    sparse.save_npz(tmp_path / "gap.npz", X)
    assert read_file(tmp_path / "gap.npz").table(sparse=True).missing.any()
    sparse.save_npz(tmp_path / "flags.npz", sparse.csr_matrix(counts() > 0))
    assert len(read_file(tmp_path / "flags.npz").table(sparse=True).schema.boolean) == 8


def test_what_is_too_large_to_be_written_out_is_ranked_all_the_same(tmp_path, monkeypatch) -> None:
    data = read_file(written(tmp_path, "npz", counts()))
    monkeypatch.setattr(data_file_module, "MAX_DENSE_BYTES", 100)
    for write_out in (data.table, data.rows):
        with pytest.raises(FileProblem, match="takes sparse tables"):
            write_out()
    assert VarianceRanker().fit(data.table(sparse=True)).order_.shape == (8,)
    monkeypatch.setattr(data_file_module, "MAX_COLUMN_BYTES", 100)
    with pytest.raises(FileProblem, match="30 rows"):
        read_file(tmp_path / "t.npz")


def test_the_command_line_ranks_compares_and_judges_sparse_files(tmp_path, capsys) -> None:
    pytest.importorskip("typer")
    from unsuprank.cli.app import run

    path = written(tmp_path, "npz", counts())
    for command in (
        ["rank", str(path), "--method", "urelief"],
        ["curve", str(path), "--method", "variance"],
        ["compare", str(path), "--methods", "urelief,variance"],
        ["rank", str(path), "--method", "css-knn"],
        ["compare", str(path), "--methods", "agnos-s,variance"],
        ["rank", str(path), "--method", "variance", "--report", str(tmp_path / "r.html")],
    ):
        assert run(command) == 0, capsys.readouterr()


def test_genes_of_sparse_matrices() -> None:
    anndata = pytest.importorskip("anndata")
    X = counts(1, 40, 12)
    cells = anndata.AnnData(sparse.csr_matrix(X))
    cells.layers["other"] = sparse.csc_matrix(X[::-1])
    cells.raw = cells
    dense = anndata.AnnData(X, layers={"other": X[::-1].copy()})
    dense.raw = dense
    for which in ({}, {"layer": "other"}, {"use_raw": True}):
        ours, theirs = (
            sc.rank_genes(a, URelief(5), n_top_genes=4, inplace=False, **which)
            for a in (cells, dense)
        )
        np.testing.assert_allclose(ours["unsuprank_score"], theirs["unsuprank_score"], rtol=1e-9)
        assert (ours["highly_variable"].to_numpy() == theirs["highly_variable"].to_numpy()).all()


@pytest.mark.data
# The file is of an old version of AnnData, which says so.
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning", "ignore::FutureWarning")
def test_the_raw_matrix_of_a_real_file(data_dir) -> None:
    anndata = pytest.importorskip("anndata")
    path = data_dir / "singlecell" / "10x_pbmc68k_reduced.h5ad"
    adata = anndata.read_h5ad(path)
    assert sparse.issparse(adata.raw.X)
    table = read_file(path, data_file_module.ReadOptions(raw=True)).table(sparse=True)
    assert isinstance(table, SparseTable)
    expected = URelief().fit(adata.raw.X.toarray()).scores_
    np.testing.assert_allclose(URelief().fit(table).scores_, expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_marks_of_gaps_are_those_of_the_dense_matrix(tmp_path, dtype) -> None:
    X = counts(m=60, n=9).astype(dtype)
    X[:3, 0] = -999  # the only negative one, in nines
    X[:, 2] = np.where(np.arange(60) < 3, 5000, np.arange(60) % 7)
    X[:1, 3] = -999  # once
    X[:, 4] = np.arange(60) + 100  # no zero
    X[:, 5] = 0.0
    X[:, 6] = np.where(X[:, 6] > 0, -X[:, 6], -1)  # less than the zeros that are not held
    np.save(tmp_path / "dense.npy", X)
    found = read_file(written(tmp_path, "npz", X)).suspects()
    assert found == read_file(tmp_path / "dense.npy").suspects()
    assert [name for name, _ in found] == ["x0", "x2"]
