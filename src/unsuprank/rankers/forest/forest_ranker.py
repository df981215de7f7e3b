"""What the scores of an ensemble have in common: how it grows, when it ends, what is kept of it."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..._checks import (
    check_count,
    check_fraction_or_count,
    check_number,
    is_fraction,
    parameter,
    with_parameters,
)
from ..._progress import progress
from ...column_totals import column_totals
from ...ranker import SHARED_DOCS, Ranker
from ...row_source import RowSource
from ...table import Table
from ..clustering_space import Space
from ..row_blocks import RowBlocks, block_size
from ..row_sampling import RowBlocksMixin
from .block_forest import TREES_A_BLOCK, BlockForest, BlockRun, count_blocks
from .convergence import FIRST_LOOK, N_BLOCKS, Convergence, StoppingRule, rank_intervals
from .growing import Grower
from .parameters import PARAMETERS_DOC, ForestParameters, grow_settings
from .race import Race
from .tree_scores import ScoreSum, grow_scores
from .tree_work import most_trees

#: The largest multiple of the usual bound that may be asked for; more is a number of trees.
MOST_PATIENCE = 100.0
#: Scores that cannot do without bootstrap replicates.
NEEDS_OUT_OF_BAG = ("random_forest", "random_forest_cumulative", "genie3_out_of_bag")


SIZE_DOC = """\
stability : float, default=0.9
    With ``n_estimators="auto"``, grow until two fits from different seeds are expected to
    share at least this part of the `n_features_to_select` columns that they select. Halves
    of the trees grown tell.
max_estimators : int or float, default=1.0
    With "auto", end there in any case, with a warning if the ranking is not stable. An int is
    a number of trees. Plain ones count as one; a tree that probes p columns takes longer and
    counts as 1 + p / (1.5 max_features), or 1 + p / (0.6 max_features) with out-of-bag gains.
    A float is a multiple of the number that takes about 20 seconds of processor time on one
    machine or another: as many trees as come to 3e9 rows of nodes times columns drawn
    there, counted on the first trees of the forest, at least 100 and at most a million.
    The result does not depend on the speed of the machine.
max_time : float or None, default=None
    With "auto", end after about this many seconds (and at least 16 trees) in any case. The
    number of trees, and so the result, then depends on the speed of the machine.
max_samples : int, float or None, default=None
    Grow trees on blocks of this many rows, or this part of all rows: random samples, each
    with trees of its own. Rows beyond about a thousand seldom change a ranking, so that 1024
    ranks a table of any length in the time of its blocks, and one on disk (``np.memmap``,
    HDF5, Zarr, a backed AnnData, a source of :mod:`unsuprank.io`) without reading it whole.
    Columns keep the spread that they have in all rows. None, or as many rows as there are:
    all rows for every tree.
n_blocks : int or None, default=None
    Number of blocks that the trees are dealt out to. None: one for every 100 trees, at
    least 16; with "auto", blocks of 100 trees until the ranking is stable, and at most
    `n_blocks` of them if it is given.
scheduler : str, Client or None, default=None
    The address of a Dask scheduler, or a ``dask.distributed.Client``: with `max_samples`, its
    workers grow the trees of blocks, and scores are the same as without. Rows of a Dask
    collection stay on the workers, an array on disk is read by them, and a table in memory
    is sent to each of them once. None: threads; for a Dask collection, the current client."""

FITTED_DOC = """\
Attributes
----------
scores_ : ndarray of shape (n_features_in_,)
    The mean of the score over trees; higher is better. With "auto", columns that may be
    selected are probed: credited in every tree with what they can expect of it, which has
    the same mean and a small part of the variance. Others keep what was known when they
    dropped out.
scores_sem_ : ndarray of shape (n_features_in_,)
    Standard error of that mean, from the spread over trees; where only a few trees have
    used a column, as on wide tables, what a use is worth elsewhere counts too.
n_estimators_ : int
    Number of trees grown.
spent_ : float
    What they came to in the units of `max_estimators`: as many plain trees would have taken
    as long.
n_blocks_ : int or None
    Number of blocks of rows that they were grown on, whose spread then tells the standard
    errors; None where trees were grown on all rows.
rank_interval_ : ndarray of shape (n_features_in_, 2)
    Lowest and highest rank of each column that the standard errors leave open; with 95%
    confidence, and many trees, all columns' ranks in an endless forest lie within.
converged_ : bool or None
    Whether ``n_estimators="auto"`` reached `stability` within the budget; None if the
    number of trees was given.
stability_ : float or None
    The stability estimated for this fit; None if the number of trees was given.
convergence_ : dict of ndarray or None
    The way there, to plot: "n_estimators" and the "stability" estimated then.
