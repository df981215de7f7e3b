"""How often columns are selected under resampling of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import Diversified, Genie3, GreedyCSS, RandomRanker, SharedVariance, VarianceRanker
from unsuprank._progress import use_display
from unsuprank.evaluation import selection_frequency
from unsuprank.table import read_table


def planted(n_rows=80, n_planted=4, n_noise=16, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_planted + n_noise))
    X[:, :n_planted] += 2 * rng.normal(size=(n_rows, 1))
    return X


def same(a, b):
    for name in ("frequency", "chance", "mean_rank", "rank_low", "rank_high"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("ranker", [SharedVariance(), Genie3(n_estimators=50)])
def test_planted_columns_are_always_selected_and_noise_shares_what_is_left(ranker):
    X = planted()
    found = selection_frequency(ranker, X, n_features=8, n_resamples=60)
    assert found.frequency[:4].min() > 0.95
    assert found.frequency[4:].mean() == pytest.approx(4 / 16, abs=0.02)
    assert found.frequency.sum() == pytest.approx(8)
    assert found.chance == pytest.approx(8 / 20)
    assert found.rank_high[:4].max() <= 8
    assert (found.rank_low <= found.mean_rank).all()
    assert (found.mean_rank <= found.rank_high).all()


def test_random_rankings_come_to_what_chance_is_said_to_be():
    found = selection_frequency(RandomRanker(), planted(), n_features=[2, 0.5], n_resamples=400)
    np.testing.assert_allclose(found.chance, [0.1, 0.5])
    for frequency, chance in zip(found.frequency, found.chance, strict=True):
        error = np.sqrt(chance * (1 - chance) / 400)
        assert np.abs(frequency - chance).max() < 4 * error
    assert found.mean_rank == pytest.approx(np.full(20, 10.5), abs=4 * np.sqrt(33 / 400))


def test_it_is_what_a_loop_over_parts_of_the_rows_gives():
    X = planted(40)
    found = selection_frequency(VarianceRanker(), X, n_features=5, n_resamples=7, random_state=3)
    rng = np.random.default_rng(3)
    ranks = []
    for _ in range(7):
        rows = rng.permutation(40)[:20]
        ranks.append(np.argsort(np.argsort(-X[rows].var(axis=0))) + 1)
    np.testing.assert_array_equal(found.mean_rank, np.mean(ranks, axis=0))
    np.testing.assert_array_equal(found.frequency, np.mean(np.array(ranks) <= 5, axis=0))
    assert (found.n_resamples, found.n_rows) == (7, 20)


@pytest.mark.parametrize(
    "ranker", [Genie3(n_estimators=20), GreedyCSS(n_features_to_select="auto"), Diversified()]
)
def test_threads_do_not_matter(ranker):
    X = planted(50)
    one = selection_frequency(ranker, X, n_resamples=6, n_jobs=1)
    same(one, selection_frequency(ranker, X, n_resamples=6, n_jobs=2))
    same(one, selection_frequency(ranker, X, n_resamples=6))


def test_input_of_all_kinds_agrees():
    X = planted(40)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    frame["kind"] = np.where(X[:, 0] > 0, "high", "low")
    ranker = Genie3(n_estimators=20, n_features_to_select=3)
    found = selection_frequency(ranker, frame, n_resamples=5)
    same(found, selection_frequency(ranker, read_table(frame), n_resamples=5))
    array = np.column_stack([X, X[:, 0] <= 0])  # codes in the order of the names
    told = Genie3(n_estimators=20, n_features_to_select=3, nominal_features=[20])
    same(found, selection_frequency(told, array, n_resamples=5))
    assert found.names == list(frame)


def test_several_cut_offs_come_from_the_same_fits():
    X = planted()
    several = selection_frequency(SharedVariance(), X, n_features=[2, 8, 0.25], n_resamples=10)
    assert several.frequency.shape == (3, 20)
    for k, frequency in zip((2, 8, 5), several.frequency, strict=True):
        alone = selection_frequency(SharedVariance(), X, n_features=k, n_resamples=10)
        np.testing.assert_array_equal(frequency, alone.frequency)
    assert list(several.to_frame())[1:4] == ["frequency_2", "frequency_8", "frequency_0.25"]


def test_what_the_ranker_selects_is_the_default():
    rng = np.random.default_rng(0)
    signals = np.repeat(rng.normal(size=(100, 2)), 3, axis=1)
    X = np.hstack([signals + 0.05 * rng.normal(size=(100, 6)), rng.normal(size=(100, 4))])
    found = selection_frequency(GreedyCSS(n_features_to_select="auto"), X, n_resamples=20)
    assert found.frequency[:3].sum() == pytest.approx(1)
    assert found.frequency[3:6].sum() == pytest.approx(1, abs=0.1)
    assert found.chance == pytest.approx(found.frequency.mean())


def test_what_is_included_is_always_selected_and_no_part_of_chance():
    X = planted()
    ranker = SharedVariance(n_features_to_select=5, include=[19], exclude=[0, 1])
    found = selection_frequency(ranker, X, n_resamples=10)
    assert found.frequency[19] == 1
    assert not found.frequency[:2].any()
    assert found.chance == pytest.approx(4 / 17)


def test_frame():
    found = selection_frequency(SharedVariance(), planted(), n_features=4, n_resamples=10)
    frame = found.to_frame()
    assert list(frame) == ["feature", "frequency", "mean_rank", "rank_low", "rank_high"]
    assert set(frame["feature"][:4]) == {"x0", "x1", "x2", "x3"}
    assert frame["mean_rank"].is_monotonic_increasing
    at = [int(name[1:]) for name in frame["feature"]]
    np.testing.assert_array_equal(frame["frequency"], found.frequency[at])


def test_progress_is_shown():
    class Recorder:
        def update(self, done, total, note=""):
            steps.append((done, total))

        def close(self):
            pass

    labels, steps = [], []
    with use_display(lambda label: labels.append(label) or Recorder()):
        selection_frequency(VarianceRanker(), planted(), n_resamples=4)
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert labels == ["refitting on parts of the rows"]


def test_a_forest_that_decides_on_its_size_does_so_in_every_resample():
    ranker = Genie3(n_estimators="auto", max_estimators=64, n_features_to_select=2)
    found = selection_frequency(ranker, planted(30), n_resamples=2)
    assert found.frequency.sum() == pytest.approx(2)
    assert not hasattr(ranker, "scores_")


def test_errors_say_what_to_do():
    X = planted()
    with pytest.raises(ValueError, match="n_features is empty; give a number of columns"):
        selection_frequency(VarianceRanker(), X, n_features=[])
    with pytest.raises(ValueError, match="n_features must be from 1"):
        selection_frequency(VarianceRanker(), X, n_features=[2, 0])
    with pytest.raises(ValueError, match="fraction must be a finite number above 0 to 1"):
        selection_frequency(VarianceRanker(), X, fraction=1.5)
    with pytest.raises(ValueError, match="n_resamples must be from 1"):
        selection_frequency(VarianceRanker(), X, n_resamples=0)
