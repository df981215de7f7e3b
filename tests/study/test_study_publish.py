"""Tables, words and pictures of the study, from made-up results; the registry of methods."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from unsuprank import Genie3, URelief, VarianceRanker
from unsuprank.evaluation import compare, error_curve, plots
from unsuprank.evaluation.folds import split_rows
from unsuprank.study.data.data_sets import DataSet
from unsuprank.study.plan import paper, recipes
from unsuprank.study.plan.jobs import FOLD_SEED, N_FOLDS, Job, compute
from unsuprank.study.plan.recipes import RECIPES
from unsuprank.study.plan.recipes import find as find_recipe
from unsuprank.study.plan.suites import (
    GENIE3,
    PARTS,
    PUBLISHED_COLUMNS,
    SOTA_COLUMNS,
    URELIEF_GRID,
    check_methods,
    check_parts,
    ensemble_grid,
    jobs_of,
)
from unsuprank.study.publish import paper_tables as study
from unsuprank.study.publish import study_page
from unsuprank.study.publish.result_table import ResultTable
from unsuprank.study.publish.results import Results
from unsuprank.study.publish.study_verdicts import agreement, verdicts
from unsuprank.table import read_table

DATA_SETS = ["ALLAML", "colon", "leukemia", "ORL", "Yale"]


def made_up_error(method):
    """An error for each method: URelief's is the least, GreedyCSS's the largest but for Laplace."""
    special = {"urelief": 0.0, "css": 0.085}
    return special.get(method, 0.01 * len(method))


def made_up(job):
    """URelief as the paper prints it, NDFS over its limit on ORL, all others near it."""
    if job.fold < 0:
        return {"status": "done", "ari": 0.1 * len(job.data_set)}
    if job.method == "ndfs" and job.data_set == "ORL":
        return {"status": "limit", "reason": "more than 90 s"}
    if job.method == "mcfs" and job.data_set == "ORL":
        return {"status": "failed", "reason": "ValueError: no"}
    base = float(paper.table(3)["URelief"][job.data_set])
    labels = {
        "forest": ["genie3", "random_forest", "symbolic"],
        "forest-grid": ["genie3", "random_forest", "symbolic"],
        "urelief-grid": [
            recipes.urelief_label(i, k)
            for i in paper.URELIEF_ITERATIONS
            for k in paper.URELIEF_NEIGHBORS
        ],
        "random": [f"draw {d}" for d in range(3)],
        "position": ["first", "last"],
    }.get(job.method, ["order"])
    sizes = [1, 2, 4, 8, 16] + ([] if job.method.endswith("grid") else [32, 40])
    shift = made_up_error(job.method) + (0.001 * job.fold if job.method != "urelief" else 0)
    return {
        "status": "done",
        "sizes": sizes,
        "rankings": {
            label: {"rmse": [base * (1 + shift + 0.002 * j) * (2 if s < 8 else 1) for s in sizes]}
            for j, label in enumerate(labels)
        },
    }


@pytest.fixture
def results():
    return Results(made_up, DATA_SETS)


def test_table_3_and_gaps(results):
    table = study.table_3(results)
    assert table.header[1:3] == ["Genie3", "URelief"]
    row = dict(zip(table.header, table.rows[DATA_SETS.index("ORL")], strict=True))
    assert row["URelief"] == pytest.approx(27.60)
    assert row["NDFS"] == row["NDFS (published)"] == "over the limit"
    assert row["MCFS"] == "failed"  # how, is told in the table of gaps
    assert table.rows[-1][0] == "average rank"
    assert any("ORL" in note for note in table.notes)
    named = {(r[0], r[1]) for r in study.gaps(results).rows}
    assert ("ORL", "NDFS") in named
    assert ["ORL", "MCFS", "failed (ValueError: no)"] in study.gaps(results).rows
    assert ("gisette", "all") in named


def test_a_table_of_fewer_columns_has_no_leading_16():
    def narrow(job):
        outcome = made_up(job)
        for ranking in outcome.get("rankings", {}).values():
            ranking["rmse"] = ranking["rmse"][:4]
        return {**outcome, "sizes": [1, 2, 4, 8]}

    table = study.table_3(Results(narrow, ["colon"]))
    assert set(table.rows[0][1:]) == {"fewer than 16 columns"}
    assert not any(best for _, best in table.shown()[0])


def test_beside_the_paper(results):
    table = study.beside_paper(results)
    row = table.rows[DATA_SETS.index("colon")]
    at = table.header.index("URelief")
    assert row[at : at + 3] == [pytest.approx(1.49), 1.49, pytest.approx(1.0)]
    two = study.table_2(results)
    assert two.rows[0][3:5] == [1.15, 1.14]
    assert any("without leukemia" in note for note in two.notes)


def as_the_program_has_it(job):
    """The figures of the paper: RandomForest's for columns that stay permuted, or Genie3's."""
    outcome = made_up(job)
    cumulative = dict(job.settings).get("permutation") == "cumulative"
    printed = paper.table(2)["RandomForest" if cumulative else "Genie3"][job.data_set]
    for ranking in outcome["rankings"].values():
        ranking["rmse"] = [float(printed)] * len(outcome["sizes"])
    return outcome


def test_table_2_with_the_departures_of_the_authors_program(results):
    table = study.table_2_departures(results)
    row = dict(zip(table.header, table.rows[DATA_SETS.index("ORL")], strict=True))
    assert row["paper: RandomForest"] == 34.2
    assert row["last 16 columns"] > row["first 16 columns"]
    assert sum("Friedman" in note for note in table.notes) == 2
    (said,) = verdicts(results, ["ensemble-scores"])
    assert "do not explain" in said
    (said,) = verdicts(Results(as_the_program_has_it, DATA_SETS), ["ensemble-scores"])
    assert "3 of 5 figures" in said
    assert "ORL (24.9 against 34.20)" in said
    assert "5 of 5 when they stay permuted" in said
    assert "they explain" in said
    assert verdicts(Results(lambda _job: None, DATA_SETS), ["ensemble-scores"]) == []


def test_new_rankers_are_compared_one_by_one(results):
    table = study.beyond(results)
    assert [row[0] for row in table.rows] == [
        "GreedyCSS",
        "GreedyCSS, polished",
        "Diversified Genie3",
    ]
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["data sets"] == 4  # NDFS and MCFS have no value on ORL
    others = ("forest", "laplacian", "spec", "mcfs", "ndfs", "agnos-s", "variance", "random")
    better = [m for m in (*others, "urelief") if made_up_error(m) < made_up_error("css")]
    assert row["average rank of 10"] == 1 + len(better)
    assert row["ahead of (Nemenyi)"] == row["ahead of (Wilcoxon)"] == "none"
    assert row["better than random"] == "0 of 5"
    ratio = (1 + 0.085 + 0.0045) / (1 + 0.07 + 0.0045)  # 0.0045: mean over folds
    assert row["error relative to fastcan"] == pytest.approx(ratio)


def test_ahead_by_signed_ranks():
    rng = np.random.default_rng(0)
    ours = rng.uniform(1, 100, size=12)
    others = {
        "worse": ours * rng.uniform(1.01, 1.2, size=12),
        "alike": ours * np.exp(rng.normal(0, 0.05, size=12)),
        "same": ours,
        "better": ours * 0.9,
        "unknown": np.full(12, np.nan),
    }
    assert study.ahead_of(ours, others) == ["worse"]
    # Twelve signs of twelve: p = 2 / 2^12, under 0.05 when multiplied by 102 and not by 103.
    many = {f"m{i}": others["worse"] for i in range(102)}
    assert len(study.ahead_of(ours, many)) == 102
    many["one more"] = others["worse"]
    assert study.ahead_of(ours, many) == []


def test_ties_of_the_toolbox_go_to_the_last_columns():
    tied = np.ones(40) + 1e-15 * np.random.default_rng(0).normal(size=40)
    tied[7] = 2.0
    assert recipes._toolbox_order(tied).tolist() == [7, *range(39, 7, -1), *range(6, -1, -1)]
    assert recipes._toolbox_order(np.zeros(3)).tolist() == [2, 1, 0]


def test_fastcan_gives_a_whole_order():
    pytest.importorskip("fastcan", reason="fastcan is not installed")
    X = np.random.default_rng(0).normal(size=(12, 30))
    X[:, 5] = 1.0
    order = RECIPES["fastcan"](read_table(X), None, {}, 0)["order"]
    assert sorted(order) == list(range(30))
    assert 5 not in order[:11]


def test_words(results):
    said = " ".join(verdicts(results, PARTS))
    assert "4.03e-08" in said
    assert "1.766" in said
    assert "the same groups" in said
    assert "URelief: 5 of 5 figures are within 7%" in said
    assert "gisette" in said
    found = agreement(results, PUBLISHED_COLUMNS[0], 3)
    assert found.compared == found.within + len(found.out) == 5
    assert found.out


def test_grids(results):
    ranks = study.grid_ranks(results, URELIEF_GRID)
    assert ranks.shape == (5, 6)
    assert ranks.ravel().tolist() == sorted(ranks.ravel())
    assert study.grid_ranks(results, ensemble_grid("genie3")).shape == (3, 2)


def test_everything_is_written(results, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(study_page, "verdicts", lambda *_: ["a < b"])
    runs = (("curves, ari", 600.0), ("sota", 2400.0))
    times = [({"parts": parts, "started": t, "seconds": t}, 1.0) for parts, t in runs]
    study_page.publish(tmp_path, results, list(PARTS), times, 2)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert len([name for name in written if name.endswith(".tex")]) == 11
    assert {"fig-1-ari.png", "fig-2-ranks-published.png", "fig-3-urelief.png"} <= written
    assert {"fig-4-ensembles-genie3.png", "fig-5-curves-Yale.png", "curves/ORL.png"} <= written
    page = (tmp_path / "index.html").read_text()
    assert "2 jobs took 50 min 00 s of wall time with 2 worker processes" in page
    assert "curves, ari: 10 min 00 s; sota: 40 min 00 s" in page
    assert "a &lt; b" in page
    assert page.count("data:image/png;base64,") == len(list(tmp_path.glob("*.png")))
    assert "<td><b>27.6</b></td>" in page  # URelief on ORL, the best of its row
    assert "http:" not in page  # self-contained
    assert "https:" not in page
    assert "Table 3" in (tmp_path / "summary.md").read_text()


def test_table_forms():
    rows = [["x", 1.0, 2.0], ["y", None, 0.123456]]
    table = ResultTable("t", "A title", ["data_set", "a", "b"], rows, bold=(1, 2))
    assert table.csv() == "data_set,a,b\nx,1,2\ny,,0.123456\n"
    assert "| x | **1** | 2 |" in table.markdown()
    assert r"data\_set & a & b \\" in table.latex()
    assert table.shown()[0] == [("x", False), ("1", True), ("2", False)]


def test_data_sets_that_were_not_asked_for_are_not_missing():
    results = Results(made_up, ["ALLAML", "colon"], ["leukemia", "lung"])
    reasons = {row[0]: row[2] for row in study.gaps(results).rows if row[1] == "all"}
    assert reasons["lung"] == "the data set was not asked for"
    assert reasons["gisette"] == "the data set is not in the directory"
    absent = next(line for line in verdicts(results, PARTS) if line.startswith("Not compared"))
    assert "gisette" in absent
    assert "lung" not in absent
    said = [*study.table_2(results).notes, *(row[0] for row in study.tests(results).rows)]
    assert not any("leukemia" in line for line in said)  # it did not take part


def test_names_of_parts_and_methods():
    assert {job.method for job in jobs_of(["sota"], ["a"], ["random"])} == {"random"}
    assert check_parts(["ari", "sota"]) == ["sota", "ari"]
    with pytest.raises(ValueError, match="No method is called"):
        check_methods(["genie4"])
    with pytest.raises(ValueError, match=r"do not have shared-variance; the study has: forest"):
        jobs_of(["sota"], ["a"], ["shared-variance"])


def test_parts_share_their_jobs():
    sota = jobs_of(["sota"], DATA_SETS)
    assert jobs_of(["sota", "curves"], DATA_SETS) == sota
    assert len(set(sota)) == len(sota)
    assert {c.settings for c in GENIE3.jobs("a")} == {GENIE3.jobs("a")[0].settings}
    assert len({c.title for c in SOTA_COLUMNS}) == len(SOTA_COLUMNS)


def test_a_job_ranks_the_training_fold_alone(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 5))
    data = DataSet("d", read_table(X), np.arange(40) % 4)
    seen = []

    def spy(table, n_classes, settings, seed):
        seen.append((table.values, n_classes))
        return {"order": np.arange(5)[::-1]}

    monkeypatch.setitem(RECIPES, "spy", spy)
    result = compute(Job("d", 3, "spy"), data)
    train, test = split_rows(N_FOLDS, 40, FOLD_SEED)[3]
    assert np.array_equal(seen[0][0], X[train])
    assert seen[0][1] == 4
    assert not set(train) & set(test)
    assert result["sizes"] == [1, 2, 4, 5]
    assert result["rankings"]["order"]["order"] == [4, 3, 2, 1, 0]
    ends = [compute(Job("d", 3, m), data)["rankings"] for m in ("variance", "random")]
    errors = {r["rmse"][-1] for rankings in ends for r in rankings.values()}
    assert errors == {result["rankings"]["order"]["rmse"][-1]}


def test_a_job_is_one_fold_of_an_error_curve():
    X = np.random.default_rng(1).normal(size=(40, 20)) * np.arange(1, 21)
    table = read_table(X)
    curves = error_curve(table, VarianceRanker(), cv=10, n_random=0)
    for fold in (0, 7):
        found = compute(Job("d", fold, "variance"), DataSet("d", table))
        found = found["rankings"]["order"]
        assert found["rmse"] == curves.values["VarianceRanker"][fold].tolist()
        order = curves.orders["VarianceRanker"][fold]
        assert found["order"] == order.tolist()


def test_a_forest_gives_the_orders_of_its_scores_and_a_path_those_of_its_settings():
    X = np.random.default_rng(0).normal(size=(45, 6)) * [1, 1, 1, 3, 1, 1]
    table = read_table(X)
    orders = RECIPES["forest"](table, None, {"n_estimators": 5}, 1)
    assert list(orders) == ["genie3", "random_forest", "symbolic"]
    alone = Genie3(n_estimators=5, random_state=1).fit(X)
    assert orders["genie3"].tolist() == alone.order_.tolist()
    by_name = find_recipe("genie3")(table, None, {}, 1)  # the paper's 100 trees
    assert by_name["order"].tolist() == Genie3(100, random_state=1).fit(X).order_.tolist()
    grid = RECIPES["urelief-grid"](table, None, {}, 0)
    assert len(grid) == 30
    alone = URelief(n_neighbors=15, n_iterations=0.5, random_state=0).fit(X)
    assert grid["I=0.5 K=15"].tolist() == alone.order_.tolist()


def test_pictures_of_the_library():
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    found = compare(rng.normal(size=(9, 4)) + np.arange(4))
    assert found.plot().figure is not None
    curves = SimpleNamespace(
        sizes=np.array([1, 2]), values={"a": None}, random=rng.random((3, 2, 2)), measure="rmse",
        mean=lambda _name: np.array([2.0, 1.0]), band=lambda: (np.zeros(2), np.ones(2)),
    )  # fmt: skip
    assert plots.plot_error_curves(curves).get_ylabel() == "rmse"
    assert plots.plot_ari_density({"a": 0.1, "b": 0.2, "c": 0.7}).get_xlim()[1] >= 1.0
