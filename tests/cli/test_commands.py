"""The command line: results, exit codes, one-line errors."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

from unsuprank import Genie3, VarianceRanker
from unsuprank import registry as methods
from unsuprank.cli.app import run


@pytest.fixture
def frame():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(25, 4)) * [1, 9, 3, 5], columns=list("abcd"))
    frame["kind"] = ["x", "y", "z", "x", "y"] * 5
    return frame


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    return str(path)


def test_rank_writes_scores(table, frame, tmp_path, capsys):
    out = tmp_path / "s.csv"
    args = ["rank", table, "--method", "variance", "--label", "kind", "--out", str(out)]
    assert run(args) == 0
    rows = list(csv.DictReader(out.open()))
    ranker = VarianceRanker().fit(frame[list("abcd")])
    assert [r["feature"] for r in rows] == list(ranker.feature_names_in_[ranker.order_])
    assert [int(r["rank"]) for r in rows] == [1, 2, 3, 4]
    np.testing.assert_array_equal([float(r["score"]) for r in rows], ranker.scores_[ranker.order_])
    np.testing.assert_allclose(float(rows[0]["mean"]), frame[rows[0]["feature"]].mean())
    np.testing.assert_allclose(float(rows[0]["spread"]), frame[rows[0]["feature"]].std(ddof=0))
    keys = ["feature", "rank", "score", "mean", "mode", "spread", "missing", "zero"]
    assert list(rows[0]) == keys
    shown = capsys.readouterr()
    assert "feature" in shown.out
    assert "Written" in shown.err


def test_summary_of_mixed_columns(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("n,c\n0,u\n,v\n3,u\n0,\n")
    assert run(["--quiet", "rank", str(path), "--method", "random", "--out", "-"]) == 0
    rows = {r["feature"]: r for r in csv.DictReader(capsys.readouterr().out.splitlines())}
    assert float(rows["n"]["mean"]) == 1.0
    assert float(rows["n"]["missing"]) == 0.25
    assert float(rows["n"]["zero"]) == 0.5
    assert rows["c"]["mode"] == "u"
    assert rows["c"]["mean"] == ""
    assert float(rows["c"]["spread"]) == pytest.approx(1 - (4 + 1) / 9)


def test_same_seed_same_answer(table, capsys):
    args = ["rank", table, "--method", "random", "--drop", "kind", "--out", "-", "--seed"]
    assert run([*args, "4"]) == run([*args, "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
    assert run([*args, "5"]) == 0
    assert capsys.readouterr().out.splitlines() != lines[: len(lines) // 2]


def test_trees_may_be_left_to_the_ranking(table, tmp_path, capsys):
    scores = {}
    for trees in ("auto", "20"):
        out = tmp_path / f"{trees}.csv"
        args = ["rank", table, "--drop", "kind", "--method", "genie3", "--trees", trees]
        assert run([*args, "--out", str(out)]) == 0
        scores[trees] = [float(row["score"]) for row in csv.DictReader(out.open())]
    capsys.readouterr()
    assert scores["auto"] != scores["20"]
    for nonsense in ("0", "-3", "2.5", "many"):
        assert run(["rank", table, "--trees", nonsense]) == 2
        assert "neither a whole number from 1 on nor auto" in capsys.readouterr().err


def test_transform(table, frame, tmp_path, capsys):
    scores, small = tmp_path / "s.json", tmp_path / "small.csv"
    args = ["rank", table, "--method", "random", "--seed", "1", "--out", str(scores)]
    assert run(args) == 0
    best = [r["feature"] for r in json.loads(scores.read_text())["rows"]][:3]
    args = ["transform", table, "--scores", str(scores), "--top", "3", "--out", str(small)]
    assert run(args) == 0
    pd.testing.assert_frame_equal(pd.read_csv(small), frame[[c for c in frame if c in best]])


def test_compare(table, tmp_path, capsys):
    out = tmp_path / "c.csv"
    args = ["compare", table, "--label", "kind", "--methods", "variance,random", "--out", str(out)]
    assert run(args) == 0
    rows = pd.read_csv(out)
    assert sorted(rows["variance_rank"]) == sorted(rows["random_rank"]) == [1, 2, 3, 4]
    assert "1.00 / 4" in capsys.readouterr().out


def test_methods_are_listed(capsys):
    assert run(["methods"]) == 0
    shown = capsys.readouterr().out
    for method in methods.available():
        assert method.name in shown


def test_variants_of_a_class_are_methods_of_their_own(table):
    diversified = methods.make("diversified", seed=5, n_jobs=2, n_estimators=7)
    assert diversified.get_params()["ranker__random_state"] == 5
    assert diversified.get_params()["ranker__n_estimators"] == 7
    for name in ("css", "css-knn", "diversified", "genie3"):
        assert methods.method_of(methods.make(name)).name == name
        assert run(["rank", table, "--label", "kind", "--method", name]) == 0
    assert "nominal" not in methods.find("css-knn").accepts


def test_booleans_are_nominal(tmp_path):
    """As they are in a data frame."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"flag": rng.random(40) < 0.2, "x": rng.normal(size=40)})
    frame["z"] = frame["flag"] + rng.normal(size=40)
    frame.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "s.csv"
    assert run(["rank", str(tmp_path / "t.csv"), "--method", "genie3", "--out", str(out)]) == 0
    expected = Genie3("auto", random_state=0).fit(frame)
    found = {row["feature"]: float(row["score"]) for row in csv.DictReader(out.open())}
    np.testing.assert_array_equal([found[name] for name in frame], expected.scores_)
    assert run(["rank", str(tmp_path / "t.csv"), "--method", "variance"]) == 0
    args = ["rank", str(tmp_path / "t.csv"), "--method", "variance", "--nominal", "x"]
    assert run(args) == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n1,2\n3,1\n", "at least 4 rows; there are 2"),
        ("a\n1\n3\n2\n5\n4\n", "at least 2 columns"),
        ("a,b\n1,1e300\n3,2\n4,5\n2,9\n7,6\n", "Column 'b' holds values of size 1e+300"),
    ],
)
def test_curve_says_why_there_is_none(tmp_path, capsys, text, reason):
    (tmp_path / "t.csv").write_text(text)
    assert run(["curve", str(tmp_path / "t.csv"), "--method", "variance"]) == 3
    assert reason in " ".join(capsys.readouterr().err.split())


