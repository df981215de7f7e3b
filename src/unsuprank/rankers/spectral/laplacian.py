"""The Laplacian score: how little a column changes between neighbouring rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..._checks import check_choice
from ...ranker import MethodCard, Ranker
from ...table import Table
from .columns import constant_columns, unit_range
from .graph import (
    GraphOptions,
    Weights,
    check_graph_parameters,
    degrees,
    neighbour_graph,
    warn_of_ties,
)

PRESETS = (None, "scikit-feature")
#: The largest eigenvalue of a normalised Laplacian: no score is worse.
WORST = 2.0


def laplacian_scores(X: np.ndarray, graph: sparse.csr_array) -> np.ndarray:
    """``f' L f / f' D f`` of each column f, centred by degree; lower is better, in [0, 2].

    Constant columns get 2, the worst value there can be.
    """
    degree = degrees(graph)
    f = unit_range(X)
    f -= (degree @ f) / degree.sum()
    spread = np.einsum("ij,ij,i->j", f, f, degree)
    smooth = np.einsum("ij,ij->j", f, graph @ f)
    bad = constant_columns(X) | (spread <= 0)
    raw = 1.0 - smooth / np.where(bad, 1.0, spread)
    return np.where(bad, WORST, np.clip(raw, 0.0, WORST))


class LaplacianScore(Ranker):
    r"""Laplacian score: good columns change little between neighbouring rows.

    With the weights W of a neighbour graph, degrees D and the Laplacian L = D - W, the score
    of a column f, centred so that f' D 1 = 0, is ``f' L f / f' D f`` (in ``raw_scores_``, lower
    is better). ``scores_`` is 2 minus that; constant columns have 0. The score of a column
    depends neither on its unit nor on its origin, but the graph does: standardise columns
    that have different units.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row in the graph; at most all other rows.
    weights : {"heat", "binary", "cosine"}, default="heat"
        Weights of the edges.
    width : float, optional
        Width t of the heat kernel ``exp(-d^2 / (2 t^2))``. By default it is tuned to the data:
        ``2 t^2`` is the mean squared distance of neighbours.
    preset : {None, "scikit-feature"}, default=None
        With ``"scikit-feature"``, the graph has the published default settings of that toolbox
        (5 neighbours, heat kernel of width 1), whatever the parameters above say.
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.
    n_jobs : int, optional
        Threads of the search for neighbours, by default as many as matrix products take; the
        answer does not depend on it.
    verbose : int, default=0
        Show progress.

    Attributes
    ----------
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value; lower is better.

    Notes
    -----
    The toolbox scikit-feature uses width 1 whatever the scale of the data. On most data that
    makes the graph an identity matrix: every score is 0 up to rounding, and the order that of
    the columns. It also gives constant columns an arbitrary score; here they come last.

    References
    ----------
    He, Cai, Niyogi: Laplacian score for feature selection. NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import LaplacianScore
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> X[:30, 2] += 8  # two clusters
    >>> int(LaplacianScore(n_neighbors=10).fit(X).order_[0])
    2
    """

    cards = (
        MethodCard(
            name="laplacian",
            question="clusters",
            what="Does the column vary smoothly over a graph of near rows?",
            when="Clusters of numeric data; a well-known baseline",
            cost="m²n for the k neighbours, then mnk",
            meaning=(
                "the column changes little between neighbouring rows and much between distant ones"
            ),
        ),
    )

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        weights: Weights = "heat",
        width: float | None = None,
        preset: str | None = None,
        n_features_to_select: int | float = 16,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.width = width
        self.preset = preset
        self.n_features_to_select = n_features_to_select
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_graph_parameters(self)
        check_choice("preset", self.preset, PRESETS)

    def _score(self, table: Table) -> np.ndarray:
        options = GraphOptions.of(self)
        if self.preset is not None:
            options = GraphOptions(5, "heat", 1.0, n_jobs=self.n_jobs, verbose=self.verbose)
        raw = laplacian_scores(table.values, neighbour_graph(table.values, options))
        if self.preset is not None:
            warn_of_ties(raw, "LaplacianScore", WORST)
        self.raw_scores_ = raw
        return WORST - raw
