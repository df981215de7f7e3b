"""`SharedVariance`: which columns share more with the others than chance would have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..._checks import check_choice, check_count, parameter, with_parameters
from ...ranker import MethodCard, Ranker
from ...row_source import RowSource
from ...table import ColumnChoice
from ..coordinates import Coordinates, Rows
from .chance import against_chance
from .influence import warn_of
from .quantile_bins import with_bins
from .sides import Side
from .tails import q_values
from .views import LEAST_ROWS, VIEWS, look


def check_views(name: str, value: str | Sequence[str]) -> None:
    """Raise for what names no views."""
    named = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    for view in named or ("",):
        check_choice(name, view, VIEWS if len(named) > 1 else ("auto", *VIEWS))


@with_parameters
class SharedVariance(Ranker):
    """Rank columns by how much more of the others they explain than they would by chance.

    In the clustering space every column has total variance 1: a number is one coordinate, a nominal
    column a block of scaled indicators, and missing values are at the centre. A column explains
    the variance of the others that lies in the span of its coordinates: for numbers, the sum of
    squared correlations. By chance, a column of many values explains much, and a skewed one
    explains a varying amount. So each column is compared with itself in all orders of its rows, for
    which the mean and the variance are known in closed form. Columns of all kinds are then on one
    scale: noise has scores around 0 with standard deviation 1, whether it is a coin, heavy-tailed,
    an identifier, or mostly missing.

    By default columns show their values, and what they share is linear. With ``views="auto"``,
    which takes 10 to 30 times as long, they are looked at in several ways: they also show their
    ranks as normal scores, and curves that are large at both ends; the others show them the same,
    products of pairs, and one by one their strongest single one and their strongest pair. What each
    view tells is compared with chance by itself, and all of it is put together.

    This answers the question which columns carry structure. Columns that say the same all
    rank high; for a few columns that stand for all, see :class:`GreedyCSS`.

    Parameters
    ----------
    views : "line", "auto" or sequence of str, default="line"
        What columns share, and with what:

        - "line": what goes up and down together, in values and in normal scores;
        - "curve": the column is like a square of others; "bend": others are like a square of it;
        - "spread": they vary more in the same rows;
        - "joint": products of pairs of others, summed up over all pairs;
        - "pair": the strongest single partner, by line or curve: twins and small groups;
        - "trio": the strongest product of two others, which neither of them tells alone.

        "auto" takes all of them, and lines and pairs where more than half of the values are zeros:
        there, curves and products show how much was counted in a row. "line" by itself is that of
        values only, with nothing put together: scores are then standard deviations beyond chance.
    bins : int, optional
        Numbers are cut into this many bins of equal counts, which then count as nominal values:
        it finds what is shared but not linear (3 is a good choice) and loses some of what is.
    {selection}
    {nominal_features}
    n_jobs : int, optional
        Threads; as many as matrix products take by default.
    scheduler : str, Client or None, default=None
        The address of a Dask scheduler, or a ``dask.distributed.Client``, whose workers then read
        the rows of a table that is not in memory and find sums over them. None: the current client
        for a Dask collection, this machine for all others.
    verbose : int, default=0
        Whether progress is shown.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        What the column explains, less the mean over all orders of its rows, in their standard
        deviations; of several views, the quantile of a normal law at the combined p-value. Noise
        has a mean of 0 and a standard deviation of 1. It is 0 where the order of the rows makes no
        difference: for a constant, and for an identifier with a value of its own in every row.
    view_ : ndarray of str of shape (n_features_in_,)
        The view that tells most of each column; empty where none tells anything.
    partners_ : ndarray of int of shape (n_features_in_, 2)
        The one or two columns that it shares most with in that view; -1 for none, and with the
        line by itself.
    views_ : dict
        The rows, and columns if not all, that each view looked at.
    influential_rows_ : ndarray of int
        With several views, a handful of rows at most, of a table in memory, that make up most of
        what many columns share: a header, a total or gross errors. There is a warning, and views
        are those of the other rows.
    explained_ : ndarray of shape (n_features_in_,)
        The share of the variance of the other columns that the column's values explain.
    chance_ : ndarray of shape (n_features_in_,)
        The share that it explains on average over all orders of its rows.
    rows_used_ : str
        How the rows of a large table were looked at; see the notes.
    p_values_ : ndarray of shape (n_features_in_,)
        How often it would share as much or more if it had nothing to do with the others: those of
        the views, from gamma distributions with the right mean, variance and skewness, or of the
        best of many correlations, in Cauchy's combination. 0 is too small for a number.
    q_values_ : ndarray of shape (n_features_in_,)
        The share of false discoveries among all columns with as small a p-value, by the procedure
        of Benjamini and Hochberg.

    Notes
    -----
    From 60 rows on, 3 to 7% of the p-values of noise are below 0.05, and 0.5 to 1.5% below 0.01,
    for all kinds of columns in mixed tables (``python -m benchmarks.truth_chance``). This begins to
    end with values that 1% of the rows or fewer have (1.7% of p-values below 0.01), and ends where
    a few rows hold nearly all the variance of nearly all columns: then what a column explains takes
    few different values. Very small p-values of columns that do share something err on the large
    side.

    Tables on disk (``np.memmap``, HDF5, Zarr, backed AnnData, sources of :mod:`unsuprank.io`) that
    take more than 256 MB are read in two passes, some rows at a time. Sums over all rows are exact
    unless they cost too much (4e10 multiplications of sparse values, 8e12 of dense ones, or more
    than 4,096 columns on disk): then a count sketch takes the place of the table, all rows added up
    in 1,024 to 8,192 with random signs, which keeps what columns share on average, and chance is
    that of the sketch. A table on disk with categories of more than 48 values is represented by a
    sample of 16,384 rows. That is for the line of values. All other views look at the same rows of
    every storage, dense, sparse, in memory or not: at most 16,384, and 2^25 values. Sums over all
    columns with missing values take 1,024 rows, as do products of pairs, which are for numbers
    without missing values; trios take 4,096. Pairs of more than about 10,000 columns are looked for
    among those that share the signs of random projections. Trios are looked for in all columns up
    to about 600 (1,000 rows), else in those of which the other views tell most. Categories of more
    than 48 values have a line only, and of more than 16 no pairs and trios.

    A column with missing values is shuffled within its known rows, beside what the others show
    there: that values are missing in the same rows is not taken for something shared. (With
    ``views="line"`` it is shuffled in all rows, where missing values are at the centre.)

    Tables with m rows and n coordinates take O(m^2 n) time, or O(m n^2) if n < m and m is above a
    thousand: about three times that of the product of the table with itself. Names of many values
    count as one coordinate.

    References
    ----------
    F. Kazi-Aoual, S. Hitier, R. Sabatier, J.-D. Lebreton (1995). Refined approximations to
    permutation tests for multivariate inference. Computational Statistics & Data Analysis 20,
    643-656.

    Examples
    --------
    Two columns share a signal; the third is unrelated, the fourth tells all rows apart.

    >>> import numpy as np
    >>> from unsuprank import SharedVariance
    >>> rng = np.random.default_rng(0)
    >>> signal, noise = rng.normal(size=(2, 100))
    >>> X = np.column_stack([noise, signal, signal + rng.normal(size=100), np.arange(100)])
    >>> ranker = SharedVariance(nominal_features=[3]).fit(X)
    >>> ranker.order_
    array([2, 1, 3, 0])
    >>> ranker.p_values_ < 0.01
    array([False,  True,  True, False])
    """

    cards = (
        MethodCard(
            name="shared-variance",
            question="relevance",
            what="How much more of the other columns does it explain than it would by chance?",
            when="The first thing to try: columns of all kinds, noise and identifiers told apart",
            cost="m²n or mn², whichever is less",
            formula=(
                r"\frac{e_j - \mathrm{mean}(e_j)}{\mathrm{sd}(e_j)} \text{ over orders of rows}, "
                r"\quad e_j = \mathrm{tr}\, P_j \sum_{k \neq j} Z_k Z_k^{\top}"
            ),
            meaning=(
                "the column shares much more with the others than it would if its rows were "
                "shuffled: the score counts standard deviations beyond chance"
            ),
            effort=0.5,
        ),
    )

    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True
    streams_rows = True
    scale_free = True
    column_facts: ClassVar = {
        "explained_": "explained",
        "chance_": "chance",
        "p_values_": "p_value",
        "q_values_": "q_value",
    }

    views: str | Sequence[str] = parameter(check_views, default="line")
    bins: int | None = parameter(check_count, default=None, minimum=2)
    nominal_features: ColumnChoice = None
    n_jobs: int | None = None
    scheduler: Any = None
    verbose: int = 0

    @property
    def takes_sparse(self) -> bool:
        return self.bins is None

    def _score(self, rows: Rows) -> np.ndarray:
        if self.bins is not None:
            if isinstance(rows, RowSource):
                raise ValueError("bins need all rows at once; pass a sample of the rows.")
            rows = with_bins(rows, self.bins)
        coordinates = Coordinates.of(rows, self.n_jobs, self.verbose)
        self.rows_used_ = coordinates.rows_used
        views = "line" if self.bins is not None and self.views == "auto" else self.views
        if views == "line" or rows.n_rows < LEAST_ROWS:
            return self._score_lines(coordinates)
        return self._score_views(rows, coordinates, views)

    def _score_lines(self, coordinates: Coordinates) -> np.ndarray:
        shared = against_chance(coordinates)
        self.explained_, self.chance_ = shared.explained, shared.chance
        self.p_values_, self.q_values_ = shared.p_values, q_values(shared.p_values)
        self.views_ = {"line": self.rows_used_}
        self.view_ = np.where(coordinates.varies, "line", "").astype(object)
        self.partners_ = np.full((len(self.view_), 2), -1)
        self.influential_rows_ = np.zeros(0, dtype=int)
        return shared.scores

    def _score_views(
        self, rows: Rows, coordinates: Coordinates, views: str | Sequence[str]
    ) -> np.ndarray:
        line = Side(coordinates)
        shared = against_chance(coordinates, line.found)
        self.explained_, self.chance_ = shared.explained, shared.chance
        seen = look(rows, line, views)
        self.p_values_, self.q_values_ = seen.p_values, seen.q_values
        self.views_, self.view_, self.partners_ = seen.used, seen.view, seen.partners
        self.influential_rows_ = seen.influential
        if len(seen.influential):
            warn_of(seen.influential)
        return seen.scores
