"""What relevance costs: `SharedVariance` beside the bare product of the table with itself, and the
out-of-bag gain of Genie3 beside the gain of the paper."""

from __future__ import annotations

import numpy as np

from unsuprank import Genie3, SharedVariance

from .harness import alternate, load, report

#: Rows and columns.
SHAPES = ((200, 20_000), (2_000, 5_000), (20_000, 200))


def run() -> None:
    for rows, columns in SHAPES:
        X = np.asfortranarray(np.random.default_rng(0).normal(size=(rows, columns)))

        Z = X if rows < columns else X.T
        ours, bare = alternate(lambda X=X: SharedVariance().fit(X), lambda Z=Z: Z @ Z.T, 5)
        report(
            f"SharedVariance / bare product, {rows} x {columns}", f"{ours / bare:.1f}x", "<= 4x",
            f"{ours:.3f} s against {bare:.3f} s",
        )  # fmt: skip
    for name in ("colon", "ALLAML", "madelon", "USPS"):
        X = load(name)
        if X is None:
            continue
        trees = 2000 if len(X) < 200 else 50

        def fit(gain: str, X: np.ndarray = X, trees: int = trees) -> None:
            Genie3(trees, gain=gain, random_state=0, n_jobs=2).fit(X)

        outside, inside = alternate(lambda: fit("out_of_bag"), lambda: fit("in_bag"), 5)
        report(
            f"Genie3 out of bag / in bag, {name}, {trees} trees", f"{outside / inside:.2f}x",
            "<= 1.6x", f"{outside:.3f} s against {inside:.3f} s",
        )  # fmt: skip
