"""Judge rankings: error curves, comparisons over data sets, stability."""

from .comparison import Comparison, compare
from .curve import ErrorCurves, error_curve
from .hypothesis import cluster_hypothesis
from .judges import clustering_accuracy
from .neighbours import PrefixNeighbours
from .selection import geometric_sizes
from .stability import Stability, stability

__all__ = [
    "Comparison",
    "ErrorCurves",
    "PrefixNeighbours",
    "Stability",
    "cluster_hypothesis",
    "clustering_accuracy",
    "compare",
    "error_curve",
    "geometric_sizes",
    "stability",
]
