"""Sparse tables: read without harm, and ranked as dense ones are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from unsuprank import (
    MCFS,
    NDFS,
    SPEC,
    Diversified,
    Genie3,
    GreedyCSS,
    LaplacianScore,
    RandomForestScore,
    SharedVariance,
    SymbolicScore,
    URelief,
    VarianceRanker,
    _kernels,
)
from unsuprank.rankers.clustering_space import embed_sparse, gram, squared_distances
from unsuprank.rankers.row_distances import SquaredDistances
from unsuprank.table import SparseTable, read_table

FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def random_counts(seed: int, m: int = 40, n: int = 12, density: float = 0.3) -> np.ndarray:
    """A matrix of mostly zeros, with a constant column, a full one and an empty one."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(3.0, size=(m, n)) * (rng.random((m, n)) < density)
    X = X.astype(float) * rng.choice([1.0, -0.5, 1e3], size=n)
    X[:, 0], X[:, 1] = 0.0, 7.0
    X[:, 2] = rng.normal(50.0, 0.1, m)
    return X


@pytest.mark.parametrize("kind", FORMATS)
def test_every_form_is_read_as_the_dense_table_is(kind: str) -> None:
    X = random_counts(0)
    dense, table = read_table(X), read_table(sparse.coo_array(X).asformat(kind))
    assert isinstance(table, SparseTable)
    assert table.shape == dense.shape
    np.testing.assert_array_equal(table.varies, dense.varies)
    np.testing.assert_array_equal(table.dense().values, X)
    np.testing.assert_array_equal(table.column(2), X[:, 2])
    part = table.take([3, 1, 1, 7], [5, 2])
    np.testing.assert_array_equal(part.dense().values, X[[3, 1, 1, 7]][:, [5, 2]])
    held = sparse.coo_array(X).asformat(kind)
    assert VarianceRanker(n_features_to_select=3).fit(held).transform(held).shape == (40, 3)


@pytest.mark.parametrize("seed", range(20))
def test_moments_are_those_of_all_values(seed: int) -> None:
    X = random_counts(seed)
    for held in (sparse.csr_array(X), sparse.csc_array(X), sparse.csr_array(X * 1e300)):
        dense, moments = held.toarray(), read_table(held).moments
        unit = np.abs(dense).max()
        np.testing.assert_array_equal(moments.low, dense.min(axis=0))
        np.testing.assert_array_equal(moments.high, dense.max(axis=0))
        np.testing.assert_allclose(moments.mean / unit, (dense / unit).mean(axis=0), atol=1e-15)
        expected = (dense / unit).std(axis=0)
        expected[dense.min(axis=0) == dense.max(axis=0)] = 0.0
        np.testing.assert_allclose(moments.spread / unit, expected, rtol=1e-9, atol=1e-15)


def test_what_is_not_sorted_or_held_twice_is_put_right_and_input_is_left_alone() -> None:
    data, indices = np.array([1.0, 2.0, 4.0, 8.0]), np.array([2, 0, 1, 1])
    X = sparse.csr_array((data, indices, np.array([0, 2, 4])), shape=(2, 3))
    table = read_table(X)
    np.testing.assert_array_equal(table.dense().values, [[2.0, 0.0, 1.0], [0.0, 12.0, 0.0]])
    np.testing.assert_array_equal(X.indices, [2, 0, 1, 1])
    np.testing.assert_array_equal(X.data, [1.0, 2.0, 4.0, 8.0])


EVERY_KIND = [
    VarianceRanker(),
    Genie3(n_estimators=5, random_state=0),
    URelief(n_neighbors=5),
    SharedVariance(),
    GreedyCSS(n_picks=4),
    LaplacianScore(),
    SPEC(),
    MCFS(n_clusters=2),
    NDFS(n_clusters=2, max_iter=3, random_state=0),
]


def unusual_forms(X: np.ndarray) -> dict[str, Any]:
    """Ways to hold a table of whole numbers that are rare, and right."""
    pd = pytest.importorskip("pandas")
    rows, columns = (index.astype(np.int64) for index in np.nonzero(X))
    values, held = X[rows, columns], sparse.csr_array(X)
    twice = np.tile(rows, 2), np.tile(columns, 2)
    backwards = np.lexsort((-rows, columns))
    every = np.tile(np.arange(X.shape[1]), len(X)), np.arange(0, X.size + 1, X.shape[1])
    frame = pd.DataFrame(X.astype(int)).astype(pd.SparseDtype(int, 0))
    return {
        "long indices": sparse.coo_array((values, (rows, columns)), X.shape).tocsr(),
        "duplicates": sparse.coo_array((np.tile(values / 2, 2), twice), X.shape),
        "descending": sparse.csc_array(
            (values[backwards], rows[backwards], held.tocsc().indptr), X.shape
        ),
        "zeros that are held": sparse.csr_array((X.ravel(), *every), X.shape),
        **{str(kind): held.astype(kind) for kind in ("int8", "uint8", "int64", "float32")},
        "frame of integers": frame,
        "frame of several types": frame.astype({3: pd.SparseDtype(float, 0)}),
    }


