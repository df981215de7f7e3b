"""Probes against enumeration, against recorded nodes, and against the plain scores they expect."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from forest_oracle import Oracle
from test_forest_oracle import KINDS, PATHS, Walk, grow_recorded, random_table, testing

from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.tree_scores import tree_scores
from unsuprank.table import Schema, Table

SCORES = ("genie3", "symbolic", "genie3_out_of_bag")


def two_valued_table(rng: np.random.Generator) -> Table:
    """Every threshold between two values splits alike; copies and complements tie."""
    m, n = int(rng.integers(4, 20)), int(rng.integers(2, 7))
    X = rng.integers(0, 2, size=(m, n)).astype(float)
    if rng.random() < 0.5:
        X[:, rng.integers(n)] = 1.0 - X[:, rng.integers(n)]
    X[:, rng.random(n) < 0.15] = 1.0
    nominal = rng.random(n) < 0.3
    return Table(np.asfortranarray(X), Schema(None, tuple([0, 1] if c else None for c in nominal)))


def winners(gains: dict[int, float]) -> set[int]:
    """Those whose gain equals the best."""
    best = max(gains.values(), default=0.0)
    return {f for f, gain in gains.items() if best > 0 and gain >= best * (1 - 1e-6)}


def plain_expectation(gains: dict[int, float], n: int, size: int, feature: int) -> float:
    """What a feature is credited with on average over all draws."""
    total = 0.0
    for drawn in itertools.combinations(range(n), size):
        won = winners({f: gains[f] for f in drawn if f in gains})
        total += gains[feature] / len(won) if feature in won else 0.0
    return total / math.comb(n, size)


def chance(n: int, drawn, gains: dict[int, float], feature: int) -> float:
    rivals = [f for f in drawn if f in gains]
    return testing.rival_chance(
        n,
        np.array(drawn, dtype=np.int32),
        np.array(rivals, dtype=np.int32),
        np.array([gains[f] for f in rivals]),
        feature,
        gains[feature],
    )


def test_expected_credit_is_that_of_all_draws():
    """Features without a gain are constant: they count as drawn and are no candidates."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 8))
        size = int(rng.integers(1, n + 1))
        values = rng.integers(0, 4, n) * (1 + rng.choice([0.0, 3e-7], n))
        gains = {f: float(v) for f, v in enumerate(values) if rng.random() < 0.8}
        for feature in gains:
            draws = list(itertools.combinations(range(n), size))
            credit = np.mean([chance(n, drawn, gains, feature) for drawn in draws])
            expected = plain_expectation(gains, n, size, feature)
            assert size / n * credit * gains[feature] == pytest.approx(expected, abs=1e-9)


