"""The same forest, whatever the threads, batches, sizes and containers."""

from __future__ import annotations

import dataclasses
import pickle
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from untraced import untraced

from unsuprank import Genie3, PredictiveClusteringForest, RandomForestScore, SymbolicScore
from unsuprank._parallel import in_batches
from unsuprank.rankers.clustering_space import Space
from unsuprank.rankers.forest.growing import Grower, GrowSettings
from unsuprank.rankers.forest.trees import Trees
from unsuprank.table import read_table


@pytest.fixture(params=["wide", "long", "missing"])
def X(request) -> np.ndarray:
    rng = np.random.default_rng(0)
    if request.param == "long":
        return rng.normal(size=(700, 8))
    X = rng.normal(size=(40, 100))
    if request.param == "missing":
        X[rng.random(X.shape) < 0.05] = np.nan
    return X


@pytest.mark.parametrize("cls", [Genie3, RandomForestScore, SymbolicScore])
def test_threads_second_run_pickle_and_layout(cls, X):
    first = cls(60, random_state=0, n_jobs=1).fit(X)
    for n_jobs in (1, 2, 4):
        assert np.array_equal(cls(60, random_state=0, n_jobs=n_jobs).fit(X).scores_, first.scores_)
    for same in (np.asfortranarray(X), np.ascontiguousarray(X), pd.DataFrame(X), X.tolist()):
        assert np.array_equal(cls(60, random_state=0).fit(same).scores_, first.scores_)
    frame = pl.DataFrame(X, schema=[str(j) for j in range(X.shape[1])])
    assert np.array_equal(cls(60, random_state=0).fit(frame).scores_, first.scores_)
    assert np.array_equal(pickle.loads(pickle.dumps(first)).scores_, first.scores_)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_batches(monkeypatch, X, size):
    first = RandomForestScore(60, random_state=0).fit(X).scores_

    def fixed(work, total, **settings):
        return in_batches(work, total, **{**settings, "batch_size": size})

    monkeypatch.setattr("unsuprank.rankers.forest.growing.in_batches", fixed)
    assert np.array_equal(RandomForestScore(60, random_state=0, n_jobs=2).fit(X).scores_, first)


@pytest.mark.parametrize("kind", ["genie3", "random_forest", "symbolic"])
def test_first_trees_are_the_smaller_forest(X, kind):
    large = PredictiveClusteringForest(50, random_state=1).fit(X)
    small = PredictiveClusteringForest(20, random_state=1).fit(X)
    assert np.array_equal(large.scores(kind, 20), small.scores(kind))
    assert np.array_equal(large.apply(X)[:, :20], small.apply(X))


@pytest.mark.parametrize("ensemble", ["extra_trees", "random_forest", "bagging"])
def test_one_forest_gives_the_scores_of_the_three_rankers(X, ensemble):
    settings = {"n_estimators": 12, "ensemble": ensemble, "random_state": 3}
    forest = PredictiveClusteringForest(**settings).fit(X)
    assert np.array_equal(forest.genie3_, Genie3(**settings).fit(X).scores_)
    assert np.array_equal(forest.symbolic_, SymbolicScore(**settings).fit(X).scores_)
    assert np.array_equal(forest.random_forest_, RandomForestScore(**settings).fit(X).scores_)


LONG_FIT = """
import numpy as np, sys
from unsuprank import Genie3
X = np.random.default_rng(0).normal(size=(3000, 300))
print("started", flush=True)
try:
    Genie3({trees}, ensemble="{ensemble}", n_jobs={jobs}, random_state=0).fit(X)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    ("ensemble", "trees", "jobs"), [("extra_trees", 10**6, 2), ("bagging", 10**4, 1)]
)
def test_interrupt_ends_a_long_fit(ensemble, trees, jobs):
    """The fit would take hours; the time limit only guards against a hang."""
    code = LONG_FIT.format(trees=trees, ensemble=ensemble, jobs=jobs)
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env=untraced(),
        # A shell that runs tests in the background has them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert child.stdout.readline() == "started\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(1.0)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "interrupted\n"
        assert child.returncode == 0
    finally:
        child.kill()


def test_trees_that_are_grown_in_parts_are_those_grown_at_once():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(0, 80, 60), rng.integers(0, 5, 60)])
    space = Space.of(read_table(X, nominal_features=[2, 3]))
    grower = Grower(space, GrowSettings(0, 2))
    whole = grower.grow(0, 9)
    joined = Trees.join([grower.grow(0, 4), grower.grow(4, 5), grower.grow(5, 9)])
    assert (whole.subset > 0).any()
    for field in dataclasses.fields(Trees):
        np.testing.assert_array_equal(getattr(joined, field.name), getattr(whole, field.name))
