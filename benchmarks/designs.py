"""Tables with planted columns, and tables of noise: what a ranking can be held against.

A design is a function of a random generator that returns a DataFrame and the mask of its
relevant columns. Whatever is chosen by looking at these designs is chosen with seeds below
`REPORTING`, and reported with seeds from there on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

#: Seeds of tables that figures are reported on; smaller ones are for choosing.
REPORTING = 1000

Generator = np.random.Generator
Planted = tuple[pd.DataFrame, np.ndarray]
Design = Callable[[Generator], Planted]


def _together(rng: Generator, signal: list, noise: list) -> Planted:
    """Signal and noise columns in random order, with names that tell nothing."""
    columns = [*signal, *noise]
    order = rng.permutation(len(columns))
    frame = pd.DataFrame({f"c{place}": columns[j] for place, j in enumerate(order)})
    return frame, order < len(signal)


def _columns(matrix: np.ndarray) -> list[np.ndarray]:
    return list(np.asarray(matrix, dtype=float).T)


def clusters(rng: Generator) -> Planted:
    """Four clusters that show in 10 of 100 columns."""
    label = rng.integers(4, size=150)
    signal = 2.0 * rng.normal(size=(4, 10))[label] + rng.normal(size=(150, 10))
    return _together(rng, _columns(signal), _columns(rng.normal(size=(150, 90))))


def small_cluster(rng: Generator) -> Planted:
    """One row in eight differs in 8 of 60 columns."""
    label = rng.random(200) < 0.125
    signal = 2.5 * label[:, None] * rng.choice([-1, 1], 8) + rng.normal(size=(200, 8))
    return _together(rng, _columns(signal), _columns(rng.normal(size=(200, 52))))


def wide(rng: Generator) -> Planted:
    """Two factors in 50 of 2,000 columns, 80 rows."""
    signal = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 50)) + rng.normal(size=(80, 50))
    return _together(rng, _columns(signal), _columns(rng.normal(size=(80, 1950))))


def blocks(rng: Generator) -> Planted:
    """Blocks of 12, 6 and 3 like columns among 40 of noise."""
    signal = [rng.normal(size=(120, 1)) + 0.7 * rng.normal(size=(120, size)) for size in (12, 6, 3)]
    return _together(rng, _columns(np.hstack(signal)), _columns(rng.normal(size=(120, 40))))


def one_factor(rng: Generator) -> Planted:
    """Half of 40 columns share one factor."""
    signal = rng.normal(size=(100, 1)) + rng.normal(size=(100, 20))
    return _together(rng, _columns(signal), _columns(rng.normal(size=(100, 20))))


def weak_factor(rng: Generator) -> Planted:
    """A factor that each of 60 columns shows a little, among 120 of noise."""
    signal = rng.normal(size=(250, 1)) + 2.2 * rng.normal(size=(250, 60))
    return _together(rng, _columns(signal), _columns(rng.normal(size=(250, 120))))


def heavy_tails(rng: Generator) -> Planted:
    """A factor with errors of a t distribution, among lognormal noise."""
    signal = rng.normal(size=(150, 1)) + 0.7 * rng.standard_t(2.5, size=(150, 15))
    return _together(rng, _columns(signal), _columns(rng.lognormal(0, 1.2, size=(150, 60))))


def scales(rng: Generator) -> Planted:
    """Two factors in units from thousandths to thousands; noise is loud."""
    signal = rng.normal(size=(120, 2)) @ rng.normal(size=(2, 15)) + 0.8 * rng.normal(size=(120, 15))
    units = 10.0 ** rng.uniform(-3, 2, 15)
    noise = rng.normal(size=(120, 45)) * 10.0 ** rng.uniform(-1, 3, 45)
    return _together(rng, _columns(signal * units), _columns(noise))


def counts(rng: Generator) -> Planted:
    """Counts of 12 of 80 genes follow a program, the others have rates of their own."""
    program = rng.normal(size=(150, 1)) * rng.uniform(0.5, 1.0, 12)
    signal = rng.poisson(np.exp(rng.uniform(-0.5, 2, 12) + program))
    noise = rng.poisson(np.exp(rng.uniform(-1.5, 2, 68)), size=(150, 68))
    return _together(rng, _columns(signal), _columns(noise))


def manifold(rng: Generator) -> Planted:
    """Smooth functions of two angles in 18 of 60 columns."""
    angle = rng.uniform(0, 2 * np.pi, size=(200, 2))
    waves = angle @ rng.integers(0, 2, size=(2, 18)) + rng.uniform(0, 6, 18)
    signal = np.cos(waves + angle[:, rng.integers(2, size=18)])
    noise = rng.normal(size=(200, 42))
    return _together(rng, _columns(signal + 0.3 * rng.normal(size=signal.shape)), _columns(noise))


def squares(rng: Generator) -> Planted:
    """Pairs of a number and its square: nothing linear is shared."""
    base = rng.normal(size=(250, 5))
    signal = np.hstack([base, base**2 + 0.3 * rng.normal(size=base.shape)])
    return _together(rng, _columns(signal), _columns(rng.normal(size=(250, 20))))


def exclusive_or(rng: Generator) -> Planted:
    """Two columns drive six others by exclusive or, among 60 of noise."""
    drivers = rng.normal(size=(300, 2))
    driven = np.sign(drivers.prod(axis=1, keepdims=True)) + 0.6 * rng.normal(size=(300, 6))
    return _together(
        rng, _columns(np.hstack([drivers, driven])), _columns(rng.normal(size=(300, 60)))
    )


def _named(codes: np.ndarray) -> pd.Categorical:
    return pd.Categorical([f"v{c}" for c in codes])


def _noisy_codes(rng: Generator, label: np.ndarray, n_values: int, keep: float) -> pd.Categorical:
    """A nominal column that follows `label` in a share of the rows."""
    follows = rng.integers(n_values, size=label.max() + 1)[label]
    random = rng.integers(n_values, size=len(label))
    return _named(np.where(rng.random(len(label)) < keep, follows, random))


def noise_column(rng: Generator, kind: str, rows: int) -> np.ndarray | pd.Categorical:
    """A column that nothing else has to do with, of one of `NOISE_KINDS`."""
    if kind.startswith("nominal"):
        return _named(rng.integers(int(kind.split()[1]), size=rows))
    if kind.startswith("missing"):
        values = rng.normal(size=rows)
        values[rng.random(rows) < float(kind.split()[1]) / 100] = np.nan
        return values
    make = {
        "normal": lambda: rng.normal(size=rows),
        "uniform": lambda: rng.random(rows),
        "lognormal": lambda: rng.lognormal(0, 1.2, rows),
        "t with 2 degrees": lambda: rng.standard_t(2, rows),
        "coin": lambda: (rng.random(rows) < 0.5) * 1.0,
        "rare binary": lambda: (rng.permutation(rows) < max(5, rows // 25)) * 1.0,
        "counts": lambda: rng.poisson(0.7, rows) * 1.0,
    }
    return make[kind]()


NOISE_KINDS = (
    *("normal", "uniform", "lognormal", "t with 2 degrees", "coin", "rare binary", "counts"),
    *("nominal 2", "nominal 5", "nominal 20", "nominal 60", "nominal 100"),
    *("missing 20", "missing 50", "missing 80"),
)


def mixed(rng: Generator) -> Planted:
    """Latent classes show in 6 numbers, 6 nominal columns and 3 flags; noise is of all kinds."""
    label = rng.integers(4, size=200)
    signal: list = _columns(1.5 * rng.normal(size=(4, 6))[label] + rng.normal(size=(200, 6)))
    signal += [_noisy_codes(rng, label, k, 0.7) for k in (2, 3, 3, 4, 5, 8)]
    signal += [((rng.random(4)[label] > rng.random(200)) * 1.0) for _ in range(3)]
    return _together(rng, signal, [noise_column(rng, k, 200) for k in 3 * NOISE_KINDS])


def mixed_with_gaps(rng: Generator) -> Planted:
    """The same kinds of columns, with a tenth to a half of the values of a column unknown."""
    frame, relevant = mixed(rng)
    for name in frame:
        gaps = rng.random(len(frame)) < rng.uniform(0.1, 0.5)
        frame[name] = frame[name].where(~gaps)
    return frame, relevant


def nominal_only(rng: Generator) -> Planted:
    """A survey: 12 of 40 questions follow three latent classes."""
    label = rng.integers(3, size=250)
    signal = [_noisy_codes(rng, label, int(k), 0.6) for k in rng.integers(2, 7, 12)]
    noise = [_named(rng.integers(int(k), size=250)) for k in rng.integers(2, 12, 28)]
    return _together(rng, signal, noise)


def with_identifiers(rng: Generator) -> Planted:
    """A factor in 10 numbers and 4 nominal columns, beside names of many values."""
    factor = rng.normal(size=150)
    signal: list = _columns(factor[:, None] + rng.normal(size=(150, 10)))
    label = np.digitize(factor, [-0.6, 0.6])
    signal += [_noisy_codes(rng, label, k, 0.7) for k in (3, 3, 4, 5)]
    noise = [noise_column(rng, k, 150) for k in NOISE_KINDS]
    noise += [_named(rng.integers(k, size=150)) for k in (30, 75, 120)] + [_named(np.arange(150))]
    return _together(rng, signal, noise)


DESIGNS: dict[str, Design] = {
    f.__name__.replace("_", " "): f
    for f in (
        *(clusters, small_cluster, wide, blocks, one_factor, weak_factor, heavy_tails, scales),
        *(counts, manifold, mixed, mixed_with_gaps, nominal_only, with_identifiers),
    )
}
#: Structure that nothing linear can see; reported apart.
NONLINEAR: dict[str, Design] = {"squares": squares, "exclusive or": exclusive_or}
MIXED = ("mixed", "mixed with gaps", "nominal only", "with identifiers")


def noise(rng: Generator, rows: int = 100, copies: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of noise of all kinds, and the kind of each column."""
    kinds = rng.permutation(np.repeat(NOISE_KINDS, copies))
    columns = {f"c{j}": noise_column(rng, str(kind), rows) for j, kind in enumerate(kinds)}
    return pd.DataFrame(columns), kinds


def average_precision(order: np.ndarray, relevant: np.ndarray) -> float:
    """Mean over the relevant columns of the precision at their ranks."""
    hits = relevant[order]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())
