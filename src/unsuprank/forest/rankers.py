"""The paper's three scores of an ensemble of predictive clustering trees."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .._checks import check_count
from ..base import Ranker
from ..clustering_space import Space
from ..progress import progress
from ..table import Table
from .growing import Grower
from .parameters import PARAMETERS_DOC, check_tree_parameters, grow_settings
from .scores import ScoreSum, TreeScores, tree_scores


class ForestRanker(Ranker):
    """What the three scores have in common: they are means over trees of a forest."""

    accepts_missing = True
    accepts_nominal = True
    _kind: ClassVar[str]

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        ensemble: str = "extra_trees",
        max_features: str | int | float | None = "log2",
        bootstrap: bool = True,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        tie_break: str = "fair",
        n_features_to_select: int | float = 16,
        nominal_features=None,
        n_jobs: int | None = None,
        random_state=None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.ensemble = ensemble
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.tie_break = tie_break
        self.n_features_to_select = n_features_to_select
        self.nominal_features = nominal_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        check_tree_parameters(self)
        if self._kind == "random_forest" and not self.bootstrap:
            raise ValueError(
                "RandomForestScore compares errors on the rows that a tree did not see, and with "
                "bootstrap=False there are none; set bootstrap=True."
            )

    def _score(self, table: Table) -> np.ndarray:
        grower = Grower(Space.of(table), grow_settings(self, table.n_columns))
        total = ScoreSum(table.n_columns)

        def work(first: int, last: int) -> tuple[TreeScores, int]:
            trees = grower.grow(first, last)
            return tree_scores(self._kind, trees, grower, first), last - first

        with progress("growing trees", self.n_estimators, self.verbose) as bar:
            for scores, n_trees in grower.run(work, self.n_estimators, self.n_jobs, bar):
                total.add(scores, n_trees)
        self.n_estimators_ = total.n_trees
        self.scores_sem_ = total.standard_error()
        return total.mean()


_ATTRIBUTES_DOC = """\
scores_ : ndarray of shape (n_features_in_,)
        The mean of the score over trees; higher is better.
    scores_sem_ : ndarray of shape (n_features_in_,)
        Standard error of that mean, from the spread over trees.
    n_estimators_ : int
        Number of trees grown.
    order_, ranking_, feature_importances_ : ndarray
        See `Ranker`."""


def _document(cls: type) -> type:
    cls.__doc__ = (cls.__doc__ or "").format(parameters=PARAMETERS_DOC, attributes=_ATTRIBUTES_DOC)
    return cls


@_document
class Genie3(ForestRanker):
    """Rank columns by how much their tests reduce the impurity of all columns.

    The score of a column is the sum of the gains h* of its tests, averaged over the trees of
    an ensemble of predictive clustering trees [1]_: columns along which the rows fall apart
    into groups that are alike in all columns come first.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees. 100 is the paper's choice; a ranking that holds still when the seed
        changes takes thousands, see ``scores_sem_``.
    {parameters}
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.

    Attributes
    ----------
    {attributes}

    References
    ----------
    .. [1] M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and Distance-Based Feature
       Ranking for Unsupervised Learning", eq. 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import Genie3
    >>> ranker = Genie3(n_estimators=1000, random_state=0).fit(load_iris(as_frame=True).data)
    >>> str(ranker.feature_names_in_[ranker.order_[0]])
    'petal length (cm)'
    """

    _kind = "genie3"


@_document
class SymbolicScore(ForestRanker):
    """Rank columns by how many rows reach their tests.

    The score of a column is the sum of the shares of the rows that reach its tests, averaged
    over trees: Genie3 without the size of the gains [1]_.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    {parameters}
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.

    Attributes
    ----------
    {attributes}

    References
    ----------
    .. [1] M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and Distance-Based Feature
       Ranking for Unsupervised Learning", section 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import SymbolicScore
    >>> SymbolicScore(random_state=0).fit(load_iris().data).scores_.shape
    (4,)
    """

    _kind = "symbolic"


@_document
class RandomForestScore(ForestRanker):
    """Rank columns by how much worse all columns are predicted when one is permuted.

    Every tree predicts the rows that it was not grown on by the prototypes of their leaves.
    The score of a column is the relative increase of the squared error when the column's values
    are permuted among these rows, as a target as well as in the tests, averaged over trees
    [1]_. Columns are permuted one at a time; a column that a tree does not use adds 0.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    {parameters}
    n_features_to_select : int or float, default=16
        Columns that ``transform`` keeps: a count, or a fraction of all columns.

    Attributes
    ----------
    {attributes}

    References
    ----------
    .. [1] M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and Distance-Based Feature
       Ranking for Unsupervised Learning", eq. 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import RandomForestScore
    >>> RandomForestScore(random_state=0).fit(load_iris().data).scores_.shape
    (4,)
    """

    _kind = "random_forest"
