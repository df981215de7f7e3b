"""Predictive clustering trees, their ensembles, and the scores computed from them."""

from .importance import Genie3, RandomForestScore, SymbolicScore
from .model import PredictiveClusteringForest, PredictiveClusteringTree

__all__ = [
    "Genie3",
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    "RandomForestScore",
    "SymbolicScore",
]
