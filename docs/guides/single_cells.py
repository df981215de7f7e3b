"""
Single cells with scanpy: from counts to clusters, with batches
===============================================================

Which genes should principal components, neighbours and clusters be made of? ``sc.rank_genes``
writes what scanpy's ``highly_variable_genes`` writes, so that everything after it goes on as usual.
"""

# %%
# This page needs scanpy and igraph besides: ``pip install scanpy igraph``.
#
# Counts are made here, so that the answer is known: 600 cells of four kinds in two batches, 1,500
# genes. Eighty genes mark the kinds. Another 60 differ between the batches: they vary a lot and
# tell nothing of the cells.
import anndata
import numpy as np
import pandas as pd
from scipy import sparse

rng = np.random.default_rng(0)
n_cells, n_genes = 600, 1500
kind, batch = rng.integers(4, size=n_cells), rng.integers(2, size=n_cells)
rate = np.tile(rng.gamma(0.6, 0.8, size=n_genes), (n_cells, 1))
for k in range(4):
    rate[:, 20 * k : 20 * k + 20] = np.where(kind[:, None] == k, 3.0, 0.4)
rate[:, 80:140] *= np.where(batch[:, None] == 1, 6.0, 1.0)
depth = rng.lognormal(sigma=0.3, size=(n_cells, 1))
cells = anndata.AnnData(
    sparse.csr_matrix(rng.poisson(rate * depth).astype(np.float32)),
    obs=pd.DataFrame(
        {"kind": kind.astype(str), "batch": np.array(["first", "second"])[batch]},
        index=[f"cell{i}" for i in range(n_cells)],
    ),
    var=pd.DataFrame(index=[f"gene{j}" for j in range(n_genes)]),
)
role = np.array(["marker"] * 80 + ["batch"] * 60 + ["other"] * (n_genes - 140))

# %%
# Normalise as usual
# ------------------
# Counts that are not normalised are ranked without a word, and what genes then share is the depth
# of the cells: genes with many counts come first.
import scanpy

scanpy.settings.verbosity = 0
scanpy.pp.normalize_total(cells, target_sum=1e4)
scanpy.pp.log1p(cells)

# %%
# Rank the genes
# --------------
# The sparse matrix stays sparse. The default method ranks genes by what they share with others
# beyond chance. With ``batch_key``, batches are ranked apart and combined as scanpy does, so that
# genes that differ between batches only have nothing to share within either.
from unsuprank import sc

n_top = 80
for batch_key in (None, "batch"):
    sc.rank_genes(cells, n_top_genes=n_top, batch_key=batch_key)
    chosen = pd.Series(role[cells.var["highly_variable"]]).value_counts()
    print(f"batch_key={batch_key!s:<6} {chosen.to_dict()}")

# %%
# How many genes?
# ---------------
# ``n_top_genes`` is how many genes are marked: 2,000, or all that vary if there are fewer, unless
# you say otherwise. Here 80 were planted. There are no p-values in ``var``; look where the scores
# fall, which are standard deviations beyond chance (the mean over batches):
scores = np.sort(cells.var["unsuprank_score"])[::-1]
print({n: round(float(scores[n - 1]), 1) for n in (1, 40, 79, 80, 81, 120, 200)})

# %%
# For comparison, scanpy's own choice by dispersion:
dispersion = scanpy.pp.highly_variable_genes(
    cells, n_top_genes=n_top, batch_key="batch", inplace=False
)["highly_variable"]
print(pd.Series(role[dispersion]).value_counts().to_dict())

# %%
# The columns that were written, best first:
cells.var.sort_values("unsuprank_rank").head()

# %%
# Go on as usual
# --------------
# Only genes were chosen: the cells are not corrected for their batch.
import warnings

scanpy.pp.pca(cells, n_comps=20, random_state=0)
scanpy.pp.neighbors(cells, n_neighbors=15, use_rep="X_pca", random_state=0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of names that scanpy is about to change
    scanpy.tl.leiden(cells, flavor="igraph", n_iterations=2, resolution=0.5, random_state=0)
pd.crosstab(cells.obs["leiden"], cells.obs["kind"])

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 3, figsize=(8.4, 2.9), sharey=True)
for ax, colour in zip(axes, ("leiden", "kind", "batch"), strict=True):
    for value, part in cells.obs.groupby(colour, observed=True):
        where = cells.obs_names.get_indexer(part.index)
        ax.plot(*cells.obsm["X_pca"][where, :2].T, ".", ms=3, label=value)
    ax.set(title=colour, xlabel="PC 1")
    ax.legend(markerscale=3, fontsize="small")
axes[0].set_ylabel("PC 2")
plt.show()

# %%
# Which genes drive the clusters?
# -------------------------------
# Few markers of each cluster, with the direction; see :doc:`/guide/explain_clusters`.
from unsuprank import explain_clusters

few = cells[:, cells.var["highly_variable"]]
found = explain_clusters(few, cells.obs["leiden"].to_numpy())
for cluster, genes in found.top(4).items():
    print(cluster, ", ".join(genes))

# %%
# ``layer=`` and ``use_raw=`` name another matrix, ``method="genie3"`` grows forests until the
# genes that they mark are stable. ``unsuprank rank cells.h5ad --write`` puts score and rank into
# ``var`` of a file; ``highly_variable`` and batches are of Python only.
