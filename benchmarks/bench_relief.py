"""URelief against the paper's recipe and scikit-learn's neighbours, with the same update.

The rate of the distance kernel counts each pair of rows once, for one thread, selection of
neighbours included.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from unsuprank import URelief, _kernels, urelief_path

from .harness import alternate, best_of, load, report, report_ratio

K = 30
BLOCK = 1000
GISETTE = """
import resource, numpy as np
from unsuprank import URelief
X = np.random.default_rng(0).integers(0, 1000, size=(7000, 5000))
URelief(30, n_jobs=2).fit(X)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def unit_range(X: np.ndarray) -> np.ndarray:
    span = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1)


def update(t: np.ndarray, start: int, distances: np.ndarray, nearest: np.ndarray, sums: list):
    """The update of Alg. 3 for a block of rows, a row at a time."""
    for i, (row_distances, row_nearest) in enumerate(zip(distances, nearest, strict=True)):
        d = np.abs(t[start + i] - t[row_nearest])
        sums[0] += row_distances.sum()
        sums[1] += d.sum(axis=0)
        sums[2] += row_distances @ d


def finish(sums: list, pairs: int) -> np.ndarray:
    differ, column, both = (s / pairs for s in sums)
    return both / differ - (column - both) / (1 - differ)


def paper_recipe(X: np.ndarray) -> np.ndarray:
    """cdist in blocks, argsort, NumPy update."""
    t = unit_range(X)
    m, n = t.shape
    sums = [0.0, np.zeros(n), np.zeros(n)]
    for start in range(0, m, BLOCK):
        distances = cdist(t[start : start + BLOCK], t, "cityblock") / n
        rows = np.arange(len(distances))
        distances[rows, start + rows] = np.inf
        nearest = np.argsort(distances, axis=1)[:, :K]
        update(t, start, np.take_along_axis(distances, nearest, axis=1), nearest, sums)
    return finish(sums, m * K)


def scikit_learn_recipe(X: np.ndarray) -> np.ndarray:
    """NearestNeighbors and the same update."""
    t = unit_range(X)
    m, n = t.shape
    search = NearestNeighbors(n_neighbors=K, metric="manhattan", algorithm="brute", n_jobs=2)
    distances, nearest = search.fit(t).kneighbors()
    sums = [0.0, np.zeros(n), np.zeros(n)]
    update(t, 0, distances / n, nearest, sums)
    return finish(sums, m * K)


def ours(X: np.ndarray) -> np.ndarray:
    return URelief(K, n_jobs=2).fit(X).scores_


def kernel_seconds(X: np.ndarray) -> float:
    """One thread, all pairs of rows, each once."""
    values, n_values = np.asfortranarray(X), np.zeros(X.shape[1], dtype=np.int32)
    rows = _kernels.ReliefRows(_kernels.Columns(values, n_values), np.arange(len(X)))
    rows.read_blocks(0, rows.n_blocks)

    def search() -> None:
        lists = _kernels.ReliefSearch(rows, 0, len(X), K)
        for block in range(rows.n_blocks):
            lists.compare(block, block, rows.n_blocks)

    return best_of(search, 5)


def run() -> None:
    for name in ("Isolet", "madelon", "USPS"):
        X = load(name)
        if X is None:
            report(f"URelief, {name}", "no data")
            continue
        largest = np.abs(ours(X)).max()
        agreement = np.abs(ours(X) - paper_recipe(X)).max() / largest
        # USPS has ties at the K-th neighbour, which argsort breaks by rounding errors.
        assert agreement < 1e-3, agreement
        mine, recipe = alternate(lambda X=X: ours(X), lambda X=X: paper_recipe(X))
        report_ratio(f"URelief, {name}, 2 threads, vs cdist and argsort", mine, recipe, 25)
        mine, sklearn = alternate(lambda X=X: ours(X), lambda X=X: scikit_learn_recipe(X))
        report_ratio(f"URelief, {name}, 2 threads, vs NearestNeighbors", mine, sklearn, 10)
        rate = len(X) * (len(X) - 1) / 2 * X.shape[1] / kernel_seconds(X)
        report(f"URelief, {name}, differences per second and core", f"{rate / 1e9:.1f}e9")
    if X is not None:
        grid, single = alternate(
            lambda: urelief_path(X, random_state=0, n_jobs=2),
            lambda: URelief(40, n_jobs=2).fit(X),
        )
        report(
            "urelief_path, USPS, 6 x 5 settings vs the largest", f"{grid / single:.2f}x", "<= 2x"
        )
    peak = subprocess.run(
        [sys.executable, "-c", GISETTE], check=True, capture_output=True, text=True
    ).stdout
    report("URelief, 7000 x 5000 integers, peak memory", f"{float(peak):.2f} GiB", "<= 1.5 GB")
