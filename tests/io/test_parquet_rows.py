"""Parquet files a batch at a time: the table that reading them whole gives, and nothing else."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from unsuprank import Genie3  # noqa: E402
from unsuprank.io import FileProblem, read_file  # noqa: E402
from unsuprank.io.parquet_rows import ParquetRows  # noqa: E402


def mixed_frame(n_rows: int, seed: int):
    rng = np.random.default_rng(seed)
    day = dt.datetime(2020, 2, 3)
    numbers = rng.normal(size=n_rows)
    numbers[rng.random(n_rows) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "number": numbers,
            "count": rng.integers(0, 9, n_rows),
            "small": rng.normal(size=n_rows).astype(np.float32),
            "name": rng.choice(["rye", "oats", None, "barley", "ß"], n_rows),
            "kind": pd.Categorical(rng.choice(["b", "a", "c"], n_rows)),
            "flag": rng.random(n_rows) < 0.5,
            "weight": [f"{w} kg" for w in rng.integers(50, 90, n_rows)],
            "written": [
                str(day.date() + dt.timedelta(int(d))) for d in rng.integers(0, 90, n_rows)
            ],
            "when": [day + dt.timedelta(hours=float(h)) for h in rng.integers(0, 999, n_rows)],
            "long": pd.to_timedelta(rng.integers(1, 999, n_rows), unit="s"),
        }
    )


def assert_same_table(found, expected):
    assert found.schema.names == expected.schema.names
    assert found.schema.boolean == expected.schema.boolean
    for a, b in zip(found.schema.categories, expected.schema.categories, strict=True):
        assert (a is None) == (b is None)
        assert a is None or a.tolist() == b.tolist()
    np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_those_of_the_whole_file(tmp_path, seed):
    n_rows = [40, 3, 171, 64][seed]
    path = tmp_path / "mixed.parquet"
    mixed_frame(n_rows, seed).to_parquet(path, row_group_size=[7, 1, 50, 64][seed])
    whole = read_file(path).table()
    rows = ParquetRows(path)
    assert rows.shape == whole.shape
    assert_same_table(rows.take(np.arange(n_rows)), whole)
    some = np.flatnonzero(np.random.default_rng(seed).random(n_rows) < 0.3)
    assert_same_table(rows.take(some), whole.take(some))
    for size in (1, 5, 64, 1000):
        chunks = list(rows.chunks(size))
        assert [c.n_rows for c in chunks[:-1]] == [size] * (len(chunks) - 1)
        np.testing.assert_array_equal(np.concatenate([c.values for c in chunks]), whole.values)


def test_columns_are_dropped_declared_nominal_and_given_gaps(tmp_path):
    path = tmp_path / "mixed.parquet"
    mixed_frame(50, 1).to_parquet(path)
    whole = read_file(path).with_nominal(["count", "weight"]).with_missing(["rye", "4"])
    whole = whole.only(["count", "weight", "name", "number"])
    rows = ParquetRows(path, nominal=["count", "weight"], na=["rye", "4"])
    rows = rows.select(["count", "weight", "name", "number"])
    found = rows.take(np.arange(50))
    expected = whole.table()
    for name in ("weight", "name", "number"):
        j = expected.names.index(name)
        np.testing.assert_array_equal(found.column(j), expected.column(j))


def test_scores_from_a_file_are_those_from_memory(tmp_path):
    path = tmp_path / "mixed.parquet"
    mixed_frame(300, 2).to_parquet(path, row_group_size=64)
    settings = {"n_estimators": 40, "max_samples": 64, "random_state": 3}
    whole = Genie3(**settings).fit(read_file(path).table())
    parts = Genie3(**settings, n_jobs=2).fit(ParquetRows(path))
    np.testing.assert_array_equal(whole.scores_, parts.scores_)
    np.testing.assert_array_equal(whole.scores_sem_, parts.scores_sem_)
    assert parts.feature_names_in_.tolist() == whole.feature_names_in_.tolist()


def test_infinite_values_are_refused(tmp_path):
    path = tmp_path / "infinite.parquet"
    pd.DataFrame({"a": [1.0, np.inf, 2.0], "b": [1.0, 2.0, 3.0]}).to_parquet(path)
    with pytest.raises(FileProblem, match="column 'a' holds an infinite value"):
        list(ParquetRows(path).chunks(2))


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_texts_of_every_form(tmp_path, kind):
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "texts.parquet"
    names = pa.array(["rye", None, "oats", "rye"] * 5, getattr(pa, kind)())
    try:
        parquet.write_table(pa.table({"name": names, "number": np.arange(20.0)}), path)
    except pa.ArrowNotImplementedError:
        pytest.skip("a pyarrow that writes no such texts")
    picked = np.array([1, 2, 9, 16])
    assert_same_table(ParquetRows(path).take(picked), read_file(path).table().take(picked))
