"""What is known of columns as a pandas DataFrame, one row per column of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
