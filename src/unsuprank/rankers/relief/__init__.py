"""Ranking by near rows: Relief without labels."""

from .urelief import URelief, urelief_path

__all__ = ["URelief", "urelief_path"]
