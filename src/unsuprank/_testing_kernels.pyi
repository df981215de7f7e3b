"""What only tests and benchmarks of the kernels call; wheels leave it out."""

import numpy as np

from ._kernels import ClusteringSpace, GrowSettings

def grow_recorded(
    space: ClusteringSpace, settings: GrowSettings, first: int, last: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]: ...
def rival_chance(
    n_features: int,
    drawn: np.ndarray,
    features: np.ndarray,
    gains: np.ndarray,
    feature: int,
    gain: float,
) -> float: ...
def permutation(seed: int, tree: int, feature: int, count: int) -> np.ndarray: ...
def relief_tile_sums(
    queries: np.ndarray, block: np.ndarray, measured: int, match: int
) -> np.ndarray: ...
