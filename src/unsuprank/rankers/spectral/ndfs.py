"""The NDFS estimator; the mathematics is in :mod:`.ndfs_solver`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..._checks import check_count, check_number, parameter, with_parameters
from ...ranker import MethodCard
from ...table import Table
from ..centred_matrix import ColumnMatrix
from . import toolbox
from .ndfs_solver import NDFSOptions, NDFSResult, ndfs, normalised_laplacian, starting_clusters
from .ndfs_toolbox import ToolboxLaplacian, require_squarable, toolbox_ndfs
from .spectral_ranker import SpectralRanker
from .spectrum import suggested_clusters


@with_parameters
class NDFS(SpectralRanker):
    r"""Nonnegative discriminative feature selection: clusters and coefficients together.

    Minimises, over cluster indicators F >= 0 and coefficients W of the centred columns X,
    ``tr F'LF + alpha (|XW - F|^2 + beta sum_i |w_i|) + gamma/2 |F'F - I|^2`` with the normalised
    Laplacian L of a neighbour graph, from a k-means start. The score of a column is ``|w_i|^2``
    (``raw_scores_`` and ``scores_``).

    Parameters
    ----------
    {n_clusters}
    alpha, beta : float, default=1
        Weight of the regression, and of the penalty that makes it sparse.
    gamma : float, default=1e8
        Weight of the demand that clusters do not overlap.
    max_iter : int, default=1000
        The largest number of steps.
    tol : float, default=1e-6
        Stop when a step lowers the objective by less than this share of it.
    random_state : int, RandomState or None, default=None
        Seed of the k-means start.
    {shared_parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_, n_clusters_)
        The coefficients W.
    objective_ : ndarray
        The objective before the first step and after each; it never increases.
    n_iter_ : int
        Steps taken. A ConvergenceWarning says if they were not enough.
    n_clusters_ : int
        Number of clusters.
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value, the same as ``scores_``.

    Notes
    -----
    {toolbox_notes}

    References
    ----------
    Li, Yang, Liu, Zhou, Lu: Unsupervised feature selection using nonnegative spectral analysis.
    AAAI 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import NDFS
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> X[:30, 2] += 8  # two clusters
    >>> int(NDFS(n_clusters=2, n_neighbors=10, random_state=0).fit(X).order_[0])
    2
    """

    published = toolbox.NDFS
    cards = (
        MethodCard(
            name="ndfs",
            question="clusters",
            what="Does the column predict clusters that are learned together with its weight?",
            when="When numeric data have clusters and time is no concern",
            cost="m²n, then steps of the smaller of m and n, cubed",
            formula=(
                r"|w_j|^2 \text{ from } \min_{F \geq 0,\, W} \mathrm{tr}\, F^{\top} L F"
                r" + \alpha (|X W - F|^2 + \beta \sum_i |w_i|)"
                r" + \frac{\gamma}{2} |F^{\top} F - I|^2"
            ),
            meaning="this column carries much weight in predicting the clusters that were found",
            effort=50.0,
        ),
    )

    n_clusters: int | None = parameter(check_count, default=None)
    alpha: float = parameter(check_number, default=1.0, high=1e12, open_low=True)
    beta: float = parameter(check_number, default=1.0, high=1e12, open_low=True)
    gamma: float = parameter(check_number, default=1e8, high=1e12, open_low=True)
    max_iter: int = parameter(check_count, default=1000)
    tol: float = parameter(check_number, default=1e-6)
    random_state: Any = None

    def _raw_scores(self, table: Table) -> np.ndarray:
        result = self._solve(table)
        self.coef_ = result.coef
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.n_clusters_ = result.coef.shape[1]
        if not result.converged:
            warnings.warn(
                f"NDFS did not converge in {self.n_iter_} steps; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return result.raw_scores

    def _solve(self, table: Table) -> NDFSResult:
        how = self._in_force()
        options = NDFSOptions(how.alpha, how.beta, how.gamma, how.max_iter, how.tol, how.verbose)
        if not how.standardize:
            require_squarable(table)
        X = self._columns(table)
        graph = self._neighbour_graph(X)
        if self.preset is not None:
            return toolbox_ndfs(X, ToolboxLaplacian(graph), self._start(X, graph), options)
        # No column stands in for an intercept: without their means, constant ones are 0.
        Z, units = self._about_means(table, X)
        X = Z / (1.0 / units)
        return ndfs(X, normalised_laplacian(graph), self._start(X, graph), options)

    def _start(self, X: ColumnMatrix, graph: sparse.csr_array) -> np.ndarray:
        count = min(self.n_clusters or suggested_clusters(graph), len(X))
        return starting_clusters(X, count, check_random_state(self.random_state))
