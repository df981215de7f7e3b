"""The neighbour graph that the spectral rankers share.

A graph is a symmetric sparse matrix of weights between rows: an edge where one of two rows
is among the k nearest of the other. Its weights are

- ``"binary"``: 1;
- ``"heat"``: ``exp(-d^2 / (2 t^2))`` for the Euclidean distance d;
- ``"cosine"``: the cosine of the angle between the rows, at least 0.

The width t decides whether a heat kernel says anything: far below the distances of
neighbours it makes the graph an identity matrix, far above them it makes all edges equal.
So by default it is tuned to the data, ``2 t^2`` = mean squared distance of neighbours.

Neighbours are searched by scikit-learn, block by block. Distances on edges are then computed
again as sums of squared differences, because the fast search loses digits to cancellation. Sparse
rows are compared by products of sparse matrices, and those that may be among the nearest measured
again; of equally near ones the first are taken. Rows of whole numbers, such as counts, are often
equally near, and rounding would choose between them. Their products are exact, so that the first
are taken there as well: a table of counts has one graph, sparse or dense.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from ..._parallel import blas_threads, in_batches, one_blas_thread, one_openmp_thread
from ..._progress import progress
from ..centred_matrix import CentredMatrix, Matrix
from ..scaling import within_range
from ..sparse_distances import CosineDistances, SquaredDistances

Weights = Literal["heat", "binary", "cosine"]

#: Values that are compared at a time along the edges of a graph.
EDGE_VALUES = 50_000
#: Multiply-adds of one block of the neighbour search: a fraction of a second.
BLOCK_WORK = 2e9
#: Matrix that scikit-learn compares at a time, and blocks of these that threads share.
SEARCH_ROWS = 256
BLOCKS = 8
#: Bytes of distances that are held at a time where all are compared here.
BLOCK_BYTES = 2**24
#: Whole numbers below this have no gaps between them, and nothing is rounded.
EXACT = 2.0**53
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


def neighbour_graph(X: Matrix, options: GraphOptions) -> sparse.csr_array:
    """The graph of the rows of `X`, with a weight of 1 between each row and itself."""
    if isinstance(X, CentredMatrix):
        X, unit = X.within_range()
    else:
        X, unit = within_range(np.ascontiguousarray(X))
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


def nearest_rows(X: Matrix, options: GraphOptions) -> np.ndarray:
    """Indices of the nearest other rows of each row; fewer where there are too few rows."""
    m = len(X)
    k = min(options.n_neighbors, m - 1)
    cosine = options.weights == "cosine"
    block = max(1, BLOCK_BYTES // (8 * m))
    if isinstance(X, CentredMatrix):
        search = _sparse_search(X, k, cosine)
    elif (cosine or X.shape[1] > TREE_COLUMNS) and _products_are_exact(X):
        search = _whole_search(X, k, cosine)
    else:
        share = -(-m // (BLOCKS * SEARCH_ROWS)) * SEARCH_ROWS
        block = max(1, min(int(BLOCK_WORK / X.size), share))
        search = _dense_search(X, k, cosine)

    def neighbours(first: int, last: int) -> np.ndarray:
        return search(slice(first * block, min(last * block, m)))

    n_jobs = blas_threads() if options.n_jobs is None else options.n_jobs
    n_blocks = -(-m // block)
    with one_blas_thread(), progress("finding neighbours", n_blocks, options.verbose) as bar:
        found = in_batches(neighbours, n_blocks, n_jobs=n_jobs, batch_size=1, progress=bar)
        return np.concatenate(list(found))


def _dense_search(X: np.ndarray, k: int, cosine: bool) -> Callable[[slice], np.ndarray]:
    """What finds the `k` nearest other rows of some rows, by scikit-learn."""
    tree = not cosine and X.shape[1] <= TREE_COLUMNS
    centred = X if cosine else X - X.mean(axis=0)  # fewer digits cancel
    search = NearestNeighbors(
        n_neighbors=k + 1,
        algorithm="kd_tree" if tree else "brute",
        metric="cosine" if cosine else "euclidean",
    ).fit(centred)

    def neighbours(rows: slice) -> np.ndarray:
        # Equally near rows would be told apart by the number of threads.
        with one_openmp_thread():
            near = search.kneighbors(centred[rows], return_distance=False)
        return _without_self(near, np.arange(rows.start, rows.stop))

    return neighbours


def _sparse_search(X: CentredMatrix, k: int, cosine: bool) -> Callable[[slice], np.ndarray]:
    """What finds the `k` nearest other rows of some rows, by products of sparse rows."""
    compare = CosineDistances(X) if cosine else SquaredDistances(X)

    def neighbours(rows: slice) -> np.ndarray:
        coarse = compare.with_all(rows)
        np.fill_diagonal(coarse[:, rows], np.inf)
        reach = np.partition(coarse, k - 1, axis=1)[:, k - 1] + compare.slack[rows]
        row, near = np.nonzero(coarse <= reach[:, None])
        return _first(k, row, near, compare.of_pairs(rows.start + row, near))

    return neighbours


def _whole_search(X: np.ndarray, k: int, cosine: bool) -> Callable[[slice], np.ndarray]:
    """What finds the `k` nearest other rows of some rows, all of them of whole numbers."""
    squares = np.einsum("ij,ij->i", X, X)
    norms = np.sqrt(np.where(squares > 0, squares, 1.0))

    def neighbours(rows: slice) -> np.ndarray:
        products = X[rows] @ X.T
        if cosine:
            distances = 1.0 - products / np.multiply.outer(norms[rows], norms)
        else:
            distances = np.add.outer(squares[rows], squares) - 2.0 * products
        np.fill_diagonal(distances[:, rows], np.inf)
        reach = np.partition(distances, k - 1, axis=1)[:, k - 1]
        row, near = np.nonzero(distances <= reach[:, None])
        return _first(k, row, near, distances[row, near])

    return neighbours


def _products_are_exact(X: np.ndarray) -> bool:
    """Whether all are whole numbers, so small that sums of products are not rounded."""
    blocks = (X[first : first + SEARCH_ROWS] for first in range(0, len(X), SEARCH_ROWS))
    return all(
        (block == np.rint(block)).all() and 4.0 * np.einsum("ij,ij->i", block, block).max() < EXACT
        for block in blocks
    )


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
    X: Matrix, rows: np.ndarray, columns: np.ndarray, options: GraphOptions, unit: float
) -> np.ndarray:
    if options.weights == "binary":
        return np.ones(len(rows))
    if options.weights == "cosine":
        return np.clip(_cosines(X, rows, columns), 0.0, 1.0)
    squared = _squared_lengths(X, rows, columns)
    if options.width is None:
        typical = squared.mean()
        return np.exp(-squared / typical) if typical > 0 else np.ones(len(rows))
    with np.errstate(over="ignore"):  # a weight of exp(-inf) = 0 is right
        return np.exp(-0.5 * np.square(np.sqrt(squared) / options.width * unit))


def _cosines(X: Matrix, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    if isinstance(X, CentredMatrix):
        return 1.0 - CosineDistances(X).of_pairs(rows, columns)
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    unit_rows = X / np.where(norms > 0, norms, 1.0)[:, None]
    return _over_edges(unit_rows, rows, columns, _products)


def _squared_lengths(X: Matrix, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    if isinstance(X, CentredMatrix):
        return SquaredDistances(X).of_pairs(rows, columns)
    return _over_edges(X, rows, columns, _squared_differences)


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _squared_differences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a = a - b
    return np.einsum("ij,ij->i", a, a)


def _over_edges(X, rows, columns, measure) -> np.ndarray:
    """A measure of both ends of every edge, in blocks that stay in the processor's cache."""
    block = max(1, EDGE_VALUES // X.shape[1])
    parts = [
        measure(X[rows[a : a + block]], X[columns[a : a + block]])
        for a in range(0, len(rows), block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


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
