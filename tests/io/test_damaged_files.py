"""Small files of large cost, and damaged ones: one sentence, little memory, no crash."""

from __future__ import annotations

import bz2
import contextlib
import itertools
import zipfile

import numpy as np
import pytest
from scipy import sparse

from unsuprank.io import (
    FileProblem,
    ReadOptions,
    locked_door,
    open_large,
    read_file,
    read_scores,
    write_rows,
)


def sparse_npz(path, index, kind=b"csr"):
    """What SciPy would store, with indices that point anywhere."""
    np.savez(
        path, format=kind, shape=[4, 4], data=np.ones(4), indices=[index] * 4, indptr=np.arange(5)
    )


@pytest.mark.parametrize("kind", [b"csr", b"csc"])
@pytest.mark.parametrize("index", [9, 2**30, -1])
def test_sparse_matrices_that_point_outside(tmp_path, index, kind):
    sparse_npz(tmp_path / "t.npz", index, kind)
    with pytest.raises(FileProblem, match=r"damaged sparse matrix|cannot be read"):
        read_file(tmp_path / "t.npz")
    sparse_npz(tmp_path / "t.npz", 3, kind)
    assert read_file(tmp_path / "t.npz").table().shape == (4, 4)


def test_more_columns_than_anybody_ranks(tmp_path):
    (tmp_path / "t.svm").write_text("1 20000000:1\n")
    with pytest.raises(FileProblem, match="has 20,000,000 columns; up to 1,000,000 are read"):
        read_file(tmp_path / "t.svm")
    (tmp_path / "t.svm.bz2").write_bytes(bz2.compress(b"1 1:1\n"))
    with pytest.raises(FileProblem, match="is not an svmlight file"):  # and it is not unpacked
        read_file(tmp_path / "t.svm.bz2", ReadOptions(format="svmlight"))
    np.save(tmp_path / "t.npy", np.zeros((2, 1_000_001), dtype=np.int8))
    with pytest.raises(FileProblem, match="has 1,000,001 columns"):
        read_file(tmp_path / "t.npy")
    (tmp_path / "t.csv").write_text(2 * ("," * 1_000_000 + "\n"))
    with pytest.raises(FileProblem, match="has 1,000,001 columns"):
        read_file(tmp_path / "t.csv")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_matrices_of_every_kind_that_scipy_stores(tmp_path, kind):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cells = rng.normal(size=rng.integers(1, 9, size=2))
        matrix = sparse.csr_array(np.where(cells > 0.5, cells, 0)).asformat(kind)
        sparse.save_npz(tmp_path / "t.npz", matrix)
        columns = read_file(tmp_path / "t.npz").columns
        assert (np.column_stack([c.values for c in columns]) == matrix.toarray()).all()


def test_a_long_header_is_not_one_of_objects(tmp_path):
    header = b"\x93NUMPY\x02\0" + (2**20).to_bytes(4, "little") + b" " * 2**20
    with zipfile.ZipFile(tmp_path / "t.npz", "w", zipfile.ZIP_DEFLATED) as stored:
        stored.writestr("X.npy", header)
    with pytest.raises(FileProblem, match="Header info length") as problem:
        read_file(tmp_path / "t.npz")
    assert "pickle" not in str(problem.value)


def repeated(n_rows, word):
    """One long word in many rows, as a dictionary of one word."""
    pa = pytest.importorskip("pyarrow")
    return pa.DictionaryArray.from_arrays(np.zeros(n_rows, dtype=np.int8), pa.array([word]))


@pytest.mark.parametrize(
    ("ending", "column"),
    [
        *itertools.product(["parquet", "feather"], ["names", "index", "bytes"]),
        ("parquet", "texts"),  # Feather has no texts that are stored once
    ],
)
def test_a_word_that_many_rows_have_is_read_once(tmp_path, ending, column):
    """Written out, it would take 30 GB."""
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    n_rows, word = 300_000, "w" * 100_000
    values = repeated(n_rows, word)
    table = pa.table({"word": values, "x": np.arange(n_rows) % 7})
    if column == "index":
        table = table.replace_schema_metadata({"pandas": '{"index_columns": ["word"]}'})
    if column == "bytes":
        table = table.set_column(0, "word", repeated(n_rows, word.encode()))
    if ending == "parquet":
        store = column not in ("texts", "bytes")  # whether the file says that it is a dictionary
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(table, tmp_path / "t.parquet", store_schema=store)
    else:
        feather.write_feather(table, tmp_path / "t.feather", compression="zstd")
    read = read_file(tmp_path / f"t.{ending}")
    if column == "index":
        assert read.row_names == [word] * n_rows
    elif column == "bytes" and ending == "parquet":
        assert "holds values of type binary" in read.columns[0].problem
    else:
        assert read.columns[0].texts()[-1] in (word, str(word.encode()))
    assert (read.columns[-1].values == np.arange(n_rows) % 7).all()


