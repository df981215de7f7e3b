"""Two rankings that any method should beat: spread alone, and chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._checks import with_parameters
from ..column_totals import column_totals
from ..ranker import MethodCard, Ranker
from ..row_source import RowSource
from ..table import ColumnChoice, Table

#: Digits of a variance: columns with the same values in another order tie.
KEPT_BITS = 40


class VarianceRanker(Ranker):
    """Rank columns by their variance, in the units that they come in.

    Parameters
    ----------
    {selection}

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import VarianceRanker
    >>> VarianceRanker().fit(np.array([[0.0, 5.0], [1.0, 9.0], [2.0, 1.0]])).order_
    array([1, 0])
    """

    cards = (
        MethodCard(
            name="variance",
            question="control",
            what="How far are the values of the column spread, in its own units?",
            when="To see whether a method does more than find spread",
            cost="mn",
            formula=r"\frac{1}{m} \sum_i (x_{ij} - \bar x_j)^2",
            meaning="the values of the column are spread widely, in the units it came in",
        ),
    )

    accepts_sparse = True
    streams_rows = True

    def _score(self, rows: Table | RowSource) -> np.ndarray:
        totals = column_totals(rows)
        boolean = list(rows.schema.boolean)
        if set(totals.counts) - set(boolean) or (totals.known < rows.n_rows).any():
            raise ValueError("VarianceRanker needs numbers without gaps; leave other columns out.")
        with np.errstate(over="ignore"):
            variances = np.minimum(_rounded(totals.spread**2), np.finfo(float).max)
        variances[boolean] /= 2.0  # of 0 and 1, the Gini index is twice the variance
        return variances


def _rounded(numbers: np.ndarray) -> np.ndarray:
    """Without the last digits, which tell only in which order values were added up."""
    mantissas, exponents = np.frexp(numbers)
    return np.ldexp(np.rint(np.ldexp(mantissas, KEPT_BITS)), exponents - KEPT_BITS)


@with_parameters
class RandomRanker(Ranker):
    """Rank columns by chance: the control that many published methods fail to beat.

    It takes any input, because it looks at none of it.

    Parameters
    ----------
    {selection}
    {nominal_features}
    random_state : int, RandomState or None, default=None
        Seed of the random order.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import RandomRanker
    >>> sorted(RandomRanker(random_state=0).fit(np.eye(3)).order_.tolist())
    [0, 1, 2]
    """

    cards = (
        MethodCard(
            name="random",
            question="control",
            what="Nothing: an order drawn by chance",
            when="To see whether a method beats chance",
            cost="nothing",
            meaning="nothing at all: the order is drawn by chance",
        ),
    )

    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True
    streams_rows = True
    scale_free = True

    nominal_features: ColumnChoice = None
    random_state: Any = None

    def _score(self, table: Table | RowSource) -> np.ndarray:
        return check_random_state(self.random_state).uniform(size=table.n_columns)
