"""The methods of the study by name, looked up in the package when they are needed.

A method takes the training rows, the number of classes, its settings and a seed, and
answers with one or several orders by label: a forest gives the orders of all its scores,
a path those of all its settings.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .paper import URELIEF_ITERATIONS, URELIEF_NEIGHBORS

Settings = dict[str, Any]
Orders = dict[str, np.ndarray]
Rank = Callable[[np.ndarray, int | None, Settings, int], Orders]

#: Random orders per fold.
RANDOM_DRAWS = 10


@dataclass(frozen=True)
class Method:
    """How to rank, and which public name of the package it takes."""

    needs: str
    rank: Rank
    #: A grid is judged up to 16 features only, and keeps the start of each order.
    is_grid: bool = False

    def is_available(self) -> bool:
        return find(self.needs) is not None


def find(name: str) -> Any:
    """A public name of the package, or None where this version does not have it."""
    place, _, attribute = name.rpartition(".")
    try:
        return getattr(
            importlib.import_module(f"unsuprank.{place}" if place else "unsuprank"), attribute
        )
    except (ImportError, AttributeError):
        return None


def _built(name: str, settings: Settings, seed: int) -> Any:
    """An instance; seed and threads are passed where the class knows them."""
    cls = find(name)
    known = cls().get_params()
    common = {"random_state": seed, "n_jobs": 1}
    return cls(**settings, **{k: v for k, v in common.items() if k in known})


def _simple(name: str, *, clusters: bool = False) -> Method:
    def rank(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:
        if clusters:
            if n_classes is None:
                raise ValueError(f"{name} needs the number of clusters, and there are no labels.")
            settings = {**settings, "n_clusters": n_classes}
        ranker = _built(name, settings, seed).fit(X)
        return {"order": _toolbox_order(ranker.scores_) if "preset" in settings else ranker.order_}

    return Method(name, rank)


def _toolbox_order(scores: np.ndarray) -> np.ndarray:
    """Best first, and of equals the last column first.

    That is the order of the paper's baselines: where the published settings make all scores
    tie, the figures it prints are those of the last 16 columns. Differences that are rounding
    errors count as ties.
    """
    size = np.abs(scores).max(initial=0.0)
    rounded = np.round(scores / size, 12) if size > 0 else scores
    return np.argsort(rounded, kind="stable")[::-1]


def _forest(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    forest = _built("PredictiveClusteringForest", settings, seed).fit(X)
    scores = {
        "genie3": forest.genie3_,
        "random_forest": forest.random_forest_,
        "symbolic": forest.symbolic_,
    }
    return {label: _order(s) for label, s in scores.items()}


def _urelief_grid(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    path = find("urelief_path")
    scores = path(
        X,
        n_neighbors=[min(k, len(X) - 1) for k in URELIEF_NEIGHBORS],
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


def _random(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    rng = np.random.default_rng([seed, len(X)])
    return {f"draw {d}": rng.permutation(X.shape[1]) for d in range(RANDOM_DRAWS)}


def _diversified(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    base = _built("Genie3", {}, seed)
    return {"order": find("Diversified")(base, **settings).fit(X).order_}


def _fastcan(X: np.ndarray, n_classes: int | None, settings: Settings, seed: int) -> Orders:  # noqa: ARG001
    return {"order": find("study.plan.peers.fastcan_order")(X)}


def _order(scores: np.ndarray) -> np.ndarray:
    return np.argsort(-np.asarray(scores), kind="stable")


METHODS: dict[str, Method] = {
    "forest": Method("PredictiveClusteringForest", _forest),
    "urelief": _simple("URelief"),
    "urelief-grid": Method("urelief_path", _urelief_grid, is_grid=True),
    "forest-grid": Method("PredictiveClusteringForest", _forest, is_grid=True),
    "laplacian": _simple("LaplacianScore"),
    "spec": _simple("SPEC"),
    "mcfs": _simple("MCFS", clusters=True),
    "ndfs": _simple("NDFS", clusters=True),
    "agnos": _simple("AgnoSS"),
    "variance": _simple("VarianceRanker"),
    "random": Method("RandomRanker", _random),
    "greedy-css": _simple("GreedyCSS"),
    "diversified": Method("Diversified", _diversified),
    "fastcan": Method("study.plan.peers.fastcan_order", _fastcan),
}
