"""For single-cell work: rank the genes of an AnnData the way scanpy's functions are called."""

from __future__ import annotations

from typing import Any

from . import registry
from .io import read_anndata, store_scores
from .ranker import Ranker


def rank_genes(
    adata: Any,
    method: str | Ranker = registry.DEFAULT,
    *,
    layer: str | None = None,
    use_raw: bool = False,
    n_top_genes: int | None = None,
    key_added: str = "unsuprank",
    random_state: int = 0,
    n_jobs: int | None = None,
    copy: bool = False,
) -> Any:
    """Rank genes without labels.

    Parameters
    ----------
    adata : AnnData
    method : str or Ranker, default="genie3"
        A name that `unsuprank methods` lists, or a ranker with settings of your own.
    layer, use_raw
        Which matrix to rank; ``adata.X`` by default.
    n_top_genes : int, optional
        Also mark that many of the best genes, in ``adata.var["<key>_selected"]``.
    key_added : str, default="unsuprank"
    random_state, n_jobs
        For a method that is given by name.
    copy : bool, default=False
        Return a changed copy instead of changing `adata`.

    Returns
    -------
    AnnData or None
        ``adata.var["<key>_score"]`` and ``adata.var["<key>_rank"]`` (1 is best), and the
        settings in ``adata.uns["<key>"]``.

    Examples
    --------
    >>> import numpy as np, anndata
    >>> from unsuprank import sc
    >>> adata = anndata.AnnData(np.random.default_rng(0).poisson(2.0, size=(30, 5)) * 1.0)
    >>> sc.rank_genes(adata, "variance")
    >>> sorted(adata.var["unsuprank_rank"])
    [1, 2, 3, 4, 5]
    """
    adata = adata.copy() if copy else adata
    table = read_anndata(adata, layer=layer, raw=use_raw).table()
    ranker = method
    if isinstance(ranker, str):
        ranker = registry.make(ranker, seed=random_state, n_jobs=n_jobs)
    settings = {"layer": layer or "X", "use_raw": use_raw, "random_state": random_state}
    store_scores(adata, table.names, ranker.fit(table), settings, key_added)
    if n_top_genes is not None:
        rank = adata.var[f"{key_added}_rank"].to_numpy()
        adata.var[f"{key_added}_selected"] = rank <= n_top_genes
    return adata if copy else None
