"""The out-of-bag gain against its definition, on hundreds of tiny random tables."""

from __future__ import annotations

import numpy as np
import pytest
from test_forest_oracle import KINDS, PATHS, random_table

from unsuprank import Genie3, _kernels
from unsuprank.rankers.clustering_space import Space, embed, embedding_widths, row_keys
from unsuprank.rankers.forest.growing import Grower, GrowSettings

pytestmark = pytest.mark.untraced


class PlainTree:
    """One grown tree with coordinates of all rows, and means over rows that know an attribute."""

    def __init__(self, table, trees, tree: int, leaves: np.ndarray) -> None:
        nodes = slice(*trees.node_offset[tree : tree + 2])
        self.feature, self.left = trees.feature[nodes], trees.left[nodes]
        self.begin, self.end = trees.row_begin[nodes], trees.row_end[nodes]
        rows = slice(*trees.row_offset[tree : tree + 2])
        self.rows, self.times = trees.rows[rows], trees.multiplicity[rows].astype(float)
        self.outside = np.setdiff1d(np.arange(table.n_rows), self.rows)
        self.leaves = leaves
        self.owner = np.repeat(np.arange(table.n_columns), embedding_widths(table))
        self.z = embed(table)
        self.known = ~np.isnan(table.values[:, self.owner])

    def mean(self, node: int) -> np.ndarray:
        """The mean of a node's rows; NaN where none knows the attribute."""
        part = slice(self.begin[node], self.end[node])
        rows, times = self.rows[part], self.times[part][:, None]
        count = (times * self.known[rows]).sum(axis=0)
        total = (times * np.where(self.known[rows], self.z[rows], 0.0)).sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1e-300), np.nan)

    def below(self, node: int) -> list[int]:
        """The leaves under a node."""
        if self.feature[node] < 0:
            return [node]
        return self.below(self.left[node]) + self.below(self.left[node] + 1)

    def gain(self, node: int, own_column: bool) -> float:
        if self.feature[node] < 0 or not len(self.outside):
            return 0.0
        mean, total = self.mean(node), 0.0
        for side in (self.left[node], self.left[node] + 1):
            change = np.nan_to_num(self.mean(side) - mean)
            if not own_column:
                change[self.owner == self.feature[node]] = 0.0
            for row in self.outside[np.isin(self.leaves[self.outside], self.below(side))]:
                total += np.where(self.known[row], self.z[row] * change, 0.0).sum()
        return total * self.times.sum() / len(self.outside)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_gains_of_every_node(kind, path):
    rng = np.random.default_rng([KINDS.index(kind), list(PATHS).index(path)])
    for seed in range(8):
        table = random_table(rng, kind)
        held = PATHS[path]
        space = Space.of(
            table, dtype=np.float64, distances=held["distances"], coords=held["coords"]
        )
        settings = GrowSettings(seed, max_features=int(rng.integers(1, table.n_columns + 1)))
        grower = Grower(space, settings)
        trees = grower.grow(0, 2)
        leaves = _kernels.apply(
            table.values, table.n_values, row_keys(table), trees.as_dict(), seed, 0
        ).reshape(-1, 2)
        for own_column in (True, False):
            scales = None if own_column else space.scales
            found = grower.ask(_kernels.out_of_bag_gains, space.norms, scales, trees.as_dict(), 0)
            plain = [PlainTree(table, trees, t, leaves[:, t]) for t in range(2)]
            expected = [t.gain(k, own_column) for t in plain for k in range(len(t.feature))]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_noise_is_worth_nothing_and_structure_something():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 12))
    X[:, :4] += 2 * rng.normal(size=(100, 1))
    found = Genie3(500, gain="out_of_bag", random_state=0).fit(X)
    assert set(found.order_[:4]) == {0, 1, 2, 3}
    noise, error = found.scores_[4:], found.scores_sem_[4:]
    assert np.abs(noise).max() < found.scores_[:4].min() / 10
    assert (np.abs(noise) < 6 * error).all()


def test_same_answer_for_every_number_of_threads():
    X = np.random.default_rng(1).normal(size=(60, 30))
    one = Genie3(200, gain="out_of_bag", random_state=0, n_jobs=1).fit(X).scores_
    assert np.array_equal(
        one, Genie3(200, gain="out_of_bag", random_state=0, n_jobs=3).fit(X).scores_
    )
