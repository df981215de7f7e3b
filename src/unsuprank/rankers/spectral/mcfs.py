"""Multi-cluster feature selection: sparse regression of columns on smooth functions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path, lars_path_gram

from ... import _kernels
from ..._checks import check_count, parameter, with_parameters
from ..._parallel import in_batches, one_blas_thread
from ..._progress import Progress, progress
from ...ranker import MethodCard
from ...table import SparseTable, Table
from ..centred_matrix import CentredMatrix, Matrix
from ..scaling import centred
from . import toolbox
from .graph import degrees
from .screened_lasso import repeated_columns, screened_path_end
from .spectral_ranker import SpectralRanker
from .spectrum import smoothest_functions, suggested_clusters

#: Columns up to which the products of all pairs are kept for all targets together.
GRAM_COLUMNS = 5000
#: Correlations below this share of the norm of a target are rounding errors.
ROUNDING = 1e-13


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
    of `X`. More than ``rows - 1`` steps would fit rounding errors, so there are no more. Of columns
    that are copies of each other, but for sign and unit, only the first takes part.

    The method needs the path of the lasso. With ``"lar"`` the steps are those of the toolbox:
    scikit-learn's variant without the lasso's drops turns the direction of a coefficient that
    crosses 0, after which the error of the fit can grow.
    """
    return regress(*centred(X), targets, n_nonzero, method=method, n_jobs=n_jobs, verbose=verbose)


