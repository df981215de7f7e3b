"""Predictive clustering trees, their ensembles, and the scores computed from them."""

from .model import PredictiveClusteringForest, PredictiveClusteringTree
from .rankers import Genie3, RandomForestScore, SymbolicScore

__all__ = [
    "Genie3",
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    "RandomForestScore",
    "SymbolicScore",
]
