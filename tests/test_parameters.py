"""What parameters may be: whatever is declared is checked before a fit does any work."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from unsuprank import (
    SPEC,
    GreedyCSS,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    Ranker,
    SharedVariance,
    URelief,
    registry,
)
from unsuprank._checks import check_count, parameter, with_parameters
from unsuprank.rankers.forest.forest_ranker import ForestRanker

#: Asked of the registry, which imports all of them.
RANKERS = list(dict.fromkeys(method.ranker for method in registry.available()))
MODELS = [*RANKERS, PredictiveClusteringForest, PredictiveClusteringTree]
#: No parameter may be any of these, ...
NONSENSE = ("many", -3, [1], {}, np.nan)
#: ... and some may not be others.
REFUSED = {
    Ranker: {"n_features_to_select": (0, -1, 0.0, 1.5, None, True), "max_samples": (0, 1.5)},
    ForestRanker: {
        "n_estimators": (0, -5, 2**31, 1.5, 2.5, True, None),
        "max_features": (0, 2**31, 1.5),
        "stability": (0, 1.1),
        "max_estimators": (15, 0.0, 1e5, True, None),
        "max_time": (0, -1, np.inf),
        "max_depth": (0,),
        "min_samples_leaf": (0,),
        "bootstrap": (1, None),
    },
    URelief: {
        "n_neighbors": (0, 1.5, 2.0, "5", None, True),
        "n_iterations": (0, 0.0, -0.5, 1.01, None, True),
        "working_memory": (0, -1.0, np.inf),
    },
    GreedyCSS: {"n_picks": (0, 2.5), "polish": ("tree",)},
    SharedVariance: {"bins": (1, 0, 2.5)},
    SPEC: {"style": (1, 0.5)},
}


def values_refused(cls: type, name: str) -> list:
    """What a parameter of a class may not be."""
    more = [known.get(name, ()) for kind, known in REFUSED.items() if issubclass(cls, kind)]
    return [*NONSENSE, *(bad for values in more for bad in values)]


@pytest.mark.parametrize("cls", MODELS)
def test_what_makes_no_sense_is_refused_by_name_before_anything_is_fitted(cls):
    for name in [declared.name for declared in fields(cls) if declared.metadata]:
        for bad in values_refused(cls, name):
            model = cls(**{name: bad})
            with pytest.raises((ValueError, TypeError), match=f"^{name} must be"):
                model.fit(np.eye(20))
            assert vars(model).keys() == model.get_params().keys()


@pytest.mark.parametrize("cls", MODELS)
def test_what_is_not_checked_is_checked_elsewhere(cls):
    elsewhere = {"n_jobs", "random_state", "verbose", "include", "exclude", "scheduler"}
    elsewhere |= {"nominal_features", "descriptive", "clustering", "targets"}
    assert {f.name for f in fields(cls) if not f.metadata} <= elsewhere
    assert {f.name for f in fields(cls)} == set(cls().get_params())


def test_words_stand_beside_numbers():
    @with_parameters
    class Example(Ranker):
        n_bins: int | str | None = parameter(check_count, default="few", words=("few", "all"))

        def _score(self, table):
            return np.zeros(table.n_columns)

    for allowed in ("few", "all", 3):
        Example(n_bins=allowed).fit(np.eye(2))
    for refused in ("some", None):
        with pytest.raises(ValueError, match="n_bins must be 'few', 'all' or a number, got "):
            Example(n_bins=refused).fit(np.eye(2))
