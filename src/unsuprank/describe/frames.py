"""What is known of columns as a pandas DataFrame, one row per column of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ranker import Ranker
from .fitted import names_of


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
    """All that a fitted ranker has found about single columns, best first."""
    found: dict[str, np.ndarray] = {
        "feature": np.array(names_of(ranker), dtype=object),
        "rank": ranker.ranking_,
        "score": ranker.scores_,
        "selected": ranker.get_support(),
    }
    for attribute, name in ranker.column_facts.items():
        values = getattr(ranker, attribute)
        if values.ndim == 1:
            found[name] = values
        else:
            found[f"{name}_low"], found[f"{name}_high"] = values.T
    return as_frame({name: values[ranker.order_] for name, values in found.items()})
