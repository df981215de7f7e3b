"""The NDFS estimator; the mathematics is in :mod:`.ndfs_solver`."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..._checks import check_choice, check_count, check_number
from ...ranker import MethodCard, Ranker
from ...table import Table
from .columns import centred
from .graph import (
    LARGEST,
    GraphOptions,
    Weights,
    check_graph_parameters,
    neighbour_graph,
    warn_of_ties,
)
from .laplacian import PRESETS
from .ndfs_solver import NDFSOptions, NDFSResult, ndfs, normalised_laplacian, starting_clusters
from .ndfs_toolbox import ToolboxLaplacian, toolbox_ndfs
from .spectrum import suggested_clusters


class NDFS(Ranker):
    r"""Nonnegative discriminative feature selection: clusters and coefficients together.

    Minimises, over cluster indicators F >= 0 and coefficients W of the standardised columns X,
    ``tr F'LF + alpha (|XW - F|^2 + beta sum_i |w_i|) + gamma/2 |F'F - I|^2`` with the normalised
    Laplacian L of a neighbour graph, from a k-means start. The score of a column is ``|w_i|^2``
    (``raw_scores_`` and ``scores_``).

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. By default the place of the largest gap between consecutive
        eigenvalues of the Laplacian, from 2 to 10: a graph of c clear clusters has c eigenvalues
        near 0. It is in ``n_clusters_``.
    alpha, beta : float, default=1
        Weight of the regression, and of the penalty that makes it sparse.
    gamma : float, default=1e8
        Weight of the demand that clusters do not overlap.
    max_iter : int, default=1000
        Most steps.
    tol : float, default=1e-6
        Stop when a step lowers the objective by less than this share of it.
    n_neighbors, weights, width
        Of the neighbour graph, as for :class:`LaplacianScore`.
    preset : {None, "scikit-feature"}, default=None
        With ``"scikit-feature"``, the published default settings of that toolbox: a binary graph
        of 5 neighbours, its matrix in place of the Laplacian, columns as they come, alpha = beta
        = 1, gamma = 1e9, F scaled to unit columns in each step.
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.
    n_jobs : int, optional
        Threads of the search for neighbours, by default as many as matrix products take; the
        answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the k-means start.
    verbose : int, default=0
        Show progress.

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
    The toolbox scikit-feature subtracts the graph from a matrix that repeats the degrees in
    every row instead of the diagonal matrix of degrees, so that its "Laplacian" is none; its
    objective can increase; and it inverts a matrix of columns x columns in every step, where
    one of rows x rows will do. It works on columns as they come: those with a large mean stand
    in for the missing intercept and those with a small unit need large coefficients, so here
    columns are standardised.

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

    cards = (
        MethodCard(
            name="ndfs",
            question="clusters",
            what="Does the column predict clusters that are learned together with its weight?",
            when="When numeric data have clusters and time is no concern",
            cost="m²n, then steps of the smaller of m and n, cubed",
            meaning="this column carries much weight in predicting the clusters that were found",
            effort=50.0,
        ),
    )

    def __init__(
        self,
        *,
        n_clusters: int | None = None,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1e8,
        max_iter: int = 1000,
        tol: float = 1e-6,
        n_neighbors: int = 5,
        weights: Weights = "heat",
        width: float | None = None,
        preset: str | None = None,
        n_features_to_select: int | float = 16,
        n_jobs: int | None = None,
        random_state=None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.width = width
        self.preset = preset
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters)
        for name in ("alpha", "beta", "gamma"):
            check_number(name, getattr(self, name), high=1e12, open_low=True)
        check_number("tol", self.tol)
        check_count("max_iter", self.max_iter)
        check_choice("preset", self.preset, PRESETS)
        check_graph_parameters(self)

    def _score(self, table: Table) -> np.ndarray:
        result = self._solve(table) if self.preset is None else self._solve_as_toolbox(table)
        raw = np.einsum("ij,ij->i", result.coef, result.coef)
        self.coef_ = result.coef
        self.objective_ = result.objective
        self.n_iter_ = len(result.objective) - (self.preset is None)
        self.n_clusters_ = result.coef.shape[1]
        self.raw_scores_ = raw
        if not result.converged:
            warnings.warn(
                f"NDFS did not converge in {self.n_iter_} steps; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return raw

    def _solve(self, table: Table) -> NDFSResult:
        graph = neighbour_graph(table.values, GraphOptions.of(self))
        X, _ = centred(table.values, np.sqrt(table.n_rows))
        F = self._start(X, suggested_clusters(graph) if self.n_clusters is None else 0)
        options = NDFSOptions(
            self.alpha, self.beta, self.gamma, self.max_iter, self.tol, self.verbose
        )
        return ndfs(X, normalised_laplacian(graph), F, options)

    def _solve_as_toolbox(self, table: Table) -> NDFSResult:
        X = table.values
        large = np.flatnonzero(np.abs(X).max(axis=0) > LARGEST)
        if len(large):
            raise ValueError(
                f"{table.schema.label(int(large[0])).capitalize()} has values too large to "
                "square; rescale it, or use preset=None, which standardises columns."
            )
        options = GraphOptions(5, "binary", n_jobs=self.n_jobs, verbose=self.verbose)
        graph = neighbour_graph(X, options)
        F = self._start(X, suggested_clusters(graph) if self.n_clusters is None else 0)
        result = toolbox_ndfs(
            X,
            ToolboxLaplacian(graph),
            F,
            NDFSOptions(1.0, 1.0, 1e9, self.max_iter, verbose=self.verbose),
        )
        warn_of_ties(np.einsum("ij,ij->i", result.coef, result.coef), "NDFS")
        return result

    def _start(self, X: np.ndarray, suggested: int) -> np.ndarray:
        count = min(self.n_clusters or suggested, len(X))
        return starting_clusters(X, count, check_random_state(self.random_state))
