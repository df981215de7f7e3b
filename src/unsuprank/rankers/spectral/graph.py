"""The neighbour graph that the spectral rankers share.

A graph is a symmetric sparse matrix of weights between rows: an edge where one of two rows
is among the k nearest of the other. Its weights are

- ``"binary"``: 1;
- ``"heat"``: ``exp(-d^2 / (2 t^2))`` for the Euclidean distance d;
- ``"cosine"``: the cosine of the angle between the rows, at least 0.

The width t decides whether a heat kernel says anything: far below the distances of
neighbours it makes the graph an identity matrix, far above them it makes all edges equal.
So by default it is tuned to the data, ``2 t^2`` = mean squared distance of neighbours.

Neighbours are searched among the products of all rows, block by block, and those that may be among
the nearest are measured again as sums of squared differences, because products lose digits to
cancellation; of equally near rows the first are taken. So a table of counts, whose rows are often
equally near, has one graph, sparse or dense. Of few columns, a tree finds neighbours faster.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import KDTree

from ..._parallel import blas_threads, in_batches, one_blas_thread
from ..._progress import progress
from ..centred_matrix import ColumnMatrix
from ..row_distances import CosineDistances, RowDistances, SquaredDistances

Weights = Literal["heat", "binary", "cosine"]

#: Multiply-adds of one block of the neighbour search: a fraction of a second.
BLOCK_WORK = 2e9
#: Bytes of distances that are held at a time, and rows that a tree is asked about.
BLOCK_BYTES = 2**22
TREE_ROWS = 1024
#: Columns up to which a search tree beats comparing all pairs of rows.
TREE_COLUMNS = 10
#: A row whose weights to all other rows sum to less is isolated.
NEGLIGIBLE = 1e-3
#: The largest eigenvalue that a normalised Laplacian can have.
LARGEST_EIGENVALUE = 2.0


@dataclass(frozen=True)
class GraphOptions:
    """How to build a graph; `width=None` tunes the width of the heat kernel to the data."""

    n_neighbors: int = 5
    weights: Weights = "heat"
    width: float | None = None
    n_jobs: int | None = None
    verbose: int = 0


def neighbour_graph(X: ColumnMatrix, options: GraphOptions) -> sparse.csr_array:
    """The graph of the rows of `X`, with a weight of 1 between each row and itself."""
    X, unit = X.within_range()
    neighbours = nearest_rows(X, options)
    m, k = neighbours.shape
    rows = np.repeat(np.arange(m), k)
    columns = neighbours.ravel()
    weights = _edge_weights(X, rows, columns, options, unit)
    graph = sparse.csr_array((weights, (rows, columns)), shape=(m, m))
    graph = graph.maximum(graph.T)
    graph = sparse.csr_array(graph + sparse.eye_array(m, format="csr"))
    if not warn_if_all_isolated(degrees(graph)):
        _warn_of_components(graph)
    return graph


def nearest_rows(X: ColumnMatrix, options: GraphOptions) -> np.ndarray:
    """Indices of the nearest other rows of each row; fewer where there are too few rows."""
    m = len(X)
    k = min(options.n_neighbors, m - 1)
    search: Callable[[slice], np.ndarray]
    if options.weights == "cosine":
        search, rows = partial(_nearest, CosineDistances(X), k), BLOCK_BYTES // (8 * m)
    elif X.shape[1] > TREE_COLUMNS:
        search, rows = partial(_nearest, SquaredDistances(X), k), BLOCK_BYTES // (8 * m)
    else:
        search, rows = _tree_search(np.ascontiguousarray(X), k), TREE_ROWS
    block = max(1, min(rows, int(BLOCK_WORK / max(1, X.n_held))))

    def neighbours(first: int, last: int) -> np.ndarray:
        return search(slice(first * block, min(last * block, m)))

    n_jobs = blas_threads() if options.n_jobs is None else options.n_jobs
    n_blocks = -(-m // block)
    with one_blas_thread(), progress("finding neighbours", n_blocks, options.verbose) as bar:
        found = in_batches(neighbours, n_blocks, n_jobs=n_jobs, batch_size=1, progress=bar)
        return np.concatenate(list(found))


def _nearest(compare: RowDistances, k: int, rows: slice) -> np.ndarray:
    """The `k` nearest other rows of some rows."""
    coarse = compare.with_all(rows)
    np.fill_diagonal(coarse[:, rows], np.inf)
    reach = np.partition(coarse, k - 1, axis=1)[:, k - 1] + compare.slack
    row, near = np.nonzero(coarse <= reach[:, None])
    return _first(k, row, near, compare.of_pairs(rows.start + row, near))


def _tree_search(X: np.ndarray, k: int) -> Callable[[slice], np.ndarray]:
    """What finds the `k` nearest other rows of some rows of few columns."""
    centred = X - X.mean(axis=0)  # fewer digits cancel
    tree = KDTree(centred, leaf_size=30)

    def neighbours(rows: slice) -> np.ndarray:
        near = tree.query(centred[rows], k + 1, return_distance=False)
        return _without_self(near, np.arange(rows.start, rows.stop))

    return neighbours


def _first(k: int, row: np.ndarray, near: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The `k` nearest of the rows `near` to each of some rows; of equally near ones the first.

    Pairs come row by row, and there are `k` or more of each row.
    """
    order = np.lexsort((near, distance, row))
    starts = np.searchsorted(row, np.arange(row[-1] + 1))
    return near[order][starts[:, None] + np.arange(k)]


def _without_self(near: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Drop each row from its own neighbours; the farthest, where duplicates hide it."""
    is_self = near == rows[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    return near[~is_self].reshape(len(rows), -1)


def _edge_weights(
    X: ColumnMatrix, rows: np.ndarray, columns: np.ndarray, options: GraphOptions, unit: float
) -> np.ndarray:
    if options.weights == "binary":
        return np.ones(len(rows))
    if options.weights == "cosine":
        return np.clip(1.0 - CosineDistances(X).of_pairs(rows, columns), 0.0, 1.0)
    squared = X.pair_distances(rows, columns)
    if options.width is None:
        typical = squared.mean()
        return np.exp(-squared / typical) if typical > 0 else np.ones(len(rows))
    with np.errstate(over="ignore"):  # a weight of exp(-inf) = 0 is right
        return np.exp(-0.5 * np.square(np.sqrt(squared) / options.width * unit))


def degrees(graph: sparse.csr_array | np.ndarray) -> np.ndarray:
    """Sum of the weights of each row."""
    return np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()


def warn_if_all_isolated(degree: np.ndarray) -> bool:
    """Warn when no row has a neighbour to speak of, besides itself with a weight of 1."""
    isolated = bool(degree.max() - 1.0 < NEGLIGIBLE)
    if isolated:
        warnings.warn(
            "The neighbour graph is numerically the identity: no two rows are connected, so the "
            "scores mean little; let the width of the kernel be tuned, or raise it.",
            stacklevel=3,
        )
    return isolated


def _warn_of_components(graph: sparse.csr_array) -> None:
    parts, _ = connected_components(graph, directed=False)
    if parts > 1:
        warnings.warn(
            f"The neighbour graph falls apart into {parts} components; raise n_neighbors if "
            "they are not clusters.",
            stacklevel=3,
        )
