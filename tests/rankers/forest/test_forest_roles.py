"""Descriptive, clustering and target columns apart, against the slow oracle."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from forest_oracle import Oracle
from test_forest_oracle import KINDS, Walk, features_on_the_walk, random_table, route, testing

from unsuprank import (
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    _kernels,
    explain_clusters,
)
from unsuprank.table import Schema, Table

ROLES = ("descriptive", "clustering", "targets")


def random_roles(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Some columns for each role, at least one."""
    masks = {role: rng.random(n) < 0.6 for role in ROLES}
    for mask in masks.values():
        mask[rng.integers(n)] = True
    return masks


def random_forest_and_table(rng: np.random.Generator, kind: str):
    table = random_table(rng, kind)
    forest = PredictiveClusteringForest(
        3,
        **random_roles(rng, table.n_columns),
        ensemble=["extra_trees", "random_forest", "bagging"][int(rng.integers(3))],
        max_features=[None, "log2", 1][int(rng.integers(3))],
        max_depth=[None, 2][int(rng.integers(2))],
        min_samples_leaf=int(rng.integers(1, 3)),
        random_state=int(rng.integers(2**31)),
    )
    return forest.fit(table), table


def part_of(oracle_columns: np.ndarray, table: Table) -> Oracle:
    part = table.take(columns=oracle_columns)
    return Oracle(part.values, part.n_values)


def walk_of(forest: PredictiveClusteringForest, table: Table, tree: int) -> Walk:
    """A walk whose rows are named by their descriptive columns alone."""
    grower = SimpleNamespace(
        space=SimpleNamespace(table=table), settings=SimpleNamespace(seed=forest._settings.seed)
    )
    walk = Walk(grower, forest.trees_, tree)
    seen = table.take(columns=forest.descriptive)
    walk.keys = _kernels.row_keys(seen.values, seen.n_values)
    return walk


