"""Small random tables of all kinds of columns, and rankers that are quick on them.

Hypothesis chooses what kinds of columns there are, how many rows, and a seed; what fails is then
shrunk to few columns of simple kinds. Numbers are multiples of 1/64 of moderate size, so that
shifting by whole numbers and scaling by powers of two rounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from unsuprank import Ranker, registry

METHODS = [method.name for method in registry.available()]

Column = Callable[[np.random.Generator, np.ndarray], np.ndarray]

#: What a column is made of: chance, and a number per row that all columns of the table share.
KINDS: dict[str, Column] = {
    "noise": lambda rng, shared: rng.normal(size=len(shared)),
    "related": lambda rng, shared: shared + 0.3 * rng.normal(size=len(shared)),
    "steps": lambda rng, shared: np.floor(shared + rng.normal(size=len(shared))),
    "skewed": lambda rng, shared: np.exp(1.5 * rng.normal(size=len(shared))),
    "rare": lambda rng, shared: 5.0 * (rng.random(len(shared)) < 0.2),
    "flag": lambda rng, shared: (shared > 0).astype(float),
}


@st.composite
def tables(draw, kinds=tuple(KINDS), min_rows: int = 8, min_columns: int = 2) -> np.ndarray:
    """A matrix of numbers without gaps; every column varies."""
    m = draw(st.integers(min_rows, 20), label="rows")
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=min_columns, max_size=7), label="kinds")
    rng = np.random.default_rng(draw(st.integers(0, 2**16), label="seed"))
    shared = rng.normal(size=m)
    columns = []
    for kind in chosen:
        column = np.round(KINDS[kind](rng, shared) * 64) / 64
        column[:2] = (0.0, 1.0) if np.ptp(column) == 0 else column[:2]
        columns.append(column)
    return np.column_stack(columns)


#: Kinds of columns that leave no two pairs of rows equally far apart, but by chance: where rows
#: are equally near, the first one is taken, and the order of rows matters.
UNTIED = ("noise", "related", "skewed")
untied_tables = tables(UNTIED)


def quick(name: str, **params) -> Ranker:
    """A ranker by name that takes milliseconds on a small table."""
    few = {"n_estimators": 8, "max_epochs": 12, "n_neighbors": 4, "n_features_to_select": 3}
    ranker = registry.make(name, seed=0, **{**few, **params})
    known = ranker.get_params(deep=False)
    fewer = {"max_iter": 4, "n_clusters": 2, "n_restarts": 2}
    return ranker.set_params(**{k: v for k, v in fewer.items() if k in known})


def scores(name: str, X, **params) -> np.ndarray:
    """The scores of a quick ranker."""
    return quick(name, **params).fit(X).scores_


def close(found: np.ndarray, expected: np.ndarray, digits: float = 1e-7) -> None:
    """Scores are equal up to rounding, on the scale of the largest."""
    unit = max(float(np.abs(expected).max(initial=0.0)), 1e-300)
    np.testing.assert_allclose(found / unit, expected / unit, rtol=0.0, atol=digits)
