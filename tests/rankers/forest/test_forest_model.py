"""The model itself: leaves, prototypes, paths, words, pictures; and life inside scikit-learn."""

from __future__ import annotations

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from unsuprank import Genie3, PredictiveClusteringForest, PredictiveClusteringTree
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.prototypes import predict
from unsuprank.rankers.forest.trees import Trees
from unsuprank.table import read_table

mpl.use("Agg")


@parametrize_with_checks(
    [PredictiveClusteringTree(random_state=0), PredictiveClusteringForest(5, random_state=0)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris() -> pd.DataFrame:
    return load_iris(as_frame=True).data


@pytest.fixture
def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 50)
    frame = pd.DataFrame({"kind": np.array(["cat", "dog"])[group], "size": group * 3.0})
    frame["size"] += rng.normal(scale=0.1, size=50)
    frame["coat"] = rng.choice(["long", "short", "none"], size=50)
    frame.loc[::9, "size"] = np.nan
    frame.loc[4, "kind"] = None
    return frame


class TestTree:
    def test_predictions_are_means_of_the_leaves(self, iris):
        tree = PredictiveClusteringTree(max_depth=3).fit(iris)
        leaves, predicted = tree.apply(iris), tree.predict(iris)
        for leaf in np.unique(leaves):
            inside = leaves == leaf
            np.testing.assert_allclose(
                predicted[inside], np.tile(iris[inside].mean(), (inside.sum(), 1))
            )

    def test_predictions_of_nominal_columns_are_modes(self, mixed):
        tree = PredictiveClusteringTree(max_depth=2, random_state=0).fit(mixed)
        leaves, predicted = tree.apply(mixed), tree.predict(mixed)
        for leaf in np.unique(leaves):
            inside = leaves == leaf
            votes = mixed["kind"][inside].value_counts()
            assert votes[predicted[inside][0, 0]] == votes.max()
            known = mixed["size"][inside].dropna()
            if len(known):
                assert predicted[inside][0, 1] == pytest.approx(known.mean())

    def test_rows_take_the_way_they_were_grown_on(self, mixed):
        """Also those without the tested value, and wherever they stand in a table."""
        tree = PredictiveClusteringTree(random_state=1).fit(mixed)
        trees, leaves = tree.trees_, tree.apply(mixed)
        for leaf in np.unique(leaves):
            rows = trees.rows[trees.row_begin[leaf] : trees.row_end[leaf]]
            assert set(np.flatnonzero(leaves == leaf)) == set(rows)
        assert np.array_equal(tree.apply(mixed.iloc[10:20]), leaves[10:20])

    def test_a_value_never_seen_is_like_a_missing_one(self, mixed):
        tree = PredictiveClusteringTree(random_state=1).fit(mixed)
        new = mixed.head(3).assign(kind="parrot")
        unknown = mixed.head(3).assign(kind=None)
        assert np.array_equal(tree.apply(new), tree.apply(unknown))

    def test_paths_lead_from_the_root_to_the_leaf(self, iris):
        tree = PredictiveClusteringTree(max_depth=4).fit(iris)
        path = tree.decision_path(iris).toarray()
        assert (path[:, 0] == 1).all()
        assert (path[np.arange(len(iris)), tree.apply(iris)] == 1).all()
        assert np.array_equal(path.sum(axis=0), tree.trees_.weight)

    def test_finds_the_obvious_clusters(self):
        rng = np.random.default_rng(0)
        label = rng.integers(0, 3, 90)
        X = rng.normal(size=(90, 5)) + 8 * np.eye(5)[label]
        leaves = PredictiveClusteringTree(max_depth=2).fit(X).apply(X)
        assert all(len(np.unique(label[leaves == leaf])) == 1 for leaf in np.unique(leaves))

    def test_text(self, iris, mixed):
        text = PredictiveClusteringTree(max_depth=1, tie_break="first").fit(iris).export_text()
        assert text.splitlines()[0].startswith("petal length (cm) <= ")
        assert "cluster of 50 rows" in text
        words = PredictiveClusteringTree(random_state=0).fit(mixed).export_text(max_depth=1)
        assert "divided further" in words

    def test_picture(self, iris):
        from matplotlib import pyplot as plt

        tree = PredictiveClusteringTree(max_depth=4, tie_break="first").fit(iris)
        ax = tree.plot(max_depth=2)
        words = [text.get_text() for text in ax.texts]
        assert any("petal length" in w for w in words)
        plt.close(ax.figure)


class TestForest:
    def test_prediction_is_the_mean_over_trees(self, iris):
        forest = PredictiveClusteringForest(7, max_depth=3, random_state=0).fit(iris)
        trees, leaves = forest.trees_, forest.apply(iris)
        expected = np.zeros(iris.shape)
        for t in range(7):
            nodes, start = trees.nodes(t).start, trees.row_offset[t]
            for i, leaf in enumerate(leaves[:, t]):
                part = slice(
                    start + trees.row_begin[nodes + leaf], start + trees.row_end[nodes + leaf]
                )
                expected[i] += np.average(
                    iris.to_numpy()[trees.rows[part]], axis=0, weights=trees.multiplicity[part]
                )
        np.testing.assert_allclose(forest.predict(iris), expected / 7)

    def test_paths(self, iris):
        forest = PredictiveClusteringForest(3, random_state=0).fit(iris)
        path, offsets = forest.decision_path(iris)
        assert path.shape == (150, offsets[-1])
        assert (path[:, offsets[:-1]].toarray() == 1).all()

    def test_out_of_bag_rows_are_about_a_third(self, iris):
        forest = PredictiveClusteringForest(100, random_state=0).fit(iris)
        inside = np.diff(forest.trees_.row_offset) / 150
        assert inside.mean() == pytest.approx(1 - np.exp(-1), abs=0.01)


class TestInsideScikitLearn:
    def test_select_from_model(self, iris):
        chosen = SelectFromModel(Genie3(200, random_state=0), prefit=False).fit(iris)
        assert "petal length (cm)" in chosen.get_feature_names_out()

    def test_pipeline_and_grid_search(self, iris):
        pipeline = make_pipeline(
            Genie3(random_state=0, n_features_to_select=2), KMeans(3, n_init=2, random_state=0)
        )
        search = GridSearchCV(pipeline, {"genie3__n_estimators": [5, 50]}, cv=3).fit(iris)
        assert search.best_params_["genie3__n_estimators"] in (5, 50)


def test_where_a_leaf_knows_nothing_the_mean_of_all_rows_stands():
    X = np.array([[1.0, np.nan], [3.0, np.nan], [5.0, 4.0], [7.0, 8.0]])
    weights = sparse.csr_array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.5, 0.25, 0.25]])
    expected = [[2.0, 6.0], [4.5, 6.0]]
    np.testing.assert_allclose(predict(weights, read_table(X)), expected)


@pytest.mark.parametrize("n_values", [1, 63, 64, 65, 130])
def test_sets_of_names_span_words(n_values):
    chosen = np.random.default_rng(n_values).random(n_values) < 0.5
    bits = np.zeros(192, dtype=np.uint64)
    bits[:n_values] = chosen
    words = (bits.reshape(3, 64) << np.arange(64, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    words = np.concatenate([np.array([7, 9], dtype=np.uint64), words])
    trees = SimpleNamespace(subset=np.array([-1, 2]), subset_words=words)
    np.testing.assert_array_equal(Trees.subset_values(trees, 1, n_values), np.flatnonzero(chosen))


def test_the_first_trees_are_those_of_a_smaller_forest():
    table = read_table(np.random.default_rng(0).normal(size=(30, 6)))
    grower = Grower(Space.of(table), GrowSettings(0, 3))
    some, few = grower.grow(0, 7).first(3).as_dict(), grower.grow(0, 3).as_dict()
    for name in set(few) - {"subset_words"}:
        np.testing.assert_array_equal(some[name], few[name], err_msg=name)