@pytest.mark.filterwarnings("ignore:NDFS did not converge")
def test_unusual_forms_are_ranked_as_the_dense_table() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(1, 100, size=(30, 12)) * (rng.random((30, 12)) < 0.5) * 1.0
    for ranker in EVERY_KIND:
        expected = ranker.fit(X).scores_
        for form, held in unusual_forms(X).items():
            found = ranker.fit(held).scores_
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=form)


def test_true_and_false_are_1_and_0() -> None:
    X = random_counts(2) > 0
    table = read_table(sparse.csr_array(X))
    assert not table.n_values.any()
    np.testing.assert_array_equal(table.dense().values, X)


def _with(attribute: str, index: int, value: int, kind: str = "csr"):
    X = sparse.random_array((5, 4), density=0.5, format=kind, rng=np.random.default_rng(0))
    getattr(X, attribute)[index] = value
    return X


@pytest.mark.parametrize(
    "X",
    [
        _with("indices", 0, 4),
        _with("indices", 0, -1),
        _with("indices", 0, 2**30),
        _with("indptr", 2, 1000),
        _with("indptr", -1, 1000),
        _with("indptr", 0, 3),
        *[_with("indptr", -1, -(2**31), kind) for kind in ("csr", "csc", "bsr")],
        _with("row", 0, 1000, "coo"),
        _with("col", 0, -5, "coo"),
        _with("indices", 0, 2**30, "csc"),
        _with("indices", 0, 2**30, "bsr"),
        _with("indptr", -1, 1000, "bsr"),
    ],
)
def test_a_malformed_matrix_is_an_error_and_not_a_crash(X) -> None:
    with pytest.raises(ValueError, match="malformed"):
        VarianceRanker().fit(X)


def test_diagonals_that_are_not_all_there_are_an_error_and_not_a_crash() -> None:
    X = sparse.dia_array(random_counts(0))
    X.data = X.data[:1]
    with pytest.raises(ValueError, match="malformed"):
        VarianceRanker().fit(X)


