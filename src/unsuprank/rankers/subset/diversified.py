"""`Diversified`: any ranking, with near-copies of what is already chosen moved down."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import orth
from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from ..._checks import check_count, check_number, parameter, with_parameters
from ..._progress import Progress, progress
from ...ranker import MethodCard, Ranker
from ...table import Table, read_table
from ..centred_matrix import ColumnMatrix
from ..coordinates import Coordinates
from ..forest import Genie3

#: Copies keep this novelty, so that they stay in the order of the wrapped ranker.
LEAST_NOVELTY = 1e-9


def _check_ranker(name: str, value: Any) -> None:
    if not isinstance(value, Ranker):
        raise TypeError(f"{name} must be a ranker of unsuprank or None, got {value!r}.")


@with_parameters
class Diversified(Ranker):
    """Re-order a ranker's columns so that near-copies of better ones come later.

    Columns are chosen one after the other. The next one has the largest

        novelty ** redundancy / rank,

    where the rank is that of the wrapped ranker (1 is best), and the novelty is the smallest
    share, over the columns chosen before, of the column's variation that the other does not
    explain (1 - r^2 for two numeric columns). A column with rank 40 thus comes before one with
    rank 20 if it is more than twice as novel.

    Parameters
    ----------
    ranker : Ranker, optional
        Any ranker of this package; `Genie3` with `random_state=0` by default.
    redundancy : float, default=1.0
        How much copies are moved down; 0 leaves the ranking as it is.
    {selection}
    n_picks : int, default=256
        Columns that are compared with all others when they are chosen; those that come after
        follow by what they are worth then.
    verbose : int, default=0
        Whether progress is shown.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        ``novelty ** redundancy / rank`` at the moment when the column was chosen. It can only
        fall from one chosen column to the next.
    ranker_ : Ranker
        The wrapped ranker, fitted.

    Notes
    -----
    Nominal columns and missing values are allowed where the wrapped ranker allows them; the
    novelty is computed in the clustering space, with missing values at the centre.

    Examples
    --------
    Column 1 is nearly a copy of column 2, which has the larger variance.

    >>> import numpy as np
    >>> from unsuprank import Diversified, VarianceRanker
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, 2.0, 3.2], [0.0, 4.0, 5.1], [1.0, 6.0, 7.3]])
    >>> VarianceRanker().fit(X).order_
    array([2, 1, 0])
    >>> Diversified(VarianceRanker()).fit(X).order_
    array([2, 0, 1])
    """

    cards = (
        MethodCard(
            name="diversified",
            question="representatives",
            what="Any ranking (here genie3), with near-copies of what is chosen moved down",
            when="When the top of another ranking repeats itself",
            cost="that of the ranking, and mn for each of 256 columns",
            formula=(
                r"\text{next} = \arg\max_j \frac{1}{\text{rank}_j} \min_{k \text{ chosen}}"
                r" (1 - r_{jk}^2)^{\text{redundancy}}"
            ),
            meaning="the column ranks high for genie3 and is no near-copy of one that ranks higher",
            effort=2.0,
            wraps="genie3",
        ),
    )

    # The wrapped ranker has its own say when it is fitted.
    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True

    ranker: Ranker | None = parameter(_check_ranker, default=None, kw_only=False)
    redundancy: float = parameter(check_number, default=1.0)
    n_picks: int = parameter(check_count, default=256)
    verbose: int = 0

    @property
    def takes_sparse(self) -> bool:
        return self._wrapped().takes_sparse

    @property
    def scale_free(self) -> bool:
        return self._wrapped().scale_free

    def _wrapped(self) -> Ranker:
        return Genie3(random_state=0) if self.ranker is None else self.ranker

    def _read(self, X: Any) -> Table:
        nominal = getattr(self._wrapped(), "nominal_features", None)
        return read_table(X, nominal_features=nominal, estimator=self)

    def _score(self, table: Table) -> np.ndarray:
        self.ranker_ = clone(self._wrapped()).fit(table)
        coordinates = Coordinates.of(table, verbose=self.verbose)
        n_picks = min(self.n_picks, table.n_columns)
        with progress("comparing columns", n_picks, self.verbose) as shown:
            return diversify(
                self.ranker_.ranking_,
                coordinates.with_spreads(0.0),
                coordinates.widths,
                self.redundancy,
                n_picks,
                shown,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._wrapped()).input_tags.allow_nan
        return tags


def diversify(
    ranking: np.ndarray,
    coordinates: ColumnMatrix,
    widths: np.ndarray,
    redundancy: float,
    n_picks: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """``novelty ** redundancy / rank`` of each column at the moment when it is chosen.

    Parameters
    ----------
    ranking : ndarray of shape (n_columns,)
        1 is best.
    coordinates, widths : ColumnMatrix and ndarray
        Of the columns, as for :class:`.column_subset.Residual`.
    redundancy : float
    n_picks : int
    progress : Progress, optional
    """
    columns = np.repeat(np.arange(len(widths)), widths)
    starts = np.concatenate([[0], np.cumsum(widths)])
    lengths = np.bincount(columns, coordinates.column_squares(), len(widths))
    novelty = np.ones(len(widths))
    waiting = np.ones(len(widths), dtype=bool)
    scores = np.empty(len(widths))
    for _ in range(n_picks):
        worth = np.where(waiting, novelty**redundancy / ranking, -1.0)
        pick = int(np.argmax(worth))
        waiting[pick] = False
        scores[pick] = worth[pick]
        block = np.asarray(coordinates[:, starts[pick] : starts[pick + 1]])
        basis = orth(block, rcond=1e-8)
        explained = np.einsum("rc,rc->c", images := basis.T @ coordinates, images)
        share = np.bincount(columns, explained, len(widths)) / np.where(lengths > 0, lengths, 1.0)
        novelty = np.minimum(novelty, np.maximum(1.0 - share, LEAST_NOVELTY))
        if progress is not None:
            progress.advance()
    scores[waiting] = (novelty**redundancy / ranking)[waiting]
    return scores
