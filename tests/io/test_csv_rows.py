"""Large delimited files, through a temporary file: the columns that reading them whole gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from unsuprank.io import FileProblem, ReadOptions, csv_batches, open_large, read_file


def cells(rng, kind, n):
    words = {
        "number": [f"{v:.4g}" for v in rng.normal(size=n)],
        "gaps": [str(rng.choice(["1", "2.5", "NA", "", "?"])) for _ in range(n)],
        "name": [
            str(rng.choice(["rye", "oats", "ünï", 'a "b"', "x,y", "two\nlines"])) for _ in range(n)
        ],
        "flag": [str(rng.choice(["True", "False"])) for _ in range(n)],
        "unit": [f"{v} kg" for v in rng.integers(1, 90, n)],
        "date": [f"2020-0{m}-11" for m in rng.integers(1, 9, n)],
        "late": ["1"] * (n - 1) + ["word"],
        "comma": [f"{v:.2f}".replace(".", ",") for v in rng.normal(size=n)],
        "padded": [f" {v}" for v in rng.integers(0, 9, n)],
    }
    return words[kind]


def write(path: Path, columns: dict[str, list[str]], delimiter: str, row_names: bool) -> None:
    def quoted(cell: str) -> str:
        special = delimiter in cell or '"' in cell or "\n" in cell
        return '"' + cell.replace('"', '""') + '"' if special else cell

    rows = [list(columns), *zip(*columns.values(), strict=True)]
    if row_names:
        rows = [["", *rows[0]], *([f"r{i}", *row] for i, row in enumerate(rows[1:]))]
    path.write_text("".join(delimiter.join(map(quoted, row)) + "\n" for row in rows), "utf-8")


@pytest.mark.parametrize("seed", range(12))
def test_columns_are_those_of_the_whole_file(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(csv_batches, "BLOCK_BYTES", int(rng.choice([400, 2**22])))
    delimiter = str(rng.choice([";", "\t", "|"]))
    kinds = ["number", "gaps", "name", "flag", "unit", "date", "late", "padded"]
    kinds = [str(k) for k in rng.permutation(kinds)[:4]] + (["comma"] if seed % 3 == 0 else [])
    path = tmp_path / "large.csv"
    columns = {kind: cells(rng, kind, 200) for kind in ["name", *kinds]}
    if seed % 3 == 0:
        columns.pop("number", None)
        columns.pop("gaps", None)
    write(path, columns, delimiter, row_names=bool(rng.random() < 0.4))
    options = ReadOptions(na=("oats",) if seed % 2 else ())
    whole = read_file(path, options)
    large = open_large(path, options, memory=10)
    found = large.rows.take(np.arange(200))
    expected = whole.without(c.name for c in whole.columns if c.problem).table()
    assert large.rows.names == whole.names
    assert large.notes == whole.notes
    for name in expected.names:
        a, b = found.names.index(name), expected.names.index(name)
        np.testing.assert_array_equal(found.column(a), expected.column(b), err_msg=name)
        values = found.schema.categories[a], expected.schema.categories[b]
        assert np.array_equal(*values) or values == (None, None)
        assert (a in found.schema.boolean) == (b in expected.schema.boolean)


def test_the_temporary_file_is_removed(tmp_path):
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "1,2\n3,4\n" * 30)
    rows = open_large(path, ReadOptions(), memory=10).rows
    place = Path(rows.path)
    part = rows.select(["b"])
    del rows
    assert place.exists()
    assert part.take(np.array([1])).values.tolist() == [[4.0]]
    del part
    assert not place.exists()


def test_rows_of_other_lengths_are_refused(tmp_path):
    path = tmp_path / "damaged.csv"
    path.write_text("a,b\n" + "1,2\n" * 30 + "3\n")
    with pytest.raises(FileProblem, match=r"cannot be read in parts: .*Expected 2 columns"):
        open_large(path, ReadOptions(), memory=10)


def test_small_files_and_others_are_not_opened_in_parts(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    assert open_large(path, ReadOptions(), memory=1000) is None
    assert open_large("-", ReadOptions(), memory=1) is None
    assert open_large(tmp_path / "nothing.csv", ReadOptions(), memory=1) is None
    mat = tmp_path / "x.svm"
    mat.write_text("1 1:2 2:3\n0 1:1\n")
    assert open_large(mat, ReadOptions(), memory=1) is None


def test_arrays_and_annotated_data_in_parts(tmp_path):
    anndata = pytest.importorskip("anndata")
    from scipy import sparse

    X = np.random.default_rng(0).poisson(1.0, (40, 5)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    adata = anndata.AnnData(sparse.csr_matrix(X), layers={"dense": X + 1})
    adata.obs["kind"] = ["a", "b"] * 20
    adata.write_h5ad(tmp_path / "x.h5ad")
    for name, options, shift in (
        ("x.npy", ReadOptions(), 0),
        ("x.h5ad", ReadOptions(), 0),
        ("x.h5ad", ReadOptions(layer="dense"), 1),
    ):
        large = open_large(tmp_path / name, options, memory=10)
        found = large.rows.take(np.arange(40))
        for j in range(5):
            np.testing.assert_array_equal(found.column(j), X[:, j] + shift)
        assert large.sample().n_rows == 40
    assert large.sample().with_label("kind").label.texts()[:3] == ["a", "b", "a"]
