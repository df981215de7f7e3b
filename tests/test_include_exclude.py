"""Columns forced in and out: they move, their scores do not."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

from unsuprank import Genie3, GreedyCSS, VarianceRanker
from unsuprank.ranker import known_rankers
from unsuprank.registry import available, make

NAMES = ["a1", "a2", "b1", "b2", "c1", "c2"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(30, 6)) * [6, 5, 4, 3, 2, 1], columns=NAMES)


def test_every_ranker_has_both():
    for cls in known_rankers():
        if cls.__module__.startswith("unsuprank."):
            assert {"include", "exclude"} <= set(inspect.signature(cls).parameters), cls
            assert "include, exclude :" in cls.__doc__, cls


#: What is included changes what these look for.
CONDITIONAL = ("css", "css-knn")


@pytest.mark.parametrize("method", [m.name for m in available()])
def test_scores_stay_and_places_change(frame, method):
    free = make(method, seed=0, n_features_to_select=2).fit(frame)
    forced = make(method, seed=0, n_features_to_select=2, include=["c2"], exclude="a*").fit(frame)
    if method not in CONDITIONAL:
        np.testing.assert_array_equal(forced.scores_, free.scores_)
    assert NAMES[forced.order_[0]] == "c2"
    assert {NAMES[j] for j in forced.order_[-2:]} == {"a1", "a2"}
    kept = set(forced.get_feature_names_out())
    assert "c2" in kept
    assert not kept & {"a1", "a2"}
    assert len(kept) == 2


def test_order_among_what_is_forced_is_that_of_the_scores(frame):
    ranker = VarianceRanker(include=[4, 1], exclude=[0, 5]).fit(frame)
    assert ranker.order_.tolist() == [1, 4, 2, 3, 0, 5]
    assert ranker.ranking_.tolist() == [5, 1, 3, 4, 2, 6]


def test_all_of_what_is_included_is_selected_and_nothing_of_what_is_excluded(frame):
    ranker = VarianceRanker(n_features_to_select=1, include=["b?", "c1"]).fit(frame)
    assert list(ranker.get_feature_names_out()) == ["b1", "b2", "c1"]
    ranker = VarianceRanker(n_features_to_select=1.0, exclude=["b?", "c1"]).fit(frame)
    assert list(ranker.get_feature_names_out()) == ["a1", "a2", "c2"]
    mask = np.array([False] * 5 + [True])
    ranker = VarianceRanker(n_features_to_select=1, include=mask).fit(frame.to_numpy())
    assert ranker.get_support().tolist() == mask.tolist()


@pytest.mark.parametrize("cls", [VarianceRanker, Genie3, GreedyCSS])
def test_errors_say_what_to_do(frame, cls):
    with pytest.raises(ValueError, match=r"include names 'z\*', which is not a column; X has 6"):
        cls(include="z*").fit(frame)
    with pytest.raises(ValueError, match="include and exclude both name column 'a1'"):
        cls(include="a1", exclude=["a*"]).fit(frame)
    with pytest.raises(ValueError, match="exclude as a mask needs one entry per column"):
        cls(exclude=[True, False]).fit(frame)


def test_command_line(frame, tmp_path, capsys):
    pytest.importorskip("typer")
    from unsuprank.cli.app import run

    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "s.csv"
    args = ["rank", str(tmp_path / "t.csv"), "--method", "variance", "--out", str(out)]
    assert run([*args, "--include", "c2,c1", "--exclude", "a*"]) == 0
    assert pd.read_csv(out)["feature"].tolist() == ["c1", "c2", "b1", "b2", "a1", "a2"]
    assert run([*args, "--include", "nobody"]) == 3
    assert "include names 'nobody', which is not a column" in capsys.readouterr().err
