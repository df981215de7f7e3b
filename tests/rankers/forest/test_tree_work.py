"""The bound of forests that decide on their size: a rule of table, settings and seed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from unsuprank import Genie3, RandomForestScore
from unsuprank._progress import use_display
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest import tree_work as rule
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.tree_work import most_trees, tree_work
from unsuprank.table import read_table


def noise(n_rows: int, n_columns: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n_rows, n_columns))


def grower(X: np.ndarray, seed: int = 0, **settings) -> Grower:
    return Grower(Space.of(read_table(X)), GrowSettings(seed, 5, **settings))


def test_work_is_rows_of_nodes_times_columns_drawn():
    X = noise(40, 12)
    found = grower(X)
    trees = found.grow(0, rule.SAMPLE)
    rows = 0.0
    for feature, weight in zip(trees.feature, trees.weight, strict=True):
        if feature >= 0:
            rows += weight + rule.NODE_ROWS
    rows += rule.SAMPLE * rule.NODE_ROWS
    assert tree_work(found, "genie3") == pytest.approx(5 * rows / rule.SAMPLE)


def test_columns_with_gaps_add_work():
    gaps = noise(40, 12)
    gaps[::7, ::2] = np.nan
    found = grower(gaps)
    trees = found.grow(0, rule.SAMPLE)
    split = trees.feature >= 0
    rows = trees.weight[split].sum() + rule.NODE_ROWS * (split.sum() + rule.SAMPLE)
    more = 1 + found.space.partial.shape[1] / rule.MISSING_WIDTH
    assert tree_work(found, "genie3") == pytest.approx(5 * rows / rule.SAMPLE * more)
    assert more > 1.0


def test_dearer_trees_are_fewer():
    plain = most_trees(grower(noise(200, 30)), "genie3")
    assert most_trees(grower(noise(400, 30)), "genie3") < plain / 2
    assert most_trees(grower(noise(200, 30)), "random_forest") == pytest.approx(plain / 2, abs=1)
    assert most_trees(grower(noise(200, 30), exhaustive=True), "genie3") < plain / 4
    assert most_trees(grower(noise(200, 30)), "genie3", 0.1) == pytest.approx(plain / 10, abs=1)
    gaps = noise(200, 30)
    gaps[::7, ::2] = np.nan
    assert most_trees(grower(gaps), "genie3") < plain


def test_never_fewer_than_the_paper_grew_and_never_endless(monkeypatch):
    few = grower(noise(3, 2))
    assert most_trees(few, "genie3", 100.0) == rule.MOST
    assert most_trees(few, "genie3", 1e-9) == rule.FEWEST


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_multiple_of_the_rule_is_the_same_as_its_number(n_jobs):
    X = noise(40, 60)
    how = {"random_state": 1, "n_features_to_select": 5, "n_jobs": n_jobs}
    by_rule = Genie3("auto", max_estimators=0.002, **how)
    with pytest.warns(ConvergenceWarning):
        by_rule.fit(X)
    seed = int(np.random.RandomState(1).randint(np.iinfo(np.int64).max, dtype=np.int64))
    most = most_trees(Grower(Space.of(read_table(X)), GrowSettings(seed, 6)), "genie3", 0.002)
    with pytest.warns(ConvergenceWarning):
        by_number = Genie3("auto", max_estimators=most, **how).fit(X)
    assert by_rule.spent_ == by_number.spent_ <= most
    assert by_rule.spent_ > by_rule.n_estimators_  # probes were paid for
    np.testing.assert_array_equal(by_rule.scores_, by_number.scores_)


def test_what_was_spent():
    assert Genie3(7).fit(noise(20, 5)).spent_ == 7
    plain = RandomForestScore("auto", n_features_to_select=2, random_state=0, max_estimators=300)
    with pytest.warns(ConvergenceWarning):
        plain.fit(noise(20, 40))
    assert plain.spent_ == plain.n_estimators_ == 300


def test_progress_runs_to_convergence():
    """It ends at its total, which is never a cap, and says how stable the ranking is by then."""
    seen = []

    class Recorder:
        def __init__(self, label):
            seen.clear()

        def update(self, done, total, note=""):
            seen.append((done, total, note))

        def close(self):
            pass

    X = noise(30, 120)
    X[:, :20] += np.outer(np.linspace(-1, 1, 30), np.linspace(0, 2, 20) ** 2)
    with use_display(Recorder):
        ranker = Genie3("auto", n_features_to_select=5, random_state=1).fit(X)
    assert ranker.converged_
    assert seen[0][2] == ""
    notes = [note for _, _, note in seen if note]
    assert notes
    assert all(note.endswith("% stable, 90% wanted") for note in notes)
    assert seen[-1][0] == pytest.approx(ranker.spent_)
    assert all(done <= total for done, total, _ in seen)
    assert seen[-1][0] / seen[-1][1] > 0.5
    assert max(total for _, total, _ in seen) < 10 * ranker.spent_


def test_blocks_of_rows_have_the_same_bound():
    how = {"max_samples": 40, "n_features_to_select": 5, "stability": 1.0, "random_state": 0}
    counts = []
    for share in (0.002, 0.004):
        with pytest.warns(ConvergenceWarning):
            ranker = Genie3("auto", max_estimators=share, **how).fit(noise(300, 40))
        assert ranker.spent_ == ranker.n_estimators_ == 100 * ranker.n_blocks_
        counts.append(ranker.n_blocks_)
    assert counts[0] > 16
    assert counts[1] == pytest.approx(2 * counts[0], abs=1)
