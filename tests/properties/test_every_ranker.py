"""What every ranker promises, whatever the method: the same table gives the same scores.

The same table may come in another type, layout or container, under other names, from disk, on more
threads, with weights instead of repeated rows, and in any unit of magnitude that floating-point
numbers have.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import METHODS, close, quick, scores, tables
from scipy import sparse

from unsuprank import _parallel, input_rows, registry, row_source
from unsuprank.table import read_table

THREADED = [name for name in METHODS if "n_jobs" in quick(name).get_params(deep=False)]
SPARSE = [m.name for m in registry.available() if m.accepts_sparse]
SAMPLING = [m.name for m in registry.available() if m.ranker.samples_rows]
STREAMING = [m.name for m in registry.available() if m.ranker.streams_rows and not m.dense_only]
MISSING = [m.name for m in registry.available() if m.accepts_missing]

pytestmark = [pytest.mark.untraced, pytest.mark.filterwarnings("ignore::UserWarning")]
every_ranker = pytest.mark.parametrize("name", METHODS)


@every_ranker
@given(X=tables())
def test_a_fit_leaves_its_input_alone_and_gives_the_same_scores_twice(name, X):
    before = X.copy()
    ranker = quick(name)
    first = ranker.fit(X).scores_.copy()
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(ranker.fit(X).scores_, first)


@every_ranker
@given(X=tables(), kind=st.sampled_from(["float32", "int16", "uint8", "longdouble"]))
def test_the_type_of_numbers_does_not_matter(name, X, kind):
    values = np.clip(np.abs(X * 64), 0, 255).astype(np.uint8).astype(kind)
    np.testing.assert_array_equal(scores(name, values), scores(name, values.astype(float)))


@every_ranker
@given(X=tables())
def test_the_layout_in_memory_does_not_matter(name, X):
    expected = scores(name, X)
    wide = np.zeros((2 * len(X), X.shape[1] + 1))
    wide[::2, 1:] = X
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    for held in (frozen, wide[::2, 1:], X[::-1, ::-1].copy()[::-1, ::-1], X.astype(">f8")):
        np.testing.assert_array_equal(scores(name, held), expected)


@every_ranker
@given(X=tables())
def test_the_container_does_not_matter(name, X):
    expected = scores(name, X)
    names = [f"c{j}" for j in range(X.shape[1])]
    frames = (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names))
    for held in (*frames, X.tolist(), read_table(X), anndata.AnnData(X)):
        np.testing.assert_array_equal(scores(name, held), expected)


@every_ranker
@given(X=tables())
def test_a_mapped_file_is_its_content(name, X):
    with mapped(X) as held:
        np.testing.assert_array_equal(scores(name, held), scores(name, X))


@every_ranker
@given(X=tables(), prefix=st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
def test_names_of_columns_do_not_matter(name, X, prefix):
    named = pd.DataFrame(X, columns=[f"{prefix}{j}" for j in range(X.shape[1])][::-1])
    ranker = quick(name).fit(named)
    np.testing.assert_array_equal(ranker.scores_, scores(name, X))
    assert list(ranker.get_feature_names_out()) == list(named.columns[ranker.get_support()])


@every_ranker
@given(X=tables(), data=st.data())
def test_whole_weights_are_repeated_rows(name, X, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    times[0], times[1] = 2, 1
    weighted = quick(name).fit(X, sample_weight=times).scores_
    np.testing.assert_array_equal(weighted, scores(name, np.repeat(X, times, axis=0)))


@every_ranker
@given(X=tables(min_columns=3), data=st.data())
def test_what_is_excluded_comes_last_and_keeps_its_score(name, X, data):
    out = data.draw(st.integers(0, X.shape[1] - 1))
    ranker = quick(name, exclude=[out]).fit(X)
    assert ranker.order_[-1] == out
    assert not ranker.get_support()[out]
    if name not in ("css", "css-knn", "diversified"):  # they choose columns given the others
        np.testing.assert_array_equal(ranker.scores_, scores(name, X))


@every_ranker
@given(X=tables(), data=st.data())
def test_scores_are_finite_at_every_magnitude(name, X, data):
    sizes = st.sampled_from([5e-324, 1e-310, 1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e160, 1e305])
    powers = data.draw(st.lists(sizes, min_size=X.shape[1], max_size=X.shape[1]))
    X = X / np.abs(X).max() * 900.0 * np.array(powers)
    ranker = quick(name).fit(X)  # and a warning of overflow would be an error
    assert np.isfinite(ranker.scores_).all()
    assert np.isfinite(ranker.feature_importances_).all()


@every_ranker
@given(X=tables(min_rows=2), data=st.data())
def test_any_table_of_numbers_has_finite_scores(name, X, data):
    """Two or three rows, one column, constants, copies: nothing is too small to be ranked."""
    m = data.draw(st.integers(2, len(X)))
    columns = data.draw(st.lists(st.integers(0, X.shape[1] - 1), min_size=1, max_size=5))
    X = X[:m, columns]
    found = scores(name, X)
    assert np.isfinite(found).all()
    assert found.shape == (len(columns),)


@pytest.mark.parametrize("name", THREADED)
@given(X=tables(), threads=st.sampled_from([1, 2, 3]), seconds=st.sampled_from([1e-9, 1.0]))
def test_threads_and_sizes_of_batches_do_not_matter(name, X, threads, seconds):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_parallel, "BATCH_SECONDS", seconds)
        patch.setattr(_parallel, "SERIAL_SECONDS", 0.0)
        patch.setattr(_parallel, "FIRST_BATCH", 1 if seconds < 1 else 4)
        found = scores(name, X, n_jobs=threads)
    np.testing.assert_array_equal(found, scores(name, X, n_jobs=1))


@pytest.mark.parametrize("name", SPARSE)
@given(X=tables(("noise", "related"), min_columns=3))  # few ties, which rounding would decide
def test_a_sparse_table_is_ranked_as_the_dense_one(name, X):
    X = np.where(np.abs(X) < 0.4, 0.0, X)
    X[0] += 1.0  # so that every column varies
    # No two rows are alike: which of equally near rows scikit-learn finds first is left open.
    X[:, 0] = np.sqrt(2.0 + X[:, 0].argsort(kind="stable").argsort())
    dense = scores(name, X)
    for held in (sparse.csr_array(X), sparse.csc_matrix(X)):
        close(scores(name, held), dense, 1e-6)


@pytest.mark.parametrize("name", SAMPLING)
@given(X=tables(min_rows=12))
def test_samples_of_rows_are_the_same_from_memory_and_from_disk(name, X):
    inner = {"max_samples": 9, "n_neighbors": 3}
    if "n_blocks" in quick(name).get_params(deep=False):
        inner["n_blocks"] = 3
    with mapped(X) as held:
        np.testing.assert_array_equal(scores(name, held, **inner), scores(name, X, **inner))


@pytest.mark.parametrize("name", STREAMING)
@given(X=tables(min_rows=12))
def test_rows_read_in_turn_count_as_rows_in_memory(name, X):
    with mapped(X) as held, pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_rows, "SMALL_BYTES", 0)
        patch.setattr(row_source, "CHUNK_CELLS", 3 * X.shape[1])
        close(scores(name, held), scores(name, X), 1e-6)


@pytest.mark.parametrize("name", MISSING)
@given(X=tables(min_rows=12), data=st.data())
def test_gaps_leave_scores_finite(name, X, data):
    share = data.draw(st.sampled_from([0.05, 0.5, 0.95]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    X = np.where(rng.random(X.shape) < share, np.nan, X)
    assert np.isfinite(scores(name, X)).all()


class mapped:
    """A matrix as a file that is mapped into memory."""

    def __init__(self, X: np.ndarray) -> None:
        self._X = X

    def __enter__(self) -> np.ndarray:
        self._directory = tempfile.TemporaryDirectory()
        path = Path(self._directory.name, "table.npy")
        np.save(path, self._X)
        return np.load(path, mmap_mode="r")

    def __exit__(self, *_error: object) -> None:
        self._directory.cleanup()
