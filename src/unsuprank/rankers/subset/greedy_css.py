"""`GreedyCSS`: a ranking that knows what the columns before have explained."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._checks import (
    check_choice,
    check_count,
    check_fraction_or_count,
    parameter,
    with_parameters,
)
from ..._parallel import one_blas_thread
from ..._progress import progress
from ...ranker import MethodCard, Ranker
from ...table import ColumnChoice, Table
from ..coordinates import Coordinates, Rows
from ..shared_variance.chance import against_chance
from .beyond_chance import LEVEL, BeyondChance, path_scores
from .column_subset import GreedyPath, Residual, greedy_path
from .neighbour_polish import filled_values, polish

#: Power of a column's standard deviation that its coordinates are multiplied by.
SCALES = {"standard": 0.0, "half": 0.5, "raw": 1.0}

#: Columns that may be swapped in because they would add most to the greedy choice, ...
POOL_ADDS = 300
#: ... and because they vary most: a nearest-neighbour predictor has use for columns that say
#: the same thing twice, which add nothing.
POOL_LARGE = 100
MAX_SWAPS = 40


@with_parameters
class GreedyCSS(Ranker):
    """Rank columns so that each explains most of what those before it leave unexplained.

    Greedy column-subset selection in the clustering space: numbers are centred and scaled, a
    nominal column is a block of scaled indicators, and to choose a column is to project its
    whole block out of all others. Near-copies of a chosen column have little left to explain
    and come late, which is what one-by-one rankings miss.

    Chance is left out. A column is worth what it explains of the *other* columns, less what a
    column of its rank would explain by chance, in standard deviations; columns that share no
    more with the table than shuffled ones (see :class:`SharedVariance`) are never picked. So
    neither noise nor an identifier is taken for something new, and ``n_features_`` tells how
    many columns it takes until chance would do as well.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=16
        Columns that ``transform`` keeps: a count, a fraction of all columns, or with "auto"
        ``n_features_`` (and at least one).
    include, exclude : names, patterns or indices of columns, optional
        Columns that are always selected, and columns that never are; see :class:`Ranker`. Here
        they change the scores: what is included is projected out before anything is picked, so
        that the picks are the best ones *given* these columns. What is excluded is never
        picked, so that others may stand for it; it still has to be explained. The best 20 given
        140 columns: ``GreedyCSS(n_features_to_select=160, include=mine)``.
    n_picks : int, default=64
        Columns that are chosen greedily besides those of `include`, at the least as many as
        `n_features_to_select` needs; the others follow by what they share with the table. The
        time of a fit grows with it.
    scale : {"standard", "half", "raw"}, default="standard"
        What a column's variation counts: the same for all columns, its standard deviation, or
        its variance. "half" divides columns by the root of their standard deviation. (For a
        nominal column the Gini index stands for the variance.)
    polish : {None, "knn"}, default=None
        "knn" then swaps columns among the first `n_features_to_select` for others as long as
        the leave-one-out error of a one-nearest-neighbour predictor, which predicts all columns
        from the chosen ones on the scale they come in, falls on the rows of `X`. It begins with
        as many columns of the largest variance instead if their error is smaller. It needs
        numeric columns.
    {nominal_features}
    n_jobs : int, optional
        Threads for the polish; the answer does not depend on it.
    scheduler : str, Client or None, default=None
        The address of a Dask scheduler, or a ``dask.distributed.Client``, whose workers then read
        the rows of a table that is not in memory and find sums over them. None: the current client
        for a Dask collection, this machine for all others.
    verbose : int, default=0
        Whether progress is shown.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        For a column that was picked: 1 and the share of all variation that the picks before it
        leave unexplained (2 for the first). For the others: what they share with the table, the
        score of :class:`SharedVariance` relative to the largest, which is at most 1; around 0
        and below, a column shares no more than chance would have it.
    picks_ : ndarray
        Columns in the order in which they were picked, those of `include` first (but for
        constant ones, which explain nothing). There are fewer than `n_picks` when no column is
        left that shares anything with the others.
    n_features_ : int
        How many picks, one after the other, explained more of what was left than the best of
        all columns tried would by chance. Columns of `include` are not counted: it is the number
        of columns that are worth adding to them, and "auto" selects that many besides them. Nor
        are those that `polish` chose by another criterion.
    rows_used_ : str
        How the rows of a large table were looked at; see :class:`SharedVariance`.
    explained_ : ndarray
        Share of all variation that the picks up to each one explain, those of `include` among
        them.

    Notes
    -----
    Missing values count as the column's mean (or its mean indicators).

    Tables with n columns and m rows take O(m^2 n) once, by matrix products, and O(m n) per
    pick, or O(m n^2) and O(n^2) if n < m; no n x n matrix is made when n > m.

    References
    ----------
    A. K. Farahat, A. Ghodsi, M. S. Kamel (2013). Efficient greedy feature selection for
    unsupervised learning. Knowledge and Information Systems 35, 285-310.

    Examples
    --------
    Two signals, each in three columns, and noise: one column of either signal comes first.

    >>> import numpy as np
    >>> from unsuprank import GreedyCSS
    >>> rng = np.random.default_rng(0)
    >>> signals = np.repeat(rng.normal(size=(100, 2)), 3, axis=1)
    >>> X = np.hstack([signals + 0.1 * rng.normal(size=(100, 6)), rng.normal(size=(100, 4))])
    >>> ranker = GreedyCSS(n_features_to_select="auto").fit(X)
    >>> ranker.n_features_
    2
    >>> sorted(ranker.order_[6:].tolist())
    [6, 7, 8, 9]

    Given a column of the first signal, one of the second is all that is worth adding.

    >>> given = GreedyCSS(n_features_to_select="auto", include=[0]).fit(X)
    >>> given.n_features_, given.order_[:2] // 3
    (1, array([0, 1]))
    """

    cards = (
        MethodCard(
            name="css",
            question="representatives",
            what="What does the column explain of the others that those before it leave open?",
            when="A small set of columns without repetition, and how many of them it takes",
            cost="m²n or mn², then mn a column picked",
            formula=(
                r"\text{next} = \arg\max_j \frac{r_j - \mathrm{mean}(r_j)}{\mathrm{sd}(r_j)}, "
                r"\quad r_j = \mathrm{tr}\, P_j \sum_{k \neq j} R_k R_k^{\top}, "
                r"\; R = Z - P_{\text{picks}} Z"
            ),
            meaning=(
                "given the columns ranked before it, this one explains most of what is left of "
                "the others; a pick scores 1 and the share that those before it leave open (the "
                "first 2), other columns at most 1"
            ),
        ),
        MethodCard(
            name="css-knn",
            question="representatives",
            what="Which columns, after swaps, predict all others best by nearest neighbours?",
            when=(
                "A small set of numeric columns from which all others can be read off similar rows"
            ),
            cost="a few times that of css",
            formula=r"\min_{C} \sum_i |x_i - x_{\text{nn}(i;\, C)}|^2 \text{ by swaps of picks } C",
            meaning=(
                "given the columns ranked before it, this one explains most of what is left; the "
                "top ones were swapped until rows alike in them were most alike in all columns"
            ),
            effort=3.0,
            params={"polish": "knn"},
            numbers_only=True,
            dense_only=True,
        ),
    )

    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True
    streams_rows = True
    supports_auto_k = True

    n_features_to_select: int | float | str = parameter(
        check_fraction_or_count, default=16, words=("auto",)
    )
    n_picks: int = parameter(check_count, default=64)
    scale: str = parameter(check_choice, default="standard", choices=tuple(SCALES))
    polish: str | None = parameter(check_choice, default=None, choices=(None, "knn"))
    nominal_features: ColumnChoice = None
    n_jobs: int | None = None
    scheduler: Any = None
    verbose: int = 0

    @property
    def takes_sparse(self) -> bool:
        return self.polish is None

    @property
    def scale_free(self) -> bool:
        return self.scale == "standard" and self.polish is None

    def _check_polish(self, rows: Rows) -> None:
        """Refuse what `polish` cannot work with."""
        if self.polish is None:
            return
        if not isinstance(rows, Table) or rows.is_sparse:
            raise TypeError('GreedyCSS(polish="knn") needs all values in memory; leave polish out.')
        rows.require_numeric('GreedyCSS(polish="knn")', ["GreedyCSS(polish=None)"])

    def _score(self, rows: Rows) -> np.ndarray:
        self._check_polish(rows)
        coordinates = Coordinates.of(rows, verbose=self.verbose)
        self.rows_used_ = coordinates.rows_used
        shared = against_chance(coordinates)
        matrix, widths = coordinates.with_spreads(SCALES[self.scale]), coordinates.widths
        forced = self._read_forced(rows)
        first = included = np.flatnonzero(forced < 0)
        if self.polish is not None:
            assert isinstance(rows, Table)
            first = self._polished(rows, Residual(matrix, widths, forced <= 0), forced)
        n_tested = int((widths > 0).sum())  # a column that never varies has no chance to be chosen
        candidates = (shared.p_values * n_tested < LEVEL) & (forced <= 0)
        candidates[first] = True
        known = coordinates.way == "products" and matrix is coordinates.matrix
        squares = coordinates.shared_squares if known else None
        residual = Residual(matrix, widths, candidates, squares)
        beyond = BeyondChance(coordinates.n_rows)
        n_picks = min(max(self.n_picks + len(included), self._at_least(rows)), rows.n_columns)
        # The products of a step are small: threads would wait for each other.
        with one_blas_thread(), progress("choosing columns", n_picks, self.verbose) as shown:
            path = greedy_path(residual, n_picks, first=first, criterion=beyond, progress=shown)
        self.picks_ = path.picks
        self.n_features_ = beyond.n_significant
        self.explained_ = 1.0 - path.unexplained[1:]
        return path_scores(path.picks, path.unexplained[:-1], shared.scores)

    def _at_least(self, table: Rows) -> int:
        """Picks that the selection needs, as far as that is known beforehand."""
        return 1 if self.n_features_to_select == "auto" else self._count_selected(table.n_columns)

    def _count_selected(self, n: int) -> int:
        if self.n_features_to_select == "auto":
            return max(1, int((self.forced_ < 0).sum()) + self.n_features_)
        return super()._count_selected(n)

    def _polished(self, table: Table, residual: Residual, forced: np.ndarray) -> np.ndarray:
        included = np.flatnonzero(forced < 0)
        path = greedy_path(residual, max(self._at_least(table), len(included)), first=included)
        if not len(path.picks):
            return path.picks
        values = filled_values(table)
        large = _varying_most(values, forced)
        with progress("swapping columns", MAX_SWAPS, self.verbose) as shown:
            return polish(
                values,
                [path.picks, large[: len(path.picks)]],
                np.union1d(_adding_most(path), large[:POOL_LARGE]),
                fixed=included,
                max_swaps=MAX_SWAPS,
                n_jobs=self.n_jobs,
                after_swap=shown.advance,
            )


def _adding_most(path: GreedyPath) -> np.ndarray:
    """Columns that are not picked but would add to the picks, those that add most first."""
    columns = np.argsort(-path.would_add, kind="stable")[:POOL_ADDS]
    return columns[path.would_add[columns] > 0.0]


def _varying_most(values: np.ndarray, forced: np.ndarray) -> np.ndarray:
    """Columns that vary and may be picked: what is included, then the largest variance, first."""
    variances = values.var(axis=0)
    columns = np.lexsort((-variances, forced))
    return columns[(variances[columns] > 0.0) & (forced[columns] <= 0)]
