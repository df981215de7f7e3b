"""Which method answers which question: `make truth`, or `python -m benchmarks.truth designs noise`.

Five tables: recovery of planted columns (average precision), also of those that are not linear,
small or joint, ranks of noise by kind of column, ranks of names and identifiers that are added to
real tables, and what the top columns are good for on labelled real tables. Nothing here was used to
choose anything: seeds begin at `designs.REPORTING`. docs/which-method.md holds the tables of one
run, with its date.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from unsuprank import (
    MCFS,
    SPEC,
    Genie3,
    GreedyCSS,
    LaplacianScore,
    RandomForestScore,
    RandomRanker,
    Ranker,
    SharedVariance,
    SymbolicScore,
    URelief,
    VarianceRanker,
)
from unsuprank.io import read_file

from . import families
from .designs import DESIGNS, MIXED, NOISE_KINDS, NONLINEAR, REPORTING, average_precision, noise
from .labelled_sets import SETS, judged, labelled

Make = Callable[[], Ranker]

METHODS: dict[str, Make] = {
    "shared-variance": lambda: SharedVariance(),
    "shared-variance, all views": lambda: SharedVariance(views="auto"),
    "shared-variance, 3 bins": lambda: SharedVariance(bins=3),
    "css": lambda: GreedyCSS(),
    "genie3, out of bag": lambda: Genie3(2000, gain="out_of_bag", random_state=0, n_jobs=2),
    "genie3": lambda: Genie3(2000, random_state=0, n_jobs=2),
    "genie3, 100 trees": lambda: Genie3(100, random_state=0, n_jobs=2),
    "symbolic": lambda: SymbolicScore(2000, random_state=0, n_jobs=2),
    "random-forest": lambda: RandomForestScore(500, random_state=0, n_jobs=2),
    "urelief": lambda: URelief(random_state=0, n_jobs=2),
    "laplacian": lambda: LaplacianScore(n_jobs=2),
    "spec": lambda: SPEC(n_jobs=2),
    "mcfs": lambda: MCFS(n_jobs=2),
    "variance": lambda: VarianceRanker(),
    "random": lambda: RandomRanker(random_state=0),
}
#: Methods that take every kind of column, in the tables of noise and identifiers.
FAIR = ("shared-variance", "css", "genie3, out of bag", "genie3", "random-forest", "urelief")
NOT_ON_LABELLED_SETS = (
    "shared-variance, 3 bins",
    "symbolic",
    "random-forest",
    "genie3, 100 trees",
)
N_DESIGN_TABLES, N_NOISE_TABLES = 3, 50


def order_of(make: Make, X: pd.DataFrame | np.ndarray) -> np.ndarray | None:
    """The order of the columns, or None where the method cannot take the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make().fit(X).order_
        except ValueError:
            return None


