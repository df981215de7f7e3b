"""The paper's three scores of an ensemble of predictive clustering trees."""

from __future__ import annotations

from ..._checks import check_choice, parameter, with_parameters
from ...ranker import MethodCard
from .forest_ranker import ForestRanker


@with_parameters
class Genie3(ForestRanker):
    """Rank columns by how much their tests reduce the impurity of all columns.

    The score of a column is the sum of the gains h* of its tests, averaged over the trees of
    an ensemble of predictive clustering trees [1]_: columns along which the rows fall apart
    into groups that are alike in all columns come first.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of trees. A ranking that is stable when the seed changes takes many thousands,
        or probes of the columns at the border of the selected ones: "auto" grows as many trees
        as it needs, with probes where they help (extra trees with fair ties). That is what the
        command line and ``sc.rank_genes`` do. Here 100 is the default, as in the paper, for
        those who fit many times, as a search over settings does: on a table of 62 x 2,000,
        "auto" takes about a hundred times as long (November 2026).
    gain : {"in_bag", "out_of_bag"}, default="in_bag"
        What a test is credited with: as in the paper, by how much it reduces the impurity of
        the rows that its tree was grown on; or what it explains of all other columns on the
        rows that its tree did not see [2]_. A test on a column of noise explains something of
        the rows that it was chosen for, the more so the more values the column has, and nothing
        of others: out-of-bag gains compare columns of different kinds fairly and tell noise
        from structure, and they may be negative.
    {parameters_and_attributes}

    References
    ----------
    .. [1] M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and Distance-Based Feature
       Ranking for Unsupervised Learning", eq. 1.
    .. [2] X. Li, Y. Wang, S. Basu, K. Kumbier, B. Yu, "A debiased MDI feature importance measure
       for random forests", NeurIPS 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import Genie3
    >>> ranker = Genie3(n_estimators=1000, random_state=0).fit(load_iris(as_frame=True).data)
    >>> str(ranker.feature_names_in_[ranker.order_[0]])
    'petal length (cm)'
    """

    cards = (
        MethodCard(
            name="genie3",
            question="relevance",
            what=(
                "How much do tests on the column make the rows of a tree's nodes alike in all "
                "columns?"
            ),
            when="Mixed columns, missing values, many columns; relations that are not linear",
            cost="m²n once, then about 0.05 ms a tree for 70 x 7,000",
            formula=(
                r"\frac{1}{T} \; \sum_{\text{trees}} \; \sum_{\text{tests of } j} h, "
                r"\quad h = \frac{|S_L|^2}{N_L} + \frac{|S_R|^2}{N_R} - \frac{|S|^2}{N}"
            ),
            meaning=(
                "splitting the rows by this column makes them more alike in all other columns, so "
                "the column tells much about the table as a whole"
            ),
        ),
    )

    gain: str = parameter(check_choice, default="in_bag", choices=("in_bag", "out_of_bag"))

    @property
    def _kind(self) -> str:  # type: ignore[override]
        return "genie3" if self.gain == "in_bag" else "genie3_out_of_bag"


class SymbolicScore(ForestRanker):
    """Rank columns by how many rows reach their tests.

    The score of a column is the sum of the shares of the rows that reach its tests, averaged
    over trees: Genie3 without the size of the gains [1]_.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of trees; "auto" grows until the ranking is stable when the seed changes.
    {parameters_and_attributes}

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

    cards = (
        MethodCard(
            name="symbolic",
            question="relevance",
            what="How many rows reach tests on the column?",
            when="A quick look; coarser than genie3",
            cost="that of genie3",
            formula=(
                r"\frac{1}{T} \; \sum_{\text{trees}} \; \sum_{\text{tests of } j} "
                r"\frac{N_{\text{node}}}{N_{\text{root}}}"
            ),
            meaning="the trees ask about this column often and early",
        ),
    )

    _kind = "symbolic"


@with_parameters
class RandomForestScore(ForestRanker):
    """Rank columns by how much worse all columns are predicted when one is permuted.

    Every tree predicts the rows that it was not grown on by the prototypes of their leaves.
    The score of a column is the relative increase of the squared error when the column's values
    are permuted among these rows, as a target as well as in the tests, averaged over trees
    [1]_. Columns are permuted one at a time; a column that a tree does not use adds 0.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of trees; "auto" grows until the ranking is stable when the seed changes.
    permutation : {"independent", "cumulative"}, default="independent"
        Whether a column is put back before the next one is permuted, as the paper defines it. The
        program of its authors does not do that: it permutes the columns of a tree in the order in
        which a walk from the root meets them, so that those deep in the tree are charged with the
        damage of all before them. ``"cumulative"`` is for comparisons with it.
    {parameters_and_attributes}

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

    cards = (
        MethodCard(
            name="random-forest",
            question="relevance",
            what="How much worse are all columns predicted when this one is permuted?",
            when="When a column should count only for what it predicts on rows left aside",
            cost="up to three times that of genie3",
            formula=r"\frac{1}{T} \; \sum_{\text{trees}} \frac{e(j \text{ permuted}) - e}{e}",
            meaning=(
                "shuffling this column makes predictions of all columns worse on rows that were "
                "left aside"
            ),
        ),
    )

    permutation: str = parameter(
        check_choice, default="independent", choices=("independent", "cumulative")
    )

    @property
    def _kind(self) -> str:  # type: ignore[override]
        return "random_forest" + ("_cumulative" if self.permutation == "cumulative" else "")
