"""A fitted ranking as a pandas DataFrame, and as a notebook shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from ..ranker import Ranker
from .fitted import known_of_columns, names_of


def as_frame(found: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> Any:
    """Make a DataFrame of columns, or of rows."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "A frame needs pandas, which is not installed: pip install pandas."
        ) from None
    return pd.DataFrame(found)


def ranking_frame(ranker: Ranker) -> Any:
    """Put all that a fitted ranker has found about single columns into a DataFrame, best first.

    Parameters
    ----------
    ranker : fitted ranker

    Returns
    -------
    DataFrame
        That of :meth:`Ranker.to_frame`.

    Examples
    --------
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import ranking_frame
    >>> ranking_frame(VarianceRanker(n_features_to_select=1).fit([[1, 0], [2, 8]]))
      feature  rank  score  selected
    0      x1     1  16.00      True
    1      x0     2   0.25     False
    """
    found: dict[str, np.ndarray] = {
        "feature": np.array(names_of(ranker), dtype=object),
        "rank": ranker.ranking_,
        "score": ranker.scores_,
        "selected": ranker.get_support(),
        **known_of_columns(ranker),
    }
    return as_frame({name: values[ranker.order_] for name, values in found.items()})


_CELL = 'style="text-align:left;padding:1px 12px 1px 0"'


def top_of_ranking(ranker: Ranker, most: int = 10) -> str:
    """Show the best columns as a small HTML table; names are escaped."""
    names, best = names_of(ranker), ranker.order_[:most]
    top = float(ranker.scores_[best[0]])
    rows = []
    for rank, j in enumerate(best.tolist(), 1):
        share = max(0.0, float(ranker.scores_[j]) / top) if top > 0 else 0.0
        bar = f'<div style="background:#0072B2;height:.7em;width:{100 * share:.0f}px"></div>'
        cells = (str(rank), escape(names[j][:80]), f"{ranker.scores_[j]:.4g}", bar)
        rows.append("<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in cells) + "</tr>")
    return (
        f"<b>{escape(type(ranker).__name__)}</b>: the top {len(best)} of {len(names):,} columns"
        f"<table><tr><th {_CELL}>rank</th><th {_CELL}>feature</th><th {_CELL}>score</th><th></th>"
        f"</tr>{''.join(rows)}</table>"
    )
