"""For single-cell work: rank the genes of an AnnData the way scanpy's functions are called.

What is written has the names that scanpy's ``pp.highly_variable_genes`` writes, so that whatever
comes after it (``pp.pca``, ``pp.neighbors``, integration) finds the genes that were chosen here.

Batches are ranked apart and combined as scanpy's flavour ``"seurat_v3"`` combines them: a gene's
rank is the median of its ranks in those batches in which it is among the best `n_top_genes`, and of
equal ones the gene comes first that is so in more batches. Genes that do not vary in a batch are
not ranked in it.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from . import registry
from .describe import rank_scores
from .io import FileProblem, align_to_genes, fit_settings, read_anndata
from .ranker import Ranker
from .table import Table

if TYPE_CHECKING:
    import pandas as pd

#: Genes that are chosen if nobody says how many, as scanpy does.
N_TOP_GENES = 2000


def rank_genes(
    adata: Any,
    method: str | Ranker = registry.DEFAULT,
    *,
    n_top_genes: int | None = None,
    layer: str | None = None,
    use_raw: bool = False,
    batch_key: str | None = None,
    subset: bool = False,
    inplace: bool = True,
    key_added: str = "unsuprank",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame | None:
    """Rank genes without labels, and mark the best as highly variable.

    Parameters
    ----------
    adata : AnnData
    method : str or Ranker, default="shared-variance"
        A name that `unsuprank methods` lists, or a ranker with settings of your own.
    n_top_genes : int, optional
        How many genes to mark; 2,000, or all that vary if there are fewer, by default.
    layer, use_raw
        Which matrix to rank; ``adata.X`` by default. Of ``raw``, genes count that are in
        ``adata.var``. A sparse one stays so if the method can take it.
    batch_key : str, optional
        Column of ``adata.obs``. Batches are ranked apart and combined; those of a single cell, and
        cells without a batch, are left out.
    subset : bool, default=False
        Keep the marked genes only.
    inplace : bool, default=True
        Write to `adata`, or return a DataFrame instead.
    key_added : str, default="unsuprank"
    random_state, n_jobs
        For a method that is given by name. A forest by name grows until the genes that it marks
        are stable when the seed changes, within a bound (``n_estimators="auto"``).

    Returns
    -------
    DataFrame or None
        With `inplace`, these columns of ``adata.var`` are set, and the settings are in
        ``adata.uns["<key>"]``:

        - ``highly_variable``: whether the gene is among the best
        - ``highly_variable_rank``: median of its ranks, from 0 on, in batches where it is among
          the best; missing where there is none
        - ``highly_variable_nbatches``: number of these batches; with `batch_key` only
        - ``<key>_score``: its score, the mean over batches where there are several
        - ``<key>_rank``: its place among all genes, from 1 on

    Examples
    --------
    >>> import numpy as np, anndata
    >>> from unsuprank import sc
    >>> adata = anndata.AnnData(np.random.default_rng(0).poisson(2.0, size=(30, 5)) * 1.0)
    >>> sc.rank_genes(adata, "variance", n_top_genes=2)
    >>> int(adata.var["highly_variable"].sum())
    2
    """
    if isinstance(method, str):
        n_top = n_top_genes or N_TOP_GENES
        method = registry.make(method, seed=random_state, n_jobs=n_jobs, n_top=n_top)
    data = read_anndata(adata, layer=layer, raw=use_raw)
    table = data.table(sparse=method.takes_sparse)
    batches = _score_batches(method, table, _batches(adata, batch_key))
    scores, ranks = (align_to_genes(adata, table.names, part) for part in batches)
    found = _combine(ranks, scores.mean(axis=0), n_top_genes or N_TOP_GENES, key_added)
    if batch_key is None:
        del found["highly_variable_nbatches"]
    if not inplace:
        import pandas as pd

        frame = pd.DataFrame(found, index=adata.var_names)
        return frame[frame["highly_variable"]] if subset else frame
    for name, values in found.items():
        adata.var[name] = values
    adata.uns[key_added] = fit_settings(
        method, layer=layer, raw=use_raw, batch_key=batch_key, random_state=random_state
    )
    if subset:
        adata._inplace_subset_var(found["highly_variable"])
    return None


def _batches(adata: Any, batch_key: str | None) -> list[np.ndarray]:
    """Rows of each batch; all rows where there are no batches."""
    if batch_key is None:
        return [np.arange(adata.n_obs)]
    if batch_key not in adata.obs:
        known = ", ".join(map(str, adata.obs)) or "none"
        raise FileProblem(f"adata.obs has no column {batch_key!r}; its columns: {known}")
    groups = adata.obs.reset_index(drop=True).groupby(batch_key, observed=True)
    return [np.asarray(rows) for rows in groups.indices.values()]


def _score_batches(
    ranker: Ranker, table: Table, batches: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ranks of the genes in every batch that can be ranked; NaN if they do not vary."""
    found, places, reason = [], [], "no gene varies in them"
    for rows in batches:
        part = table.take(rows=rows)
        if not part.varies.any():
            continue
        try:
            fitted = clone(ranker).fit(part)
        except ValueError as error:  # too few cells for this method
            reason = str(error)
            continue
        found.append(fitted.scores_)
        places.append(np.where(part.varies, fitted.ranking_, np.nan))
    if not found:
        raise FileProblem(f"no batch can be ranked: {reason}")
    if len(found) < len(batches):
        left = len(batches) - len(found)
        warnings.warn(f"{left} of {len(batches)} batches are left out: {reason}", stacklevel=3)
    return np.array(found), np.array(places)


def _combine(ranks: np.ndarray, scores: np.ndarray, n_top: int, key: str) -> dict[str, np.ndarray]:
    """Combine the ranks of batches (rows) as scanpy does, to columns of ``adata.var``.

    See the prose of the module; genes that were not ranked have no place among all.
    """
    places = np.where(np.isnan(ranks), np.nan, rank_scores(-ranks) - 1.0)
    n_batches = (places < n_top).sum(axis=0)
    rank = _median(np.where(places < n_top, places, np.nan))
    order = np.lexsort((_median(places), -n_batches, rank))  # missing ranks come last
    place, missing = np.argsort(order) + 1, np.isnan(scores)
    return {
        "highly_variable": (place <= n_top) & (n_batches > 0),
        "highly_variable_rank": rank,
        "highly_variable_nbatches": n_batches,
        f"{key}_score": scores,
        f"{key}_rank": np.where(missing, np.nan, place) if missing.any() else place,
    }


def _median(values: np.ndarray) -> np.ndarray:
    """Median of what is known of each column; NaN where nothing is."""
    return np.ma.median(np.ma.masked_invalid(values), axis=0).filled(np.nan)
