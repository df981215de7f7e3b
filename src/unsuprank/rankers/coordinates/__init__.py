"""Coordinates of tables of any size and storage, and what rankers ask of them.

Rankers of this family (:class:`SharedVariance`, :class:`GreedyCSS`, :class:`Diversified`) need
nothing of a table but inner products of the coordinates of its columns. :class:`Coordinates` is the
one place where they get them, from memory, from disk and from a cluster, dense and sparse.
"""

from .coordinates import Coordinates, Rows, root_of
from .count_sketch import count_sketch
from .cubes import root_of_square, trace_of_cube
from .row_sums import RowSums, diagonal_sums

__all__ = [
    "Coordinates",
    "RowSums",
    "Rows",
    "count_sketch",
    "diagonal_sums",
    "root_of",
    "root_of_square",
    "trace_of_cube",
]
