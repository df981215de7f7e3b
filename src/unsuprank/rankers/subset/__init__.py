"""Rankings that know redundancy: what the chosen columns already tell comes later."""

from .diversified import Diversified
from .greedy_css import GreedyCSS

__all__ = ["Diversified", "GreedyCSS"]
