"""The smoothest functions on a graph, and how many clusters they suggest."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ..._parallel import interruptible
from .graph import LARGEST_EIGENVALUE, degrees

#: Graphs of up to this many rows are decomposed in full: quick, and free of iterations.
DENSE_ROWS = 300
#: A graph of m rows is decomposed in full all the same after m^2 / this iterations (or a few): they
#: have taken as long as that would.
ROWS_PER_ITERATION = 15_000
FEW_ITERATIONS = 50
#: The largest number of clusters that the eigengap may suggest.
MOST_CLUSTERS = 10


def smoothest_functions(
    graph: sparse.csr_array | np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of the normalised Laplacian ``I - D^-1/2 W D^-1/2`` beyond the trivial one.

    Returns up to `count` eigenvalues, ascending, and unit eigenvectors in columns, all
    orthogonal to the trivial eigenvector ``D^1/2 1``. That one is moved out of the way
    rather than dropped afterwards, so that it cannot mix with others of eigenvalue 0.
    """
    m = graph.shape[0]
    count = min(count, m - 1)
    root = np.sqrt(np.maximum(degrees(graph), np.finfo(float).tiny))
    trivial = root / np.linalg.norm(root)
    if m <= DENSE_ROWS or 4 * count > m:
        values, vectors = _decomposed(graph, root, trivial, count)
    else:
        try:
            values, vectors = _iterated(graph, root, trivial, count)
        except ArpackNoConvergence:  # the graph is nearly the identity: all functions are alike
            values, vectors = _decomposed(graph, root, trivial, count)
    order = np.argsort(-values, kind="stable")
    return np.clip(1.0 - values[order], 0.0, LARGEST_EIGENVALUE), vectors[:, order]


def _decomposed(graph, root: np.ndarray, trivial: np.ndarray, count: int):
    m = len(root)
    dense = graph if isinstance(graph, np.ndarray) else graph.toarray()
    adjacency = dense / root[:, None] / root
    adjacency -= 3.0 * np.outer(trivial, trivial)  # 1 -> -2, below all others
    # All of them: LAPACK's search for a few may find none where many eigenvalues are equal.
    values, vectors = interruptible(m**3, np.linalg.eigh, adjacency)
    return values[m - count :], np.asfortranarray(vectors[:, m - count :])


def _iterated(graph, root: np.ndarray, trivial: np.ndarray, count: int):
    m = len(root)
    inverse = 1.0 / root

    def shifted(v: np.ndarray) -> np.ndarray:
        v = v.ravel()
        return inverse * (graph @ (inverse * v)) - 3.0 * (trivial @ v) * trivial

    operator = LinearOperator((m, m), matvec=shifted, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(m)  # fixed: the same answer every time
    ncv = min(m, max(2 * count + 20, 40))
    most = max(FEW_ITERATIONS, m * m // ROWS_PER_ITERATION)
    return eigsh(operator, k=count, which="LA", v0=start, ncv=ncv, maxiter=most)


def suggested_clusters(graph: sparse.csr_array | np.ndarray) -> int:
    """Number of clusters, from 2 to 10, where the eigenvalues of the Laplacian jump most.

    A graph of c clear clusters has c eigenvalues near 0, the trivial one among them, and a
    gap after them (von Luxburg, A tutorial on spectral clustering, 2007). Edges count alike,
    whatever their weights: a heat kernel would make every outlier a cluster of its own.
    """
    edges = sparse.csr_array(graph, copy=True)
    edges.data[:] = 1.0
    values, _ = smoothest_functions(edges, MOST_CLUSTERS)
    if len(values) < 2:
        return min(2, graph.shape[0])
    return 2 + int(np.argmax(np.diff(values)))
