"""Forests against scikit-learn's, and how they grow with the table."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from unsuprank import Genie3, RandomForestScore

from .harness import alternate, best_of, load, report, report_ratio

TREES = 100
#: Data set -> floor of the ratio, and how many of the peer's trees are timed.
EXTRA_TREES = {
    "ALLAML": (150, 20),
    "nci9": (150, 20),
    "arcene": (150, 4),
    "madelon": (25, 10),
    "USPS": (15, 10),
}


def standardised(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def against_extra_trees(name: str, floor: float, peer_trees: int) -> None:
    X = load(name)
    if X is None:
        return
    Z = standardised(X)
    subset = math.ceil(math.log2(X.shape[1]))
    peer = ExtraTreesRegressor(peer_trees, bootstrap=True, max_features=subset, n_jobs=2)
    ours, theirs = alternate(
        lambda: Genie3(TREES, n_jobs=2, random_state=0).fit(X), lambda: peer.fit(Z, Z), 4
    )
    report_ratio(f"Genie3, {name}", ours, theirs * TREES / peer_trees, floor)
    scored = best_of(lambda: RandomForestScore(TREES, n_jobs=2, random_state=0).fit(X), 4)
    report(f"RandomForestScore / Genie3, {name}", f"{scored / ours:.2f}", "<= 3")


def against_random_forest() -> None:
    X = load("ALLAML")
    if X is None:
        return
    Z = standardised(X)
    peer = RandomForestRegressor(4, max_features="sqrt", n_jobs=2)
    settings = {"ensemble": "random_forest", "max_features": "sqrt", "n_jobs": 2}
    ours, theirs = alternate(
        lambda: Genie3(TREES, random_state=0, **settings).fit(X), lambda: peer.fit(Z, Z), 2
    )
    report_ratio("Genie3, all tests, sqrt(n), ALLAML", ours, theirs * TREES / 4, 50)


def time_per_tree(X: np.ndarray, trees: int = 400) -> float:
    """Seconds a tree takes when everything that is done once is left out."""
    few = best_of(lambda: Genie3(trees // 8, n_jobs=1, random_state=0).fit(X), 4)
    many = best_of(lambda: Genie3(trees, n_jobs=1, random_state=0).fit(X), 4)
    return (many - few) / (trees - trees // 8)


def growth() -> None:
    rng = np.random.default_rng(0)
    times = {n: time_per_tree(rng.normal(size=(100, n))) for n in (2_000, 8_000, 32_000)}
    detail = ", ".join(f"n={n}: {t * 1e6:.0f} us" for n, t in times.items())
    report(
        "time per tree, n 2,000 to 32,000", f"{times[32_000] / times[2_000]:.2f}", "<= 2", detail
    )
    X = rng.normal(size=(100, 4_000))
    k = 2_000
    one, four = (best_of(lambda t=t: Genie3(t, random_state=0).fit(X), 3) for t in (k, 4 * k))
    report(f"time of {4 * k} trees / time of {k}", f"{four / one:.2f}", "about 4")


MEMORY = """
import numpy as np
from unsuprank import Genie3
X = np.random.default_rng(0).normal(size=(200, 20_000))
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
before = peak()
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")  # the peak counts from here
now = peak()
Genie3(100, n_jobs=2, random_state=0).fit(X)
print(peak() - now, now - X.nbytes / 2**20, X.nbytes / 2**20)
"""


def memory() -> None:
    """Peak of a fit above the imported package, the table itself included (Linux only)."""
    if not Path("/proc/self/clear_refs").exists():
        return
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True
    )
    grown, _, own = map(float, done.stdout.split())
    report(
        "peak memory, 200 x 20,000, with the table",
        f"{grown + own:.0f} MB",
        "<= 200 MB",
        f"table {own:.0f} MB",
    )


def run() -> None:
    for name, (floor, peer_trees) in EXTRA_TREES.items():
        against_extra_trees(name, floor, peer_trees)
    against_random_forest()
    growth()
    memory()
