"""AnnData files of single-cell work: read a matrix of them, write scores back."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .._version import __version__
from ..ranker import Ranker
from .data_file import (
    DataFile,
    FileProblem,
    ReadOptions,
    matrix_columns,
    unique_names,
    wrap_errors,
)
from .locked_door import parse
from .write import atomic_path


def read_h5ad(path: Path, source: str, options: ReadOptions) -> DataFile:
    """Read the matrix of an .h5ad file that the options name; X by default."""
    layer, raw = options.layer, options.raw
    found = parse("h5ad", path, source, layer=layer, raw=raw)
    if found["raw"] is not None:
        found["raw"] = SimpleNamespace(**found["raw"])
    return read_anndata(SimpleNamespace(**found), layer=layer, raw=raw, source=source)


def read_anndata(
    adata: Any, *, layer: str | None = None, raw: bool = False, source: str = "adata"
) -> DataFile:
    """Read a layer, the raw matrix or (by default) X of an AnnData; ``obs`` stands beside it."""
    matrix, names = _pick_matrix(adata, layer=layer, raw=raw, source=source)
    columns = matrix_columns(matrix, list(names), source)
    what = "raw" if raw else f"layer {layer!r}" if layer else "X"
    rows = [str(n) for n in adata.obs_names]
    return DataFile(source, columns, rows, [f"read {what}"], beside=adata.obs, row_title="cell")


def _pick_matrix(adata: Any, *, layer: str | None, raw: bool, source: str) -> tuple[Any, Any]:
    """Find the matrix that is asked for and the names of its columns."""
    if raw and layer:
        raise FileProblem("choose either a layer or raw, not both")
    if raw:
        if adata.raw is None:
            raise FileProblem(f"{source} has no raw matrix; leave out --raw")
        return adata.raw.X, adata.raw.var_names
    if layer:
        if layer not in adata.layers:
            named = (name for name in adata.layers if name is not None)  # newer ones count X
            known = ", ".join(named) or "none"
            raise FileProblem(f"{source} has no layer {layer!r}; its layers: {known}")
        return adata.layers[layer], adata.var_names
    if adata.X is None:
        raise FileProblem(f"{source} has no X; choose a layer with --layer, or --raw")
    return adata.X, adata.var_names


def align_to_genes(adata: Any, names: list[str], values: np.ndarray) -> np.ndarray:
    """Bring values of ranked columns, along the last axis, into the order of ``adata.var``.

    Genes are known by the `names` of the columns that were ranked, which differ where those of
    the AnnData repeat. Genes that were ranked but are not in ``adata.var`` (those of ``raw``) are
    left out; genes that were not ranked get a missing value.
    """
    genes = unique_names(list(adata.var_names))
    if genes == names:  # where all were ranked, whole numbers stay such
        return values
    place = {name: j for j, name in enumerate(names)}
    found = np.array([place.get(gene, -1) for gene in genes])
    return np.where(found >= 0, values[..., found], np.nan)


def fit_settings(ranker: Ranker, *, layer: str | None, raw: bool, **more: Any) -> dict[str, Any]:
    """Say for ``adata.uns`` what made a ranking: the method, and the matrix that was ranked."""
    matrix = "raw" if raw else f"layers/{layer}" if layer else "X"
    params = {"method": type(ranker).__name__, "version": __version__, "matrix": matrix, **more}
    return {"params": {name: value for name, value in params.items() if value is not None}}


def add_scores(
    path: Path, names: list[str], ranker: Ranker, options: ReadOptions, key: str = "unsuprank"
) -> None:
    """Put scores and ranks of a file's genes into the file; a failure leaves it as it was."""
    parse("hdf5", path, path.name)
    with warnings.catch_warnings(), wrap_errors(f"{path.name} is not a readable .h5ad file"):
        warnings.simplefilter("ignore")  # files of old versions are fine
        import anndata

        adata = anndata.read_h5ad(path)
    adata.var[f"{key}_score"] = align_to_genes(adata, names, ranker.scores_)
    adata.var[f"{key}_rank"] = align_to_genes(adata, names, ranker.ranking_)
    adata.uns[key] = fit_settings(ranker, layer=options.layer, raw=options.raw)
    with atomic_path(path) as temporary:
        adata.write_h5ad(temporary)
