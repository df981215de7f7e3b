"""Relevance against chance, with chance in closed form.

Beside the ranker, there is what it takes to test what other things than tables share: sums over
projections, and their comparison with all orders of the rows.
"""

from .chance import share_against_chance
from .columns import category_sums, span_sums
from .shared_variance import SharedVariance
from .shuffles import LEAST_ROWS, Sums, upper_tail

__all__ = [
    "LEAST_ROWS",
    "SharedVariance",
    "Sums",
    "share_against_chance",
    "span_sums",
    "category_sums",
    "upper_tail",
]
