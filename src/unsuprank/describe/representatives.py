"""Which few columns stand for all, and how many are worth their place.

Columns are picked one after the other, each explaining most of what those before it leave
unexplained, for as long as that is more than a column would by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rankers import GreedyCSS
from ..table import read_table

#: Columns of more categories are not picked, and not asked to be explained: they would have to be
#: read off a value for nearly every row, and each of their values is one more thing to explain.
MANY_NAMES = 32
#: The share of the variation that is most of it.
MOST = 0.8
#: Rows that are looked at, at most.
MAX_ROWS = 1000


@dataclass(frozen=True)
class Representatives:
    """Columns that stand for all.

    Attributes
    ----------
    columns : ndarray of int
        In the order in which they were picked; empty if none explains more than by chance.
    explained : ndarray
        Share of the variation of all columns but those left out that the picks up to each explain.
    left_out : ndarray of int
        Columns of too many categories.
    n_rows : int
        Rows that were looked at.
    complete : bool
        Whether the picks ended because the next was no more than chance, not because of a limit.
    """

    columns: np.ndarray
    explained: np.ndarray
    left_out: np.ndarray
    n_rows: int
    complete: bool = True

    @property
    def few(self) -> int:
        """How many of the columns explain most of the variation; all of them if none do."""
        enough = np.flatnonzero(self.explained >= MOST)
        return int(enough[0]) + 1 if len(enough) else len(self.columns)


def find_representatives(X: Any, seed: int = 0) -> Representatives:
    """Pick the columns that stand for all others.

    Parameters
    ----------
    X : array-like, DataFrame or Table
    seed : int, default=0
        Of the sample of rows, where there are more than a thousand.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank.describe import find_representatives
    >>> x, y = np.random.default_rng(0).normal(size=(2, 50))
    >>> len(find_representatives(np.column_stack([x, 2 * x, y, x - y, -x])).columns)
    2
    """
    table = read_table(X)
    kept = np.flatnonzero(table.n_values <= MANY_NAMES)
    left_out = np.flatnonzero(table.n_values > MANY_NAMES)
    rows = table.sample_rows(MAX_ROWS, seed)
    if not len(kept):
        return Representatives(kept, np.empty(0), left_out, len(rows))
    css = GreedyCSS(n_features_to_select="auto").fit(table.take(rows, kept))
    picks, explained = (found[: css.n_features_] for found in (css.picks_, css.explained_))
    complete = len(picks) < min(css.n_picks, len(kept))
    return Representatives(kept[picks], explained, left_out, len(rows), complete)