def test_lists_are_told_of_and_not_read(tmp_path):
    """Two rows may hold any number of values, in a few bytes."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    items = pa.array(np.zeros(2**24, dtype=np.int8))
    lists = pa.ListArray.from_arrays(pa.array([0, 5, 2**24], pa.int32()), items)
    pq.write_table(pa.table({"a": lists, "b": [1.0, 2.0]}), tmp_path / "t.parquet")
    lists, numbers = read_file(tmp_path / "t.parquet").columns
    assert "holds values of type list" in lists.problem
    assert numbers.values.tolist() == [1.0, 2.0]


def write_groups(path):
    """A Parquet file of two groups of ten rows; gives its bytes up to the length of its end."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    with pq.ParquetWriter(path, pa.schema({"a": pa.float64()})) as writer:
        for _ in range(2):
            writer.write_table(pa.table({"a": np.arange(10.0)}))
    return path.read_bytes()


def change_end(path, content, place, new, n_old=1):
    """Write other bytes to a place in the description at the end of a Parquet file."""
    length = int.from_bytes(content[-8:-4], "little") + len(new) - n_old
    body = content[:place] + new + content[place + n_old : -8]
    path.write_bytes(body + length.to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("said", [0, 2, 9, 11, 2**30])
def test_a_group_with_other_rows_than_it_says(tmp_path, said):
    path = tmp_path / "t.parquet"
    content = write_groups(path)
    # The last number that is a ten, and written twice as large: how many rows the second group has.
    last = content.rindex(b"\x16\x14") + 1
    change_end(path, content, last, as_varint(2 * said))
    with contextlib.suppress(FileProblem):
        assert read_file(path).columns[0].values.tolist() == [*range(10)] * 2
    assert open_large(path, ReadOptions(), 0) is None


@pytest.mark.parametrize("said", [0, 2, 9, 11, 2**30])
def test_a_column_with_other_values_than_it_says(tmp_path, said):
    path = tmp_path / "t.parquet"
    content = write_groups(path)
    last_but_one = content.rindex(b"\x16\x14", 0, content.rindex(b"\x16\x14")) + 1
    change_end(path, content, last_but_one, as_varint(2 * said))
    with contextlib.suppress(FileProblem):
        assert read_file(path).columns[0].values.tolist() == [*range(10)] * 2
    with contextlib.suppress(FileProblem):
        assert open_large(path, ReadOptions(), 0).rows.take(np.arange(20)).shape == (20, 1)


def as_varint(number):
    """Seven bits a byte, all but the last marked."""
    return bytes([number & 127 | 128]) + as_varint(number >> 7) if number > 127 else bytes([number])


def test_sizes_that_pyarrow_cannot_look_at(tmp_path):
    """It ends the process when it is asked what a column takes whose counts do not fit."""
    path = tmp_path / "t.parquet"
    content = write_groups(path)
    # No count of lists, and two counts of known values: none and ten. Then the other way round.
    usual, other = b"\x29\x06\x19\x26\x00\x14", b"\x29\x26\x00\x14\x19\x06"
    if usual not in content:
        pytest.skip("a pyarrow that writes no such counts")
    change_end(path, content, content.rindex(usual), other, len(usual))
    with pytest.raises(FileProblem, match=r"not a readable Parquet file: .*mismatch"):
        read_file(path)


def test_a_header_that_promises_too_much(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.zeros((3, 3)))
    path.write_bytes(path.read_bytes().replace(b"(3, 3)", b"(3000000, 300000)")[:128] + b"\0" * 72)
    with pytest.raises(FileProblem):
        read_file(path)


def test_one_long_cell_costs_one_long_cell(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"w{i},{i}\n" for i in range(500)) + "x" * 120_000 + ",1\n")
    assert read_file(path).table().shape == (501, 2)


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_formulas_are_guarded_and_come_back(ending, tmp_path):
    names = ["=1+1", "+a", "-b", "@c", "'d", "e"]
    path = tmp_path / f"s.{ending}"
    write_rows([{"feature": n, "rank": r, "score": -1.0} for r, n in enumerate(names, 1)], path)
    assert read_scores(path) == names
    if ending == "csv":
        assert path.read_text().splitlines()[1:3] == ["'=1+1,1,-1.0", "'+a,2,-1.0"]


@pytest.mark.parametrize("name", ["s.csv", "s.json", "s.parquet"])
def test_damaged_scores(tmp_path, name):
    (tmp_path / name).write_bytes(b'[{"feature": \xff\xfe')
    with pytest.raises(
        FileProblem, match=r"is not a table of scores|is not a readable Parquet file"
    ):
        read_scores(tmp_path / name)


def test_scores_have_a_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(locked_door, "ALWAYS", 2**28)
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for n_rows, refused in ((18_000_000, "within its budget"), (2_000_000, "no table")):
        ranks = np.zeros(n_rows, dtype=np.int8)
        pq.write_table(
            pa.table({"feature": repeated(n_rows, "w"), "rank": ranks}), tmp_path / "s.parquet"
        )
        with pytest.raises(FileProblem, match=refused):
            read_scores(tmp_path / "s.parquet")
    # Every row by itself would have as many cells as the header: 10^10.
    header = "feature,rank," + ",".join(map(str, range(100_000)))
    rows = "".join(f"f{i},{i}\n" for i in range(100_000))
    (tmp_path / "s.csv").write_text(f"{header}\n\n{rows}")
    assert read_scores(tmp_path / "s.csv") == [f"f{i}" for i in range(100_000)]
