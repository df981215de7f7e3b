"""The Laplacian score: how little a column changes between neighbouring rows.

It is SPEC's value of style 0 (:mod:`.spec`) on the neighbour graph.
"""

from __future__ import annotations

import numpy as np

from ...ranker import MethodCard
from ...table import Table
from . import toolbox
from .graph import LARGEST_EIGENVALUE
from .spec import spec_scores
from .spectral_ranker import SpectralRanker


class LaplacianScore(SpectralRanker):
    r"""Laplacian score: good columns change little between neighbouring rows.

    With the weights W of a neighbour graph, degrees D and the Laplacian L = D - W, the score
    of a column f, centred so that f' D 1 = 0, is ``f' L f / f' D f`` (in ``raw_scores_``, lower
    is better). ``scores_`` is 2 minus that; constant columns have 0. The score of a column
    depends neither on its unit nor on its origin; the graph does, unless columns are standardised.

    Parameters
    ----------
    {shared_parameters}

    Attributes
    ----------
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value; lower is better.

    Notes
    -----
    {toolbox_notes}

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

    published = toolbox.LAPLACIAN_SCORE
    cards = (
        MethodCard(
            name="laplacian",
            question="clusters",
            what="Does the column vary smoothly over a graph of near rows?",
            when="Clusters of numeric data; a well-known baseline",
            cost="m²n for the k neighbours, then mnk",
            formula=(
                r"2 - \frac{f_j^{\top} L f_j}{f_j^{\top} D f_j}, "
                r"\quad L = D - W, \; f_j^{\top} D 1 = 0"
            ),
            meaning=(
                "the column changes little between neighbouring rows and much between distant ones"
            ),
        ),
    )

    def _raw_scores(self, table: Table) -> np.ndarray:
        X = self._columns(table)
        return spec_scores(self._about_means(table, X)[0], self._neighbour_graph(X))

    def _better(self, raw: np.ndarray) -> np.ndarray:
        return LARGEST_EIGENVALUE - raw
