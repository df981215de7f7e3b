"""What columns share with the others, beside what they would share by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..coordinates import Coordinates
from .columns import CategoricalColumn, stack
from .others import ROUNDING, Relations, relations_of, sums_of_table
from .shuffles import LEAST_ROWS, Sums, mean, parts, third_moment, upper_tail, variance
from .sums import TableSums


@dataclass(frozen=True)
class SharedBeyondChance:
    """One number for each column of a table."""

    #: What it explains of the others less what it would by chance, in standard deviations.
    scores: np.ndarray
    p_values: np.ndarray
    #: The share of the others that it explains, and the share that it would by chance.
    explained: np.ndarray
    chance: np.ndarray


def against_chance(coordinates: Coordinates, found: TableSums | None = None) -> SharedBeyondChance:
    """Compare all columns with themselves in all orders of their rows.

    The sums over their products are given, or found.
    """
    varies, n = coordinates.varies, coordinates.n_rows
    scores, explained, chance = np.zeros((3, len(varies)))
    p_values = np.ones(len(varies))
    if n >= LEAST_ROWS and varies.any():
        beside = relations_of(found or sums_of_table(coordinates), n)
        total = np.where(beside.others.trace > 0.0, beside.others.trace, 1.0)
        explained[varies] = beside.explained / total
        chance[varies] = mean(n, beside.column, beside.others) / total
        scores[varies], p_values[varies] = scores_and_tails(n, beside)
    return SharedBeyondChance(scores, p_values, explained, chance)


def scores_and_tails(n: int, found: Relations) -> tuple[np.ndarray, np.ndarray]:
    """Standardised scores, and their p-values; 0 and 1 where the order makes no difference."""
    scores, skewness = standardised(n, found)
    varies = np.isfinite(scores)
    scores, skewness = np.where(varies, scores, 0.0), np.where(varies, skewness, 0.0)
    return scores, np.where(varies, upper_tail(scores, skewness), 1.0)


def standardised(n: Any, found: Relations) -> tuple[np.ndarray, np.ndarray]:
    """What is explained beyond the mean over all orders of the rows, in their standard deviations.

    And the skewness of that; both are NaN where the order makes no difference.
    """
    column, others = found.column, found.others
    spread = np.where(found.depends_on_order, variance(n, column, others), 0.0)
    deviation = np.sqrt(np.where(spread > 0.0, spread, np.nan))
    scores = (found.explained - mean(n, column, others)) / deviation
    return scores, third_moment(n, column, others) / deviation**3


def share_against_chance(
    n: int, share: np.ndarray, projections: Sequence[Sums], labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standardised shares of labels, given by codes, that columns explain, and their p-values.

    The order of the rows makes no difference not only for a column, or labels, with a value of its
    own in every row: it makes none for one row that is special among two clusters of equal size.
    """
    column = parts(n, stack(projections))
    others = parts(n, CategoricalColumn.of(labels.astype(float), 1.0).products())
    varies = variance(n, column, others) > ROUNDING * mean(n, column, others) ** 2
    return scores_and_tails(n, Relations(share * others.trace, column, others, varies))
