"""Files into tables and scores into files: one small reader per format, and one writer."""

from .data_file import DataFile, FileProblem, ReadOptions
from .file_column import FileColumn, shorten
from .h5ad import add_scores, align_to_genes, fit_settings, read_anndata
from .large_file import LargeFile, open_large
from .read import FORMATS, file_stamp, read_file
from .score_table import check_ending, read_scores, write_rows, write_scores
from .write import atomic_path, atomic_write

__all__ = [
    "DataFile",
    "FORMATS",
    "FileColumn",
    "FileProblem",
    "LargeFile",
    "ReadOptions",
    "add_scores",
    "align_to_genes",
    "atomic_path",
    "atomic_write",
    "check_ending",
    "file_stamp",
    "fit_settings",
    "open_large",
    "read_anndata",
    "read_file",
    "read_scores",
    "shorten",
    "write_rows",
    "write_scores",
]
