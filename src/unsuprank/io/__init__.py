"""Tables from files: one small reader per format, one function for all of them."""

from .data_file import Column, DataFile, FileProblem
from .read import FORMATS, ReadOptions, read_file
from .score_table import read_scores, write_rows

__all__ = [
    "Column",
    "DataFile",
    "FORMATS",
    "FileProblem",
    "ReadOptions",
    "read_file",
    "read_scores",
    "write_rows",
]
