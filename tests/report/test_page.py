"""The facts of the report, the page's size, and the same facts from Python."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from describe_tables import mixed_with_gaps

from unsuprank import Diversified, Genie3, LaplacianScore, RandomRanker, VarianceRanker
from unsuprank.report import write_report
from unsuprank.table import read_table

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")

from page_tables import text_of


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


@pytest.mark.filterwarnings("ignore:The neighbour graph")
@pytest.mark.parametrize("standardize", [True, False])
def test_what_is_said_about_units_follows_from_the_parameters(standardize, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 4)) * [1.0, 1.0, 1.0, 1e5]
    LaplacianScore(standardize=standardize).fit(X).report(X, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert ("units do not matter" in page) == standardize
    assert ("looks at raw values" in page) != standardize


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
        plot.heat_map(Genie3(2, random_state=0).fit(mixed_with_gaps()), mixed_with_gaps()),
        plot.embedding(ranker, frame, 3, labels=["a", "b"] * 15),
    ):
        draw.figure.canvas.draw()
        plt.close(draw.figure)


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


def test_pictures_that_say_nothing_are_left_out(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 6))
    X /= X.std(axis=0)
    write_report(RandomRanker(random_state=0).fit(X), X, tmp_path / "r.html")
    text = text_of((tmp_path / "r.html").read_text())
    assert "All associations are weak, so no map is drawn." in text
    assert "All numeric columns have the same spread, so it cannot be." in text
    assert "None was found." in text
    one = X[:, :1]
    write_report(VarianceRanker().fit(one), one, tmp_path / "one.html")
    text = text_of((tmp_path / "one.html").read_text())
    assert "There is none. All columns have the same score" in text
    assert "By the top" not in text  # both planes would be the same
    assert 'class="bars"' not in (tmp_path / "one.html").read_text()


def test_bars_that_would_all_be_full_start_elsewhere(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 1.001, 1.002, 1.003]
    X = X / X.std(axis=0) * [10.0, 10.1, 10.2, 10.3]
    write_report(VarianceRanker().fit(X), X, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    widths = [float(w) for w in re.findall(r'<i class="[^"]*" style="left:0.0%;width:(.*?)%', page)]
    assert max(widths) == 100
    assert min(widths) < 10


def test_a_curve_that_tells_nothing_is_not_read(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 40))
    write_report(RandomRanker(random_state=0).fit(X), X, tmp_path / "r.html")
    text = text_of((tmp_path / "r.html").read_text())
    assert "or more at every size, and 1 is what predicting every column by its mean" in text
    assert "does not tell how many columns are enough" in text
    assert "this does not show that the choice is better than a random one" in text


def test_report_of_a_table_is_that_of_the_frame(tmp_path):
    frame = mixed_with_gaps()
    ranker = Genie3(5, random_state=0).fit(frame)
    pages = []
    for name, X in (("frame", frame), ("table", read_table(frame))):
        write_report(ranker, X, tmp_path / name)
        pages.append(text_of((tmp_path / name).read_text()))
    assert pages[0] == pages[1]


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "bokeh", None)
    for name in [n for n in sys.modules if n.startswith(("bokeh.", "unsuprank.report."))]:
        monkeypatch.delitem(sys.modules, name)
    X = np.eye(3)
    with pytest.raises(ImportError, match="pip install"):
        VarianceRanker().fit(X).report(X, tmp_path / "r.html")
