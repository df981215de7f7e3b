"""The parameters that all estimators made of trees share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._checks import (
    check_choice,
    check_count,
    check_flag,
    check_fraction_or_count,
    parameter,
    with_parameters,
)
from ...table import ColumnChoice
from .growing import GrowSettings, n_candidates

PARAMETERS_DOC = """\
ensemble : {"extra_trees", "random_forest", "bagging"}, default="extra_trees"
    How trees differ from each other. Extra trees draw a subset of the features in every
    node and value one random test for each; random forests value all tests of the drawn
    features, bagging all tests of all features.
max_features : {"log2", "sqrt"}, int, float or None, default="log2"
    Size of that subset: the logarithm or square root of the number of features (rounded
    up), a count, a fraction, or all. Bagging does not draw.
bootstrap : bool, default=True
    Grow every tree on a bootstrap replicate of the rows.
max_depth : int or None, default=None
    Largest depth of a tree; None lets trees grow out.
min_samples_leaf : int, default=1
    Every branch of a test keeps at least this many rows, counted with their multiplicity.
tie_break : {"fair", "first"}, default="fair"
    Among tests of equal gain, take one at random, or that of the first column. Small nodes
    have many such tests, so that "first" favours the first columns; it is there for
    comparisons with programs that do the same.
{nominal_features}
n_jobs : int or None, default=None
    Threads, with joblib's meaning. The result does not depend on it.
random_state : int, RandomState or None, default=None
    Seed. The first k trees of a seed are the same for every number of trees.
verbose : int, default=0
    Show progress if positive."""


ROLES_DOC = """\
descriptive, clustering, targets : names, patterns, indices or mask of columns, optional
    Columns that tests may ask (only these have scores), columns in which the rows of a
    cluster should be alike, and columns that are predicted (in whose error the RandomForest
    score is counted). All columns by default."""


@with_parameters
class TreeParameters:
    """How one tree is grown."""

    max_features: str | int | float | None = parameter(
        check_fraction_or_count, default=None, words=("log2", "sqrt")
    )
    max_depth: int | None = parameter(check_count, default=None)
    min_samples_leaf: int = parameter(check_count, default=1)
    tie_break: str = parameter(check_choice, default="fair", choices=("fair", "first"))
    nominal_features: ColumnChoice = None
    random_state: Any = None


@with_parameters
class ForestParameters(TreeParameters):
    """How a forest is grown."""

    ensemble: str = parameter(
        check_choice, default="extra_trees", choices=("extra_trees", "random_forest", "bagging")
    )
    max_features: str | int | float | None = parameter(
        check_fraction_or_count, default="log2", words=("log2", "sqrt", None)
    )
    bootstrap: bool = parameter(check_flag, default=True)
    n_jobs: int | None = None
    verbose: int = 0


def grow_settings(estimator: Any, n_columns: int) -> GrowSettings:
    """What the kernel needs to know of an estimator's parameters."""
    rng, bagging = check_random_state(estimator.random_state), estimator.ensemble == "bagging"
    return GrowSettings(
        seed=int(rng.randint(np.iinfo(np.int64).max, dtype=np.int64)),
        max_features=n_columns if bagging else n_candidates(estimator.max_features, n_columns),
        exhaustive=estimator.ensemble != "extra_trees",
        max_depth=estimator.max_depth or 0,
        min_leaf=float(estimator.min_samples_leaf),
        bootstrap=bool(estimator.bootstrap),
        first_of_ties=estimator.tie_break == "first",
    )