order_, ranking_, feature_importances_ : ndarray
    See `Ranker`."""


@with_parameters
class ForestRanker(RowBlocksMixin, ForestParameters, Ranker):
    """What the three scores have in common: they are means over trees of a forest."""

    accepts_missing = True
    accepts_nominal = True
    accepts_sparse = True
    scale_free = True
    supports_auto_trees = True
    shared_docs: ClassVar = {
        "parameters_and_attributes": f"{SIZE_DOC}\n{PARAMETERS_DOC}\n{{selection}}\n\n{FITTED_DOC}",
        **SHARED_DOCS,
    }
    column_facts: ClassVar = {"scores_sem_": "score_sem", "rank_interval_": "rank"}
    #: Which of the scores of :mod:`.tree_scores` this is.
    _kind: ClassVar[str]

    n_estimators: int | str = parameter(check_count, default=100, words=("auto",), kw_only=False)
    stability: float = parameter(check_number, default=0.9, high=1.0, open_low=True)
    max_estimators: int | float = parameter(
        check_fraction_or_count, default=1.0, minimum=N_BLOCKS, high=MOST_PATIENCE
    )
    max_time: float | None = parameter(check_number, default=None, open_low=True)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_blocks is not None:
            auto = self.n_estimators == "auto"
            bounds = {"minimum": N_BLOCKS} if auto else {"maximum": int(self.n_estimators)}
            check_count("n_blocks", self.n_blocks, **bounds)
        if self._kind in NEEDS_OUT_OF_BAG and not self.bootstrap:
            raise ValueError(
                f"{type(self).__name__}, as it is set, looks at the rows that a tree did not see, "
                "and with bootstrap=False there are none; set bootstrap=True."
            )

    def _score(self, table: Any) -> np.ndarray:
        size = block_size(self.max_samples, table.n_rows)
        if size < table.n_rows:
            return self._in_blocks(table, size)
        self.n_blocks_: int | None = None
        grower = Grower(Space.of(table, n_jobs=self.n_jobs), grow_settings(self, table.n_columns))
        run = self._race if self.n_estimators == "auto" else self._forest
        scores, sem = run(grower)
        # A constant column's score of 0 is certain.
        self.scores_sem_ = np.where(table.varies, sem, 0.0)
        return scores

    def _forest(self, grower: Grower) -> tuple[np.ndarray, np.ndarray]:
        """The plain mean over the trees asked for."""
        total = ScoreSum(grower.space.table.n_columns)
        n_trees, work = int(self.n_estimators), partial(grow_scores, self._kind, grower)
        with progress("growing trees", n_trees, self.verbose) as bar:
            for batch in grower.run(work, n_trees, self.n_jobs, bar):
                total.add(*batch)
        self._keep(total.n_trees, total.n_trees, None)
        return total.mean(), total.standard_error()

    def _race(self, grower: Grower) -> tuple[np.ndarray, np.ndarray]:
        """As many trees as it takes."""
        n_top = self._count_selected(grower.space.table.n_columns)
        most = self.max_estimators
        most = most_trees(grower, self._kind, most) if is_fraction(most) else int(most)
        rule = StoppingRule(n_top, self.stability, most, self.max_time)
        with progress("growing trees", FIRST_LOOK, self.verbose) as bar:
            race = Race(grower, self._kind, rule, self.n_jobs, bar)
            race.run()
        self._keep(race.n_trees, race.spent, race.seen)
        return race.scores, race.sem

    def _in_blocks(self, source: Table | RowSource, size: int) -> np.ndarray:
        """The mean over trees that are grown on blocks of `size` rows."""
        totals = column_totals(source, self.verbose)
        settings = grow_settings(self, source.n_columns)
        blocks = RowBlocks(source, size, settings.seed)
        forest = BlockForest(self._kind, settings, totals.spread)
        n_trees = 0 if self.n_estimators == "auto" else int(self.n_estimators)
        with progress("growing trees", n_trees, self.verbose) as bar:
            run = BlockRun(blocks, forest, self.n_jobs, bar)
            if n_trees:
                run.fixed(n_trees, self.n_blocks or count_blocks(n_trees))
            else:
                run.until_stable(self._rule_of_blocks(blocks, forest))
        self.n_blocks_ = run.total.n_trees
        self._keep(run.n_trees, run.n_trees, run.seen)
        self.scores_sem_ = np.where(totals.varies, run.total.standard_error(), 0.0)
        return run.total.mean()

    def _rule_of_blocks(self, blocks: RowBlocks, forest: BlockForest) -> StoppingRule:
        """When there are enough blocks; the trees of the first one tell what trees cost."""
        trees = self.max_estimators
        if is_fraction(trees):
            (trees,) = blocks.map(partial(forest.most_trees, patience=trees), 0, 1, 1)
        most = max(N_BLOCKS, int(trees) // TREES_A_BLOCK)
        most = min(most, self.n_blocks or most)
        n_top = self._count_selected(blocks.source.n_columns)
        return StoppingRule(n_top, self.stability, most, self.max_time, fewest=N_BLOCKS)

    def _keep(self, n_trees: int, spent: float, seen: Convergence | None) -> None:
        self.n_estimators_, self.spent_ = n_trees, float(spent)
        self.converged_ = seen.converged if seen else None
        self.stability_ = seen.stability[-1] if seen else None
        looks = {"n_estimators": seen.n_trees, "stability": seen.stability} if seen else {}
        self.convergence_ = {name: np.array(at) for name, at in looks.items()} or None
        if seen and not seen.converged:
            warnings.warn(
                f"Two fits of {seen.n_trees[-1]} trees would share about "
                f"{seen.stability[-1]:.0%} of the columns that they select, not the "
                f"{self.stability:.0%} asked for: raise max_estimators or max_time, select "
                "another number of columns, or ask for less stability; the scores may be flat.",
                ConvergenceWarning,
                stacklevel=5,
            )

    @property
    def rank_interval_(self) -> np.ndarray:
        check_is_fitted(self)
        found = np.zeros((len(self.scores_), 2), dtype=int)
        for side in np.unique(self.forced_):
            same, before = self.forced_ == side, int((self.forced_ < side).sum())
            level = 1.0 - 0.05 * same.mean()  # so that all intervals together hold with 95%
            among = rank_intervals(self.scores_[same], self.scores_sem_[same], level)
            found[same] = before + among
        return found
