"""What a newcomer meets: files as they come, options that cannot be meant, a quick answer."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

from unsuprank import GreedyCSS, registry
from unsuprank.cli.app import run

N = 40


@pytest.fixture
def messy(tmp_path):
    """A table as people have it: identifiers, units, dates, a mark for gaps, a label, gaps."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=N)
    frame = pd.DataFrame(
        {
            "PassengerId": range(1, N + 1),
            "name": [f"person {i}" for i in range(N)],
            "weight": [f"{int(1200 + 200 * v)} kg" for v in z],
            "price": [f"${int(160_000 + 30_000 * v):,}" for v in z],
            "when": pd.date_range("2020-02-01", periods=N).strftime("%d.%m.%Y"),
            "temp": np.where(rng.random(N) < 0.2, -999, np.round(20 + z, 1)),
            "gaps": np.where(rng.random(N) < 0.2, np.nan, z),
            "species": rng.choice(list("abc"), N),
        }
    )
    path = tmp_path / "messy.csv"
    frame.to_csv(path, index=False)
    return path


def ranked(out):
    return set(pd.read_csv(out)["feature"])


def test_a_messy_table_is_ranked_and_every_decision_is_told(messy, tmp_path, capsys):
    out = tmp_path / "s.csv"
    assert run(["rank", str(messy), "--method", "random", "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert ranked(out) == {"weight", "price", "when", "temp", "gaps", "species"}
    for text in (
        "column 'weight' is read as numbers in kg",
        "column 'price' is read as numbers in $",
        "column 'when' holds dates or times; it is read as days since 2020-02-01",
        "'PassengerId' (a different number in every row)",
        f"'name' ({N} different values in {N})",
        "rank them with --keep-ids",
        "if it stands for a missing value, say --na -999",
        "if it is the answer, set it aside with --label 'species'",
    ):
        assert text in said
    assert run(["rank", str(messy), "--method", "random", "--out", str(out), "--quiet"]) == 0
    assert capsys.readouterr().err.splitlines() == [f"Written: {out}"]


def test_identifiers_come_back(messy, tmp_path):
    out = tmp_path / "s.csv"
    base = ["rank", str(messy), "--method", "random", "--out", str(out)]
    assert run([*base, "--keep-ids"]) == 0
    assert {"PassengerId", "name"} <= ranked(out)
    assert run([*base, "--nominal", "name"]) == 0  # who names it wants it
    assert "name" in ranked(out)
    assert "PassengerId" not in ranked(out)


def test_a_table_of_identifiers_only(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"u{i},v{i}\n" for i in range(30)))
    assert run(["rank", str(tmp_path / "t.csv"), "--method", "random"]) == 3
    assert "rank them with --keep-ids" in capsys.readouterr().err


def test_marks_of_gaps(messy, tmp_path, capsys):
    out = tmp_path / "s.csv"
    args = ["rank", str(messy), "--method", "random", "--out", str(out), "--na", "-999"]
    assert run(args) == 0
    rows = pd.read_csv(out).set_index("feature")
    assert rows.loc["temp", "missing"] > 0
    assert abs(rows.loc["temp", "mean"] - 20) < 2
    assert "--na" not in capsys.readouterr().err


def test_compare_leaves_out_who_cannot_take_the_table(messy, capsys):
    assert run(["compare", str(messy), "--methods", "variance,random,css"]) == 0
    shown = capsys.readouterr()
    assert "variance is left out: it cannot take missing values" in shown.err
    assert "css" in shown.out
    assert "variance" not in shown.out
    assert run(["compare", str(messy)]) == 0
    assert run(["compare", str(messy), "--methods", "variance", "--drop", "gaps"]) == 3
    said = capsys.readouterr().err
    assert "variance is left out: it needs numbers, and column 'species' is nominal" in said
    assert "none of these methods can take the table" in said


def test_representatives_come_with_how_many_of_them_it_takes(tmp_path, capsys):
    rng = np.random.default_rng(0)
    factors = np.repeat(rng.normal(size=(80, 2)), 4, axis=1)
    table = pd.DataFrame(factors + 0.1 * rng.normal(size=(80, 8)), columns=list("abcdefgh"))
    table.assign(noise=rng.normal(size=80)).to_csv(tmp_path / "t.csv", index=False)
    rank = ["rank", str(tmp_path / "t.csv"), "--method"]
    fitted = GreedyCSS().fit(pd.read_csv(tmp_path / "t.csv"))
    assert run([*rank, "css"]) == 0
    said = capsys.readouterr().err
    share = f"{fitted.explained_[fitted.n_features_ - 1]:.0%}"
    assert f"picked in turn: {fitted.n_features_}; {share} of all variation" in said
    assert run([*rank, "css", "--include", "a,e"]) == 0
    assert "besides those included" in capsys.readouterr().err
    assert run([*rank, "css-knn"]) == 0
    assert "picked in turn" not in capsys.readouterr().err
    pd.DataFrame(rng.normal(size=(30, 4))).to_csv(tmp_path / "t.csv", index=False)
    assert run([*rank, "css"]) == 0
    assert "no column explains more of the others than chance would" in capsys.readouterr().err


def test_trees_reach_the_forest_inside(messy):
    args = ["rank", str(messy), "--method", "diversified", "--trees", "3", "--top", "1"]
    assert run(args) == 0


def test_transform_keeps_the_names_of_the_rows_and_cells_as_written(messy, tmp_path):
    frame = pd.read_csv(messy)
    frame.index = [f"row {i}" for i in range(N)]
    frame.to_csv(tmp_path / "named.csv", index_label="id")
    scores, small = tmp_path / "s.csv", tmp_path / "small.csv"
    assert (
        run(["rank", str(tmp_path / "named.csv"), "--method", "random", "--out", str(scores)]) == 0
    )
    args = ["transform", str(tmp_path / "named.csv"), "--scores", str(scores), "--out", str(small)]
    assert run(args) == 0
    found = pd.read_csv(small, index_col="id")
    pd.testing.assert_frame_equal(found, frame[list(found)], check_names=False)
    assert found["weight"].iloc[0].endswith(" kg")


def test_methods_fit_into_80_characters_and_are_grouped(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["methods"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for title in registry.QUESTIONS.values():
        assert title in shown
    for method in registry.available():
        assert f"  {method.name}" in shown
        assert " ".join(method.what.split()[:3]) in " ".join(shown.split())


def test_escape_sequences_do_not_reach_the_terminal(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("\x1b[31mred\x1b[0m,class\x07\n1,2\n3,5\n4,5\n")
    assert run(["rank", str(path), "--method", "variance"]) == 0
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "\x07" not in shown.out + shown.err


def test_labels_and_the_matrix_of_single_cells(tmp_path, capsys):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(rng.normal(size=(20, 6)) * np.arange(1, 7))
    adata.obs["bulk_labels"] = pd.Categorical(rng.choice(list("uv"), 20))
    adata.raw = adata
    path = tmp_path / "c.h5ad"
    adata.write_h5ad(path)
    args = ["rank", str(path), "--method", "variance", "--label", "bulk_labels", "--write"]
    for option, matrix in ([], "X"), (["--raw"], "raw"):
        assert run([*args, *option]) == 0
        assert anndata.read_h5ad(path).uns["unsuprank"]["params"]["matrix"] == matrix


def test_the_version_waits_for_nothing():
    code = (
        "import sys; sys.argv = ['unsuprank', '--version']\n"
        "from unsuprank.cli import main; main()\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'typer', 'rich'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version, heavy = done.stdout.splitlines()
    assert version.startswith("unsuprank ")
    assert heavy == "[]"