class TestRecordedNodes:
    """Where thresholds are fixed, the candidates of a node tell the credits of all columns."""

    @staticmethod
    def gains(oracle: Oracle, table: Table, rows, times, min_leaf: float) -> dict[int, float]:
        """Of all columns whose two values are heavy enough."""
        found = {}
        for f, x in enumerate(table.values[rows].T):
            right = x > 0
            if min(times[right].sum(), times[~right].sum()) >= min_leaf:
                found[f] = oracle.h(rows, times, right)
        return found

    def credits(self, grower: Grower, trees, seen, tree: int, by_share: bool) -> np.ndarray:
        table, settings = grower.space.table, grower.settings
        walk, oracle = Walk(grower, trees, tree), Oracle(table.values, table.n_values)
        part = slice(*seen["offset"][tree : tree + 2])
        total = np.zeros(table.n_columns)
        for node in range(np.diff(trees.node_offset)[tree]):
            rows, times = walk.rows(node)
            if times.sum() < 2 * settings.min_leaf:
                continue
            gains = self.gains(oracle, table, rows, times, settings.min_leaf)
            met = seen["feature"][part][seen["node"][part] == node].tolist()
            absent = [f for f in range(table.n_columns) if f not in gains]
            drawn = met + absent[: settings.max_features - len(met)]
            for f, gain in gains.items():
                value = times.sum() / table.n_rows if by_share else gain
                share = settings.max_features / table.n_columns
                total[f] += share * chance(table.n_columns, drawn, gains, f) * value
        return total

    @pytest.mark.parametrize("path", PATHS)
    @pytest.mark.parametrize("score", SCORES[:2])
    def test_credits(self, score, path):
        """Nodes of two rows, which take a short cut, are too light here."""
        rng = np.random.default_rng([list(PATHS).index(path), SCORES.index(score)])
        for _ in range(25):
            table, how = two_valued_table(rng), PATHS[path]
            held = {"distances": how["distances"], "coords": how["coords"]}
            space = Space.of(table, dtype=np.float64, **held)
            settings = GrowSettings(
                seed=int(rng.integers(2**62)),
                max_features=int(rng.integers(1, table.n_columns + 1)),
                min_leaf=2.0,
                bootstrap=False,
                pair_rows=how["pair_rows"] if space.coords is not None else None,
            )
            grower = Grower(space, settings)
            trees, seen = grow_recorded(grower, 3)
            found = grower.probe(np.arange(table.n_columns), score, 0, 3)
            for tree in range(3):
                expected = self.credits(grower, trees, seen, tree, score == "symbolic")
                np.testing.assert_allclose(found[tree], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_two_rows(size):
    """All columns that separate the two rows are equals; here 3 of 8, one nominal."""
    X = np.zeros((2, 8))
    X[1, [1, 4, 6]] = 1.0
    categories = [None] * 8
    categories[4] = [0, 1]
    table = Table(np.asfortranarray(X), Schema(None, tuple(categories)))
    settings = GrowSettings(0, max_features=size, bootstrap=False)
    grower = Grower(Space.of(table), settings)
    credits = grower.probe(np.arange(8), "symbolic", 0, 4000)
    some = 1 - math.comb(5, size) / math.comb(8, size)
    assert (credits[:, [0, 2, 3, 5, 7]] == 0).all()
    error = credits.std(axis=0)[[1, 4, 6]] / np.sqrt(4000)
    off = np.abs(credits.mean(axis=0)[[1, 4, 6]] - some / 3)
    assert (off <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("score", SCORES)
def test_unbiased(score):
    """The same means as plain scores, from other trees; benchmarks/check_probes.py has more."""
    rng = np.random.default_rng(SCORES.index(score))
    found = []
    for i in range(40):
        table = random_table(rng, KINDS[i % len(KINDS)])
        how = PATHS[list(PATHS)[i % len(PATHS)]]
        settings = GrowSettings(
            seed=i,
            max_features=int(rng.integers(1, table.n_columns + 1)),
            min_leaf=float(rng.integers(1, 3)),
        )
        grower = Grower(Space.of(table, distances=how["distances"], coords=how["coords"]), settings)
        scores = tree_scores(score, grower.grow(0, 600), grower, 0)
        plain = np.zeros((600, table.n_columns))
        plain[scores.tree, scores.feature] = scores.value
        probed = grower.probe(np.arange(table.n_columns), score, 600, 1200)
        error = np.sqrt((plain.var(axis=0) + probed.var(axis=0)) / 600)
        off = probed.mean(axis=0) - plain.mean(axis=0)
        assert np.abs(off[error < 1e-9]).max(initial=0) < 1e-9
        found.append((off / np.maximum(error, 1e-9))[error >= 1e-9])
    z = np.concatenate(found)
    assert np.mean(np.abs(z) <= 4) >= 0.99
    assert 0.8 <= np.sqrt(np.mean(np.minimum(z**2, 25))) <= 1.2


def test_any_columns_in_any_batches():
    """What a tree credits depends on the tree and on the list of columns only."""
    X = np.random.default_rng(0).normal(size=(30, 40))
    table = Table(np.asfortranarray(X), Schema(None, (None,) * 40))
    grower = Grower(Space.of(table), GrowSettings(7, 6))
    columns = np.array([3, 31, 17])
    whole = grower.probe(columns, "genie3", 0, 20)
    parts = [grower.probe(columns, "genie3", a, b) for a, b in ((0, 1), (1, 9), (9, 20))]
    assert np.array_equal(np.concatenate(parts), whole)
    assert (whole.mean(axis=0) > 0).all()


def test_no_probes_where_tests_are_not_random():
    X = np.random.default_rng(0).normal(size=(10, 4))
    table = Table(np.asfortranarray(X), Schema(None, (None,) * 4))
    for how in ({"exhaustive": True}, {"first_of_ties": True}):
        grower = Grower(Space.of(table), GrowSettings(0, 2, **how))
        with pytest.raises(ValueError, match="extra trees"):
            grower.probe(np.arange(4), "genie3", 0, 1)
    grower = Grower(Space.of(table), GrowSettings(0, 2))
    with pytest.raises(ValueError, match="column"):
        grower.probe(np.array([4]), "genie3", 0, 1)
