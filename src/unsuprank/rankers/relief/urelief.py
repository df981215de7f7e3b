"""The URelief estimator; the mathematics is in :mod:`.relief_path`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._checks import check_fraction_or_count, check_number, parameter, with_parameters
from ..._progress import progress
from ...ranker import MethodCard, Ranker
from ...table import ColumnChoice, Table
from ..row_blocks import RowBlocks, block_size
from ..row_sampling import RowBlocksMixin
from .relief_path import score_path

#: Blocks of rows, where nobody says how many.
N_BLOCKS = 16


@with_parameters
class URelief(RowBlocksMixin, Ranker):
    """Rank columns by how they differ between neighbouring rows that differ.

    Parameters
    ----------
    n_neighbors : int or float, default=30
        Neighbours of each drawn row: a count (30 is the paper's), or a fraction of all rows. If
        there are fewer other rows than the count, all of them are taken, with a warning.
    n_iterations : int or float, default=1.0
        Rows to draw, without replacement: a count, or a fraction of all rows. With all rows
        the result does not depend on chance.
    max_samples : int, float or None, default=None
        Draw rows and look for their neighbours in blocks: random samples of this many rows, or
        this part of all rows. The score is the mean over blocks, and differences are scaled by the
        range of a column in the block. It takes time that grows with the number of blocks and
        not with rows, and a table on disk is not read whole. Fractions of rows, in the parameters
        above, are those of a block. None: all rows.
    n_blocks : int or None, default=None
        Number of blocks; 16 by default.
    {selection}
    {nominal_features}
    working_memory : float, optional
        MiB for the lists of possible neighbours; scikit-learn's ``working_memory`` setting by
        default. It bounds memory beyond what the table itself takes and does not change scores.
    n_jobs : int, optional
        Threads, with joblib's meaning; scores do not depend on it.
    scheduler : str, Client or None, default=None
        The address of a Dask scheduler, or a ``dask.distributed.Client``, whose workers then score
        the blocks of `max_samples` rows; see :class:`Genie3`.
    random_state : int, RandomState or None, default=None
        Draws the rows if `n_iterations` is below their number.
    verbose : int, default=0
        Show progress if above 0.

    Notes
    -----
    A column scores high if it differs most between those neighbours that differ most, so it has to
    differ between neighbours at all. Neighbours that all lie in one cluster agree on the columns
    that tell clusters apart, and these come last: five columns that hold the cluster of a row,
    beside 20 of noise, rank 21 to 25 of 25 for 150 rows in two clusters and 30 neighbours, and 1 to
    5 for 100 neighbours. So take more neighbours than the largest cluster has rows, for example
    ``n_neighbors=0.8``: the mean average precision of planted columns in 14 designs (``make
    truth``) is 0.60 with 30 neighbours and 0.80 with that. Columns with heavy tails or many gaps
    are not what URelief is for (0.29 and 0.44): one far value shrinks all other differences of its
    column, and a missing value counts as the largest difference there can be. To tell structure
    from noise, :class:`SharedVariance` is the first thing to try.

    As in the paper, the distance of two rows is a mean over all columns, constant ones among them:
    with a constant column more, all rows are a little more alike, and scores move a little.

    Distances that agree to about nine digits are ties, and the row that comes first is taken
    first. A missing number differs from a known one as much as it possibly could, and by 1 from
    another missing one; a missing name of a column with k names differs by 1 - 1/k.

    References
    ----------
    M. Petković, D. Kocev, B. Škrlj, S. Džeroski: Ensemble- and distance-based feature ranking
    for unsupervised learning. International Journal of Intelligent Systems 36 (2021).

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import URelief
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0.0, 1.0], 50)
    >>> X = np.c_[rng.uniform(size=(100, 3)), groups + rng.uniform(size=100) / 9]
    >>> int(URelief(n_neighbors=0.8).fit(X).order_[0])
    3

    Within a cluster of 50 rows, the 30 nearest ones do not differ in that column:

    >>> int(URelief(n_neighbors=30).fit(X).order_[-1])
    3
    """

    cards = (
        MethodCard(
            name="urelief",
            question="clusters",
            what="Does the column differ where near rows differ?",
            when=(
                "Clusters of rows in mixed columns, with more neighbours than the largest cluster "
                "has rows; not for heavy tails or many gaps"
            ),
            cost="m²n, in 16-bit integers",
            formula=(
                r"P(\text{column } j \text{ differs} \mid \text{near rows differ})"
                r" - P(\text{column } j \text{ differs} \mid \text{near rows are alike})"
            ),
            meaning=(
                "rows that are far apart in the table differ in this column more than near rows do"
            ),
        ),
    )

    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True
    scale_free = True

    n_neighbors: int | float = parameter(check_fraction_or_count, default=30, kw_only=False)
    n_iterations: int | float = parameter(check_fraction_or_count, default=1.0, kw_only=False)
    nominal_features: ColumnChoice = None
    working_memory: float | None = parameter(check_number, default=None, open_low=True)
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    def _score(self, table: Any) -> np.ndarray:
        size = block_size(self.max_samples, table.n_rows)
        self.n_blocks_ = None if size == table.n_rows else self.n_blocks or N_BLOCKS
        how = ([self.n_neighbors], [self.n_iterations], self.working_memory)
        if self.n_blocks_ is None:
            return score_path(table, *how, self.n_jobs, self.random_state, self.verbose)[0, 0]
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        blocks = RowBlocks(table, size, seed, self.n_blocks_)
        total = np.zeros(table.n_columns)
        with progress("URelief", self.n_blocks_, self.verbose) as bar:
            for found in blocks.map(partial(_scores, how), 0, self.n_blocks_, self.n_jobs):
                total += found
                bar.advance()
        return total / self.n_blocks_


def _scores(how: tuple[list, list, float | None], seed: int, table: Table) -> np.ndarray:
    """The scores of a block."""
    return score_path(table, *how, n_jobs=1, random_state=seed % 2**32)[0, 0]