def test_diagonals_beside_the_matrix_hold_nothing() -> None:
    data = np.arange(1.0, 16.0).reshape(5, 3)
    X = sparse.dia_array((data, [-(2**31) + 5, -1, 0, 2, 2**31 - 2]), shape=(4, 3))
    expected = np.array([[7.0, 0, 12], [4, 8, 0], [0, 5, 9], [0, 0, 6]])
    np.testing.assert_array_equal(read_table(X).dense().values, expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_sparse_table_has_neither_gaps_nor_infinities(bad: float) -> None:
    X = sparse.csr_array(np.array([[0.0, 1.0], [2.0, bad], [0.0, 3.0]]))
    with pytest.raises(ValueError, match="replace it"):
        VarianceRanker().fit(X)


def test_complex_nominal_and_one_dimensional_input_is_refused() -> None:
    with pytest.raises(ValueError, match="Complex data"):
        read_table(sparse.csr_array(np.eye(3) * 1j))
    with pytest.raises(ValueError, match="pass a DataFrame"):
        read_table(sparse.csr_array(np.eye(3)), nominal_features=[0])
    with pytest.raises(ValueError, match="2D"):
        read_table(sparse.coo_array(np.eye(3)[0]))


def test_sparse_frames_and_anndata_stay_sparse() -> None:
    pd, ad = pytest.importorskip("pandas"), pytest.importorskip("anndata")
    X = random_counts(1)
    names = [f"g{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).astype(pd.SparseDtype(float, 0.0))
    cells = ad.AnnData(sparse.csr_matrix(X), var=pd.DataFrame(index=names))
    for held in (frame, cells):
        table = read_table(held)
        assert isinstance(table, SparseTable)
        assert table.names == names
        np.testing.assert_array_equal(table.dense().values, X)
    with pytest.raises(ValueError, match="fill_value"):
        read_table(pd.DataFrame(X).astype(pd.SparseDtype(float, np.nan)))
    frame["g3"] = X[:, 3]
    with pytest.raises(ValueError, match=r"sparse and others are not, such as 'g3'; make all"):
        read_table(frame)


def test_who_cannot_take_sparse_input_says_who_can() -> None:
    from unsuprank import AgnoSS

    with pytest.raises(TypeError, match=r"AgnoSS cannot take sparse input.*VarianceRanker"):
        AgnoSS().fit(sparse.csr_array(random_counts(0)))


@pytest.mark.parametrize("seed", range(30))
def test_products_and_distances_of_sparse_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = random_counts(seed, int(rng.integers(2, 50)), int(rng.integers(3, 80)))
    X[-1] = X[0]  # two rows without a distance
    table, dense = read_table(sparse.csr_array(X)), read_table(X)
    for n_jobs in (1, 2):
        products = gram(table, n_jobs)
        np.testing.assert_array_equal(products, products.T)
        np.testing.assert_allclose(products, gram(dense), atol=1e-12)
        distances = SquaredDistances(embed_sparse(table)).of_all_pairs(np.float64, n_jobs)
        assert distances[0, -1] == distances[-1, 0] == 0.0
        np.testing.assert_array_equal(distances, distances.T)
        np.testing.assert_allclose(distances, squared_distances(dense), rtol=1e-10, atol=1e-18)


FORESTS = [
    (Genie3, {}),
    (Genie3, {"gain": "out_of_bag"}),
    (Genie3, {"ensemble": "bagging"}),
    (Genie3, {"ensemble": "random_forest", "tie_break": "first"}),
    (SymbolicScore, {}),
    (RandomForestScore, {}),
    (RandomForestScore, {"permutation": "cumulative"}),
]


@pytest.mark.parametrize(("ranker", "options"), FORESTS)
@pytest.mark.parametrize("seed", range(15))
def test_forests_are_those_of_the_dense_table(ranker, options: dict, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = random_counts(seed, int(rng.integers(6, 60)), int(rng.integers(4, 200)))
    forest = ranker(n_estimators=8, random_state=seed, **options)
    expected = forest.fit(X).scores_
    for held in (sparse.csr_array(X), sparse.csc_array(X)):
        np.testing.assert_allclose(forest.fit(held).scores_, expected, rtol=1e-9, atol=1e-12)


def test_probes_and_standard_errors_are_those_of_the_dense_table() -> None:
    X = random_counts(3, 60, 40)
    forest = Genie3(n_estimators="auto", random_state=0)
    expected = forest.fit(X).scores_, forest.scores_sem_
    forest.fit(sparse.csr_array(X))
    np.testing.assert_allclose(forest.scores_, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(forest.scores_sem_, expected[1], rtol=1e-9, atol=1e-12)


def test_kernels_refuse_sparse_arrays_that_do_not_fit_together() -> None:
    ints, numbers = np.array([0, 1], dtype=np.int32), np.ones(2)
    nothing, known = np.zeros(2, dtype=np.int32), np.zeros(2, dtype=bool)
    bad = [([0, 1, 3], ints), ([0, 3, 2], ints), ([1, 1, 2], ints), ([0, 1, 2], ints[:1])]
    bad += [([0, 2, 2], ints[::-1].copy()), ([0, 1, 2], ints + 9), ([0, 1, 2], ints - 1)]
    for starts, index in bad:
        with pytest.raises(ValueError, match=r"out of|do not fit|differ"):
            _kernels.SparseLines(np.array(starts), index, numbers, 3)
    lines = _kernels.SparseLines(np.array([0, 1, 2]), ints, numbers, 3)
    columns = _kernels.Columns(lines, nothing, known)
    with pytest.raises(ValueError, match="one entry per column"):
        _kernels.Columns(lines, nothing[:1], known)
    with pytest.raises(ValueError, match="must not be sparse"):
        _kernels.ReliefRows(columns, np.arange(3))


def _assert_same_scores(X: np.ndarray, rankers: list) -> None:
    for ranker in rankers:
        expected = ranker.fit(X).scores_
        for held in (sparse.csr_array(X), sparse.csc_array(X)):
            found, least = ranker.fit(held).scores_, 1e-9 * np.abs(expected).max()
            np.testing.assert_allclose(found, expected, 1e-9, least, err_msg=str(ranker))


ON_REAL_TABLES = [
    Genie3(n_estimators=10, random_state=0),
    RandomForestScore(n_estimators=5, random_state=0),
    SymbolicScore(n_estimators=10, random_state=0),
    URelief(n_iterations=50, random_state=0),
    SharedVariance(),
    GreedyCSS(n_picks=10),
    Diversified(VarianceRanker(), n_picks=10),
    VarianceRanker(),
]


OF_CELLS = [
    *ON_REAL_TABLES,
    *(LaplacianScore(standardize=s) for s in (True, False)),
    *(SPEC(standardize=s) for s in (True, False)),
    *(MCFS(n_clusters=4, standardize=s) for s in (True, False)),
    MCFS(n_clusters=4, preset="scikit-feature"),
    NDFS(n_clusters=4, max_iter=3, random_state=0),
]


@pytest.mark.data
@pytest.mark.parametrize("name", ["BASEHOCK", "PCMAC", "RELATHE"])
def test_texts(load_mat, name: str) -> None:
    _assert_same_scores(load_mat(name)[:150], ON_REAL_TABLES)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore")
def test_the_raw_matrix_of_cells(data_dir) -> None:
    anndata = pytest.importorskip("anndata")
    cells = anndata.read_h5ad(data_dir / "singlecell" / "10x_pbmc68k_reduced.h5ad")
    _assert_same_scores(cells.raw.X[:200].toarray().astype(np.float64), OF_CELLS)


def test_polish_and_bins_say_that_they_need_all_values() -> None:
    X = sparse.csr_array(random_counts(0))
    with pytest.raises(TypeError, match="leave polish out"):
        GreedyCSS(polish="knn").fit(X)
    with pytest.raises(TypeError, match="all values at once"):
        SharedVariance(bins=3).fit(X)


def test_pointers_that_go_back_are_refused() -> None:
    matrix = sparse.csc_array(random_counts(0))
    matrix.indptr[3:] = 0  # as if there were no values, which SciPy takes for fine
    with pytest.raises(ValueError, match="malformed: its pointers do not ascend"):
        read_table(matrix)