@pytest.mark.parametrize("kind", KINDS)
def test_gains_and_sides(kind):
    """Tests are of descriptive columns, gains those of the clustering columns."""
    rng = np.random.default_rng([1, KINDS.index(kind)])
    compared = 0
    for _ in range(20):
        forest, table = random_forest_and_table(rng, kind)
        oracle, trees = part_of(forest.clustering, table), forest.trees_
        expected = {name: np.zeros(table.n_columns) for name in ("genie3", "symbolic")}
        for tree in range(3):
            walk = walk_of(forest, table, tree)
            for node in np.flatnonzero(trees.feature[trees.nodes(tree)] >= 0).tolist():
                at = walk.base + node
                feature = int(trees.feature[at])
                assert forest.descriptive[feature]
                rows, weights = walk.rows(node)
                words = trees.subset_words[max(trees.subset[at], 0) :]
                right = walk.goes_right(node, rows, weights, feature, trees.threshold[at], words)
                assert np.array_equal(walk.rows(int(trees.left[at]))[0], rows[~right])
                h = oracle.h(rows, weights, right)
                assert trees.gain[at] == pytest.approx(h, rel=1e-8, abs=1e-10)
                expected["genie3"][feature] += h / 3
                expected["symbolic"][feature] += weights.sum() / table.n_rows / 3
                compared += 1
        np.testing.assert_allclose(forest.genie3_, expected["genie3"], rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(forest.symbolic_, expected["symbolic"], rtol=1e-12)
    assert compared > 50


@pytest.mark.parametrize("kind", KINDS)
def test_random_forest_score_is_of_the_targets(kind):
    rng = np.random.default_rng([2, KINDS.index(kind)])
    for _ in range(12):
        forest, table = random_forest_and_table(rng, kind)
        expected = sum(permutation_increases(forest, table, tree) for tree in range(3)) / 3
        np.testing.assert_allclose(forest.random_forest_, expected, rtol=1e-8, atol=1e-8)
        assert not forest.random_forest_[~forest.descriptive].any()


def permutation_increases(forest, table: Table, tree: int) -> np.ndarray:
    """Eq. 2 for one tree: a permuted column changes ways, and counts as a target if it is one."""
    walk, X, targets = walk_of(forest, table, tree), table.values, forest.targets
    oracle = part_of(targets, table)
    outside = np.setdiff1d(np.arange(len(X)), walk.rows(0)[0])

    def error(rows: np.ndarray) -> float:
        leaves = [route(walk, r, walk.keys[i]) for r, i in zip(rows, outside, strict=True)]
        pairs = zip(rows[:, targets], leaves, strict=True)
        return sum(oracle.error(r, oracle.prototype(*walk.rows(leaf))) for r, leaf in pairs)

    scores = np.zeros(X.shape[1])
    before = error(X[outside])
    for f in features_on_the_walk(walk) if before > 0 else []:
        number = int(forest.descriptive[:f].sum())
        order = testing.permutation(walk.seed, tree, number, len(outside))
        permuted = X[outside]
        permuted[:, f] = permuted[order, f]
        scores[f] = (error(permuted) - before) / before
    return scores


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_prototypes_of_the_targets(kind):
    rng = np.random.default_rng([3, KINDS.index(kind)])
    for _ in range(6):
        forest, table = random_forest_and_table(rng, kind)
        oracle = part_of(forest.targets, table)
        leaves = forest.apply(table)
        trees = [walk_of(forest, table, tree) for tree in range(3)]
        predicted = forest.predict(table)
        assert predicted.shape == (table.n_rows, forest.targets.sum())
        for i in range(table.n_rows):
            ways = [route(walk, table.values[i], walk.keys[i]) for walk in trees]
            assert leaves[i].tolist() == ways
            prototypes = [
                oracle.prototype(*walk.rows(leaf)) for walk, leaf in zip(trees, ways, strict=True)
            ]
            for j in np.flatnonzero(oracle.n_values == 0):
                known = [p[j] for p in prototypes if p[j] is not None]
                if not np.isnan(oracle.X[:, j]).any():
                    assert predicted[i, j] == pytest.approx(np.mean(known))


def labelled(m: int, n_labels: int, gaps: bool) -> tuple[Table, np.ndarray]:
    """Noise, and a label that a column tells roughly; odd shares make sums of it round."""
    rng = np.random.default_rng(m)
    label = np.minimum(rng.geometric(0.3, size=m) - 1, n_labels - 1).astype(float)
    X = np.column_stack([rng.normal(size=(m, 4)), label + rng.normal(size=m) * 0.3, label])
    if gaps:
        X[rng.random(m) < 0.1, 5] = np.nan
    categories = (None,) * 5 + (np.array([f"c{k}" for k in range(n_labels)]),)
    return Table(np.asfortranarray(X), Schema(None, categories)), X[:, 5]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("m", [60, 3000])
@pytest.mark.parametrize("ensemble", ["extra_trees", "random_forest"])
def test_rows_of_one_label_are_a_leaf(ensemble, m, gaps):
    """Sums of coordinates leave rounding errors, in either precision; no tree may split by them."""
    table, label = labelled(m, 7, gaps)
    forest = PredictiveClusteringForest(
        5, ensemble=ensemble, descriptive=range(5), clustering=[5], random_state=0
    )
    trees = forest.fit(table).trees_
    inner = trees.feature >= 0
    for tree in range(trees.size):
        start = trees.row_offset[tree]
        for node in range(trees.nodes(tree).start, trees.nodes(tree).stop):
            rows = trees.rows[start + trees.row_begin[node] : start + trees.row_end[node]]
            n_labels = len(np.unique(label[rows][~np.isnan(label[rows])]))
            # Rows without a label may be all that the tests drawn take away from the others.
            assert inner[node] == (n_labels > 1) or (gaps and not inner[node])
    assert forest.genie3_.argmax() == 4
    assert not forest.genie3_[5]


def test_all_roles_for_all_columns_is_the_default():
    table = random_table(np.random.default_rng(5), "missing")
    every = np.ones(table.n_columns, dtype=bool)
    plain = PredictiveClusteringForest(5, random_state=0).fit(table)
    named = PredictiveClusteringForest(
        5, descriptive=every, clustering=every, targets=every, random_state=0
    ).fit(table)
    for kind in ("genie3", "symbolic", "random_forest"):
        np.testing.assert_array_equal(plain.scores(kind), named.scores(kind))


def test_finds_what_two_columns_tell_together():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-1, 1, size=(400, 8)), columns=list("abcdefgh"))
    white = (frame["a"] > 0) == (frame["b"] > 0)
    roles = {"descriptive": "?", "clustering": "square", "targets": "square"}
    forest = PredictiveClusteringForest(200, **roles, random_state=0)
    forest.fit(frame.assign(square=np.where(white, "white", "black")))
    for scores in (forest.genie3_, forest.random_forest_):
        assert set(np.argsort(-scores)[:2]) == {0, 1}
    assert not np.abs(explain_clusters(frame, white).overall.scores).max() > 0.05


class TestTree:
    @pytest.fixture
    def frame(self) -> pd.DataFrame:
        rng = np.random.default_rng(0)
        group = rng.integers(0, 3, 120)
        frame = pd.DataFrame({"noise": rng.normal(size=120), "cluster": group.astype(str)})
        return frame.assign(size=group + rng.normal(size=120) * 0.1)

    def test_explains_given_clusters(self, frame):
        tree = PredictiveClusteringTree(
            descriptive=["noise", "size"], clustering="cluster", targets="cluster"
        ).fit(frame)
        assert tree.predict(frame).ravel().tolist() == frame["cluster"].tolist()
        assert tree.export_text().count("size <=") == 2
        assert "noise" not in tree.export_text()
        unknown = frame.assign(cluster=None)  # rows to predict need no label
        assert tree.predict(unknown).ravel().tolist() == frame["cluster"].tolist()

    def test_errors_say_what_to_do(self, frame):
        for role in ROLES:
            with pytest.raises(ValueError, match=f"{role} names 'kind', which is not a column"):
                PredictiveClusteringTree(**{role: "kind"}).fit(frame)
            with pytest.raises(ValueError, match=f"{role} names no column; name one, or leave"):
                PredictiveClusteringTree(**{role: [False] * 3}).fit(frame)
