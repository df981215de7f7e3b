"""What a fitted ranker tells about itself, or about the one that it wraps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ranker import Ranker
from ..table import Table, read_table


def parameters_called(ranker: Ranker, name: str) -> list[str]:
    """Keys of a parameter, of the ranker itself or of one that it wraps."""
    return [key for key in ranker.get_params() if key.split("__")[-1] == name]


def forest_in(ranker: Ranker) -> Any:
    """The forest that a fitted ranker is, or that it wraps; None if there is none."""
    inner = getattr(ranker, "ranker_", ranker)
    return inner if hasattr(inner, "n_estimators_") else None


def how_stable(forest: Any) -> str:
    """How far a forest has come that decides on its size itself.

    Nothing if its size was given, or if all columns are selected.
    """
    top = int(forest.get_support().sum())
    if forest.stability_ is None or top == len(forest.scores_):
        return ""
    shared = f"two forests like this would share about {forest.stability_:.0%} of their top {top}"
    if forest.converged_:
        return f"{forest.n_estimators_:,} trees: {shared}"
    most = f"{forest.n_estimators_:,} trees, the most for a table of this size"
    return f"{most}: {shared}, not {forest.stability:.0%}"


def n_plain_trees(ranker: Ranker) -> float | None:
    """How many plain trees take as long as a fitted forest, or as one of a given number."""
    forest = forest_in(ranker) or ranker
    count = getattr(forest, "spent_", getattr(forest, "n_estimators", None))
    return float(count) if isinstance(count, (int, float, np.integer)) else None


def names_of(ranker: Ranker) -> list[str]:
    """Names of the columns that a ranker was fitted on; x0, x1, ... where nothing names them."""
    names = getattr(ranker, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(len(ranker.scores_))]
    return [str(name) for name in names]


def known_of_columns(ranker: Ranker) -> dict[str, np.ndarray]:
    """What a fitted ranker has found about columns besides their scores, in their order."""
    found = {}
    for attribute, name in ranker.column_facts.items():
        values = getattr(ranker, attribute)
        if values.ndim == 1:
            found[name] = values
        else:
            found[f"{name}_low"], found[f"{name}_high"] = values.T
    return found


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
