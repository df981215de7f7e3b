"""`GreedyCSS`: a ranking that knows what the columns before have explained."""

from __future__ import annotations

import numpy as np

from ..._checks import check_choice, check_count
from ..._progress import progress
from ...ranker import MethodCard, Ranker
from ...table import Table
from .column_subset import GreedyPath, Residual, path_from, path_scores
from .coordinates import SCALES, filled_values, scaled_coordinates
from .neighbour_polish import polish

#: Columns that may be swapped in because they would add most to the greedy choice, ...
POOL_ADDS = 300
#: ... and because they vary most: a nearest-neighbour predictor has use for columns that say
#: the same thing twice, which add nothing.
POOL_LARGE = 100
MAX_SWAPS = 40


class GreedyCSS(Ranker):
    """Rank columns so that each explains most of what those before it leave unexplained.

    Greedy column-subset selection in the clustering space: numbers are centred and scaled, a
    nominal column is a block of scaled indicators, and to choose a column is to project its
    whole block out of all others. Near-copies of a chosen column have little left to explain
    and come late, which is what one-by-one rankings miss.

    Parameters
    ----------
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.
    n_picks : int, default=64
        Columns that are chosen greedily, at the least `n_features_to_select`; the others
        follow by what each of them would add next. The time of a fit grows with it.
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
    nominal_features : sequence of names, indices, or mask, optional
        Nominal columns of a plain array; those of a DataFrame are found by their type.
    n_jobs : int, optional
        Threads for the polish; the answer does not depend on it.
    verbose : int, default=0
        Whether progress is shown.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        For a column that was picked: the share of all variation that the picks before it leave
        unexplained (1 for the first). For the others: the share that the column would add to
        the picks. For columns that the picks explain entirely: the share that the column
        explains on its own, less 1; constant columns have -1.
    picks_ : ndarray
        Columns in the order in which they were picked. There are fewer than `n_picks` when
        nothing is left to explain.
    explained_ : ndarray
        Share of all variation that the picks up to each one explain.

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
    Two copies of one signal and a weaker one: the copy comes last.

    >>> import numpy as np
    >>> from unsuprank import GreedyCSS
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [2.0, 2.1, 0.0], [3.0, 3.0, 1.0]])
    >>> GreedyCSS().fit(X).order_
    array([1, 2, 0])
    """

    cards = (
        MethodCard(
            name="css",
            question="representatives",
            what="What does the column explain that the ones before it leave unexplained?",
            when="A small set of columns without repetition",
            cost="mn a column picked",
            meaning="given the columns ranked before it, this one explains most of what is left",
        ),
        MethodCard(
            name="css-knn",
            question="representatives",
            what="Which columns, after swaps, predict all others best by nearest neighbours?",
            when=(
                "A small set of numeric columns from which all others can be read off similar rows"
            ),
            cost="a few times that of css",
            meaning=(
                "given the columns ranked before it, this one explains most of what is left; the "
                "top ones were swapped until rows alike in them were most alike in all columns"
            ),
            effort=3.0,
            params={"polish": "knn"},
            numbers_only=True,
        ),
    )

    accepts_missing = True
    accepts_nominal = True

    def __init__(
        self,
        *,
        n_features_to_select: int | float = 16,
        n_picks: int = 64,
        scale: str = "standard",
        polish: str | None = None,
        nominal_features=None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_picks = n_picks
        self.scale = scale
        self.polish = polish
        self.nominal_features = nominal_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def scale_free(self) -> bool:
        return self.scale == "standard" and self.polish is None

    def _check_parameters(self) -> None:
        check_count("n_picks", self.n_picks)
        check_choice("scale", self.scale, tuple(SCALES))
        check_choice("polish", self.polish, (None, "knn"))

    def _score(self, table: Table) -> np.ndarray:
        if self.polish is not None:
            table.require_numeric('GreedyCSS(polish="knn")', ["GreedyCSS(polish=None)"])
        residual = Residual(*scaled_coordinates(table, self.scale))
        first: np.ndarray | tuple = ()
        if self.polish is not None:
            first = self._polished(table, residual.copy())
        n_picks = min(max(self.n_picks, self._count(table.n_columns)), table.n_columns)
        with progress("choosing columns", n_picks, self.verbose) as shown:
            path = path_from(residual, n_picks, first=first, progress=shown)
        self.picks_ = path.picks
        self.explained_ = 1.0 - path.unexplained[1:]
        return path_scores(path)

    def _count(self, n_columns: int) -> int:
        wanted = self.n_features_to_select
        if isinstance(wanted, (float, np.floating)):
            return max(1, round(wanted * n_columns))
        return min(int(wanted), n_columns)

    def _polished(self, table: Table, residual: Residual) -> np.ndarray:
        path = path_from(residual, self._count(table.n_columns))
        if not len(path.picks):
            return path.picks
        values = filled_values(table)
        large = _varying_most(values)
        with progress("swapping columns", MAX_SWAPS, self.verbose) as shown:
            return polish(
                values,
                [path.picks, large[: len(path.picks)]],
                np.union1d(_adding_most(path), large[:POOL_LARGE]),
                max_swaps=MAX_SWAPS,
                n_jobs=self.n_jobs,
                after_swap=shown.advance,
            )


def _adding_most(path: GreedyPath) -> np.ndarray:
    """Columns that are not picked but would add to the picks, those that add most first."""
    columns = np.argsort(-path.would_add, kind="stable")[:POOL_ADDS]
    return columns[path.would_add[columns] > 0.0]


def _varying_most(values: np.ndarray) -> np.ndarray:
    """Columns that are not constant, those of the largest variance first."""
    variances = values.var(axis=0)
    columns = np.argsort(-variances, kind="stable")
    return columns[variances[columns] > 0.0]
