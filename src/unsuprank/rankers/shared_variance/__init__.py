"""Relevance against chance, with chance in closed form."""

from .shared_variance import SharedVariance

__all__ = ["SharedVariance"]
