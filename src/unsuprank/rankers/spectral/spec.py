"""SPEC: how well a column agrees with the smooth functions on a graph of the rows.

Write W for the weights, D for the degrees, L = D - W, and F = D^1/2 f / |D^1/2 f| for a column
f. With the eigenpairs (s_j, u_j) of the normalised Laplacian and a_j = F' u_j the styles are

    -1   sum_j a_j^2 s_j                        =  f' L f / f' D f
     0   sum_{j>1} a_j^2 s_j / (1 - a_1^2)      =  f' L f / (f' D f - (1' D f)^2 / 1' D 1)
    k>1  sum_{1<j<=k} a_j^2 (2 - s_j)

so the first two need no eigenvectors, only sums over the rows.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy import sparse

from ..._checks import check_choice, check_count, check_number
from ...ranker import MethodCard, Ranker
from ...table import Table
from .columns import constant_columns, unit_size
from .graph import (
    GraphOptions,
    Weights,
    check_graph_parameters,
    degrees,
    neighbour_graph,
    warn_of_a_useless_graph,
    warn_of_ties,
)
from .laplacian import PRESETS, WORST
from .moments import Moments
from .rbf import RBFGraph
from .spectrum import smoothest_functions

#: Values of SPEC below this are sums of rounding errors.
ROUNDING = 1e-12

Graph: TypeAlias = "RBFGraph | sparse.csr_array | np.ndarray"


def moments_of(X: np.ndarray, graph: Graph) -> Moments:
    """Sums over the rows of `X` by their graph."""
    exact = graph.exact_moments() if isinstance(graph, RBFGraph) else None
    if exact is not None:
        return exact
    f = unit_size(X)
    mean = f.mean(axis=0)
    f -= mean
    if isinstance(graph, RBFGraph):
        degree, form = graph.sums(f)
    else:
        degree, form = degrees(graph), np.einsum("ij,ij->j", f, graph @ f)
    linear, square = degree @ f, degree @ np.square(f)
    return Moments(mean, float(degree.sum()), linear, square, form, constant_columns(X))


def spec_scores(X: np.ndarray, graph: Graph, style: int = 0) -> np.ndarray:
    """SPEC's own value for each column: lower is better for styles -1 and 0, higher for others.

    Constant columns get the worst value there can be: 2 for styles -1 and 0, 0 for others.
    """
    if style >= 2:
        dense = graph.toarray() if isinstance(graph, RBFGraph) else graph
        return np.where(constant_columns(X), 0.0, _by_eigenvectors(unit_size(X), dense, style))
    moments = moments_of(X, graph)
    size = moments.raw_square if style == -1 else moments.centred_square
    bad = moments.constant | (size <= 0)
    return np.where(bad, WORST, np.clip(moments.rough / np.where(bad, 1.0, size), 0.0, WORST))


def _by_eigenvectors(f: np.ndarray, graph: sparse.csr_array | np.ndarray, style: int) -> np.ndarray:
    values, vectors = smoothest_functions(graph, style - 1)
    degree = degrees(graph)
    size = np.einsum("ij,ij,i->j", f, f, degree)
    parts = vectors.T @ (np.sqrt(degree)[:, None] * f)
    return (2.0 - values) @ np.square(parts) / np.where(size > 0, size, 1.0)


class SPEC(Ranker):
    r"""SPEC: good columns agree with the smooth functions on a graph of the rows.

    With the normalised Laplacian of the graph, its eigenpairs (s_j, u_j) in ascending order
    and a_j the cosine of ``D^1/2 f`` with u_j, ``raw_scores_`` of a column f is, by style,

    - ``-1``: sum of ``a_j^2 s_j`` over all j (lower is better);
    - ``0``: the same without the trivial j = 1, over ``1 - a_1^2`` (lower is better);
    - ``k >= 2``: sum of ``a_j^2 (2 - s_j)`` for j = 2 .. k (higher is better).

    ``scores_`` is 2 minus the first two, and the third as it is; constant columns have 0. The
    first two have closed forms, which are used; the third takes k eigenvectors.

    Parameters
    ----------
    style : int, default=0
        -1, 0, or the number k >= 2 of smooth functions to agree with, the trivial one counted.
    graph : {"rbf", "knn"}, default="rbf"
        All pairs of rows with weights ``exp(-gamma d^2)``, or a sparse neighbour graph. Style
        k >= 2 stores the former in full, one number for each pair of rows.
    gamma : float, optional
        Of the RBF graph; 1 / median squared distance of two rows by default.
    n_neighbors, weights, width
        Of the neighbour graph, as for :class:`LaplacianScore`.
    preset : {None, "scikit-feature"}, default=None
        With ``"scikit-feature"``, the published default settings of that toolbox (RBF graph
        with gamma 1) and its order of columns, the wrong way round for every style.
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.
    n_jobs : int, optional
        Threads, by default as many as matrix products take; the answer does not depend on it.
    verbose : int, default=0
        Show progress.

    Attributes
    ----------
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value; its direction depends on the style.

    Notes
    -----
    The toolbox scikit-feature ranks the worst columns first, for every style; takes gamma 1
    whatever the scale of the data, which on most data makes all scores tie; and decomposes
    the whole graph. Under styles -1 and 0 it lets constant columns win or divides 0 by 0; here
    they come last. Under style 0 it leaves out the eigenvector that is found first, which is an
    arbitrary one where rows have no neighbours; here it is the trivial one.

    Tables of small whole numbers (counts, grey levels, values with few decimal places) are
    compared by exact products of integers. With many rows that takes about a third of the time.

    References
    ----------
    Zhao, Liu: Spectral feature selection for supervised and unsupervised learning. ICML 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import SPEC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> X[:30, 2] += 8  # two clusters
    >>> int(SPEC().fit(X).order_[0])
    2
    """

    cards = (
        MethodCard(
            name="spec",
            question="clusters",
            what="Does the column vary smoothly over a graph of all pairs of rows?",
            when="Like laplacian; a well-known baseline",
            cost="m²n",
            meaning="the column follows the slow, large-scale structure of the neighbour graph",
        ),
    )

    def __init__(
        self,
        *,
        style: int = 0,
        graph: str = "rbf",
        gamma: float | None = None,
        n_neighbors: int = 5,
        weights: Weights = "heat",
        width: float | None = None,
        preset: str | None = None,
        n_features_to_select: int | float = 16,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.style = style
        self.graph = graph
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.width = width
        self.preset = preset
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if check_count("style", self.style, minimum=-1) == 1:
            raise ValueError("style must be -1, 0 or at least 2, got 1.")
        check_choice("graph", self.graph, ("rbf", "knn"))
        check_choice("preset", self.preset, PRESETS)
        check_graph_parameters(self)
        if self.gamma is not None:
            check_number("gamma", self.gamma, open_low=True)

    def _score(self, table: Table) -> np.ndarray:
        raw = spec_scores(table.values, self._graph(table.values), int(self.style))
        better = raw if self.style >= 2 else WORST - raw
        self.raw_scores_ = raw
        if self.preset is not None:
            warn_of_ties(raw, "SPEC", WORST)
            # The toolbox's order; what only rounding keeps from 0 is 0.
            return np.where(WORST - better < ROUNDING, 0.0, WORST - better)
        return better

    def _graph(self, X: np.ndarray) -> Graph:
        if self.preset is not None:
            return RBFGraph.of(X, 1.0, self.verbose, self.n_jobs)
        if self.graph == "knn":
            return neighbour_graph(X, GraphOptions.of(self))
        graph = RBFGraph.of(X, self.gamma, self.verbose, self.n_jobs)
        if graph.kept is not None and self.gamma is not None:
            warn_of_a_useless_graph(graph.toarray())
        return graph
