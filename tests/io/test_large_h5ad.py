"""Files of AnnData that are read in parts, sound and damaged."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unsuprank.io import FileProblem, ReadOptions, open_large, read_file

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(np.arange(12.0).reshape(4, 3)).write_h5ad(path)
    return path


def test_errors_keep_their_words(cells) -> None:
    content = cells.read_bytes()
    cells.write_bytes(content[: len(content) // 2])
    with pytest.raises(FileProblem, match="truncated"):
        read_file(cells)
    cells.write_bytes(content)
    assert read_file(cells).n_rows == 4


def test_cells_that_are_not_those_of_the_matrix(cells) -> None:
    with h5py.File(cells, "r+") as stored:
        del stored["obs"]
        anndata.io.write_elem(stored, "obs", pd.DataFrame(index=["0", "1"]))
    for read in (read_file, lambda path: open_large(path, ReadOptions(), memory=0)):
        with pytest.raises(FileProblem, match=r"cells\.h5ad is"):
            read(cells)


@pytest.mark.parametrize("frame", ["obs", "var"])
def test_numbers_where_a_table_of_cells_or_genes_should_be(cells, frame) -> None:
    with h5py.File(cells, "r+") as stored:
        n_rows = stored["X"].shape[frame == "var"]
        del stored[frame]
        anndata.io.write_elem(stored, frame, np.arange(float(n_rows)))
    for read in (read_file, lambda path: open_large(path, ReadOptions(), memory=0)):
        with pytest.raises(FileProblem, match=r"cells\.h5ad is"):
            read(cells)


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
@pytest.mark.parametrize("left", [None, 0, 3])
def test_parts_of_a_sparse_matrix_that_do_not_fit(tmp_path, part, left) -> None:
    path = tmp_path / "cells.h5ad"
    X = sparse.random_array((9, 5), density=0.5, format="csr", rng=np.random.default_rng(0))
    for place in (path, tmp_path / "sound.h5ad"):
        anndata.AnnData(X).write_h5ad(place)
    large = open_large(place, ReadOptions(), memory=0)
    np.testing.assert_array_equal(large.sample().table().values, X.toarray())
    with h5py.File(path, "r+") as stored:
        values = stored["X"][part][:left]
        del stored["X"][part]
        if left is not None:
            stored["X"][part] = values
    for read in (read_file, lambda path: open_large(path, ReadOptions(), memory=0)):
        with pytest.raises(FileProblem, match=r"cells\.h5ad"):
            read(path)


@pytest.mark.parametrize("pointer", [2**30, -(2**30)])
def test_pointers_that_lead_out_of_a_sparse_matrix(tmp_path, pointer) -> None:
    path = tmp_path / "cells.h5ad"
    X = sparse.random_array((3000, 5), density=0.5, format="csr", rng=np.random.default_rng(0))
    anndata.AnnData(X).write_h5ad(path)
    with h5py.File(path, "r+") as stored:
        stored["X/indptr"][1000] = pointer
    rows = open_large(path, ReadOptions(), memory=0).rows
    for read in (lambda: rows.take(np.arange(0, 3000, 7)), lambda: list(rows.chunks(100))):
        with pytest.raises(FileProblem, match=r"cells\.h5ad cannot be read"):
            read()


def test_whatever_a_part_leads_to_is_told_of_the_file(tmp_path) -> None:
    path = tmp_path / "cells.h5ad"
    X = sparse.random_array((9, 5), density=0.5, format="csr", rng=np.random.default_rng(0))
    anndata.AnnData(X).write_h5ad(path)
    with h5py.File(path, "r+") as stored:
        pointers = stored["X/indptr"][:] > 3  # numbers are expected
        del stored["X/indptr"]
        stored["X/indptr"] = pointers
    with pytest.raises(FileProblem, match=r"cells\.h5ad cannot be read: numpy boolean"):
        open_large(path, ReadOptions(), memory=0).sample()


def test_genes_that_are_not_those_of_the_matrix(cells) -> None:
    with h5py.File(cells, "r+") as stored:
        del stored["var"]
        anndata.io.write_elem(stored, "var", pd.DataFrame(index=["a", "b"]))
    with pytest.raises(FileProblem, match="3 columns, and 2 names"):
        open_large(cells, ReadOptions(), memory=0)


def test_nominal_columns_of_a_sparse_matrix_are_read_whole(tmp_path) -> None:
    path = tmp_path / "cells.h5ad"
    X = sparse.random_array((9, 5), density=0.5, format="csr", rng=np.random.default_rng(0))
    anndata.AnnData(X).write_h5ad(path)
    assert open_large(path, ReadOptions(), memory=0, nominal=("2",)) is None


def test_what_is_known_of_cells_is_what_anndata_reads(tmp_path) -> None:
    kinds = {
        "number": [1.5, np.nan, 3.0, 4.0], "word": ["a", "b", "a", "ü"],
        "kind": pd.Categorical(["x", None, "y", "x"]), "rank": pd.Categorical([2, 1, 2, 1]),
        "gap": pd.Categorical([2, None, 2, 1]), "flag": [True, False, True, True],
        "maybe": pd.array([True, None, False, True], dtype="boolean"),
        "count": pd.array([1, None, 3, 4], dtype="Int64"),
    }  # fmt: skip
    obs = pd.DataFrame(kinds, index=list("pqrs"))
    anndata.AnnData(np.eye(4), obs=obs).write_h5ad(tmp_path / "cells.h5ad")
    data = read_file(tmp_path / "cells.h5ad")
    assert data.row_names == list("pqrs")
    for name in kinds:
        known = data.with_label(name).label
        values = [None if pd.isna(v) else v for v in obs[name]]
        numeric = name in ("number", "rank", "gap", "count")
        texts = ["" if v is None else f"{v:.17g}" if numeric else str(v) for v in values]
        assert known.texts() == texts, name
        assert (known.categories is None) == numeric
