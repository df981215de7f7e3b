"""What a fitted ranker tells about itself, or about the one that it wraps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ranker import Ranker
from ..table import Table, read_table


def parameters_called(ranker: Ranker, name: str) -> list[str]:
    """Keys of a parameter, of the ranker itself or of one that it wraps."""
    return [key for key in ranker.get_params() if key.split("__")[-1] == name]


def n_trees(ranker: Ranker) -> int | None:
    """Trees of a fitted forest, or of one that was asked for by number."""
    forest: Any = getattr(ranker, "ranker_", ranker)
    count = getattr(forest, "n_estimators_", getattr(forest, "n_estimators", None))
    return int(count) if isinstance(count, (int, np.integer)) else None


def names_of(ranker: Ranker) -> list[str]:
    """Names of the columns that a ranker was fitted on; x0, x1, ... where nothing names them."""
    names = getattr(ranker, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(len(ranker.scores_))]
    return [str(name) for name in names]


def read_for(ranker: Ranker, X: Any) -> Table:
    """Read the table that a ranker was fitted on, with the nominal columns that it was told of."""
    table = read_as_told(ranker, X)
    if table.n_columns != len(ranker.scores_):
        raise ValueError(
            f"X has {table.n_columns} columns, but {len(ranker.scores_)} were ranked; give the "
            "table that the ranker was fitted on."
        )
    return table


def read_as_told(ranker: Ranker, X: Any) -> Table:
    """Read a table with the nominal columns that a ranker was told of, fitted or not."""
    told = [ranker.get_params()[key] for key in parameters_called(ranker, "nominal_features")]
    return read_table(X, nominal_features=next((t for t in told if t is not None), None))