def markdown(title: str, columns: Mapping[str, Mapping[str, float]], rows: list[str]) -> None:
    """Print a table with a column per method; what is not there is left empty."""
    print(f"\n### {title}\n\n| | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for row in rows:
        cells = [columns[c].get(row, np.nan) for c in columns]
        shown = ["" if np.isnan(v) else f"{v:.2f}" for v in cells]
        print(f"| {row} | {' | '.join(shown)} |", flush=True)


def designs() -> None:
    """Average precision of every method on every design."""
    found: dict[str, dict[str, float]] = {name: {} for name in METHODS}
    for design, draw in {**DESIGNS, **NONLINEAR}.items():
        tables = [draw(np.random.default_rng(REPORTING + s)) for s in range(N_DESIGN_TABLES)]
        for name, make in METHODS.items():
            orders = [order_of(make, X) for X, _ in tables]
            if all(order is not None for order in orders):
                found[name][design] = float(
                    np.mean(
                        [average_precision(o, r) for o, (_, r) in zip(orders, tables, strict=True)]
                    )
                )
    for values in found.values():
        if set(DESIGNS) <= set(values):
            values["mean of the linear designs"] = float(np.mean([values[d] for d in DESIGNS]))
        numeric = [d for d in DESIGNS if d not in MIXED]
        values["mean of those with numbers only"] = float(np.mean([values[d] for d in numeric]))
        if set(MIXED) <= set(values):
            values["mean of the mixed ones"] = float(np.mean([values[d] for d in MIXED]))
    means = ["mean of the linear designs", "mean of those with numbers only"]
    markdown(
        f"Planted columns: average precision, {N_DESIGN_TABLES} tables a design",
        found,
        [*DESIGNS, *means, "mean of the mixed ones", *NONLINEAR],
    )


def noise_ranks() -> None:
    """Mean percentile of the ranks of each kind of noise; 0.50 is fair."""
    found: dict[str, dict[str, float]] = {}
    for name in FAIR:
        tables = N_NOISE_TABLES if name != "random-forest" else N_NOISE_TABLES // 5
        percentiles: dict[str, list[float]] = {kind: [] for kind in NOISE_KINDS}
        for s in range(tables):
            X, kinds = noise(np.random.default_rng(REPORTING + s))
            order = order_of(METHODS[name], X)
            assert order is not None
            rank = np.empty(len(order))
            rank[order] = (np.arange(len(order)) + 0.5) / len(order)
            for kind in NOISE_KINDS:
                percentiles[kind] += rank[kinds == kind].tolist()
        found[name] = {kind: float(np.mean(v)) for kind, v in percentiles.items()}
    markdown(
        f"Pure noise: mean percentile of the rank by kind, 0.50 is fair, {N_NOISE_TABLES} tables",
        found,
        list(NOISE_KINDS),
    )


def _real_mixed() -> dict[str, pd.DataFrame]:
    tables = {"wine": load_wine(as_frame=True).data}
    place = Path(os.environ.get("UNSUPRANK_DATA", "")) / "mixed"
    for name in ("penguins_openml42585", "titanic_openml40945", "credit-g"):
        if (place / f"{name}.arff").is_file():
            data = read_file(place / f"{name}.arff")
            tables[name.split("_")[0]] = pd.DataFrame(
                {
                    c.name: c.values
                    if c.categories is None
                    else pd.Categorical([text or None for text in c.texts()])
                    for c in data.columns
                }
            )
    return tables


def identifiers() -> None:
    """The best percentile that a column of random names reaches among real columns."""
    found: dict[str, dict[str, float]] = {name: {} for name in FAIR if name != "random-forest"}
    rows = []
    for title, frame in _real_mixed().items():
        rng = np.random.default_rng(REPORTING)
        m, extra = len(frame), {}
        for k in (40, 100, 200):
            extra[f"names of {k} values"] = pd.Categorical(
                [f"n{i}" for i in rng.integers(k, size=m)]
            )
        extra["identifier"] = pd.Categorical([f"id{i}" for i in range(m)])
        X = frame.assign(**extra)
        rows += [f"{title}: {name}" for name in extra]
        for method in found:
            order = order_of(METHODS[method], X)
            assert order is not None
            place = {X.columns[j]: r for r, j in enumerate(order, 1)}
            for name in extra:
                found[method][f"{title}: {name}"] = place[name] / len(order)
    markdown("Random names added to real tables: rank, as a share of all columns", found, rows)


def real() -> None:
    """Accuracy, agreement and share of the top columns, and those of random columns."""
    chosen = [m for m in METHODS if m not in NOT_ON_LABELLED_SETS]
    for size in (20, 100):
        sums: dict[str, list[np.ndarray]] = {name: [] for name in chosen}
        for title in SETS:
            stored = labelled(title)
            if stored is None:
                continue
            X, y = stored
            X = X[:, X.std(axis=0) > 0]
            for name in chosen:
                order = order_of(METHODS[name], X)
                if order is not None:
                    sums[name].append(judged(X, y, order, size))
        if not sums["random"]:
            print("\nNo labelled sets: UNSUPRANK_DATA does not point to them.")
            return
        judges = ("accuracy of an SVM", "agreement of k-means", "share explained by ridge")
        found = {
            name: dict(zip(judges, np.mean(values, axis=0).tolist(), strict=True))
            for name, values in sums.items()
        }
        n = len(sums["random"])
        markdown(f"The top {size} columns on {n} labelled sets, mean", found, list(judges))


SECTIONS = {
    "designs": designs,
    "families": lambda: families.main([]),
    "noise": noise_ranks,
    "identifiers": identifiers,
    "real": real,
}


def main(names: list[str]) -> None:
    """Print the sections named, or all of them."""
    for name in names or SECTIONS:
        SECTIONS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
