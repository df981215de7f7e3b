"""What people pass to `fit`: it works, or the error says what to do."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from unsuprank import Genie3, PredictiveClusteringForest, VarianceRanker
from unsuprank.io import read_file
from unsuprank.table import read_table


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n3,x\n4,y\n")
    return path


def test_the_table_of_a_file_is_ranked_and_others_are_told_of_it(file):
    data = read_file(file)
    assert len(Genie3(n_estimators=3, random_state=0).fit(data.table()).scores_) == 2
    with pytest.raises(TypeError, match=r"X is a DataFile; pass the table that it holds: X\.table"):
        Genie3().fit(data)
    for name in (file, str(file)):
        with pytest.raises(TypeError, match=r"read it: unsuprank\.io\.read_file\(path\)\.table"):
            Genie3().fit(name)
    for nothing in (None, {"a": [1, 2]}):
        with pytest.raises(TypeError, match="pass an array, a DataFrame"):
            Genie3().fit(nothing)


@pytest.mark.parametrize("sparse_matrix", [False, True])
def test_anndata(sparse_matrix):
    anndata = pytest.importorskip("anndata")
    from scipy import sparse

    X = np.random.default_rng(0).normal(size=(10, 4))
    adata = anndata.AnnData(sparse.csr_matrix(X) if sparse_matrix else X)
    adata.var_names = list("abcd")
    ranker = VarianceRanker(n_features_to_select=2).fit(adata)
    np.testing.assert_array_equal(ranker.scores_, VarianceRanker().fit(X).scores_)
    assert list(ranker.feature_names_in_) == list("abcd")
    kept = ranker.transform(adata)
    assert list(kept.var_names) == list(np.array(list("abcd"))[ranker.get_support()])
    with pytest.raises(ValueError, match="3 columns, but 4 were ranked"):
        ranker.transform(adata[:, :3])
    adata.X = None
    with pytest.raises(ValueError, match="has no X"):
        VarianceRanker().fit(adata)


def test_columns_that_are_named_by_numbers_may_be_nominal():
    frame = pd.DataFrame({0: [1.0, 2.0, 4.0, 8.0], 1: list("abab"), 2: [1.0, 0.0, 0.0, 1.0]})
    table = read_table(frame)
    assert table.names == ["0", "1", "2"]
    np.testing.assert_array_equal(table.n_values, [0, 2, 0])
    np.testing.assert_array_equal(table.values[:, 0], frame[0])


def test_columns_of_texts_in_an_array_of_objects_are_nominal():
    X = np.array([["a", 1.0], ["b", 2.0], [None, 4.0], ["a", np.nan]], dtype=object)
    frame = pd.DataFrame({"w": X[:, 0], "x": X[:, 1].astype(float)})
    expected = Genie3(n_estimators=5, random_state=0).fit(frame).scores_
    ranker = Genie3(n_estimators=5, random_state=0, n_features_to_select=1).fit(X)
    np.testing.assert_array_equal(ranker.scores_, expected)
    assert ranker.transform(X).shape == (4, 1)
    forest = PredictiveClusteringForest(n_estimators=3, random_state=0).fit(X)
    assert set(forest.predict(X)[:, 0]) <= {"a", "b"}
    for texts in (X.astype(str), [["a", 1.0], ["b", 2.0]]):
        with pytest.raises(ValueError, match=r"X holds texts .* pass a DataFrame"):
            Genie3().fit(texts)


def test_dates_of_frames_are_days():
    moments = [dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 3), None]
    dates, times = [dt.date(2020, 1, 1), None, dt.date(2020, 1, 4)], [dt.time(6), dt.time(12), None]
    columns = {"m": moments, "d": dates, "t": times, "l": [dt.timedelta(hours=6)] * 2 + [None]}
    expected = [
        [18262.5, 18262.0, 0.25, 0.25],
        [18264.0, np.nan, 0.5, 0.25],
        [np.nan, 18265.0, np.nan, np.nan],
    ]
    with pytest.warns(UserWarning, match="Column 'm' holds dates or times; they are read as days"):
        table = read_table(pl.DataFrame(columns))
    np.testing.assert_allclose(table.values, expected)
    frame = pd.DataFrame({"m": pd.to_datetime(moments), "l": pd.to_timedelta(columns["l"])})
    frame["z"] = pd.to_datetime(moments).tz_localize("Europe/Vienna")
    with pytest.warns(UserWarning, match="days"):
        values = read_table(frame).values
    np.testing.assert_allclose(values[:, :2], np.array(expected)[:, [0, 3]])
    np.testing.assert_allclose(values[:, 2], values[:, 0] - 1 / 24)


def test_what_is_masked_is_missing():
    values = np.arange(12.0).reshape(4, 3)
    mask = np.eye(4, 3, dtype=bool)
    expected = np.where(mask, np.nan, values)
    for kind in (float, int, ">f4", np.uint8):
        table = read_table(np.ma.masked_array(values.astype(kind), mask))
        np.testing.assert_array_equal(table.values, expected)
    words = np.ma.masked_array(np.array([["a", 1], ["b", 2]], dtype=object), [[0, 0], [1, 0]])
    np.testing.assert_array_equal(read_table(words).values, [[0, 1], [np.nan, 2]])
    np.testing.assert_array_equal(read_table(np.ma.masked_array(values)).values, values)
    with pytest.raises(ValueError, match="VarianceRanker cannot take missing values"):
        VarianceRanker().fit(np.ma.masked_array(values, mask))


def test_decimals_of_databases_are_numbers_in_every_frame():
    columns = {"price": [Decimal("1.5"), None, Decimal("-2")], "name": ["x", "y", "x"]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        table = read_table(frame)
        np.testing.assert_array_equal(table.values, [[1.5, 0], [np.nan, 1], [-2, 0]])
        assert table.schema.categories[0] is None
        again = read_table(frame, schema=table.schema)
        np.testing.assert_array_equal(again.values, table.values)


def test_numbers_in_columns_of_objects_are_names_and_told_of():
    hidden = pd.DataFrame({"a": [1, 2.5, None], "b": ["x", "y", "x"]}, dtype=object)
    with pytest.warns(UserWarning, match=r"'a' holds numbers in a column of objects .*astype"):
        assert read_table(hidden).schema.categories[0] is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(hidden, nominal_features=["a"])
        read_table(pd.DataFrame({"a": [1, 2, 1]}, dtype="category"))
        read_table(pd.DataFrame({"a": [True, None, False], "b": [np.nan] * 3}, dtype=object))


def test_columns_of_lists_and_of_one_name_are_refused_by_name():
    for value in ([1], {"a": 1}, np.ones(2)):
        frame = pd.DataFrame({"good": [1.0, 2.0], "bad": [value, value]})
        with pytest.raises(ValueError, match=r"'bad' holds values of type \w+; only numbers and"):
            read_table(frame)
    twice = pa.table([[1, 2], [3, 4], [5, 6]], names=["a", "b", "a"])
    for frame in (twice, twice.to_pandas()):
        with pytest.raises(ValueError, match="2 columns of X are called 'a'; give each column"):
            read_table(frame)
