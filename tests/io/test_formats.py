"""The same table in every format gives the same ranking."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat
from sklearn.datasets import dump_svmlight_file

from unsuprank import RandomRanker, VarianceRanker
from unsuprank.io import FileProblem, ReadOptions, read_file
from unsuprank.table import read_table

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 5)) * [1, 5, 0.2, 3, 9]
    return pd.DataFrame(values, columns=NAMES)


def arff_of(frame):
    head = "@relation t\n" + "".join(f"@attribute {c} numeric\n" for c in frame.columns)
    return head + "@data\n" + frame.to_csv(index=False, header=False)


def german(frame):
    return frame.to_csv(sep=";", decimal=",", index=False)


def spaced(frame):
    return frame.to_csv(sep=" ", index=False)


def write(frame, ending, place):
    path = place / f"table{ending}"
    values = frame.to_numpy()
    if ending in (".csv", ".tsv", ".txt"):
        sep = {".csv": ",", ".tsv": "\t", ".txt": "|"}[ending]
        frame.to_csv(path, sep=sep, index=False)
    elif ending == ".csv.gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif ending == ".arff":
        path.write_text(arff_of(frame))
    elif ending == ".parquet":
        frame.to_parquet(path)
    elif ending == ".mat":
        names = np.array(NAMES, dtype=object)
        savemat(path, {"X": values, "Y": np.ones((30, 1)), "names": names})
    elif ending == ".npy":
        np.save(path, values)
    elif ending == ".npz":
        np.savez(path, X=values, y=np.ones(30), feature_names=np.array(NAMES))
    elif ending == ".svm":
        dump_svmlight_file(values, np.ones(30), str(path), zero_based=True)
    elif ending == ".h5ad":
        anndata = pytest.importorskip("anndata")
        adata = anndata.AnnData(values * 0, var=pd.DataFrame(index=NAMES))
        adata.layers["scaled"] = sparse.csr_matrix(values)
        adata.write_h5ad(path)
    return path


ENDINGS = [".csv", ".tsv", ".txt", ".csv.gz", ".arff", ".parquet", ".mat", ".npy", ".npz", ".svm"]


@pytest.mark.parametrize("ending", [*ENDINGS, ".h5ad"])
def test_every_format_gives_the_same_ranking(frame, ending, tmp_path):
    path = write(frame, ending, tmp_path)
    data = read_file(path, ReadOptions(layer="scaled" if ending == ".h5ad" else None))
    expected = VarianceRanker().fit(frame)
    ranker = VarianceRanker().fit(data.table())
    np.testing.assert_array_equal(ranker.order_, expected.order_)
    np.testing.assert_allclose(data.table().values, frame.to_numpy(), rtol=1e-12)
    if ending not in (".npy", ".svm"):
        assert data.names == NAMES
    else:
        assert data.names == [f"x{j}" for j in range(5)]


@pytest.mark.parametrize("text_of", [german, spaced])
def test_other_ways_to_write_numbers(frame, text_of, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text_of(frame))
    data = read_file(path)
    assert data.names == NAMES
    np.testing.assert_allclose(data.table().values, frame.to_numpy(), rtol=1e-12)


def test_files_without_header_and_with_row_names(frame, tmp_path):
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False, header=False)
    assert read_file(path).names == [f"x{j}" for j in range(5)]
    assert read_file(path).n_rows == 30

    frame.index = [f"patient {i}" for i in range(30)]
    frame.to_csv(path)
    named = read_file(path)
    assert named.names == NAMES
    assert named.row_names == list(frame.index)

    lines = frame.to_csv(sep="\t").splitlines()
    lines[0] = lines[0].lstrip("\t")  # as R writes it: the header is one cell short
    path.write_text("\n".join(lines))
    as_r = read_file(path)
    assert as_r.names == NAMES
    assert as_r.row_names == list(frame.index)

    frame.columns = range(5)
    frame.reset_index(drop=True).to_csv(path)
    assert read_file(path).names == ["0", "1", "2", "3", "4"]


def test_header_can_be_forced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("2019,2020\n1,2\n3,4\n")
    assert read_file(path).n_rows == 3
    forced = read_file(path, ReadOptions(header=True))
    assert forced.names == ["2019", "2020"]
    assert forced.n_rows == 2


@pytest.mark.parametrize("ending", [".csv", ".arff", ".parquet"])
def test_mixed_tables(ending, tmp_path):
    frame = pd.DataFrame(
        {"size": [1.5, np.nan, 3.0, 4.0], "colour": ["red", "blue", None, "red"], "n": [1, 2, 3, 4]}
    )
    path = tmp_path / f"t{ending}"
    if ending == ".csv":
        frame.to_csv(path, index=False)
    elif ending == ".parquet":
        frame.to_parquet(path)
    else:
        path.write_text(
            "% comment\n@RELATION t\n@attribute size REAL\n@ATTRIBUTE 'colour' {red, 'blue'}\n"
            "@attribute n integer\n@data\n1.5,red,1\n?,'blue',2\n3,?,3\n4,red,4\n"
        )
    table = read_file(path).table()
    assert table.schema.names == ("size", "colour", "n")
    assert list(table.schema.categories[1]) == ["blue", "red"]
    np.testing.assert_array_equal(table.values[:, 1], [1, 0, np.nan, 1])
    np.testing.assert_array_equal(table.values[:, 0], [1.5, np.nan, 3, 4])
    assert list(table.n_values) == [0, 2, 0]


def test_numbers_read_as_nominal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,x\n8010,1\n1010,2\n8010,3\n")
    table = read_file(path).with_nominal(["zip"]).table()
    np.testing.assert_array_equal(table.values[:, 0], [1, 0, 1])
    assert list(table.schema.categories[0]) == [1010.0, 8010.0]


def test_booleans(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("flag,x\nTrue,1\nFalse,2\nTrue,3\n")
    table = read_file(path).table()
    assert table.schema.boolean == {0}
    np.testing.assert_array_equal(table.values[:, 0], [1, 0, 1])


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npy"])
def test_booleans_are_nominal_and_numbers_to_who_needs_them(ending, tmp_path):
    flags = np.array([[True, False], [False, False], [True, True], [False, True]])
    frame = pd.DataFrame(flags, columns=["x0", "x1"])
    path = tmp_path / f"t{ending}"
    if ending == ".csv":
        frame.to_csv(path, index=False)
    elif ending == ".parquet":
        frame.to_parquet(path)
    else:
        np.save(path, flags)
    data = read_file(path)
    table = data.table()
    assert table.schema.boolean == {0, 1}
    assert list(table.n_values) == [2, 2]
    assert VarianceRanker().fit(table).scores_.tolist() == [0.25, 0.25]
    with pytest.raises(ValueError, match="is nominal"):  # when declared to be names
        VarianceRanker().fit(read_table(table.values, nominal_features=[0]))
    assert data.rows()[0] == {"x0": "True", "x1": "False"}


def labelled(ending, place):
    """A table of six rows with a vector of classes beside it."""
    X, y, words = np.eye(6, 3), np.repeat([1, 2], 3), np.repeat(["u", "v"], 3)
    path = place / f"t{ending}"
    if ending == ".mat":
        savemat(path, {"X": X, "Y": y[:, None], "word": words.astype(object)})
    elif ending == ".npz":
        np.savez(path, X=X, Y=y, word=words, scale=1000)
    elif ending == ".svm":
        dump_svmlight_file(X, y, str(path))
    else:
        anndata = pytest.importorskip("anndata")
        obs = pd.DataFrame({"Y": y, "word": pd.Categorical(words)}, index=list("abcdef"))
        anndata.AnnData(X, obs=obs).write_h5ad(path)
    return path


@pytest.mark.parametrize("ending", [".mat", ".npz", ".svm", ".h5ad"])
def test_labels_beside_the_table(ending, tmp_path):
    data = read_file(labelled(ending, tmp_path))
    assert data.likely_label() == ("label" if ending == ".svm" else "Y")
    numbers = data.with_label(data.likely_label())
    assert numbers.names == data.names
    assert numbers.label.values.tolist() == [1, 1, 1, 2, 2, 2]
    if ending != ".svm":
        assert data.with_label("word").label.texts() == list("uuuvvv")
    if ending == ".npz":
        assert float(data.beside["scale"]) == 1000
        with pytest.raises(FileProblem, match="'scale' holds 1 values, and the table has 6 rows"):
            data.with_label("scale")
    with pytest.raises(FileProblem, match="no column 'z'"):
        data.with_label("z")


def test_likely_label_of_a_column(tmp_path):
    (tmp_path / "t.csv").write_text("a,Class\n1,u\n2,v\n")
    assert read_file(tmp_path / "t.csv").likely_label() == "Class"
    (tmp_path / "t.csv").write_text("a,b\n1,u\n2,v\n")
    assert read_file(tmp_path / "t.csv").likely_label() is None


def test_sparse_arff_and_escapes(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(
        "@relation t\n@attribute 'it\\'s' numeric\n@attribute b {x, y}\n@data\n"
        "{0 2.5, 1 y}\n{}\n{1 ?}\n"
    )
    data = read_file(path)
    assert data.names == ["it's", "b"]
    np.testing.assert_array_equal(data.table().values, [[2.5, 1], [0, 0], [0, np.nan]])


def test_sparse_npz(frame, tmp_path):
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(frame.to_numpy()))
    np.testing.assert_array_equal(read_file(tmp_path / "s.npz").table().values, frame.to_numpy())


def test_matlab_7_3(frame, tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "t.mat"
    with h5py.File(path, "w", userblock_size=512) as stored:
        stored["X"] = frame.to_numpy().T
    with path.open("r+b") as stream:  # the mark by which MATLAB's version 7.3 is known
        stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    np.testing.assert_array_equal(read_file(path).table().values, frame.to_numpy())


@pytest.mark.data
@pytest.mark.parametrize("name", ["colon", "Yale", "TOX-171"])
def test_real_mat(data_dir, name):
    table = read_file(data_dir / f"{name}.mat").table()
    np.testing.assert_array_equal(table.values, loadmat(data_dir / f"{name}.mat")["X"])


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "shape", "missing"),
    [
        ("labor", (57, 17), 326),
        ("vote", (435, 17), 392),
        ("soybean", (683, 36), 2337),
        ("credit-g", (1000, 21), 0),
        ("weather.numeric", (14, 5), 0),
        ("penguins_openml42585", (344, 7), 18),
        ("titanic_openml40945", (1309, 14), 3855),
    ],
)
def test_real_arff(data_dir, name, shape, missing):
    data = read_file(data_dir / "mixed" / f"{name}.arff")
    table = data.table()
    assert table.values.shape == shape
    assert np.isnan(table.values).sum() == missing
    assert RandomRanker(random_state=0).fit(table).n_features_in_ == shape[1]


@pytest.mark.data
def test_real_h5ad(data_dir):
    anndata = pytest.importorskip("anndata")
    path = data_dir / "singlecell" / "10x_pbmc68k_reduced.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is of an old version
        adata = anndata.read_h5ad(path)
    data = read_file(path, ReadOptions(raw=True))
    np.testing.assert_array_equal(data.table().values, adata.raw.X.toarray())
    assert data.names == list(adata.raw.var_names)
    np.testing.assert_array_equal(read_file(path).table().values, adata.X.astype(float))


@pytest.mark.data
def test_real_npz(data_dir):
    assert read_file(data_dir / "USPS.npz").table().values.shape == (9298, 256)


def test_a_file_in_short(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,c\n1,2,x\n3,5,y\n")
    assert repr(read_file(path)) == "<DataFile 'mine.csv': 2 rows, 3 columns>"
