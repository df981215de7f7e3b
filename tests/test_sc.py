"""Genes of an AnnData ranked the way scanpy's functions are called."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unsuprank import VarianceRanker, sc

anndata = pytest.importorskip("anndata")


def test_rank_genes():
    X = np.random.default_rng(0).poisson(1.0, size=(30, 5)) * np.arange(1.0, 6)
    adata = anndata.AnnData(sparse.csr_matrix(X))
    expected = VarianceRanker().fit(X)
    changed = sc.rank_genes(adata, VarianceRanker(), n_top_genes=2, copy=True)
    assert "unsuprank_rank" not in adata.var
    np.testing.assert_array_equal(changed.var["unsuprank_score"], expected.scores_)
    np.testing.assert_array_equal(changed.var["unsuprank_rank"], expected.ranking_)
    assert changed.var["unsuprank_selected"].sum() == 2
    assert sc.rank_genes(adata, "variance", key_added="v") is None
    np.testing.assert_array_equal(adata.var["v_rank"], expected.ranking_)
    assert adata.uns["v"]["params"]["method"] == "VarianceRanker"


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
