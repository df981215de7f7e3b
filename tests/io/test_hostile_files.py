"""Bad files get one sentence that says where; odd names come through unharmed."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from scipy.io import savemat

from unsuprank.io import FileProblem, ReadOptions, read_file, read_scores, write_rows

HOSTILE = [
    "<script>alert(1)</script>",
    "quote\"s and 'quotes'",
    "two\nlines",
    "emoji 🧬",
    "x" * 10_000,
    "twice",
    "twice",
    "=1+1",
    "$$\\frac{1}{2}$$",
]


def refused(path, match, options=None):
    with pytest.raises(FileProblem, match=match) as caught:
        read_file(path, options).table()
    assert "\n" not in str(caught.value)


@pytest.fixture
def put(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def test_hostile_names(tmp_path):
    rows = [dict(enumerate(HOSTILE)), *[{j: i * j for j in range(9)} for i in range(1, 4)]]
    import csv

    with (tmp_path / "t.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([row.values() for row in rows])
    data = read_file(tmp_path / "t.csv")
    assert data.names == [*HOSTILE[:6], "twice (2)", *HOSTILE[7:]]
    assert any("occurs again" in note for note in data.notes)
    assert data.table().values.shape == (3, 9)


def test_many_duplicates_stay_apart(put):
    data = read_file(put("t.csv", "a,a,a (2),a\n1,2,3,4\n5,6,7,9\n"))
    assert data.names == ["a", "a (3)", "a (2)", "a (4)"]


def test_ragged(put):
    refused(put("t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n"), "line 3: 2 values where 3")
    refused(put("t.csv", 'a,b\n"1\n2",2\n4,5,6\n'), "line 4: 3 values where 2")
    refused(put("t.arff", "@relation r\n@attribute a numeric\n@data\n1\n1,2\n"), "line 5: 2 values")


@pytest.mark.parametrize("name", ["t.csv", "t.mat", "t.npz", "t.arff", "t.parquet", "t.h5ad"])
def test_empty_and_damaged(put, tmp_path, name):
    refused(put(name, b""), "is empty")
    refused(tmp_path, "is a directory")
    refused(tmp_path / "nowhere.csv", "does not exist")
    if name != "t.csv":
        refused(put(name, b"no such thing \x01\x02" * 50), name.replace(".", r"\."))


def test_blank_and_header_only(put):
    refused(put("t.csv", "\n\n  \n"), "is empty")
    refused(put("t.csv", "a,b,c\n"), "no rows")
    refused(put("t.csv", "a,b,c\n1,2,3\n"), "at least 2")
    refused(put("t.csv.gz", b"\x1f\x8bnonsense"), "cannot be unzipped")
    refused(put("t.csv", b"a,b\n1,\x00\n"), "not a text file")


def test_pickles_are_refused(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    np.savez(tmp_path / "t.npz", X=np.array([[Trap()]], dtype=object))
    refused(tmp_path / "t.npz", "refused because unpickling")
    np.save(tmp_path / "t.npy", np.array([Trap()], dtype=object))
    refused(tmp_path / "t.npy", "refused because unpickling")


def test_strays_are_refused_until_somebody_says_what_they_are(put):
    cells = [str(i) for i in range(20)]
    cells[7] = "oops"
    path = put("t.csv", "n,x\n" + "".join(f"{c},1\n" for c in cells))
    refused(path, "holds numbers, but line 9 says 'oops'")
    assert read_file(path).with_nominal(["n"]).table().n_values[0] == 20
    assert np.isnan(read_file(path, ReadOptions(na=("oops",))).table().values[7, 0])
    days = [f"2024-01-{i:02}" for i in range(1, 20)]
    refused(
        put("t.csv", "d,x\n" + "".join(f"{c},1\n" for c in [*days, "soon"])), "holds dates, but"
    )


def test_arff_errors_name_the_line(put):
    head = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n"
    refused(put("t.arff", head + "1,u\nx,v\n"), "line 6: 'x' in the numeric attribute 'a'")
    refused(put("t.arff", head + "1,u\n2,w\n"), "line 6: 'w' is not a declared value of 'b'")
    refused(put("t.arff", head + "1,'u\n"), "line 5: a quotation mark")
    refused(put("t.arff", "@relation r\n@attribute a relational\n@data\n"), "line 2")
    refused(put("t.arff", "hello"), "not an ARFF file")


def test_infinity_and_unknown_columns(put):
    path = put("t.csv", "a,b\n1,2\ninf,3\n")
    refused(path, "column 'a' holds an infinite value in row 2")
    with pytest.raises(FileProblem, match="has no column 'z'; its columns are a, b"):
        read_file(path).without(["z"])
    named = put("u.csv", "Weight,Height\n1,2\n2,3\n")
    with pytest.raises(FileProblem, match=r"did you mean 'Weight'\? Its columns are Weight, H"):
        read_file(named).with_label("weigth")


def test_choice_of_variable(tmp_path):
    savemat(tmp_path / "t.mat", {"first": np.eye(3), "second": np.eye(4)})
    refused(tmp_path / "t.mat", "several tables; choose one of first, second with --key")
    assert read_file(tmp_path / "t.mat", ReadOptions(key="second")).n_rows == 4
    refused(tmp_path / "t.mat", "no table of numbers called 'third'", ReadOptions(key="third"))
    np.savez(tmp_path / "t.npz", y=np.arange(3))
    refused(tmp_path / "t.npz", "no table of numbers")


def test_suspects(put):
    data = read_file(put("t.csv", "id,name,class,x\n1,ann,u,1\n2,bob,v,2\n2,cy,v,3\n"))
    assert [name for name, _ in data.suspects()] == ["id", "class"]
    assert data.with_label("class").label.texts() == ["u", "v", "v"]
    assert data.with_label("class").names == ["id", "name", "x"]


@pytest.mark.parametrize("content", [b"a,b\n1,2\n3,4\n", b"\x1f\x8b"])
def test_standard_input(content, monkeypatch):
    import gzip

    raw = gzip.compress(b"a,b\n1,2\n3,4\n") if content[:2] == b"\x1f\x8b" else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert read_file("-").names == ["a", "b"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_scores_round_trip(ending, tmp_path):
    rows = [{"feature": n, "rank": r, "score": 1.0 / r} for r, n in enumerate(HOSTILE[:6], 1)]
    write_rows(rows, tmp_path / f"s.{ending}")
    assert read_scores(tmp_path / f"s.{ending}") == HOSTILE[:6]


def test_scores_that_are_none(put):
    with pytest.raises(FileProblem, match="not a table of scores"):
        read_scores(put("s.csv", "a,b\n1,2\n"))
    with pytest.raises(FileProblem, match="does not exist"):
        read_scores("nowhere.csv")
    with pytest.raises(FileProblem, match=r"written as \.csv"):
        write_rows([{"a": 1}], "s.xlsx")


def test_latin_1_and_utf_16(put):
    data = read_file(put("t.csv", "größe,b\n1,2\n3,4\n".encode("latin-1")))
    assert data.names[0] == "größe"
    assert "Latin-1" in data.notes[0]
    assert read_file(put("t.csv", "größe,b\n1,2\n3,4\n".encode("utf-16"))).names[0] == "größe"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("@relation t\n@attribute a numeric\n@data\n", "has no rows after @data"),
        ("@relation t\n@data\n1\n", "it needs @attribute lines"),
        ("@relation t\n@attribute\n@data\n1\n", "line 2: not an @attribute line"),
    ],
)
def test_arff_without_what_it_needs(put, content, said):
    refused(put("t.arff", content), said)


def test_arrays_of_other_shapes(put, tmp_path):
    np.save(tmp_path / "line.npy", np.arange(5.0))
    assert read_file(tmp_path / "line.npy").table().shape == (5, 1)
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    refused(tmp_path / "cube.npy", "2 x 2 x 2 array; a table of numbers is needed")
    np.save(tmp_path / "words.npy", np.array([["a", "b"]]))
    refused(tmp_path / "words.npy", "a table of numbers is needed")


@pytest.mark.parametrize("sep", ["ab", "", '"', "\n"])
def test_separators_that_cannot_be(put, sep):
    refused(put("t.csv", "a,b\n1,2\n"), "name one character, tab or space", ReadOptions(sep=sep))


def test_matrices_that_an_h5ad_does_not_have(tmp_path):
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "t.h5ad"
    anndata.AnnData(np.eye(3)).write_h5ad(path)
    refused(path, "either a layer or raw, not both", ReadOptions(layer="a", raw=True))
    refused(path, "has no raw matrix", ReadOptions(raw=True))
    refused(path, "has no layer 'a'; its layers: none", ReadOptions(layer="a"))
    anndata.AnnData(shape=(3, 2)).write_h5ad(path)
    refused(path, "has no X; choose a layer")


def test_parquet_with_an_index_and_with_lists(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [[1], [2, 3]]}, index=["p", "q"])
    frame.to_parquet(tmp_path / "t.parquet")
    data = read_file(tmp_path / "t.parquet")
    assert data.row_names == ["p", "q"]
    assert data.without(["b"]).table().shape == (2, 1)
    refused(tmp_path / "t.parquet", "column 'b' holds values of type list")
    with pytest.raises(FileProblem, match="has no column left to rank"):
        data.without(["a", "b"]).table()
