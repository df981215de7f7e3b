"""Judge rankings: error curves, comparisons over data sets, stability, selection frequencies."""

from .comparison import Comparison, compare
from .curve import ErrorCurves, error_curve
from .hypothesis import cluster_hypothesis
from .judges import clustering_accuracy
from .neighbours import PrefixNeighbours
from .selection import geometric_sizes
from .selection_frequency import SelectionFrequency, selection_frequency
from .stability import Stability, stability

__all__ = [
    "Comparison",
    "ErrorCurves",
    "PrefixNeighbours",
    "SelectionFrequency",
    "Stability",
    "cluster_hypothesis",
    "clustering_accuracy",
    "compare",
    "error_curve",
    "geometric_sizes",
    "selection_frequency",
    "stability",
]
