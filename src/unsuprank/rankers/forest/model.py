"""The model itself: predictive clustering trees and forests of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ... import _kernels
from ..._checks import (
    check_choice,
    check_count,
    check_parameters,
    parameter,
    with_parameters,
)
from ..._progress import progress
from ...ranker import SHARED_DOCS, with_quotations
from ...table import ColumnChoice, Table, column_mask, read_table
from ..clustering_space import Space, row_keys
from . import prototypes
from .growing import Grower
from .parameters import PARAMETERS_DOC, ROLES_DOC, ForestParameters, TreeParameters, grow_settings
from .tree_scores import ScoreSum, TreeScores, plain_scores, tree_scores
from .tree_text import export_text
from .trees import Trees


@dataclass(frozen=True)
class Roles:
    """Masks of the columns that are tested, that clusters agree in, and that are predicted."""

    descriptive: np.ndarray
    clustering: np.ndarray
    targets: np.ndarray

    def space(self, table: Table, judged: np.ndarray, n_jobs: int | None = None) -> Space:
        """The space of the columns `judged` in which trees test the descriptive ones."""
        places = np.where(judged, np.cumsum(judged) - 1, -1)
        return Space.of(
            table.take(columns=judged),
            n_jobs=n_jobs,
            features=table.take(columns=self.descriptive),
            places=places[self.descriptive],
        )


def _chosen_columns(model: _TreeModel, role: str, table: Table) -> np.ndarray:
    """What a parameter of a model says about the columns of a table."""
    wanted = getattr(model, role)
    if wanted is None:
        return np.ones(table.n_columns, dtype=bool)
    mask = column_mask(wanted, table.n_columns, tuple(table.names), role)
    if not mask.any():
        raise ValueError(f"{role} names no column; name one, or leave it out for all columns.")
    return mask


@with_parameters
class _TreeModel(BaseEstimator):
    """What a single tree and a forest have in common once they are grown."""

    descriptive: ColumnChoice = None
    clustering: ColumnChoice = None
    targets: ColumnChoice = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        texts = {"roles": ROLES_DOC, "parameters": PARAMETERS_DOC, **SHARED_DOCS}
        cls.__doc__ = with_quotations(cls.__doc__, texts)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - the estimator contract
        """Grow the trees.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        y : ignored
        """
        check_parameters(self)
        table = read_table(X, nominal_features=self.nominal_features, estimator=self)
        if table.is_sparse:
            raise TypeError(
                f"{type(self).__name__} cannot take sparse input, because it predicts all values; "
                "pass X.toarray() if that fits into memory."
            )
        roles = Roles(*(_chosen_columns(self, f.name, table) for f in fields(Roles)))
        space = roles.space(table, roles.clustering, self.n_jobs)
        grower = Grower(space, grow_settings(self, space.table.n_columns))
        with progress("growing trees", self.n_estimators, self.verbose) as bar:
            parts = list(grower.run(grower.grow, self.n_estimators, self.n_jobs, bar))
        validate_data(self, X, skip_check_array=True)
        self._table, self._roles, self._settings = table, roles, grower.settings
        self.trees_ = Trees.join(parts).renumbered(np.flatnonzero(roles.descriptive))
        return self

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of every row in every tree.

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
            Node numbers within the tree.
        """
        return self._leaves(self._read_new(X))

    def predict(self, X: Any) -> np.ndarray:
        """Prototypes of the leaves that rows fall into, averaged over trees.

        Returns
        -------
        ndarray of shape (n_samples, n_targets)
            Mean of numeric columns, mode of nominal ones. For a table with nominal columns the
            array holds objects: numbers, and values as they were in the training table.
        """
        leaves = self._leaves(self._read_new(X))
        weights = prototypes.row_weights(self.trees_, leaves, self._table.n_rows)
        targets = self._table.take(columns=self._roles.targets)
        return _decode(prototypes.predict(weights, targets), targets)

    def decision_path(self, X: Any) -> tuple[sparse.csr_array, np.ndarray]:
        """The nodes on every row's way.

        Returns
        -------
        indicator : sparse array of shape (n_samples, n_nodes)
            1 where a row passes a node; the nodes of all trees stand side by side.
        offsets : ndarray of shape (n_trees + 1,)
            The nodes of tree t are columns ``offsets[t] : offsets[t + 1]``.
        """
        leaves = self._leaves(self._read_new(X))
        return self._paths(leaves + self.trees_.node_offset[:-1]), self.trees_.node_offset

    def _paths(self, leaves: np.ndarray) -> sparse.csr_array:
        """Mark all nodes from the leaves (rows x trees) up to the roots."""
        parent = self._parents()
        rows, nodes = [], []
        current = leaves.ravel()
        owner = np.repeat(np.arange(len(leaves)), leaves.shape[1])
        while len(current):
            rows.append(owner)
            nodes.append(current)
            above = parent[current]
            owner, current = owner[above >= 0], above[above >= 0]
        row, node = np.concatenate(rows), np.concatenate(nodes)
        ones = np.ones(len(row), dtype=np.int8)
        return sparse.csr_array((ones, (row, node)), shape=(len(leaves), len(parent)))

    def _parents(self) -> np.ndarray:
        trees = self.trees_
        inner = np.flatnonzero(trees.feature >= 0)
        first = (trees.left + trees.roots())[inner]
        parent = np.full(len(trees.feature), -1)
        parent[first] = parent[first + 1] = inner
        return parent

    def _leaves(self, table: Table) -> np.ndarray:
        flat = _kernels.apply(
            table.values,
            table.n_values,
            row_keys(table.take(columns=self._roles.descriptive)),
            self.trees_.as_dict(),
            self._settings.seed,
            0,
        )
        return flat.reshape(table.n_rows, self.trees_.size)

    def _read_new(self, X: Any) -> Table:
        check_is_fitted(self)
        if getattr(X, "ndim", 2) == 2:  # what is not a table, reading refuses with the better words
            validate_data(self, X, reset=False, skip_check_array=True)
        return read_table(X, schema=self._table.schema, min_rows=1, estimator=self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags


def _decode(predicted: np.ndarray, table: Table) -> np.ndarray:
    """Codes of nominal columns as the values that they stand for."""
    nominal = np.flatnonzero(table.n_values)
    if not len(nominal) or len(table.schema.boolean) == len(nominal):
        return predicted
    decoded = predicted.astype(object)
    for j in nominal:
        categories = table.schema.categories[j]
        assert categories is not None
        decoded[:, j] = categories[predicted[:, j].astype(int)]
    return decoded


@with_parameters
class PredictiveClusteringForest(_TreeModel, ForestParameters):
    """An ensemble of predictive clustering trees that clusters without labels.

    The columns of the table describe the rows, are what clusters should agree in, and are what
    is predicted, all at once, unless these roles are given to some columns only. The three scores
    of the paper come from the same trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    {roles}
    {parameters}

    Attributes
    ----------
    genie3_, random_forest_, symbolic_ : ndarray of shape (n_features_in_,)
        The three scores; `random_forest_` needs ``bootstrap=True``. Computed when asked for. 0
        for columns that are not descriptive.
    trees_ : Trees
        The grown trees as flat arrays.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import PredictiveClusteringForest
    >>> X = load_iris().data
    >>> forest = PredictiveClusteringForest(n_estimators=50, random_state=0).fit(X)
    >>> forest.genie3_.shape, forest.apply(X).shape, forest.predict(X).shape
    ((4,), (150, 50), (150, 4))

    Which columns tell given clusters apart? These are what rows should agree in:

    >>> iris = load_iris(as_frame=True)
    >>> frame = iris.data.assign(species=iris.target_names[iris.target])
    >>> forest = PredictiveClusteringForest(
    ...     descriptive="*(cm)", clustering="species", targets="species", random_state=0
    ... ).fit(frame)
    >>> frame.columns[forest.genie3_.argmax()], forest.predict(frame.head(1)).tolist()
    ('petal width (cm)', [['setosa']])
    """

    n_estimators: int = parameter(check_count, default=100, kw_only=False)

    @property
    def genie3_(self) -> np.ndarray:
        return self.scores("genie3")

    @property
    def random_forest_(self) -> np.ndarray:
        return self.scores("random_forest")

    @property
    def symbolic_(self) -> np.ndarray:
        return self.scores("symbolic")

    def scores(self, kind: str = "genie3", n_estimators: int | None = None) -> np.ndarray:
        """A score of the first `n_estimators` trees: what a forest of that size would give.

        Parameters
        ----------
        kind : {"genie3", "random_forest", "symbolic"}
        n_estimators : int, optional
            All trees by default.
        """
        check_is_fitted(self)
        check_choice("kind", kind, ("genie3", "random_forest", "symbolic"))
        if kind == "random_forest" and not self.bootstrap:
            raise ValueError("The random_forest score needs trees grown with bootstrap=True.")
        trees = self.trees_
        if n_estimators is not None:
            trees = trees.first(check_count("n_estimators", n_estimators, 1, trees.size))
        total = ScoreSum(self._table.n_columns)
        total.add(self._tree_scores(kind, trees), trees.size)
        return total.mean()

    def _tree_scores(self, kind: str, trees: Trees) -> TreeScores:
        if kind != "random_forest":
            return plain_scores(kind, trees)
        roles = self._roles
        grower = Grower(roles.space(self._table, roles.targets), self._settings)
        # The kernel counts descriptive columns, trees_ counts all.
        own = trees.renumbered(np.cumsum(roles.descriptive) - 1)
        found = tree_scores(kind, own, grower, 0)
        return replace(found, feature=np.flatnonzero(roles.descriptive)[found.feature])


@with_parameters
class PredictiveClusteringTree(_TreeModel, TreeParameters):
    """A predictive clustering tree: clusters, what sets them apart, and their centres.

    Every node is split by the test with the largest gain among all tests of all columns, until
    nothing is left to separate or a limit is reached (Alg. 1 and 2).

    Parameters
    ----------
    {roles}
    max_depth : int or None, default=None
        Largest depth; None lets the tree grow out.
    min_samples_leaf : int, default=1
        Every branch of a test keeps at least this many rows.
    max_features : {"log2", "sqrt"}, int, float or None, default=None
        Value the tests of a random subset of the columns only.
    splitter : {"best", "random"}, default="best"
        Value all tests of a column, or one at random.
    tie_break : {"fair", "first"}, default="fair"
        Among tests of equal gain, take one at random, or that of the first column.
    {nominal_features}
    random_state : int, RandomState or None, default=None
        Seed.

    Attributes
    ----------
    trees_ : Trees
        The one tree as flat arrays.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unsuprank import PredictiveClusteringTree
    >>> tree = PredictiveClusteringTree(max_depth=1, tie_break="first")
    >>> print(tree.fit(load_iris(as_frame=True).data).export_text())
    petal length (cm) <= 2.45  [150 rows, gain 94.4]
      yes: cluster of 50 rows
      no:  cluster of 100 rows
    """

    splitter: str = parameter(check_choice, default="best", choices=("best", "random"))
    bootstrap: ClassVar[bool] = False
    n_estimators: ClassVar[int] = 1
    n_jobs: ClassVar[int | None] = None
    verbose: ClassVar[int] = 0

    @property
    def ensemble(self) -> str:
        return "random_forest" if self.splitter == "best" else "extra_trees"

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of every row: ndarray of shape (n_samples,)."""
        return super().apply(X)[:, 0]

    def decision_path(self, X: Any) -> sparse.csr_array:
        """1 where a row passes a node: sparse array of shape (n_samples, n_nodes)."""
        return super().decision_path(X)[0]

    def export_text(self, max_depth: int = 10) -> str:
        """The tree in words.

        Parameters
        ----------
        max_depth : int
            Deeper parts are abbreviated.
        """
        check_is_fitted(self)
        return export_text(self.trees_, self._table, max_depth)

    def plot(self, max_depth: int = 3, ax: Any = None) -> Any:
        """Draw the tree with matplotlib; returns the axes.

        Parameters
        ----------
        max_depth : int
            Deeper parts are abbreviated.
        ax : matplotlib axes, optional
        """
        from .tree_drawing import draw_tree

        check_is_fitted(self)
        return draw_tree(self.trees_, self._table, max_depth, ax)
