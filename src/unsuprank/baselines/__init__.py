"""The methods that the paper compares to, and two controls."""

from .agnos import AgnoSS
from .controls import RandomRanker, VarianceRanker
from .intrinsic import intrinsic_dimension
from .laplacian import LaplacianScore
from .mcfs import MCFS
from .ndfs import NDFS
from .spec import SPEC

__all__ = [
    "MCFS",
    "NDFS",
    "SPEC",
    "AgnoSS",
    "LaplacianScore",
    "RandomRanker",
    "VarianceRanker",
    "intrinsic_dimension",
]
