"""Genes of an AnnData ranked the way scanpy's functions are called."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unsuprank import Genie3, VarianceRanker, sc
from unsuprank.io import FileProblem

anndata = pytest.importorskip("anndata")


def counts(n_cells=60, n_genes=12, seed=0):
    """Counts in which each gene varies more than the one before; the last is all zero."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(n_cells, n_genes)) * np.arange(1.0, n_genes + 1)
    X[:, -1] = 0.0
    return anndata.AnnData(sparse.csr_matrix(X))


def test_rank_genes():
    adata = counts()
    expected = VarianceRanker().fit(adata.X.toarray())
    frame = sc.rank_genes(adata, VarianceRanker(), n_top_genes=2, inplace=False)
    assert list(adata.var.columns) == []
    np.testing.assert_allclose(frame["unsuprank_score"], expected.scores_, rtol=1e-12)
    np.testing.assert_array_equal(frame["unsuprank_rank"], expected.ranking_)
    np.testing.assert_array_equal(frame["highly_variable"], expected.ranking_ <= 2)
    assert sorted(frame["highly_variable_rank"].dropna()) == [0, 1]
    assert "highly_variable_nbatches" not in frame
    only = sc.rank_genes(adata, VarianceRanker(), n_top_genes=2, inplace=False, subset=True)
    assert len(only) == 2
    assert sc.rank_genes(adata, "variance", key_added="v") is None
    np.testing.assert_array_equal(adata.var["v_rank"], expected.ranking_)
    assert adata.var["highly_variable"].tolist() == [True] * 11 + [False]  # what does not vary


def test_settings_say_which_matrix_was_ranked():
    adata = counts()
    adata.raw = adata
    adata.layers["twice"] = adata.X * 2
    for options, matrix in [
        ({}, "X"),
        ({"use_raw": True}, "raw"),
        ({"layer": "twice"}, "layers/twice"),
    ]:
        sc.rank_genes(adata, "variance", **options)
        assert adata.uns["unsuprank"]["params"]["matrix"] == matrix
    assert adata.uns["unsuprank"]["params"]["method"] == "VarianceRanker"


def test_a_forest_by_name_settles_the_genes_that_it_marks():
    adata = counts()
    sc.rank_genes(adata, "genie3", n_top_genes=3)
    settled = Genie3("auto", n_features_to_select=3, random_state=0).fit(adata)
    assert settled.converged_
    np.testing.assert_array_equal(adata.var["unsuprank_score"], settled.scores_)


def test_subset():
    adata = counts()
    sc.rank_genes(adata, "variance", n_top_genes=3, subset=True)
    assert adata.n_vars == 3
    assert adata.var["highly_variable"].all()


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_genes_of_the_same_name_keep_their_own_scores():
    X = np.random.default_rng(0).normal(size=(20, 4)) * [1.0, 4.0, 2.0, 3.0]
    adata = anndata.AnnData(X)
    adata.var_names = ["a", "b", "a", "a"]
    sc.rank_genes(adata, "variance")
    assert adata.var["unsuprank_rank"].tolist() == [4, 1, 3, 2]


def test_genes_that_were_not_ranked_have_no_score():
    X = np.random.default_rng(0).normal(size=(20, 3))
    adata = anndata.AnnData(X)
    adata.raw = adata[:, ["0", "2"]].copy()
    sc.rank_genes(adata, "variance", use_raw=True)
    assert adata.var["unsuprank_rank"].isna().tolist() == [False, True, False]
    assert adata.var["highly_variable"].tolist() == [True, False, True]


def combined_as_scanpy_does(scores, n_top):
    """The lines of scanpy's flavour seurat_v3 that combine batches, in pandas."""
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1).astype(float)
    n_batches = (ranks < n_top).sum(axis=0)
    ranks[ranks >= n_top] = np.nan
    median = np.ma.median(np.ma.masked_invalid(ranks), axis=0).filled(np.nan)
    frame = pd.DataFrame({"rank": median, "batches": n_batches})
    order = frame.sort_values(["rank", "batches"], ascending=[True, False], na_position="last")
    frame["chosen"] = False
    frame.loc[order.index[:n_top], "chosen"] = True
    return frame


@pytest.mark.parametrize("n_batches", [1, 2, 5])
@pytest.mark.parametrize("seed", range(5))
def test_batches_are_combined_as_scanpy_does(n_batches, seed):
    rng = np.random.default_rng(seed)
    adata = anndata.AnnData(rng.normal(size=(60, 30)) * rng.uniform(1, 2, 30))
    batch = np.arange(60) % n_batches
    adata.obs["batch"] = pd.Categorical(batch.astype(str))
    scores = np.array([adata.X[batch == b].var(axis=0) for b in range(n_batches)])
    expected = combined_as_scanpy_does(scores, 8)
    found = sc.rank_genes(adata, "variance", n_top_genes=8, batch_key="batch", inplace=False)
    np.testing.assert_array_equal(found["highly_variable_rank"], expected["rank"])
    np.testing.assert_array_equal(found["highly_variable_nbatches"], expected["batches"])
    ties = expected["rank"].duplicated(keep=False) & expected["rank"].notna()
    clear = ~ties.to_numpy()
    np.testing.assert_array_equal(found["highly_variable"][clear], expected["chosen"][clear])
    assert found["highly_variable"].sum() == 8
    np.testing.assert_allclose(found["unsuprank_score"], scores.mean(axis=0))


@pytest.mark.parametrize("method", ["variance", "genie3", "css", "urelief", "laplacian"])
def test_odd_batches_never_crash(method):
    """A hundred batches, one of a single cell, one of zeros, some cells without a batch."""
    adata = counts(300)
    batch = np.array([f"b{i % 100}" for i in range(300)], dtype=object)
    batch[batch == "b7"] = "b8"
    batch[7] = "b7"
    batch[:3] = None
    adata.obs["batch"] = batch
    dense = adata.X.toarray()
    dense[batch == "b9"] = 0.0
    adata.X = dense
    ranker = Genie3(10, random_state=0) if method == "genie3" else method
    with pytest.warns(UserWarning, match="of 100 batches are left out"):
        sc.rank_genes(adata, ranker, n_top_genes=4, batch_key="batch")
    assert adata.var["highly_variable"].sum() == 4
    assert not adata.var["highly_variable"].iloc[-1]
    assert adata.var["highly_variable_nbatches"].max() <= 98


def test_batches_that_cannot_be_ranked():
    adata = counts(3)
    adata.obs["batch"] = list("abc")
    with pytest.raises(FileProblem, match="no batch can be ranked"):
        sc.rank_genes(adata, "variance", batch_key="batch")
    with pytest.raises(FileProblem, match="no column 'sample'; its columns: batch"):
        sc.rank_genes(adata, "variance", batch_key="sample")


@pytest.mark.data
def test_scanpy_goes_on_from_here(data_dir):
    scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed")
    pytest.importorskip("igraph", reason="igraph is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is of an old version, and others have theirs
        adata = anndata.read_h5ad(data_dir / "singlecell" / "10x_pbmc68k_reduced.h5ad")
        sc.rank_genes(adata, "shared-variance", n_top_genes=200, batch_key="phase")
        scanpy.pp.pca(adata, n_comps=20)
        scanpy.pp.neighbors(adata, method="gauss")  # the default compiles for a while
        scanpy.tl.leiden(adata, flavor="igraph", n_iterations=2, directed=False)
    used = np.abs(adata.varm["PCs"]).sum(axis=1) > 0
    np.testing.assert_array_equal(used, adata.var["highly_variable"])
    assert used.sum() == 200
    assert adata.obs["leiden"].nunique() > 3
