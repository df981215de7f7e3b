"""Trees and scores against the slow oracle, on hundreds of tiny random tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from forest_oracle import Oracle, chance, in_words

from unsuprank import _kernels
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.tree_scores import ScoreSum, tree_scores
from unsuprank.rankers.forest.trees import Trees
from unsuprank.table import Schema, Table

testing = pytest.importorskip("unsuprank._testing_kernels", reason="wheels leave it out")
# Oracles are slow loops in Python; what they call, other tests reach as well.
pytestmark = pytest.mark.untraced

KINDS = (
    *("numeric", "integer", "nominal", "mixed", "missing", "all missing", "constant", "sparse"),
    *("crowded", "decimal"),
)
#: Name of the path -> how the space is held and which nodes are split by distances.
PATHS = {
    "pairs": {"distances": True, "coords": False, "pair_rows": None},
    "coordinates": {"distances": False, "coords": True, "pair_rows": 0},
    "own pairs": {"distances": False, "coords": True, "pair_rows": 6},
    "both": {"distances": True, "coords": True, "pair_rows": 4},
    "all pairs": {"distances": True, "coords": True, "pair_rows": 100},
}


def random_table(rng: np.random.Generator, kind: str) -> Table:
    """A tiny table with everything that is awkward: repeats, ties, rare values, holes."""
    m, n = int(rng.integers(2, 25)), int(rng.integers(1, 9))
    if kind == "sparse":  # large enough for splits that take a few rows away from many
        m, n = int(rng.integers(50, 90)), int(rng.integers(4, 9))
    if kind == "decimal":  # enough columns for more candidates than are evaluated at a time
        n = int(rng.integers(1, 25))
    X = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-3, 4, size=n)
    n_values = np.zeros(n, dtype=int)
    if kind == "integer":
        X = rng.integers(0, 4, size=(m, n)).astype(float)
    if kind in ("nominal", "mixed", "missing"):
        for j in range(n):
            if kind == "nominal" or rng.random() < 0.5:
                n_values[j] = rng.integers(2, 13)
                X[:, j] = rng.integers(0, n_values[j], size=m)
    if kind == "missing":
        X[rng.random((m, n)) < 0.2 * (rng.random(n) < 0.6)] = np.nan
    if kind == "all missing":
        X[rng.random((m, n)) < 0.3] = np.nan
        X[:, rng.integers(n)] = np.nan
    if kind == "sparse":
        X[rng.random((m, n)) < 0.93] = 0.0
    if kind == "crowded":  # one row so far away that the codes of the others are a few
        X = rng.integers(0, 24, size=(m, n)) * rng.choice([0.25, 0.5, 1.0], size=n)
        X[rng.integers(m)] = 65535.0
    if kind == "decimal":  # read as exact codes, but for those with five places
        places = rng.integers(0, 6, size=n)
        X = np.round(rng.normal(size=(m, n)) * 3.0 + rng.normal(size=n), 6)
        X = np.column_stack([np.round(x, d) for x, d in zip(X.T, places, strict=True)])
    if kind == "constant":
        X[:, rng.random(n) < 0.4] = 3.5
    if rng.random() < 0.4:
        X[rng.integers(m, size=m // 2)] = X[rng.integers(m)]
    categories = tuple(np.arange(k) if k else None for k in n_values)
    return Table(np.asfortranarray(X), Schema(None, categories))


def make_grower(rng: np.random.Generator, table: Table, path: str, dtype, exhaustive: bool):
    how = PATHS[path]
    space = Space.of(table, dtype=dtype, distances=how["distances"], coords=how["coords"])
    limit = how["pair_rows"] if space.coords is not None else None
    settings = GrowSettings(
        seed=int(rng.integers(2**62)),
        max_features=int(rng.integers(1, table.n_columns + 1)),
        exhaustive=exhaustive,
        max_depth=[0, 2][int(rng.integers(2))],
        min_leaf=float(rng.integers(1, 3)),
        bootstrap=bool(rng.integers(2)),
        first_of_ties=bool(rng.integers(2)),
        pair_rows=limit,
    )
    return Grower(space, settings)


def grow_recorded(grower: Grower, n_trees: int) -> tuple[Trees, dict[str, np.ndarray]]:
    """Trees, and every candidate split that was evaluated on the way."""
    trees, seen = testing.grow_recorded(grower.kernel_space, grower.kernel_settings, 0, n_trees)
    return Trees(**trees), seen


class Walk:
    """One grown tree, node by node, with its rows."""

    def __init__(self, grower: Grower, trees, tree: int) -> None:
        self.table = grower.space.table
        self.seed = grower.settings.seed
        self.trees, self.tree = trees, tree
        self.base = int(trees.node_offset[tree])
        self.start = int(trees.row_offset[tree])
        self.keys = _kernels.row_keys(self.table.values, self.table.n_values)

    def rows(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        at = self.base + node
        part = slice(self.start + self.trees.row_begin[at], self.start + self.trees.row_end[at])
        return self.trees.rows[part], self.trees.multiplicity[part].astype(float)

    def goes_right(self, node, rows, weights, feature, threshold, words):
        """Sides of a test, missing values by chance in proportion to the known rows."""
        x = self.table.values[rows, feature]
        known = ~np.isnan(x)
        nominal = self.table.n_values[feature] > 0
        right = np.zeros(len(x), dtype=bool)
        right[known] = [in_words(words, v) if nominal else v > threshold for v in x[known]]
        share = weights[right].sum() / weights[known].sum()
        for i in np.flatnonzero(~known):
            right[i] = chance(self.seed, self.tree, node, self.keys[rows[i]]) < share
        return right


@pytest.mark.parametrize("exhaustive", [False, True], ids=["random", "exhaustive"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_gain_of_every_candidate(kind, path, exhaustive):
    rng = np.random.default_rng([KINDS.index(kind), list(PATHS).index(path), exhaustive])
    compared = 0
    for case in range(12):
        table = random_table(rng, kind)
        oracle = Oracle(table.values, table.n_values)
        # Rows within 1e-4 of a column's range keep three digits in float32; codes are the point.
        single = case % 2 and kind != "crowded"
        dtype, close = (np.float32, 1e-4) if single else (np.float64, 1e-9)
        grower = make_grower(rng, table, path, dtype, exhaustive)
        trees, seen = grow_recorded(grower, 2)
        for tree, k in itertools.product(range(2), range(len(seen["node"]))):
            if not seen["offset"][tree] <= k < seen["offset"][tree + 1]:
                continue
            walk = Walk(grower, trees, tree)
            node = int(seen["node"][k])
            rows, weights = walk.rows(node)
            right = walk.goes_right(
                node,
                rows,
                weights,
                int(seen["feature"][k]),
                seen["threshold"][k],
                seen["subset"][k : k + 1],
            )
            expected = oracle.h(rows, weights, right)
            assert 0 < right.sum() < len(right)
            assert min(weights[right].sum(), weights[~right].sum()) >= (grower.settings.min_leaf)
            # The rounding errors of h are those of the impurity that it is a part of.
            slack = close * expected + 1e-12 * oracle.mass(rows, weights)
            if dtype is np.float32:
                slack += 1e-6 * oracle.mass(rows, weights)
            assert seen["gain"][k] == pytest.approx(expected, abs=slack)
            compared += 1
    assert compared > 50 or kind == "constant"


@pytest.mark.parametrize("kind", KINDS)
def test_exhaustive_search_finds_the_best(kind):
    """No threshold, and no subset of up to eight values, beats what the search returns."""
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(25):
        table = random_table(rng, kind)
        oracle = Oracle(table.values, table.n_values)
        grower = make_grower(rng, table, "pairs", np.float64, True)
        trees, seen = grow_recorded(grower, 1)
        walk = Walk(grower, trees, 0)
        for k in range(len(seen["node"])):
            node, feature = int(seen["node"][k]), int(seen["feature"][k])
            rows, weights = walk.rows(node)
            x = table.values[rows, feature]
            values = np.unique(x[~np.isnan(x)])
            if table.n_values[feature] == 0:
                tests = [(t, np.zeros(1, np.uint64)) for t in (values[1:] + values[:-1]) / 2]
            elif len(values) <= 5:
                tests = [
                    (0.0, np.array([sum(1 << int(v) for v in subset)], dtype=np.uint64))
                    for size in range(1, len(values))
                    for subset in itertools.combinations(values[:-1], size)
                ]
            else:
                continue
            best = 0.0
            for threshold, words in tests:
                right = walk.goes_right(node, rows, weights, feature, threshold, words)
                small = min(weights[right].sum(), weights[~right].sum())
                if small >= grower.settings.min_leaf:
                    best = max(best, oracle.h(rows, weights, right))
            assert seen["gain"][k] == pytest.approx(best, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_trees_take_the_best_candidate_and_split_by_it(kind, path):
    rng = np.random.default_rng([7, KINDS.index(kind), list(PATHS).index(path)])
    for case in range(12):
        table = random_table(rng, kind)
        grower = make_grower(rng, table, path, np.float64, bool(case % 2))
        trees, seen = grow_recorded(grower, 1)
        walk = Walk(grower, trees, 0)
        for node in range(len(trees.feature)):
            gains = seen["gain"][seen["node"] == node]
            if trees.feature[node] < 0:
                assert not (gains > 1e-6).any()
                continue
            slack = 1.1e-6 * max(1.0, gains.max())
            assert trees.gain[node] == pytest.approx(gains.max(), abs=slack)
            rows, weights = walk.rows(node)
            words = trees.subset_words[max(trees.subset[node], 0) :]
            right = walk.goes_right(
                node, rows, weights, trees.feature[node], trees.threshold[node], words
            )
            left_child = int(trees.left[node])
            assert np.array_equal(walk.rows(left_child)[0], rows[~right])
            assert np.array_equal(walk.rows(left_child + 1)[0], rows[right])


def route(walk: Walk, row: np.ndarray, key: int) -> int:
    trees, node = walk.trees, 0
    while trees.feature[walk.base + node] >= 0:
        at = walk.base + node
        value = row[trees.feature[at]]
        if np.isnan(value):
            right = chance(walk.seed, walk.tree, node, key) < trees.right_share[at]
        elif trees.subset[at] >= 0:
            right = in_words(trees.subset_words[trees.subset[at] :], value)
        else:
            right = value > trees.threshold[at]
        node = int(trees.left[at]) + int(right)
    return node


def features_on_the_walk(walk: Walk, node: int = 0) -> list[int]:
    """The features that a tree uses, in the order in which a walk meets them, left before right."""
    at = walk.base + node
    if walk.trees.feature[at] < 0:
        return []
    children = (int(walk.trees.left[at]), int(walk.trees.left[at]) + 1)
    below = [f for child in children for f in features_on_the_walk(walk, child)]
    return list(dict.fromkeys([int(walk.trees.feature[at]), *below]))


def oracle_random_forest(oracle: Oracle, walk: Walk, cumulative: bool = False) -> np.ndarray:
    """Eq. 2 for one tree: permute, route, predict, compare; and put back, unless `cumulative`."""
    X = oracle.X
    inside, _ = walk.rows(0)
    outside = np.setdiff1d(np.arange(len(X)), inside)

    def total_error(rows: np.ndarray) -> float:
        leaves = [route(walk, r, walk.keys[i]) for r, i in zip(rows, outside, strict=True)]
        return sum(
            oracle.error(r, oracle.prototype(*walk.rows(leaf)))
            for r, leaf in zip(rows, leaves, strict=True)
        )

    scores = np.zeros(X.shape[1])
    before = total_error(X[outside]) if len(outside) else 0.0
    if before <= 0:
        return scores
    permuted = X[outside]
    for f in features_on_the_walk(walk):
        if not cumulative:
            permuted = X[outside]
        order = testing.permutation(walk.seed, walk.tree, f, len(outside))
        permuted[:, f] = permuted[order, f]
        scores[f] = (total_error(permuted) - before) / before
    return scores


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_the_sums(kind, path):
    rng = np.random.default_rng([9, KINDS.index(kind), list(PATHS).index(path)])
    for case in range(10):
        table = random_table(rng, kind)
        oracle = Oracle(table.values, table.n_values)
        dtype, close = [(np.float64, 1e-8), (np.float32, 1e-4)][case % 2]
        grower = make_grower(rng, table, path, dtype, bool(case % 3 == 0))
        n_trees = 3
        trees = grower.grow(0, n_trees)
        kinds = ("genie3", "symbolic", "random_forest", "random_forest_cumulative")
        expected = {name: np.zeros(table.n_columns) for name in kinds}
        for tree in range(n_trees):
            walk = Walk(grower, trees, tree)
            for node in range(trees.nodes(tree).start, trees.nodes(tree).stop):
                f = trees.feature[node]
                if f < 0:
                    continue
                rows, weights = walk.rows(node - walk.base)
                left, _ = walk.rows(int(trees.left[node]))
                expected["genie3"][f] += oracle.h(rows, weights, ~np.isin(rows, left))
                expected["symbolic"][f] += weights.sum() / table.n_rows
            expected["random_forest"] += oracle_random_forest(oracle, walk)
            expected["random_forest_cumulative"] += oracle_random_forest(oracle, walk, True)
        for name in kinds:
            total = ScoreSum(table.n_columns)
            total.add(tree_scores(name, trees, grower, 0), n_trees)
            np.testing.assert_allclose(
                total.mean(), expected[name] / n_trees, rtol=close, atol=close, err_msg=name
            )


def test_standard_error_is_that_of_the_mean_over_trees():
    rng = np.random.default_rng(0)
    table = random_table(rng, "numeric")
    grower = make_grower(rng, table, "pairs", np.float64, False)
    trees = grower.grow(0, 40)
    per_tree = np.zeros((40, table.n_columns))
    scores = tree_scores("genie3", trees, grower, 0)
    np.add.at(per_tree, (scores.tree, scores.feature), scores.value)
    total = ScoreSum(table.n_columns)
    total.add(scores, 40)
    np.testing.assert_allclose(total.mean(), per_tree.mean(axis=0))
    typical = np.mean(per_tree[per_tree != 0] ** 2)
    added = 2 * typical / 39  # two more uses of every column
    expected = np.sqrt((per_tree.var(axis=0, ddof=1) + added) / 40)
    np.testing.assert_allclose(total.standard_error(), expected)
