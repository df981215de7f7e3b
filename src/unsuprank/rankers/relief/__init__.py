"""Ranking by near rows: Relief without labels."""

from .relief_path import urelief_path
from .urelief import URelief

__all__ = ["URelief", "urelief_path"]