def regress(
    Z: Matrix,
    norm: np.ndarray,
    targets: np.ndarray,
    n_nonzero: int,
    *,
    method: Literal["lasso", "lar"],
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """The same for columns `Z` that are centred and of norm 1, and had the norms of `norm`."""
    Y = targets - targets.mean(axis=0)
    steps = min(n_nonzero, len(Z) - 1, int((norm > 0).sum()))
    if steps == 0:
        return np.zeros((Z.shape[1], Y.shape[1]))
    kept = np.ones(len(norm), dtype=bool)
    if isinstance(Z, np.ndarray) and method == "lasso":
        kept = ~repeated_columns(Z)
    regressions = Regressions.of(Z if kept.all() else Z[:, kept], Y, steps)
    coefficients = np.zeros((len(kept), Y.shape[1]))
    with progress("regressing", Y.shape[1], verbose) as bar:
        found = list(regressions.coefficients(method, n_jobs, bar))
    coefficients[kept] = np.column_stack(found)
    with np.errstate(over="ignore"):
        coefficients /= np.where(norm > 0, norm, 1.0)[:, None]
    largest = np.finfo(float).max
    return np.clip(np.nan_to_num(coefficients), -largest, largest)


@dataclass(frozen=True)
class Regressions:
    """Least angle regressions of several targets on the same columns, centred and of norm 1."""

    Z: Matrix
    Y: np.ndarray
    steps: int
    #: Products of the targets with the columns, targets x columns.
    correlations: np.ndarray
    #: Products of all pairs of columns, where they are dense and not too many.
    gram: np.ndarray | None

    @classmethod
    def of(cls, Z: Matrix, Y: np.ndarray, steps: int) -> Regressions:
        """The regressions of the columns of `Y` on those of `Z`, and the products they share."""
        m, n = Z.shape
        few = isinstance(Z, np.ndarray) and n <= min(GRAM_COLUMNS, 4 * m)
        gram = Z.T @ Z if few else None
        correlations = np.ascontiguousarray(Y.T @ Z)
        # What no column has to do with is left alone: its products are rounding errors.
        unrelated = np.abs(correlations).max(axis=1) <= ROUNDING * np.linalg.norm(Y, axis=0)
        correlations[unrelated] = 0.0
        return cls(Z, Y, steps, correlations, gram)

    def coefficients(self, method: str, n_jobs: int | None, bar: Progress) -> Iterator[np.ndarray]:
        """Coefficients of one target after the other."""
        if self.gram is not None and method == "lasso":
            return self._by_kernel(self.gram, n_jobs, bar)
        return self._by_scikit_learn(method, n_jobs, bar)

    def _by_kernel(
        self, gram: np.ndarray, n_jobs: int | None, bar: Progress
    ) -> Iterator[np.ndarray]:
        """The ends of the lasso's paths, from inner products."""
        found = np.zeros_like(self.correlations)

        def work(first: int, last: int) -> np.ndarray:
            _kernels.lasso_path_ends(gram, self.correlations, self.steps, first, last, found)
            return found[first:last]

        for ends in in_batches(work, len(found), n_jobs=n_jobs, progress=bar):
            yield from ends

    def _by_scikit_learn(
        self, method: str, n_jobs: int | None, bar: Progress
    ) -> Iterator[np.ndarray]:
        """The same where products of all pairs of columns are too many, and for other methods."""
        pool = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        with warnings.catch_warnings():
            # Columns that repeat others are left out on the way, as they should be.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            for found in pool(delayed(self._path_end)(j, method) for j in range(len(self.Y.T))):
                yield found
                bar.advance()

    def _path_end(self, j: int, method: str) -> np.ndarray:
        correlations = self.correlations[j]
        if not correlations.any():
            return np.zeros(self.Z.shape[1])
        options = {"max_iter": self.steps, "method": method, "return_path": False}
        if self.gram is not None:
            return lars_path_gram(correlations, self.gram, n_samples=len(self.Z), **options)[2]
        if isinstance(self.Z, CentredMatrix):
            return screened_path_end(self.Z, correlations, self.steps, method)
        return lars_path(self.Z, self.Y[:, j], Xy=correlations, Gram=None, **options)[2]


@with_parameters
class MCFS(SpectralRanker):
    r"""Multi-cluster feature selection: good columns explain the smooth functions of a graph.

    The smoothest nontrivial functions on a neighbour graph (eigenvectors of ``L y = s D y``), as
    many as there are clusters, indicate the clusters. Each is regressed on the columns by least
    angle regression, along the path of the lasso, with few nonzero coefficients; the score of a
    column is its largest ``|coefficient|`` over the regressions (``raw_scores_`` and ``scores_``).

    Parameters
    ----------
    {n_clusters}
    n_nonzero : int, optional
        Steps of each regression, and so the most columns it can use; at most one less than
        there are rows. As published, by default as many as columns are to be selected.
        Columns that no regression uses tie at 0.
    {shared_parameters}

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
    {toolbox_notes}

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

    published = toolbox.MCFS
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
            formula=(
                r"\max_k |\beta_{jk}| \text{ of sparse regressions } y_k \approx X \beta_k, "
                r"\quad L y_k = s_k D y_k"
            ),
            meaning="a regression on few columns needs this one to recover a cluster structure",
            effort=2.0,
        ),
    )

    n_clusters: int | None = parameter(check_count, default=None)
    n_nonzero: int | None = parameter(check_count, default=None)

    def _raw_scores(self, table: Table) -> np.ndarray:
        X = self._columns(table)
        graph = self._neighbour_graph(X)
        # Threads would round differently, and rounding chooses between columns that are copies.
        with one_blas_thread():
            targets = spectral_targets(graph, self.n_clusters or suggested_clusters(graph))
            coef = regress(
                *self._unit_columns(table, X),
                targets,
                self.n_nonzero or self._count_selected(table.n_columns),
                method="lasso" if self.preset is None else toolbox.MCFS_METHOD,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
        self.coef_ = coef
        self.n_clusters_ = targets.shape[1]
        return np.abs(coef).max(axis=1) if self.preset is None else toolbox.mcfs_scores(coef)

    def _unit_columns(self, table: Table, X: Matrix) -> tuple[Matrix, np.ndarray]:
        """Centred columns of norm 1, and the norms that those of `X` had."""
        if not isinstance(table, SparseTable):
            return centred(np.asarray(X))
        spread = table.varies if self.scale_free else table.moments.spread
        return CentredMatrix.standardised(table, 1.0), spread * np.sqrt(table.n_rows)
