"""What is written into a file of any format comes out of it again."""

from __future__ import annotations

import csv
import gzip
import tempfile
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import tables
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file

from unsuprank.io import ReadOptions, read_file, read_scores, write_rows

pytestmark = pytest.mark.untraced

#: How each format writes a matrix of numbers.
WRITERS = {
    ".csv": lambda X, path: pd.DataFrame(X).add_prefix("c").to_csv(path, index=False),
    ".tsv": lambda X, path: pd.DataFrame(X).add_prefix("c").to_csv(path, index=False, sep="\t"),
    ".csv.gz": lambda X, path: path.write_bytes(
        gzip.compress(pd.DataFrame(X).add_prefix("c").to_csv(index=False).encode())
    ),
    ".arff": lambda X, path: path.write_text(
        "@relation t\n"
        + "".join(f"@attribute c{j} numeric\n" for j in range(X.shape[1]))
        + "@data\n"
        + pd.DataFrame(X).to_csv(index=False, header=False)
    ),
    ".parquet": lambda X, path: pd.DataFrame(X).add_prefix("c").to_parquet(path),
    ".feather": lambda X, path: pd.DataFrame(X).add_prefix("c").to_feather(path),
    ".npy": lambda X, path: np.save(path, X),
    ".npz": lambda X, path: np.savez(path, X=X),
    ".mat": lambda X, path: savemat(path, {"X": X}),
    ".svm": lambda X, path: dump_svmlight_file(X, np.zeros(len(X)), str(path), zero_based=True),
    ".h5ad": lambda X, path: anndata.AnnData(sparse.csr_matrix(X)).write_h5ad(path),
}
names = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=12)


def through(ending: str, write) -> Path:
    """A file in a directory that goes with the process."""
    path = Path(tempfile.mkdtemp(dir=_place.name)) / f"table{ending}"
    write(path)
    return path


_place = tempfile.TemporaryDirectory()


@pytest.mark.parametrize("ending", WRITERS)
@given(X=tables(min_columns=3))
def test_numbers_come_back_as_they_were(ending, X):
    X[0, -1], X[1, -1] = 0.25, 3.0  # so that a sparse format knows the last column
    table = read_file(through(ending, lambda path: WRITERS[ending](X, path))).table()
    np.testing.assert_array_equal(table.values, X)


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
@given(X=tables(("noise", "skewed")))
def test_separators_and_decimal_signs_are_told_or_found(sep, decimal, X):
    def write(path):
        pd.DataFrame(X).add_prefix("c").to_csv(path, index=False, sep=sep, decimal=decimal)

    told = ReadOptions(sep=sep, decimal=decimal)
    if sep != decimal:
        np.testing.assert_array_equal(read_file(through(".csv", write), told).table().values, X)


@given(wanted=st.lists(names.filter(str.strip), min_size=2, max_size=5, unique=True))
def test_names_of_columns_come_back(wanted):
    def write(path):
        with path.open("w", newline="", encoding="utf-8") as stream:
            rows = [wanted, *([i * j + 0.5 for j in range(len(wanted))] for i in range(5))]
            csv.writer(stream).writerows(rows)

    found = read_file(through(".csv", write), ReadOptions(sep=",", header=True)).names
    assert [name.strip() for name in found] == [name.strip() for name in wanted]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet"])
@given(features=st.lists(names, min_size=1, max_size=6, unique=True))
def test_scores_come_back_in_their_order(ending, features):
    rows = [{"feature": f, "rank": r, "score": 1.0 / r} for r, f in enumerate(features, 1)]
    path = through(ending, lambda path: write_rows(rows, path))
    assert read_scores(path) == features
