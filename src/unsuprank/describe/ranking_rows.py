"""Rankings as rows of a table, best first, for files and screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ranker import Ranker
from .fitted import known_of_columns, read_for
from .summary import summarise_columns


def score_rows(ranker: Ranker, X: Any) -> list[dict[str, Any]]:
    """Put a ranking and the summary of its columns into rows, best first.

    Parameters
    ----------
    ranker : fitted ranker
    X : array-like, DataFrame or Table
        What the ranker was fitted on.

    Returns
    -------
    list of dict
        With the keys feature, rank, score, what else the ranker knows (as :meth:`Ranker.to_frame`
        calls it), mean, mode, spread, missing and zero; None where there is nothing to say.

    Examples
    --------
    >>> import pandas as pd
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import score_rows
    >>> frame = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 8.0]})
    >>> score_rows(VarianceRanker().fit(frame), frame)[0]["feature"]
    'b'
    """
    table = read_for(ranker, X)
    summary = vars(summarise_columns(table))
    columns = {
        "feature": np.array(table.names, dtype=object),
        "rank": ranker.ranking_,
        "score": ranker.scores_,
        **known_of_columns(ranker),
        **{key: summary[key] for key in ("mean", "mode", "spread", "missing", "zero")},
    }
    rows = zip(*(values[ranker.order_].tolist() for values in columns.values()), strict=True)
    # NaN, which is no number, is nothing to say.
    return [{k: v if v == v else None for k, v in zip(columns, row, strict=True)} for row in rows]


def rank_rows(names: Sequence[str], fitted: Mapping[str, Ranker]) -> list[dict[str, Any]]:
    """Put several rankings of the same columns side by side, best on average first.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    fitted : mapping of method names to fitted rankers

    Returns
    -------
    list of dict
        With the keys feature and mean_rank, and for every method its rank and its score.

    Examples
    --------
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import rank_rows
    >>> rank_rows(["a", "b"], {"variance": VarianceRanker().fit([[1, 0], [2, 8]])})[0]
    {'feature': 'b', 'mean_rank': 1.0, 'variance_rank': 1, 'variance_score': 16.0}
    """
    mean = np.mean([r.ranking_ for r in fitted.values()], axis=0)
    best = np.argsort(mean, kind="stable").tolist()
    rows = [{"feature": names[j], "mean_rank": float(mean[j])} for j in best]
    for name, ranker in fitted.items():
        for row, j in zip(rows, best, strict=True):
            row[f"{name}_rank"] = int(ranker.ranking_[j])
            row[f"{name}_score"] = float(ranker.scores_[j])
    return rows
