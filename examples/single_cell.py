"""Genes that tell cells apart, without clusters or labels.

    python examples/single_cell.py [cells.h5ad]

Without a file, a small data set with three kinds of cells is simulated. With one, its raw
matrix is ranked where it has one.
"""

import sys
import warnings

import anndata
import numpy as np

from unsuprank import sc


def simulated() -> anndata.AnnData:
    rng = np.random.default_rng(0)
    kinds = rng.integers(3, size=200)
    rate = np.full((3, 300), 0.5)
    for kind in range(3):
        rate[kind, 20 * kind : 20 * kind + 20] = 6.0  # twenty genes mark each kind
    adata = anndata.AnnData(np.log1p(rng.poisson(rate[kinds])).astype(np.float32))
    adata.var_names = [f"marker{j}" if j < 60 else f"other{j}" for j in range(300)]
    return adata


if len(sys.argv) > 1:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # files of old versions are fine
        cells = anndata.read_h5ad(sys.argv[1])
else:
    cells = simulated()

sc.rank_genes(cells, "genie3", use_raw=cells.raw is not None, n_top_genes=50)
best = cells.var.sort_values("unsuprank_rank").head(15)
print(best[["unsuprank_score", "unsuprank_rank"]].to_string())
