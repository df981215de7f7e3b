"""How time and memory grow: four sizes each of columns, values that are not zero, and trees.

A table of 20,000 rows and blocks of 1,024. The cost model: a block costs the products of its rows
(the squared number of values in a column, summed over columns), and a tree the rows of the block
times their logarithm times the columns that are tried. The picture is build/scale.png.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from unsuprank import Genie3

from .fresh_process import begin, measure
from .harness import report

HERE = "benchmarks.scale_growth"
PLAIN = {"n_rows": 20_000, "n_columns": 4_000, "density": 0.05, "n_trees": 800}
SIZES = {
    "n_rows": (5_000, 20_000, 80_000, 320_000),
    "n_columns": (1_000, 4_000, 16_000, 64_000),
    "density": (0.0125, 0.025, 0.05, 0.1),
    "n_trees": (200, 800, 3_200, 12_800),
}
BLOCK = 1024


def fit(n_rows: int, n_columns: int, density: float, n_trees: int) -> None:
    """Grow trees on blocks of a sparse table of this size."""
    rng = np.random.default_rng(0)
    X = sparse.random_array(
        (n_rows, n_columns), density=density, format="csr", dtype=np.float32, rng=rng
    )
    begin()
    Genie3(n_estimators=n_trees, max_samples=BLOCK, random_state=0, n_jobs=2).fit(X)


def model(n_rows: int, n_columns: int, density: float, n_trees: int) -> tuple[float, float]:
    """Work of blocks and of trees, up to a factor each."""
    n_blocks = max(16, n_trees / 100)
    products = n_blocks * (BLOCK * density) ** 2 * n_columns
    trees = n_trees * BLOCK * np.log2(BLOCK) * np.log2(n_columns)
    return products + n_rows * n_columns * density, trees


def run() -> None:
    settings = [{**PLAIN, name: size} for name, sizes in SIZES.items() for size in sizes]
    took = [measure(HERE, "fit", **setting) for setting in settings]
    seconds = np.array([t.cpu_seconds for t in took])
    work = np.array([model(**setting) for setting in settings])
    # Relative errors count, as the sizes go over orders of magnitude.
    factors = np.linalg.lstsq(work / seconds[:, None], np.ones(len(work)), rcond=None)[0]
    expected = work @ np.maximum(factors, 0.0)
    for setting, one, model_seconds in zip(settings, took, expected, strict=True):
        what = ", ".join(f"{size:,} {name}" for name, size in setting.items())
        report(what, f"{one.seconds:.1f} s", "", f"{one}; the model says {model_seconds:.1f} s")
    _plot(took, expected)


def _plot(took: list, expected: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, places = plt.subplots(2, len(SIZES), figsize=(12, 5), sharex="col", sharey="row")
    for k, (name, sizes) in enumerate(SIZES.items()):
        part = slice(k * len(sizes), (k + 1) * len(sizes))
        places[0, k].loglog(sizes, [t.cpu_seconds for t in took[part]], "o-", label="measured")
        places[0, k].loglog(sizes, expected[part], "--", label="model")
        places[1, k].semilogx(sizes, [t.megabytes for t in took[part]], "o-")
        places[1, k].set_xlabel(name.replace("n_", ""))
        places[1, k].set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
        places[1, k].minorticks_off()
    places[0, 0].set_ylabel("CPU seconds")
    places[1, 0].set_ylabel("MB above the table")
    places[0, 0].legend()
    Path("build").mkdir(exist_ok=True)
    figure.tight_layout()
    figure.savefig("build/scale.png", dpi=120)
