import numpy as np

MISSING: int
INFINITE: int
VARIES: int

def column_flags(values: np.ndarray) -> np.ndarray: ...
def embed(
    values: np.ndarray,
    n_values: np.ndarray,
    first: int,
    widths: np.ndarray,
    scale: float,
    out: np.ndarray,
) -> None: ...
def add_pair_distances(
    coords: np.ndarray, left: np.ndarray, right: np.ndarray, sums: np.ndarray
) -> None: ...
def diagonal_sums(coords: np.ndarray, widths: np.ndarray, diagonal: np.ndarray) -> np.ndarray: ...
def embedding_scales(values: np.ndarray, n_values: np.ndarray, scale: float) -> np.ndarray: ...
def row_keys(values: np.ndarray, n_values: np.ndarray) -> np.ndarray: ...
def grow(
    values: np.ndarray,
    n_values: np.ndarray,
    missing: np.ndarray,
    coords: np.ndarray | None,
    distances: np.ndarray | None,
    partial: np.ndarray | None,
    known: np.ndarray | None,
    row_keys: np.ndarray | None,
    stop: np.ndarray,
    coarse: object,
    seed: int,
    max_features: int,
    max_depth: int,
    min_leaf: float,
    bootstrap: bool,
    exhaustive: bool,
    first_of_ties: bool,
    record: bool,
    pair_rows: int,
    first: int,
    last: int,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]: ...
def permutation_scores(
    values: np.ndarray,
    n_values: np.ndarray,
    missing: np.ndarray,
    coords: np.ndarray | None,
    distances: np.ndarray | None,
    partial: np.ndarray | None,
    known: np.ndarray | None,
    row_keys: np.ndarray | None,
    stop: np.ndarray,
    coarse: object,
    scales: np.ndarray,
    trees: dict[str, np.ndarray],
    seed: int,
    first_tree: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def apply(
    values: np.ndarray,
    n_values: np.ndarray,
    row_keys: np.ndarray | None,
    trees: dict[str, np.ndarray],
    seed: int,
    first_tree: int,
) -> np.ndarray: ...
def permutation(seed: int, tree: int, feature: int, count: int) -> np.ndarray: ...
def node_scores(
    node_offset: np.ndarray, feature: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def coarse_codes(values: np.ndarray, n_values: np.ndarray) -> object: ...

RELIEF_TILE: int

class ReliefRows:
    n_blocks: int
    code_width: int
    largest_error: float
    def __init__(self, values: np.ndarray, n_values: np.ndarray, order: np.ndarray) -> None: ...
    def read_blocks(
        self, values: np.ndarray, n_values: np.ndarray, first: int, last: int
    ) -> None: ...
    def term_columns(self) -> np.ndarray: ...

class ReliefSearch:
    def __init__(self, rows: ReliefRows, first: int, last: int, n_neighbors: int) -> None: ...
    @staticmethod
    def bytes_per_query(n_neighbors: int) -> int: ...
    def compare(self, query_block: int, first: int, last: int) -> None: ...
    def add_sums(
        self, first: int, last: int, counts: np.ndarray, sums: np.ndarray, distances: np.ndarray
    ) -> None: ...

def relief_tile_sums(
    queries: np.ndarray,
    block: np.ndarray,
    measured: int,
    matched: int,
    match: int,
    instruction_set: str,
    sums: np.ndarray,
) -> None: ...
def relief_instruction_sets() -> list[str]: ...
def repeat_absolute_differences(a: np.ndarray, b: np.ndarray, repeats: int) -> float: ...
def add_swap_errors(
    pool: np.ndarray,
    picks: np.ndarray,
    queries: np.ndarray,
    cost: np.ndarray,
    first: int,
    last: int,
    errors: np.ndarray,
) -> None: ...
def lasso_path_ends(
    gram: np.ndarray,
    correlations: np.ndarray,
    steps: int,
    first: int,
    last: int,
    coefficients: np.ndarray,
) -> None: ...

WHOLE_BAND: int
WHOLE_PANEL: int
WHOLE_ONE: float
NO_PAIR: int

class WholeTable:
    def __init__(self, values: np.ndarray, like: WholeTable | None) -> None: ...
    @property
    def per_unit(self) -> float: ...
    @property
    def all_rows(self) -> int: ...
    @property
    def all_cols(self) -> int: ...
    def centres(self) -> np.ndarray: ...
    def read_columns(self, first: int) -> bool: ...
    def read_rows(self, first: int) -> bool: ...
    def distances(self, first: int, out: np.ndarray) -> None: ...
    def add_sums(
        self,
        first: int,
        distances: np.ndarray,
        gamma: float,
        degrees: np.ndarray,
        forms: np.ndarray,
    ) -> None: ...
    def weighted_sums(self, degrees: np.ndarray, sums: np.ndarray) -> None: ...

def values_between(values: np.ndarray, low: float, high: float) -> tuple[int, np.ndarray]: ...
def pair_instruction_sets() -> list[str]: ...
def add_pair_tile(
    rows: np.ndarray, panel: np.ndarray, instruction_set: str, sums: np.ndarray
) -> None: ...
