"""SPEC: how well a column agrees with the smooth functions on a graph of the rows.

Write W for the weights, D for the degrees, L = D - W, and F = D^1/2 f / |D^1/2 f| for a column
f. With the eigenpairs (s_j, u_j) of the normalised Laplacian and a_j = F' u_j the styles are

    -1   sum_j a_j^2 s_j                        =  f' L f / f' D f
     0   sum_{j>1} a_j^2 s_j / (1 - a_1^2)      =  f' L f / (f' D f - (1' D f)^2 / 1' D 1)
    k>1  sum_{1<j<=k} a_j^2 (2 - s_j)

so the first two need no eigenvectors, only sums over the rows.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from ..._checks import check_choice, check_count, check_number, parameter, with_parameters
from ..._parallel import one_blas_thread
from ...column_totals import column_totals
from ...ranker import MethodCard
from ...table import Table
from ..centred_matrix import ColumnMatrix
from . import toolbox
from .complete_graph import CompleteGraph
from .graph import LARGEST_EIGENVALUE, degrees
from .spectral_ranker import SpectralRanker
from .spectrum import smoothest_functions

Graph: TypeAlias = CompleteGraph | sparse.csr_array | np.ndarray


def spec_scores(
    f: ColumnMatrix, graph: Graph, style: int = 0, means: np.ndarray | float = 0.0
) -> np.ndarray:
    """SPEC's own value for each column: lower is better for styles -1 and 0, higher for others.

    Columns are centred, because ``f' L f`` does not change when a constant is added to f, and fewer
    digits cancel; `means` are those that they had, in the unit that they have now. Constant columns
    get the worst value there can be: 2 for styles -1 and 0, 0 for others.
    """
    if style >= 2:
        graph = graph.toarray() if isinstance(graph, CompleteGraph) else graph
        degree, agreement = degrees(graph), _agreement(f, graph, style - 1)
    elif isinstance(graph, CompleteGraph):
        degree, form = graph.sums(f)
        rough = f.column_squares(degree) - form
    else:
        degree = degrees(graph)
        rough = f.quadratic_forms(sparse.diags_array(degree) - graph)
    with one_blas_thread():  # threads would round differently
        total, linear, square = degree.sum(), degree @ f, f.column_squares(degree)
    if style == 0:
        size = square - np.square(linear) / total
    else:
        size = square + means * (2.0 * linear + means * total)
    bad = (square <= 0) | (size <= 0)
    size = np.where(bad, 1.0, size)
    if style >= 2:
        return np.where(bad, 0.0, agreement / size)
    raw = np.clip(rough / size, 0.0, LARGEST_EIGENVALUE)
    return np.where(bad, LARGEST_EIGENVALUE, raw)


def _agreement(f: ColumnMatrix, graph: sparse.csr_array | np.ndarray, count: int) -> np.ndarray:
    """Squared products of ``D^1/2 f`` with the smoothest functions, each weighted by 2 - s."""
    values, vectors = smoothest_functions(graph, count)
    parts = (vectors * np.sqrt(degrees(graph))[:, None]).T @ f
    return (LARGEST_EIGENVALUE - values) @ np.square(parts)


def _check_style(name: str, value: Any) -> None:
    if check_count(name, value, minimum=-1) == 1:
        raise ValueError(f"{name} must be -1, 0 or at least 2, got 1.")


@with_parameters
class SPEC(SpectralRanker):
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
        That of the weights of all pairs; 1 / median squared distance of two rows by default.
    {shared_parameters}

    Attributes
    ----------
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value; its direction depends on the style.

    Notes
    -----
    {toolbox_notes}

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

    published = toolbox.SPEC
    cards = (
        MethodCard(
            name="spec",
            question="clusters",
            what="Does the column vary smoothly over a graph of all pairs of rows?",
            when="Like laplacian; a well-known baseline",
            cost="m²n",
            formula=(
                r"2 - \frac{1}{1 - a_1^2} \sum_{k \geq 2} a_k^2 s_k, \quad "
                r"a_k = \cos(D^{1/2} f_j, u_k), \; L u_k = s_k u_k"
            ),
            meaning="the column follows the slow, large-scale structure of the neighbour graph",
        ),
    )

    style: int = parameter(_check_style, default=0)
    graph: str = parameter(check_choice, default="rbf", choices=("rbf", "knn"))
    gamma: float | None = parameter(check_number, default=None, open_low=True)

    def _raw_scores(self, table: Table) -> np.ndarray:
        X, how = self._columns(table), self._in_force()
        graph: Graph
        if how.graph == "knn":
            graph = self._neighbour_graph(X)
        else:
            graph = CompleteGraph.of(X, how.gamma, self.n_jobs, self.verbose)
        Z, units = self._about_means(table, X)
        means = 0.0 if self.scale_free else column_totals(table).mean / units
        return spec_scores(Z, graph, int(self.style), means)

    def _better(self, raw: np.ndarray) -> np.ndarray:
        better = raw if self.style >= 2 else LARGEST_EIGENVALUE - raw
        return better if self.preset is None else toolbox.spec_scores(better)
