"""Rankers that read columns off the graph of near rows, which the paper compares to."""

from .laplacian import LaplacianScore
from .mcfs import MCFS
from .ndfs import NDFS
from .spec import SPEC

__all__ = ["MCFS", "NDFS", "SPEC", "LaplacianScore"]
