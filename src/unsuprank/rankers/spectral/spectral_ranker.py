"""What the rankers that read columns off a graph of the rows share."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, Self, get_args

import numpy as np
from scipy import sparse

from ..._checks import (
    check_choice,
    check_count,
    check_flag,
    check_number,
    parameter,
    with_parameters,
)
from ...ranker import Ranker, with_quotations
from ...table import Table
from ..centred_matrix import ColumnMatrix, centred_columns, columns_about_means, raw_columns
from ..row_sampling import RowSampleMixin
from .graph import GraphOptions, Weights, neighbour_graph
from .toolbox import PRESETS, PublishedSettings

SHARED_PARAMETERS_DOC = """\
standardize : bool, default=True
    Whether columns are standardised first, to mean 0 and variance 1, so that units matter neither
    to which rows are near nor to the scores. Otherwise, as published, columns are taken as they
    come, and those of large numbers decide which rows are near; that is as good where all columns
    have one unit, such as pixels.
n_neighbors : int, default=5
    Neighbours of each row in the neighbour graph; at most all other rows.
weights : {{"heat", "binary", "cosine"}}, default="heat"
    Weights of the edges of the neighbour graph.
width : float, optional
    Width t of the heat kernel ``exp(-d^2 / (2 t^2))``. By default it is tuned to the data:
    ``2 t^2`` is the mean squared distance of neighbours.
preset : {{None, "scikit-feature"}}, default=None
    With ``"scikit-feature"``, the answer is what that toolbox gives with its published default
    settings; the notes say what it does differently. Whatever the parameters above say, it sets
    {published}.
max_samples : int, float or None, default=None
    Rank a random sample of this many rows, or this part of them: the graph of all rows takes time
    that grows with their square, and a table on disk need not be read whole. The sample depends
    on the number of rows only, and ``rows_used_`` says what was looked at. None: all rows.
n_features_to_select : int or float, default=16
    Columns that ``transform`` keeps: a count, or a fraction of all columns.
include, exclude : names, patterns or indices of columns, optional
    Columns that are always selected, and columns that never are; see :class:`Ranker`.
n_jobs : int, optional
    Threads, with joblib's meaning; by default rows are compared on as many as matrix products
    take. The answer does not depend on it.
verbose : int, default=0
    Show progress if positive."""

N_CLUSTERS_DOC = """\
n_clusters : int, optional
    Number of clusters. By default the place of the largest gap between consecutive
    eigenvalues of the Laplacian, from 2 to 10: a graph of c clear clusters has c eigenvalues
    near 0. It is in ``n_clusters_``."""


@with_parameters
class SpectralRanker(RowSampleMixin, Ranker):
    """Base of the rankers that read columns off a graph of the rows.

    A subclass has the parameters below, says how the toolbox scikit-feature runs it, and writes
    ``_raw_scores``. Its docstring quotes ``{shared_parameters}``, ``{n_clusters}`` and
    ``{toolbox_notes}``.
    """

    accepts_sparse = True
    published: ClassVar[PublishedSettings]

    standardize: bool = parameter(check_flag, default=True)
    n_neighbors: int = parameter(check_count, default=5)
    weights: Weights = parameter(check_choice, default="heat", choices=get_args(Weights))
    width: float | None = parameter(check_number, default=None, open_low=True)
    preset: str | None = parameter(check_choice, default=None, choices=PRESETS)
    n_jobs: int | None = None
    verbose: int = 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        texts = {"n_clusters": N_CLUSTERS_DOC, "toolbox_notes": cls.published.notes}
        texts["shared_parameters"] = SHARED_PARAMETERS_DOC.format(published=cls.published)
        cls.__doc__ = with_quotations(cls.__doc__, texts)

    @property
    def scale_free(self) -> bool:
        return bool(self._in_force().standardize)

    def _score(self, table: Table) -> np.ndarray:
        raw = self._raw_scores(table)
        if self.preset is not None:
            self.published.warn_of_ties(raw, type(self).__name__)
        self.raw_scores_ = raw
        return self._better(raw)

    @abstractmethod
    def _raw_scores(self, table: Table) -> np.ndarray:
        """The method's own value for each column."""

    def _better(self, raw: np.ndarray) -> np.ndarray:
        """Raw scores turned so that higher is better."""
        return raw

    def _in_force(self) -> Self:
        """This ranker, or a copy that has the parameters of its preset."""
        if self.preset is None:
            return self
        return copy(self).set_params(**self.published.parameters)

    def _columns(self, table: Table) -> ColumnMatrix:
        """The columns that rows are compared by: standardised, or as they come."""
        if self.scale_free:
            return centred_columns(table, np.sqrt(table.n_rows))[0]
        return raw_columns(table)

    def _about_means(self, table: Table, X: ColumnMatrix) -> tuple[ColumnMatrix, np.ndarray]:
        """The columns of `X` without their means, over some units, and these."""
        return (X, np.ones(X.shape[1])) if self.scale_free else columns_about_means(table)

    def _neighbour_graph(self, X: ColumnMatrix) -> sparse.csr_array:
        how = self._in_force()
        options = GraphOptions(how.n_neighbors, how.weights, how.width, how.n_jobs, how.verbose)
        return neighbour_graph(X, options)
