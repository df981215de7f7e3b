"""The facts of the report, the page's size, and the same facts from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unsuprank import NDFS, Diversified, Genie3, RandomRanker, VarianceRanker
from unsuprank.describe.rank_stability import measure_stability, n_refits
from unsuprank.describe.structure import associations, find_groups, find_neighbours
from unsuprank.table import read_table

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")


def test_association_of_numbers_is_correlation():
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.normal(size=(rng.integers(3, 30), rng.integers(2, 8))) * rng.uniform(0.1, 100)
        X[:, -1] = X[:, 0] + 0.1 * rng.normal(size=len(X))
        columns = np.arange(X.shape[1])
        found = associations(read_table(X), columns, columns)
        np.testing.assert_allclose(found, np.abs(np.corrcoef(X.T)), atol=1e-5)


def test_association_of_nominal_columns():
    rng = np.random.default_rng(0)
    a = rng.integers(3, size=2000)
    frame = pd.DataFrame({"a": a.astype(str), "renamed": np.array(["x", "z", "y"])[a]})
    frame["other"] = rng.integers(4, size=2000).astype(str)
    frame["constant"] = "c"
    found = associations(read_table(frame), np.arange(4), np.arange(4))
    np.testing.assert_allclose(found[0, :2], 1, atol=1e-6)
    assert found[0, 2] < 0.1
    assert (found[3] == 0).all()


def test_neighbours_and_groups():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 6))
    X[:, 3] = X[:, 0] + 0.05 * rng.normal(size=50)
    table = read_table(X)
    near = find_neighbours(table, np.arange(6), k=2)
    assert near.nearest[0, 0] == 3
    assert near.nearest[3, 0] == 0
    assert near.n_strong[[0, 3]].tolist() == [1, 1]
    groups = find_groups(table, np.array([3, 1, 0, 2]))
    assert [3, 0] in groups.groups
    assert len(groups.groups) == 3


@pytest.mark.parametrize("shape", [(2, 1), (2, 2), (3, 1), (40, 2), (5, 40)])
def test_small_tables(shape, tmp_path):
    X = np.random.default_rng(0).normal(size=shape)
    VarianceRanker().fit(X).report(X, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size > 1e6


def test_difficult_columns(tmp_path):
    frame = pd.DataFrame(
        {
            "constant": 1.0,
            "missing": [np.nan, 1, 2, np.nan] * 5,
            "huge": np.linspace(-1e300, 1e300, 20),
            "copy": np.linspace(-1e300, 1e300, 20),
            "name": ["<b>", "&", "</script>", "x"] * 5,
            "flag": [True, False] * 10,
            "none": np.nan,
        }
    )
    ranker = RandomRanker(random_state=0).fit(frame)
    ranker.report(frame, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    for words in ("never change", "missing values", "repeat another one", "different scales"):
        assert words in page


def test_same_page_twice(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 10))
    data = []
    for name in ("a", "b"):
        VarianceRanker().fit(X).report(X, tmp_path / name)
        text = (tmp_path / name).read_text()
        data.append(text[text.index('id="data"') : text.index('id="data"') + 5000])
    assert data[0] == data[1]


def test_page_of_20000_features_is_small(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 20_000)).astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"ENSG{j:011}" for j in range(20_000)])
    VarianceRanker().fit(frame).report(frame, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 5e6


def test_notebook_view():
    frame = pd.DataFrame({"<script>": [1.0, 5.0], "b": [0.0, 1.0]})
    assert "sk-" in VarianceRanker()._repr_html_()
    shown = VarianceRanker().fit(frame)._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from unsuprank import plot

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 8)), columns=list("abcdefg$"))
    ranker = VarianceRanker().fit(frame)
    for draw in (
        plot.scores(ranker),
        plot.top(ranker, 5),
        plot.against_spread(ranker, frame),
        plot.redundancy(ranker, frame),
        plot.heat_map(ranker, frame, 5),
        plot.embedding(ranker, frame, 3, labels=["a", "b"] * 15),
    ):
        draw.figure.canvas.draw()
        plt.close(draw.figure)


def test_refits_follow_from_table_and_method_alone(monkeypatch):
    """However slow the machine is."""
    import time

    table = read_table(np.random.default_rng(0).normal(size=(300, 5)))
    ranker = VarianceRanker().fit(table.values)
    found = []
    for ticks in (1e-6, 1e3):
        clock = iter(np.arange(10**4) * ticks)
        for name in ("monotonic", "perf_counter", "time"):
            monkeypatch.setattr(time, name, lambda clock=clock: float(next(clock)))
        found.append(measure_stability(ranker, table, 3, seed=0))
    assert found[0].n_repeats == found[1].n_repeats == 20
    assert np.array_equal(found[0].low, found[1].low)
    assert np.array_equal(found[0].shuffled, found[1].shuffled)


def test_larger_tables_get_fewer_refits():
    def counts(ranker):
        return [n_refits(ranker, 200, n, 20) for n in (10, 5_000, 20_000, 10**6)]

    assert counts(VarianceRanker()) == [20, 15, 3, 3]
    assert counts(NDFS())[1:] == [3, 3, 3]
    assert counts(Genie3(n_estimators=1000))[1:] == [3, 3, 3]


def test_forest_intervals_hold_the_ranks_of_other_seeds():
    """Nine of ten, from standard errors alone; 0.8 leaves room for chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(60, 40))
    table = read_table(X)
    first = Genie3(random_state=0).fit(X)
    found = measure_stability(first, table, 16, seed=0)
    assert found.drawn
    others = np.array([Genie3(random_state=s).fit(X).ranking_ for s in range(1, 31)])
    inside = ((found.low <= others) & (others <= found.high)).mean()
    assert 0.8 < inside < 0.99
    assert np.abs((others <= 16).mean(axis=0) - found.frequency).mean() < 0.2
    assert ((found.high - found.low) < 39).any()


def test_report_of_a_wrapper_knows_what_the_wrapped_ranker_must_be_told(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    frame["kind"] = rng.choice(["x", "y"], size=20)
    ranker = Diversified(Genie3(n_estimators=5, random_state=0)).fit(frame)
    ranker.report(frame, tmp_path / "r.html")
    assert ranker.ranker.nominal_features is None
    assert "diversified (Diversified)" in (tmp_path / "r.html").read_text()


def test_report_of_a_forest_that_finds_its_own_size(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4)) * [1, 2, 3, 4]
    ranker = Genie3("auto", n_features_to_select=4, random_state=0).fit(X)
    ranker.report(X, tmp_path / "r.html")
    assert ranker.n_estimators == "auto"