def test_curve(table, tmp_path, capsys):
    pytest.importorskip("unsuprank.evaluation")
    out = tmp_path / "c.csv"
    args = ["curve", table, "--label", "kind", "--method", "variance", "--folds", "5"]
    assert run([*args, "--out", str(out)]) == 0
    assert pd.read_csv(out)["features"].tolist() == [1, 2, 4]


def test_explain(frame, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    frame["b"] += 30.0 * (frame["kind"] == "x")
    frame.to_csv(tmp_path / "t.csv", index=False)
    args = ["explain", str(tmp_path / "t.csv"), "--label", "kind", "--out"]
    assert run([*args, str(tmp_path / "e.csv")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "What sets all 3 clusters apart (25 rows)" in shown
    assert "What sets x apart (10 rows)" in shown
    assert "higher" in shown
    assert "none is beyond chance" in shown
    written = pd.read_csv(tmp_path / "e.csv").set_index(["cluster", "rank"])
    assert len(written) == 4 * 4
    best = written.loc[("x", 1), ["feature", "direction", "beyond_chance"]]
    assert best.tolist() == ["b", "higher", True]
    assert run([*args, "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "e.csv").read_text()


def test_explain_writes_the_page(frame, tmp_path):
    pytest.importorskip("bokeh")
    frame.to_csv(tmp_path / "t.csv", index=False)
    page = tmp_path / "p.html"
    args = ["explain", str(tmp_path / "t.csv"), "--label", "kind", "--report", str(page)]
    assert run(args) == 0
    assert "What sets the groups of rows apart?" in page.read_text()


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["explain", "{table}"], 3, "--label 'NAME'"),
        (["explain", "{table}", "--label", "a"], 3, "clusters are at least two groups"),
        (["rank", "{table}", "--method", "nonsense"], 2, "choose one of"),
        (["curve", "{table}", "--method", "nonsense"], 2, "choose one of"),
        (["compare", "{table}", "--methods", "random,nonsense"], 2, "'nonsense' is not a method"),
        (["reproduce", "--data", "d", "--out", "o", "--methods", "nonsense"], 2, "nonsense"),
        (["explain", "{table}", "--label", "kind", "--report", "r.pdf"], 3, "name it .html"),
        (["rank", "{table}", "--report", "r.pdf"], 3, "name it .html"),
        (["rank", "{table}", "--trees", "50", "--method", "css"], 2, "css grows no trees"),
        (["rank", "{table}", "--out", "{table}"], 3, "would be overwritten"),
        (["compare", "{table}", "--out", "{table}"], 3, "would be overwritten"),
        (["curve", "{table}", "--out", "{table}"], 3, "would be overwritten"),
        (
            ["transform", "{table}", "--scores", "{table}", "--out", "{table}"],
            3,
            "would be overwritten",
        ),
        (["rank", "{table}", "--method", "geni3"], 2, "did you mean genie3?"),
        (["rank", "{table}", "--sep", "ab"], 3, "name one character, tab or space"),
        (["rank", "{table}", "--decimal", ";"], 2, "neither a point nor a comma"),
        (["rank", "{table}", "--nonsense"], 2, "No such option"),
        (["rank"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
        (["rank", "nowhere.csv", "--method", "variance"], 3, "does not exist"),
        (["rank", "{table}", "--method", "variance"], 3, "column 'kind' is nominal"),
        (["rank", "{table}", "--method", "variance", "--drop", "q"], 3, "no column 'q'"),
        (["rank", "{table}", "--method", "variance", "--out", "s.xlsx"], 3, "are written as"),
        (["rank", "{table}", "--method", "variance", "--out", "no/s.csv"], 3, "not a directory"),
        (["rank", "{table}", "--method", "variance", "--out", "."], 3, "is a directory"),
        (["rank", "{table}", "--method", "variance", "--write"], 3, "use --out"),
        (["rank", "{table}", "--format", "word", "--method", "variance"], 3, "not a known format"),
        (["rank", "{table}", "--seed", "-1"], 2, "--seed"),
    ],
)
def test_errors_are_one_line_and_change_no_file(args, code, says, table, capsys):
    before = Path(table).read_bytes()
    assert run([a.replace("{table}", table) for a in args]) == code
    assert Path(table).read_bytes() == before
    shown = capsys.readouterr()
    last = shown.err.strip().splitlines()
    assert len([line for line in last if not line.startswith(("note:", "warning:"))]) == 1
    assert says in last[-1]
    assert "Traceback" not in shown.err


def test_debug_shows_the_traceback(capsys):
    with pytest.raises(ValueError, match="does not exist"):
        run(["rank", "nowhere.csv", "--method", "variance", "--debug"])


def test_suspects_are_pointed_out(table, tmp_path, capsys):
    path = tmp_path / "u.csv"
    path.write_text("id,x,target\nann,1,0\nbob,2,1\nbob,3,1\n")
    assert run(["rank", str(path), "--method", "random"]) == 0
    shown = capsys.readouterr().err
    assert "'id' is named like an identifier; leave it out with --drop 'id'" in shown
    assert "'target' is named like a label" in shown
    assert "set it aside with --label 'target'" in shown


def test_markup_in_names_is_text(tmp_path, capsys):
    path = tmp_path / "u.csv"
    path.write_text('[bold red]a[/],"b\n[/c]"\n1,2\n3,9\n')
    assert run(["rank", str(path), "--method", "variance"]) == 0
    shown = capsys.readouterr().out
    assert "[bold red]a[/]" in shown
    assert "b [/c]" in shown


def test_h5ad_gets_its_scores_back(tmp_path, capsys):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(rng.normal(size=(20, 6)) * np.arange(1, 7))
    adata.raw = adata
    path = tmp_path / "c.h5ad"
    adata[:, ["1", "5"]].copy().write_h5ad(path)
    assert run(["rank", str(path), "--method", "variance", "--raw", "--write"]) == 0
    stored = anndata.read_h5ad(path)
    ranks = VarianceRanker().fit(adata.X).ranking_
    assert list(stored.var["unsuprank_rank"]) == [ranks[1], ranks[5]]
    assert stored.uns["unsuprank"]["params"]["method"] == "VarianceRanker"
    np.testing.assert_array_equal(stored.X, adata[:, ["1", "5"]].X)


def test_standard_input_as_a_process():
    done = subprocess.run(
        [sys.executable, "-c", "from unsuprank.cli import main; main()"]
        + ["rank", "-", "--method", "variance", "--out", "-"],
        input="a\tb\n1\t5\n2\t9\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1].startswith("b,1,4.0,7.0,,2.0")
    assert done.stderr == ""


def test_help_has_examples(capsys):
    for command in ("rank", "compare", "transform", "curve", "explain", "methods"):
        assert run([command, "--help"]) == 0
        assert "Example" in capsys.readouterr().out


def test_import_stays_cheap():
    code = (
        "import sys, sklearn.feature_selection; "  # which brings pandas where it is installed
        "before = set(sys.modules); import unsuprank; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "print(sorted(new & set('pandas matplotlib bokeh jinja2 typer rich anndata pyarrow h5py'"
        ".split())))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_progress_bar_shows_time_left():
    import io

    from rich.console import Console

    from unsuprank.cli.console import RichDisplay

    stream = io.StringIO()
    bar = RichDisplay("growing [trees]", Console(file=stream, force_terminal=True), patience=0.0)
    bar.update(5, 10, "61% stable [of 90%]")
    bar.close()
    assert "growing [trees]" in stream.getvalue()
    assert "61% stable [of 90%]" in stream.getvalue()
    assert "left" in stream.getvalue()
    early = io.StringIO()
    quick = RichDisplay("quick", Console(file=early, force_terminal=True))
    quick.update(10, 10)
    quick.close()
    assert early.getvalue() == ""  # work of less than a second shows nothing


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [(KeyboardInterrupt(), 130, "interrupted"), (ZeroDivisionError("oops"), 1, "--debug")],
)
def test_interrupts_and_faults_of_ours_have_their_own_exit_code(
    error, code, says, table, monkeypatch, capsys
):
    def broken(*args, **kwargs):
        raise error

    monkeypatch.setattr("unsuprank.cli.rank_command.load", broken)
    assert run(["rank", table, "--method", "variance"]) == code
    assert says in capsys.readouterr().err


def test_the_table_says_how_sure_it_is(table, capsys):
    assert run(["rank", table, "--drop", "kind"]) == 0
    assert " p " in capsys.readouterr().out
    for options, words in (
        (["--trees", "20"], "another seed of 20 trees may give another order"),
        (["--top", "2"], "two forests like this would share about"),
        ([], "the rank intervals say which places another seed may change"),
    ):
        assert run(["rank", table, "--drop", "kind", "--method", "genie3", *options]) == 0
        shown = capsys.readouterr()
        assert "rank interval" in shown.out
        assert words in " ".join(shown.err.split())
    assert run(["compare", table, "--methods", "symbolic,diversified", "--top", "2"]) == 0
    shown = " ".join(capsys.readouterr().err.split())
    for method in ("symbolic", "diversified"):
        assert re.search(f"note: {method}: [0-9,]+ trees: two forests like this", shown)


def test_says_plainly_what_was_reached_when_the_bound_ends_a_forest(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("unsuprank.rankers.forest.tree_work.WORK", 1.0)
    noise = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 40)))
    noise.to_csv(tmp_path / "t.csv", index=False)
    arguments = [str(tmp_path / "t.csv"), "--method", "random-forest", "--top", "5"]
    assert run(["rank", *arguments, "--report", str(tmp_path / "r.html")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert re.search("note: 100 trees, the most for a table of this size: two .* not 90%", said)
    assert "warning" not in said
    page = (tmp_path / "r.html").read_text()
    assert "The forest has 100 trees, the most for a table of this size" in page


def test_the_shown_top_is_what_a_forest_settles(table):
    from unsuprank.cli.options import FitOptions

    ranker = FitOptions(seed=3).make("genie3", n_top=5, n_estimators=None)
    assert (ranker.n_estimators, ranker.n_features_to_select) == ("auto", 5)
    assert FitOptions().make("genie3", n_estimators=7).n_estimators == 7
    assert FitOptions().make("css", n_top=5).n_features_to_select == 16
    wrapped = FitOptions().make("diversified", n_top=5).ranker
    assert (wrapped.n_estimators, wrapped.n_features_to_select) == ("auto", 5)


def test_files_beyond_the_memory_are_read_in_parts(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=3000)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["kind"] = rng.choice(["x", "y"], 3000)
    frame["id"] = [f"row {i}" for i in range(3000)]
    path = tmp_path / "large.csv"
    frame.to_csv(path, index=False)
    out = tmp_path / "scores.csv"
    args = ["rank", str(path), "--method", "genie3", "--drop", "e", "--memory", "0.1MB"]
    args += ["--trees", "100"]
    assert run([*args, "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert (
        "large.csv: read in parts; what is shown of its columns is from 3,000 of 3,000 rows" in said
    )
    assert "left out because they look like identifiers: 'id'" in said
    assert "the ranking is that of 16 samples of 1,024 rows each" in said
    scores = pd.read_csv(out)
    assert set(scores["feature"]) == {"a", "b", "c", "d", "kind"}
    assert set(scores["feature"][:2]) == {"a", "d"}
    assert run(["rank", str(path), "--drop", "id", "--memory", "100KB"]) == 0
    assert run(["rank", str(path), "--method", "agnos-s", "--memory", "100KB"]) == 3
    assert "agnos-s needs all rows; raise --memory, or use " in " ".join(
        capsys.readouterr().err.split()
    )
    assert run(["rank", str(path), "--memory", "much"]) == 2
    assert "say for instance 500MB or 2GB" in " ".join(capsys.readouterr().err.split())
