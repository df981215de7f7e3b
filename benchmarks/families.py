"""Tables whose structure is not linear, small or joint, with noise that looks like it.

A family is a function of a random generator and a number of rows that returns the columns of one
planted group. A table holds some groups, and as noise columns of further groups, each with its
values in a random order: what a column is like by itself tells nothing.

`python -m benchmarks.families` prints mean average precision by family and size, on seeds from
`designs.REPORTING`; `python -m benchmarks.families choose` on those below.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

from unsuprank import SharedVariance

from .designs import DESIGNS, REPORTING, average_precision

Generator = np.random.Generator
Family = Callable[[Generator, int], list]

#: Rows and columns.
SIZES = ((100, 60), (300, 60), (300, 600), (1000, 60), (1000, 600))
#: Planted columns of a table, about, and tables of a family and size.
PLANTED, TABLES = 12, 3


def _columns(matrix: np.ndarray) -> list:
    return list(np.asarray(matrix, dtype=float).T)


def _named(codes: np.ndarray) -> pd.Categorical:
    return pd.Categorical([f"v{c}" for c in codes])


def factor(rng: Generator, rows: int) -> list:
    """Six columns of one factor."""
    return _columns(rng.normal(size=(rows, 1)) + rng.normal(size=(rows, 6)))


def outlying_cells(rng: Generator, rows: int) -> list:
    """The same, with gross errors in 3% of the cells."""
    values = rng.normal(size=(rows, 1)) + 0.8 * rng.normal(size=(rows, 6))
    wrong = rng.random(values.shape) < 0.03
    return _columns(np.where(wrong, 15.0 * rng.normal(size=values.shape), values))


def monotone(rng: Generator, rows: int) -> list:
    """Steep monotone functions of one number."""
    base = rng.normal(size=(rows, 1)) + 0.6 * rng.normal(size=(rows, 4))
    return _columns(np.sign(base) * np.expm1(1.5 * np.abs(base)) * rng.choice([-1.0, 1.0], 4))


def twins(rng: Generator, rows: int) -> list:
    """Two columns that are nearly the same."""
    return _columns(rng.normal(size=(rows, 1)) + 0.4 * rng.normal(size=(rows, 2)))


def twins_beside_a_factor(rng: Generator, rows: int) -> list:
    """Two pairs beside eight columns of a factor."""
    wide = _columns(rng.normal(size=(rows, 1)) + rng.normal(size=(rows, 8)))
    return twins(rng, rows) + twins(rng, rows) + wide


def squares(rng: Generator, rows: int) -> list:
    """A number and its square."""
    x = rng.normal(size=rows)
    return [x, x**2 + 0.4 * rng.normal(size=rows)]


def rings(rng: Generator, rows: int) -> list:
    """Two coordinates of points near a circle."""
    angle = rng.uniform(0, 2 * np.pi, rows)
    return _columns(
        np.column_stack([np.cos(angle), np.sin(angle)]) + 0.2 * rng.normal(size=(rows, 2))
    )


def periodic(rng: Generator, rows: int) -> list:
    """A number, and two waves along it."""
    x = rng.random(rows)
    waves = [np.cos(2 * np.pi * (k * x + rng.random())) for k in (1.0, 1.5)]
    return [x, *(w + 0.3 * rng.normal(size=rows) for w in waves)]


def uneven_spread(rng: Generator, rows: int) -> list:
    """A number, and two columns that vary more where it is large."""
    x = rng.normal(size=rows)
    return [x, *(rng.normal(size=rows) * np.exp(0.9 * x) for _ in range(2))]


def volatility(rng: Generator, rows: int) -> list:
    """Four columns that vary much in the same rows."""
    size = np.exp(0.8 * rng.normal(size=(rows, 1)))
    return _columns(size * rng.normal(size=(rows, 4)))


def opposite_mixture(rng: Generator, rows: int) -> list:
    """Two columns that go together in half of the rows, and against each other in the others."""
    x = rng.normal(size=rows)
    y = x * rng.choice([-1.0, 1.0], rows) + 0.4 * rng.normal(size=rows)
    return [x, y]


def products(rng: Generator, rows: int) -> list:
    """Two numbers and their product."""
    x, y = rng.normal(size=(2, rows))
    return [x, y, x * y + 0.4 * rng.normal(size=rows)]


def exclusive_or(rng: Generator, rows: int) -> list:
    """Two numbers, and whether they are on the same side."""
    x, y = rng.normal(size=(2, rows))
    return [x, y, np.sign(x * y) + 0.5 * rng.normal(size=rows)]


def interactions(rng: Generator, rows: int) -> list:
    """Six numbers, and six sums of three products of them."""
    x = rng.normal(size=(rows, 6))
    a, b = (
        rng.permuted(np.tile(np.arange(6), (6, 1)), axis=1)[:, :6].reshape(6, 2, 3).swapaxes(0, 1)
    )
    y = sum(x[:, a[:, k]] * x[:, b[:, k]] for k in range(3))
    return _columns(np.hstack([x, y + 0.5 * rng.normal(size=(rows, 6))]))


def extremes(rng: Generator, rows: int) -> list:
    """Two columns that are extreme in the same rows, and unrelated else."""
    x, y = rng.normal(size=(2, rows))
    far = np.abs(x) > 1.3
    return [x, np.where(far, x + 0.3 * y, np.clip(y, -1.3, 1.3))]


def nominal_shift(rng: Generator, rows: int) -> list:
    """A category, and three numbers that are larger in some of its values."""
    code = rng.integers(4, size=rows)
    return [_named(code), *_columns(rng.normal(size=(4, 3))[code] + rng.normal(size=(rows, 3)))]


def nominal_spread(rng: Generator, rows: int) -> list:
    """A category, and three numbers that vary more in some of its values."""
    code = rng.integers(3, size=rows)
    sizes = np.array([0.4, 1.0, 2.5])
    return [_named(code), *(rng.permutation(sizes)[code] * rng.normal(size=rows) for _ in range(3))]


def nominal_table(rng: Generator, rows: int) -> list:
    """Two categories that go together in 60% of the rows."""
    code = rng.integers(5, size=rows)
    other = np.where(rng.random(rows) < 0.6, (3 * code + 1) % 5, rng.integers(5, size=rows))
    return [_named(code), _named(other)]


def nominal_sum(rng: Generator, rows: int) -> list:
    """Two categories, and their sum modulo 3 in 90% of the rows."""
    a, b, random = rng.integers(3, size=(3, rows))
    return [_named(a), _named(b), _named(np.where(rng.random(rows) < 0.9, (a + b) % 3, random))]


FAMILIES: dict[str, Family] = {
    f.__name__.replace("_", " "): f
    for f in (
        *(factor, outlying_cells, monotone, twins, twins_beside_a_factor, squares, rings),
        *(periodic, uneven_spread, volatility, opposite_mixture, products, exclusive_or),
        *(interactions, extremes, nominal_shift, nominal_spread, nominal_table, nominal_sum),
    )
}


def shuffled(rng: Generator, column: np.ndarray | pd.Categorical) -> np.ndarray | pd.Categorical:
    """The same values in a random order."""
    return column[rng.permutation(len(column))]


def table_of(
    family: Family, rng: Generator, rows: int, columns: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """Some groups of a family among noise that looks like them, and which columns are planted."""
    planted: list = []
    while len(planted) < PLANTED:
        planted += family(rng, rows)
    noise: list = []
    while len(planted) + len(noise) < columns:
        noise += [shuffled(rng, column) for column in family(rng, rows)]
    every = [*planted, *noise[: columns - len(planted)]]
    order = rng.permutation(len(every))
    frame = pd.DataFrame({f"c{place}": every[j] for place, j in enumerate(order)})
    return frame, order < len(planted)


def precision(ranker: SharedVariance, X: pd.DataFrame, relevant: np.ndarray) -> float:
    """Average precision of a ranking."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return average_precision(ranker.fit(X).order_, relevant)


