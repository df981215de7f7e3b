"""How the study runs each method.

A recipe takes the table of the training rows, the number of classes, its settings and a seed,
and answers with one or several orders by label: a forest gives the orders of all its scores, a
path those of all its settings. Methods that need nothing special are run as the registry makes
them, so that a new ranker can be studied as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ... import registry
from ...rankers import Diversified, Genie3, PredictiveClusteringForest, urelief_path
from ...table import Table
from .paper import N_TREES, URELIEF_ITERATIONS, URELIEF_NEIGHBORS

Settings = dict[str, Any]
Orders = dict[str, np.ndarray]
Rank = Callable[[Table, int | None, Settings, int], Orders]

#: A selector of another package, as a control where it is installed.
HAS_FASTCAN = find_spec("fastcan") is not None
#: Random orders per fold.
RANDOM_DRAWS = 10


def find(name: str) -> Rank:
    """The recipe called `name`: one of the study's own, or a method of the registry as it is."""
    if name in RECIPES:
        return RECIPES[name]
    if name not in names():
        raise ValueError(f"No method is called {name!r}; there are: {', '.join(names())}.")
    return partial(_as_made, name)


def names() -> list[str]:
    """What can be studied: the recipes, and every method of the registry."""
    return list(dict.fromkeys([*RECIPES, *(m.name for m in registry.available())]))


def _as_made(name: str, X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:
    """Rank by a method as the registry makes it, with as many clusters as there are classes."""
    ranker = registry.make(name, seed=seed, n_jobs=1, n_estimators=N_TREES)
    if "n_clusters" in ranker.get_params():
        if n_classes is None:
            raise ValueError(f"{name} needs the number of clusters, and there are no labels.")
        settings = {**settings, "n_clusters": n_classes}
    ranker.set_params(**settings).fit(X)
    return {"order": _toolbox_order(ranker.scores_) if "preset" in settings else ranker.order_}


def _toolbox_order(scores: np.ndarray) -> np.ndarray:
    """Best first, and of equals the last column first.

    That is the order of the paper's baselines: where the published settings make all scores
    tie, the figures it prints are those of the last 16 columns. Differences that are rounding
    errors count as ties.
    """
    size = np.abs(scores).max(initial=0.0)
    rounded = np.round(scores / size, 12) if size > 0 else scores
    return np.argsort(rounded, kind="stable")[::-1]


def _forest(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    forest = PredictiveClusteringForest(**settings, random_state=seed, n_jobs=1).fit(X)
    labels = ("genie3", "random_forest", "symbolic")
    return {label: _order(getattr(forest, f"{label}_")) for label in labels}


def _urelief_grid(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    scores = urelief_path(
        X,
        n_neighbors=[min(k, X.n_rows - 1) for k in URELIEF_NEIGHBORS],
        n_iterations=list(URELIEF_ITERATIONS),
        n_jobs=1,
        random_state=seed,
    )
    return {
        urelief_label(i, k): _order(scores[b][a])
        for a, i in enumerate(URELIEF_ITERATIONS)
        for b, k in enumerate(URELIEF_NEIGHBORS)
    }


def urelief_label(iterations: float, neighbors: int) -> str:
    """The label of one setting of the grid."""
    return f"I={iterations:g} K={neighbors}"


def _random(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    rng = np.random.default_rng([seed, X.n_rows])
    return {f"draw {d}": rng.permutation(X.n_columns) for d in range(RANDOM_DRAWS)}


def _position(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    columns = np.arange(X.n_columns)
    return {"first": columns, "last": columns[::-1]}


def _diversified(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    base = Genie3(N_TREES, random_state=seed, n_jobs=1)
    return {"order": Diversified(base, **settings).fit(X).order_}


def _fastcan(X: Table, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    X.require_numeric("fastcan", ["genie3", "urelief"])
    X.require_complete("fastcan", ["genie3", "urelief"])
    return {"order": fastcan_order(np.ascontiguousarray(X.values))}


def fastcan_order(X: np.ndarray, n_selected: int = 16) -> np.ndarray:
    """The columns that fastcan selects for the principal components of `X`, then the others.

    Principal components of the standardised columns as targets are its documented way to
    select without labels.
    """
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    varying = np.flatnonzero(X.std(axis=0) > 0)
    Z = (X[:, varying] - X[:, varying].mean(axis=0)) / X[:, varying].std(axis=0)
    count = min(n_selected, len(Z) - 1, len(varying))
    targets = PCA(count, random_state=0).fit_transform(Z)
    picked = varying[FastCan(count, verbose=0).fit(Z, targets).indices_]
    return np.concatenate([picked, np.setdiff1d(np.arange(X.shape[1]), picked)])


def _order(scores: np.ndarray) -> np.ndarray:
    return np.argsort(-np.asarray(scores), kind="stable")


#: The study's own recipes; all other methods are run as the registry makes them.
RECIPES: dict[str, Rank] = {
    "forest": _forest,
    "forest-grid": _forest,
    "urelief-grid": _urelief_grid,
    "random": _random,
    "position": _position,
    "diversified": _diversified,
    "fastcan": _fastcan,
}
#: Those that try settings: judged up to 16 features only, they keep the start of each order.
GRIDS = ("forest-grid", "urelief-grid")
