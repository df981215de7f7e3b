"""Greedy column-subset selection: seconds on two shapes, and speed and error beside fastcan.

fastcan gets the first principal components of the standardised columns as its targets, which
is its documented way to select without labels. The error is that of a one-nearest-neighbour
predictor on 16 columns: the mean over columns of the root mean squared error, in ten folds,
on the scale of the data.
"""

from __future__ import annotations

import os

import numpy as np
from sklearn.model_selection import KFold

from unsuprank import Diversified, GreedyCSS, VarianceRanker
from unsuprank.study.plan.recipes import fastcan_order

from .harness import alternate, best_of, load, report, report_ratio

TEXT = ("BASEHOCK", "PCMAC", "RELATHE")
SETS = (
    *("ALLAML", "COIL20", "GLIOMA", "Isolet", "ORL", "Prostate-GE", "TOX-171", "USPS", "Yale"),
    *("arcene", "colon", "leukemia", "lymphoma", "madelon", "nci9", "pixraw10P", "warpPIE10P"),
    *TEXT,
)
#: Small enough to be judged in a minute; UNSUPRANK_BENCH_ALL=1 takes all of them.
QUICK = ("ALLAML", "TOX-171", "Yale", "arcene", "colon", "lymphoma", "warpPIE10P")
N_SELECTED = 16


def run() -> None:
    _report_shapes()
    if fastcan_order is None:
        print("fastcan is not installed: no comparison")
        return
    _report_speed()
    _report_errors(SETS if os.environ.get("UNSUPRANK_BENCH_ALL") else QUICK)


def _report_shapes() -> None:
    for rows, columns, limit in ((200, 20_000, 2), (2_000, 5_000, 5)):
        X = np.random.default_rng(0).normal(size=(rows, columns))
        for name, ranker in (
            ("GreedyCSS, 16 picks", GreedyCSS(n_picks=N_SELECTED)),
            ('GreedyCSS(polish="knn")', GreedyCSS(n_picks=N_SELECTED, polish="knn")),
            ("Diversified(VarianceRanker())", Diversified(VarianceRanker(), n_picks=N_SELECTED)),
        ):
            seconds = best_of(lambda ranker=ranker, X=X: ranker.fit(X))
            target = f"< {limit} s" if ranker.get_params().get("polish", "") is None else ""
            report(f"{name}, {rows} x {columns}", f"{seconds:.2f} s", target)


def _report_speed() -> None:
    for name in ("ALLAML", "arcene"):
        X = load(name)
        if X is None:
            continue
        for label, polish in (("GreedyCSS", None), ('GreedyCSS(polish="knn")', "knn")):
            ranker = GreedyCSS(n_picks=N_SELECTED, polish=polish)
            ours, peer = alternate(lambda: ranker.fit(X), lambda: fastcan_order(X), 5)  # noqa: B023
            report_ratio(f"{label} against fastcan, {name}", ours, peer, 1)


def _report_errors(names: tuple[str, ...]) -> None:
    ratios: list[np.ndarray] = []
    for name in names:
        X = load(name)
        if X is None:
            continue
        errors = np.mean(
            [_fold_errors(X[a], X[b], f) for f, (a, b) in enumerate(_folds(X))], axis=0
        )
        relative = errors[:3] / errors[3]
        if name not in TEXT:
            ratios.append(relative)
        report(
            f"error relative to fastcan, {name}",
            f"{relative[1]:.3f}",
            detail=f"without polish {relative[0]:.3f}, random {relative[2]:.3f}",
        )
    if ratios:
        plain, polished, chance = np.mean(ratios, axis=0)
        report(
            f"mean over {len(ratios)} sets without text",
            f"{polished:.3f}",
            "<= 1.00",
            f"without polish {plain:.3f}, random {chance:.3f}",
        )


def _folds(X: np.ndarray):
    return KFold(10, shuffle=True, random_state=2).split(X)


def _fold_errors(train: np.ndarray, test: np.ndarray, fold: int) -> list[float]:
    """Of GreedyCSS, the same polished, ten random draws, and fastcan."""
    draws = [np.random.default_rng(100 * fold + g).permutation(train.shape[1]) for g in range(10)]
    return [
        _error(train, test, GreedyCSS(n_picks=N_SELECTED).fit(train).order_),
        _error(train, test, GreedyCSS(n_picks=N_SELECTED, polish="knn").fit(train).order_),
        float(np.mean([_error(train, test, draw) for draw in draws])),
        _error(train, test, fastcan_order(train)),
    ]


def _error(train: np.ndarray, test: np.ndarray, order: np.ndarray) -> float:
    from scipy.spatial.distance import cdist

    top = order[:N_SELECTED]
    nearest = cdist(test[:, top], train[:, top], "sqeuclidean").argmin(axis=1)
    return float(np.sqrt(np.mean((test - train[nearest]) ** 2, axis=0)).mean())
