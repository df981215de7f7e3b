"""Rankings that know redundancy: what the chosen columns already tell comes later."""

from .css import GreedyCSS
from .diversified import Diversified

__all__ = ["Diversified", "GreedyCSS"]
