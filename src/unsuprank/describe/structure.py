"""Whether the columns have to do with one another more than they would by chance.

The answer is that of :class:`~unsuprank.SharedVariance`, whichever ranking it stands beside: every
column is compared with itself in all orders of its rows, in closed form. Over many columns some are
beyond chance by chance, so the p-values are put through the procedure of Benjamini and Hochberg.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from ..rankers import SharedVariance
from ..table import read_table

#: The share of false ones, on average, among the columns that are called beyond chance.
FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True)
class ColumnStructure:
    """What each column shares with the others, beside chance.

    Attributes
    ----------
    explained, chance : ndarray
        The share of the variance of the other columns that a column explains, and the share that
        it explains on average when its rows are shuffled.
    deviations : ndarray
        Their difference in standard deviations over all orders of the rows.
    p_values : ndarray
        How often a column explains as much when it has nothing to do with the others.
    beyond : ndarray of bool
        Columns that are beyond chance, at 5% false discoveries.
    """

    explained: np.ndarray
    chance: np.ndarray
    deviations: np.ndarray
    p_values: np.ndarray
    beyond: np.ndarray

    @property
    def n_beyond(self) -> int:
        """How many columns share more with the others than by chance."""
        return int(self.beyond.sum())


def find_structure(X: Any) -> ColumnStructure:
    """Compare what every column shares with the others with what it would share by chance.

    Parameters
    ----------
    X : array-like, DataFrame or Table

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank.describe import find_structure
    >>> x, y, z = np.random.default_rng(0).normal(size=(3, 50))
    >>> find_structure(np.column_stack([x, x + y, z])).beyond
    array([ True,  True, False])
    """
    found = SharedVariance(views="line").fit(read_table(X))
    return ColumnStructure(
        found.explained_,
        found.chance_,
        found.scores_,
        found.p_values_,
        false_discovery_control(found.p_values_) <= FALSE_DISCOVERIES,
    )
