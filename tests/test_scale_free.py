"""What rankers say about the units of columns is what they do."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import MCFS, NDFS, SPEC, Diversified, GreedyCSS, LaplacianScore, registry

#: Methods as the registry makes them, and settings under which units matter.
RANKERS = {
    **{m.name: registry.make(m.name, seed=0, n_features_to_select=4) for m in registry.available()},
    **{
        f"{cls.__name__}, raw": cls(standardize=False, **params)
        for cls, params in (
            (LaplacianScore, {}),
            (SPEC, {}),
            (MCFS, {}),
            (NDFS, {"random_state": 0}),
        )
    },
    "GreedyCSS, raw": GreedyCSS(scale="raw"),
    "Diversified, raw": Diversified(LaplacianScore(standardize=False)),
}
SCALE_FREE = [name for name, ranker in RANKERS.items() if ranker.scale_free]


@pytest.fixture(scope="module")
def tables() -> tuple[np.ndarray, np.ndarray]:
    """Three clusters in four of twelve columns, and the same with a column in another unit."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 12))
    X[:, :4] += 2.5 * rng.normal(size=(3, 4))[rng.integers(3, size=90)]
    other = X.copy()
    other[:, 7] *= 5000.0
    return X, other


@pytest.mark.filterwarnings("ignore:The neighbour graph", "ignore:All scores")
@pytest.mark.parametrize("name", RANKERS)
def test_units_matter_where_a_ranker_says_so(name, tables):
    ranker = RANKERS[name]
    usual, other = (ranker.fit(X).scores_.copy() for X in tables)
    same = np.allclose(usual, other, rtol=1e-6, atol=1e-9)
    assert same == (name in SCALE_FREE)


def test_presets_are_raw():
    for cls in (LaplacianScore, SPEC, MCFS, NDFS):
        assert cls().scale_free
        assert not cls(preset="scikit-feature").scale_free
