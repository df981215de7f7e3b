"""Multi-cluster feature selection: sparse regression of columns on smooth functions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Literal

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path, lars_path_gram

from ... import _kernels
from ..._checks import check_choice, check_count, check_flag
from ..._parallel import in_batches, one_blas_thread
from ..._progress import Progress, progress
from ...ranker import MethodCard, Ranker
from ...table import Table
from .columns import centred
from .graph import (
    GraphOptions,
    Weights,
    check_graph_parameters,
    degrees,
    neighbour_graph,
    warn_of_ties,
)
from .laplacian import PRESETS
from .spectrum import smoothest_functions, suggested_clusters

#: Columns up to which the products of all pairs are kept for all targets together.
GRAM_COLUMNS = 5000


def spectral_targets(graph: sparse.csr_array, count: int) -> np.ndarray:
    """``D^-1/2 u`` for the smoothest nontrivial eigenvectors u; signs are arbitrary."""
    _, vectors = smoothest_functions(graph, count)
    root = np.sqrt(np.maximum(degrees(graph), np.finfo(float).tiny))
    return vectors / root[:, None]


def mcfs_coefficients(
    X: np.ndarray,
    targets: np.ndarray,
    n_nonzero: int = 100,
    *,
    method: Literal["lasso", "lar"] = "lasso",
    n_jobs: int | None = None,
    verbose: int = 0,
) -> np.ndarray:
    """Coefficients, columns x targets, of `X` after `n_nonzero` steps of least angle regression.

    Columns are centred and scaled to norm 1 for the regression; coefficients are in the units
    of `X`. More than ``rows - 1`` steps would fit rounding errors, so there are no more.

    The method needs the path of the lasso. With ``"lar"`` the steps are those of the toolbox:
    scikit-learn's variant without the lasso's drops turns the direction of a coefficient that
    crosses 0, after which the error of the fit can grow.
    """
    m, n = X.shape
    Z, norm = centred(X)
    Y = targets - targets.mean(axis=0)
    steps = min(n_nonzero, m - 1, int((norm > 0).sum()))
    if steps == 0:
        return np.zeros((n, Y.shape[1]))
    gram = Z.T @ Z if n <= GRAM_COLUMNS and n <= 4 * m else None
    correlations = np.ascontiguousarray(Y.T @ Z)
    # What no column has to do with is left alone: its products are rounding errors.
    correlations[np.abs(correlations).max(axis=1) <= 1e-13 * np.linalg.norm(Y, axis=0)] = 0.0
    with progress("regressing", Y.shape[1], verbose) as bar:
        if gram is not None and method == "lasso":
            found = _ends_of_paths(gram, correlations, steps, n_jobs, bar)
        else:
            found = _paths_of_scikit_learn(Z, Y, gram, correlations, steps, method, n_jobs, bar)
        coefficients = np.column_stack(list(found))
    with np.errstate(over="ignore"):
        coefficients /= np.where(norm > 0, norm, 1.0)[:, None]
    largest = np.finfo(float).max
    return np.clip(np.nan_to_num(coefficients), -largest, largest)


def _ends_of_paths(
    gram: np.ndarray, correlations: np.ndarray, steps: int, n_jobs: int | None, bar: Progress
) -> Iterator[np.ndarray]:
    """Coefficients of one target after the other, from inner products."""
    coefficients = np.zeros_like(correlations)

    def work(first: int, last: int) -> np.ndarray:
        _kernels.lasso_path_ends(gram, correlations, steps, first, last, coefficients)
        return coefficients[first:last]

    for found in in_batches(work, len(correlations), n_jobs=n_jobs, progress=bar):
        yield from found


def _paths_of_scikit_learn(
    Z: np.ndarray,
    Y: np.ndarray,
    gram: np.ndarray | None,
    correlations: np.ndarray,
    steps: int,
    method: str,
    n_jobs: int | None,
    bar: Progress,
) -> Iterator[np.ndarray]:
    """The same where products of all pairs of columns are too many, and for other methods."""

    def regress(j: int) -> np.ndarray:
        if not correlations[j].any():
            return np.zeros(Z.shape[1])
        options = {"max_iter": steps, "method": method, "return_path": False}
        if gram is None:
            return lars_path(Z, Y[:, j], Xy=correlations[j], Gram=None, **options)[2]
        return lars_path_gram(correlations[j], gram, n_samples=len(Z), **options)[2]

    pool = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
    with warnings.catch_warnings():
        # Columns that repeat others are left out on the way, as they should be.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        for found in pool(delayed(regress)(j) for j in range(Y.shape[1])):
            yield found
            bar.advance()


class MCFS(Ranker):
    r"""Multi-cluster feature selection: good columns explain the smooth functions of a graph.

    The c smoothest nontrivial functions y_1 .. y_c on a neighbour graph (eigenvectors of
    ``L y = s D y``) indicate its clusters. Each is regressed on the columns by least angle
    regression, along the path of the lasso, with few nonzero coefficients; the score of a column
    is its largest ``|coefficient|`` over the c regressions (``raw_scores_`` and ``scores_``).

    Parameters
    ----------
    n_clusters : int, optional
        Number c of functions. By default the place of the largest gap between consecutive
        eigenvalues of the Laplacian, from 2 to 10: a graph of c clear clusters has c eigenvalues
        near 0. It is in ``n_clusters_``.
    n_nonzero : int, optional
        Steps of each regression, and so the most columns it can use; at most one less than
        there are rows. As published, by default as many as columns are to be selected.
        Columns that no regression uses tie at 0.
    standardize : bool, default=True
        Whether coefficients are those of standardised columns. Otherwise, as published, they
        are in the units of the columns: a column counts more the smaller its spread.
    n_neighbors, weights, width
        Of the neighbour graph, as for :class:`LaplacianScore`.
    preset : {None, "scikit-feature"}, default=None
        With ``"scikit-feature"``, the published default settings of that toolbox (heat kernel
        of width 1, 5 neighbours, units of the columns) and its score, the largest signed
        coefficient.
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.
    n_jobs : int, optional
        Threads; the answer does not depend on it.
    verbose : int, default=0
        Show progress.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_, n_clusters_)
        Coefficients of the regressions.
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value, the same as ``scores_``.
    n_clusters_ : int
        Number of functions that were regressed.

    Notes
    -----
    The toolbox scikit-feature takes the largest coefficient instead of the largest absolute
    one. An eigenvector's sign is arbitrary, and so is its ranking. It also lets a regression
    take as many steps as it is asked for: beyond one less than the number of rows it divides
    by rounding errors, with coefficients of 1e10 and more. And it leaves out the lasso's drops:
    where a coefficient crosses 0, the regression leaves the path, and its error can grow.

    References
    ----------
    Cai, Zhang, He: Unsupervised feature selection for multi-cluster data. KDD 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import MCFS
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> X[:30, 2] += 8  # two clusters
    >>> int(MCFS(n_clusters=2, n_neighbors=10).fit(X).order_[0])
    2
    """

    cards = (
        MethodCard(
            name="mcfs",
            question="clusters",
            what=(
                "Do sparse regressions need the column to recover the spectral clusters of the "
                "rows?"
            ),
            when="When numeric data have several clusters",
            cost="m²n, a few eigenvectors, then mn a step",
            meaning="a regression on few columns needs this one to recover a cluster structure",
            effort=2.0,
        ),
    )

    def __init__(
        self,
        *,
        n_clusters: int | None = None,
        n_nonzero: int | None = None,
        standardize: bool = True,
        n_neighbors: int = 5,
        weights: Weights = "heat",
        width: float | None = None,
        preset: str | None = None,
        n_features_to_select: int | float = 16,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_nonzero = n_nonzero
        self.standardize = standardize
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.width = width
        self.preset = preset
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters)
        if self.n_nonzero is not None:
            check_count("n_nonzero", self.n_nonzero)
        check_flag("standardize", self.standardize)
        check_choice("preset", self.preset, PRESETS)
        check_graph_parameters(self)

    def _score(self, table: Table) -> np.ndarray:
        options = GraphOptions.of(self)
        if self.preset is not None:
            options = GraphOptions(5, "heat", 1.0, n_jobs=self.n_jobs, verbose=self.verbose)
        graph = neighbour_graph(table.values, options)
        # Threads would round differently, and rounding chooses between columns that are copies.
        with one_blas_thread():
            return self._regressed(table, graph)

    def _regressed(self, table: Table, graph: sparse.csr_array) -> np.ndarray:
        wanted = self.n_clusters or suggested_clusters(graph)
        targets = spectral_targets(graph, wanted)
        X = table.values
        if self.standardize and self.preset is None:
            X, _ = centred(X, np.sqrt(table.n_rows))
        steps = self.n_nonzero or self._count_selected(table.n_columns)
        coef = mcfs_coefficients(
            X,
            targets,
            steps,
            method="lasso" if self.preset is None else "lar",
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        raw = np.abs(coef).max(axis=1) if self.preset is None else coef.max(axis=1)
        if self.preset is not None:
            warn_of_ties(raw, "MCFS")
        self.coef_ = coef
        self.n_clusters_ = targets.shape[1]
        self.raw_scores_ = raw
        return raw
