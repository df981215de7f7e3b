from typing import overload

import numpy as np

# Tables and their coordinates.

MISSING: int
INFINITE: int
VARIES: int

class Columns:
    """The typed columns of a table, held for the kernels that take them."""

    @overload
    def __init__(
        self, values: np.ndarray, n_values: np.ndarray, missing: np.ndarray | None = None
    ) -> None: ...
    @overload
    def __init__(self, columns: SparseLines, n_values: np.ndarray, missing: np.ndarray) -> None: ...

class SparseLines:
    """A sparse matrix by rows or by columns."""

    def __init__(
        self, starts: np.ndarray, index: np.ndarray, values: np.ndarray, others: int
    ) -> None: ...

def add_gram_squares(
    rows: SparseLines,
    columns: SparseLines,
    shift: np.ndarray,
    excess: np.ndarray,
    first: int,
    last: int,
    sums: np.ndarray,
) -> None: ...
def sparse_products(
    rows: SparseLines, columns: SparseLines, first: int, last: int, out: np.ndarray
) -> None: ...
def column_flags(values: np.ndarray) -> np.ndarray: ...
def embed(
    values: np.ndarray,
    n_values: np.ndarray,
    first: int,
    widths: np.ndarray,
    scale: float,
    out: np.ndarray,
) -> None: ...
def diagonal_sums(coords: np.ndarray, widths: np.ndarray, diagonal: np.ndarray) -> np.ndarray: ...
def embedding_scales(values: np.ndarray, n_values: np.ndarray, scale: float) -> np.ndarray: ...

# Forests.

class ClusteringSpace:
    """A table and its place in the clustering space, made once for all trees of a forest."""

    def __init__(
        self,
        columns: Columns,
        *,
        coords: np.ndarray | None,
        distances: np.ndarray | None,
        partial: np.ndarray | None,
        known: np.ndarray | None,
        row_keys: np.ndarray | None,
    ) -> None: ...

class GrowSettings:
    """How the trees of a forest are grown."""

    def __init__(
        self,
        *,
        seed: int,
        max_features: int,
        max_depth: int,
        min_leaf: float,
        bootstrap: bool,
        exhaustive: bool,
        first_of_ties: bool,
        pair_rows: int,
    ) -> None: ...

class StopFlag:
    """Once set, kernels that were given it end with an error."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...

def grow(
    space: ClusteringSpace, settings: GrowSettings, first: int, last: int, stop: StopFlag
) -> dict[str, np.ndarray]: ...
def probe(
    space: ClusteringSpace,
    settings: GrowSettings,
    columns: np.ndarray,
    credit: str,
    norms: np.ndarray,
    scales: np.ndarray,
    first: int,
    last: int,
    stop: StopFlag,
) -> np.ndarray: ...
def permutation_scores(
    space: ClusteringSpace,
    settings: GrowSettings,
    scales: np.ndarray,
    trees: dict[str, np.ndarray],
    first_tree: int,
    cumulative: bool,
    stop: StopFlag,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def out_of_bag_gains(
    space: ClusteringSpace,
    settings: GrowSettings,
    norms: np.ndarray,
    scales: np.ndarray | None,
    trees: dict[str, np.ndarray],
    first_tree: int,
    stop: StopFlag,
) -> np.ndarray: ...
def apply(
    values: np.ndarray,
    n_values: np.ndarray,
    row_keys: np.ndarray | None,
    trees: dict[str, np.ndarray],
    seed: int,
    first_tree: int,
) -> np.ndarray: ...
def node_scores(
    node_offset: np.ndarray, feature: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def row_keys(values: np.ndarray, n_values: np.ndarray) -> np.ndarray: ...

# URelief.

RELIEF_TILE: int

class ReliefRows:
    """The rows of a table as URelief compares them."""

    n_blocks: int
    code_width: int
    largest_error: float
    def __init__(self, columns: Columns, order: np.ndarray) -> None: ...
    def read_blocks(self, first: int, last: int) -> None: ...
    def term_columns(self) -> np.ndarray: ...

class ReliefSearch:
    """The nearest neighbours of a run of rows."""

    def __init__(self, rows: ReliefRows, first: int, last: int, n_neighbors: int) -> None: ...
    @staticmethod
    def bytes_per_query(n_neighbors: int) -> int: ...
    def compare(self, query_block: int, first: int, last: int) -> None: ...
    def add_sums(
        self, first: int, last: int, counts: np.ndarray, sums: np.ndarray, distances: np.ndarray
    ) -> None: ...

class SparseReliefRows:
    """The rows of a sparse table as URelief compares them; values and `zero` are in [0, 1]."""

    def __init__(
        self, rows: SparseLines, columns: SparseLines, zero: np.ndarray, width: int
    ) -> None: ...
    def add_sums(
        self, queries: np.ndarray, counts: np.ndarray, sums: np.ndarray, distances: np.ndarray
    ) -> None: ...

# Subset selection.

def add_swap_errors(
    pool: np.ndarray,
    picks: np.ndarray,
    queries: np.ndarray,
    cost: np.ndarray,
    first: int,
    last: int,
    errors: np.ndarray,
) -> None: ...
