"""Multi-cluster feature selection: sparse regression of columns on smooth functions."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..._checks import check_count, parameter, with_parameters
from ..._parallel import one_blas_thread
from ..._progress import progress
from ...ranker import MethodCard
from ...table import Table
from ..centred_matrix import ColumnMatrix, centred_columns
from . import toolbox
from .graph import degrees
from .lasso_path import lasso_ends
from .spectral_ranker import SpectralRanker
from .spectrum import smoothest_functions, suggested_clusters


def spectral_targets(graph: sparse.csr_array, count: int) -> np.ndarray:
    """``D^-1/2 u`` for the smoothest nontrivial eigenvectors u; signs are arbitrary."""
    _, vectors = smoothest_functions(graph, count)
    root = np.sqrt(np.maximum(degrees(graph), np.finfo(float).tiny))
    return vectors / root[:, None]


def mcfs_coefficients(
    Z: ColumnMatrix,
    norms: np.ndarray,
    targets: np.ndarray,
    n_nonzero: int = 100,
    *,
    as_toolbox: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> np.ndarray:
    """Coefficients, columns x targets, after `n_nonzero` steps of least angle regression.

    Columns `Z` are centred and of norm 1; coefficients are for columns of the given norms. More
    than ``rows - 1`` steps would fit rounding errors, so there are no more.
    """
    Y = targets - targets.mean(axis=0)
    steps = min(n_nonzero, len(Z) - 1, int((norms > 0).sum()))
    if steps == 0:
        return np.zeros((Z.shape[1], Y.shape[1]))
    ends = toolbox.least_angle_ends if as_toolbox else lasso_ends
    with progress("regressing", Y.shape[1], verbose) as bar:
        coefficients = ends(Z, Y, steps, n_jobs, bar)
    with np.errstate(over="ignore"):
        coefficients /= np.where(norms > 0, norms, 1.0)[:, None]
    largest = np.finfo(float).max
    return np.clip(np.nan_to_num(coefficients), -largest, largest)


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
        Z, norms = centred_columns(table)
        if self.scale_free:
            norms = np.sqrt(table.n_rows) * (norms > 0)
        # Threads would round differently, and rounding chooses between columns that are copies.
        with one_blas_thread():
            targets = spectral_targets(graph, self.n_clusters or suggested_clusters(graph))
            self.coef_ = mcfs_coefficients(
                Z,
                norms,
                targets,
                self.n_nonzero or self._count_selected(table.n_columns),
                as_toolbox=self.preset is not None,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
        self.n_clusters_ = targets.shape[1]
        if self.preset is not None:
            return toolbox.mcfs_scores(self.coef_)
        return np.abs(self.coef_).max(axis=1)