def report(first_seed: int, rankers: dict[str, SharedVariance], tables: int = TABLES) -> None:
    """Print mean average precision by family and size."""
    for name, ranker in rankers.items():
        sizes = [f"{rows}/{columns}" for rows, columns in SIZES]
        print(f"\n### {name}\n\n| | {' | '.join(sizes)} |\n|---|{'---|' * len(sizes)}")
        means = []
        for title, family in FAMILIES.items():
            found = []
            for rows, columns in SIZES:
                rngs = (np.random.default_rng(first_seed + s) for s in range(tables))
                pairs = [table_of(family, rng, rows, columns) for rng in rngs]
                found.append(float(np.mean([precision(ranker, X, r) for X, r in pairs])))
            means.append(found)
            print(f"| {title} | {' | '.join(f'{v:.2f}' for v in found)} |", flush=True)
        mean = np.mean(means, axis=0)
        print(f"| mean | {' | '.join(f'{v:.3f}' for v in mean)} |\n\nall: {np.mean(means):.3f}")


def report_designs(first_seed: int, rankers: dict[str, SharedVariance]) -> None:
    """Print mean average precision on the linear designs."""
    for name, ranker in rankers.items():
        found = {}
        for title, draw in DESIGNS.items():
            drawn = [draw(np.random.default_rng(first_seed + s)) for s in range(TABLES)]
            found[title] = float(np.mean([precision(ranker, X, r) for X, r in drawn]))
        shown = ", ".join(f"{title} {value:.2f}" for title, value in found.items())
        print(
            f"\n{name}, linear designs: {np.mean(list(found.values())):.3f} ({shown})", flush=True
        )


def main(arguments: list[str]) -> None:
    """Print all tables."""
    first_seed = 0 if "choose" in arguments else REPORTING
    rankers = {"all views": SharedVariance(views="auto"), "line": SharedVariance()}
    report_designs(first_seed, rankers)
    report(first_seed, rankers, 1 if "choose" in arguments else TABLES)


if __name__ == "__main__":
    main(sys.argv[1:])
