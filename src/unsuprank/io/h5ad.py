"""AnnData files of single-cell work: read a matrix of them, write scores back."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from .data_file import DataFile, FileProblem, densify, numeric_columns


def read_h5ad(path: Path, source: str, *, layer: str | None = None, raw: bool = False) -> DataFile:
    adata = open_h5ad(path, source)
    matrix, names = pick_matrix(adata, layer=layer, raw=raw, source=source)
    columns = numeric_columns(densify(matrix, source), list(names))
    what = "raw" if raw else f"layer {layer!r}" if layer else "X"
    return DataFile(source, columns, [str(n) for n in adata.obs_names], [f"read {what}"])


def open_h5ad(path: Path, source: str) -> Any:
    try:
        import anndata
    except ImportError:
        raise FileProblem(
            f"{source}: .h5ad needs anndata; pip install 'unsuprank[io]' to read it"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # files of old versions are fine
            return anndata.read_h5ad(path)
    except Exception as error:  # h5py and anndata raise many kinds
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileProblem(f"{source} is not a readable .h5ad file: {first}") from None


def pick_matrix(adata: Any, *, layer: str | None, raw: bool, source: str) -> tuple[Any, Any]:
    """The matrix that is asked for and the names of its columns."""
    if raw and layer:
        raise FileProblem("choose either a layer or raw, not both")
    if raw:
        if adata.raw is None:
            raise FileProblem(f"{source} has no raw matrix; leave out --raw")
        return adata.raw.X, adata.raw.var_names
    if layer:
        if layer not in adata.layers:
            known = ", ".join(adata.layers) or "none"
            raise FileProblem(f"{source} has no layer {layer!r}; its layers: {known}")
        return adata.layers[layer], adata.var_names
    if adata.X is None:
        raise FileProblem(f"{source} has no X; choose a layer with --layer, or --raw")
    return adata.X, adata.var_names


def store_scores(
    adata: Any, names: list[str], ranker: Any, settings: dict[str, Any], key: str = "unsuprank"
) -> None:
    """Put scores and ranks into ``adata.var``, and the settings into ``adata.uns``.

    Genes that were ranked but are not in ``adata.var`` (those of ``raw``) are left out there;
    genes that were not ranked get a missing value.
    """
    import pandas as pd

    found = pd.DataFrame({"score": ranker.scores_, "rank": ranker.ranking_}, index=names)
    if list(adata.var_names) != list(names):  # equal lists may repeat a name
        found = found[~found.index.duplicated()].reindex(adata.var_names)
    for what in ("score", "rank"):
        adata.var[f"{key}_{what}"] = found[what].to_numpy()
    adata.uns[key] = {"params": settings}


def write_h5ad(adata: Any, path: Path) -> None:
    """Replace the file in one step, so that a failure leaves the old one whole."""
    handle, name = tempfile.mkstemp(suffix=".h5ad", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        adata.write_h5ad(temporary)
        temporary.chmod(path.stat().st_mode if path.exists() else 0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
