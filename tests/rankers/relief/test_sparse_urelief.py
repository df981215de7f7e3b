"""URelief on sparse rows, against the plain transcription of Alg. 3 and against dense rows."""

from __future__ import annotations

import numpy as np
import pytest
from relief_oracle import differences, urelief
from scipy import sparse

from unsuprank import URelief, _kernels, urelief_path

# Oracles are slow loops in Python; what they call, other tests reach as well.
pytestmark = pytest.mark.untraced


def random_table(rng: np.random.Generator) -> np.ndarray:
    """Mostly zeros: columns of counts, of both signs, full ones far from 0, constant ones."""
    m, n = int(rng.integers(2, 40)), int(rng.integers(1, 20))
    X = np.zeros((m, n))
    for j in range(n):
        kind = rng.choice(["count", "signed", "negative", "binary", "full", "constant", "scaled"])
        X[:, j] = {
            "count": lambda: rng.integers(0, rng.integers(2, 15), size=m),
            "signed": lambda: rng.normal(size=m),
            "negative": lambda: -rng.integers(0, 4, size=m),
            "binary": lambda: rng.integers(0, 2, size=m),
            "full": lambda: rng.normal(50.0, 0.1, size=m),
            "constant": lambda: np.full(m, rng.choice([0.0, 3.5])),
            "scaled": lambda: rng.integers(0, 4, size=m) * 10.0 ** rng.integers(-30, 300),
        }[kind]()
        if kind not in ("full", "constant"):
            X[rng.random(m) < rng.choice([0.3, 0.9]), j] = 0.0
    if rng.random() < 0.2:
        X[rng.integers(m, size=m // 2)] = X[0]
    return X


def random_limit(rng: np.random.Generator, most: int) -> int:
    return int(rng.choice([1, most, rng.integers(1, most + 1)]))


@pytest.mark.parametrize("seed", range(300))
@pytest.mark.filterwarnings("ignore:All neighbours are identical")
def test_agrees_with_the_oracle_and_with_dense_rows(seed):
    rng = np.random.default_rng(seed)
    X = random_table(rng)
    held = sparse.coo_array(X).asformat(rng.choice(["csr", "csc"]))
    k, i = random_limit(rng, len(X) - 1), random_limit(rng, len(X))
    scores = URelief(k, i, random_state=seed).fit(held).scores_
    dense = URelief(k, i, random_state=seed).fit(X).scores_
    np.testing.assert_allclose(scores, dense, rtol=1e-12, atol=1e-14)
    rows = np.arange(len(X))
    if i < len(X):
        rows = np.random.RandomState(seed).permutation(len(X))[:i]
    expected = urelief(differences(X, np.zeros(X.shape[1], dtype=int)), rows, k)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)


def test_values_that_are_held_and_zero_change_nothing():
    X = random_table(np.random.default_rng(5))
    held = sparse.csr_array(X + 1.0)  # every place is held
    held.data -= 1.0
    expected = URelief(3).fit(sparse.csr_array(X)).scores_
    np.testing.assert_allclose(URelief(3).fit(held).scores_, expected, rtol=1e-9, atol=1e-12)


def test_many_ties_go_to_the_first_rows():
    rng = np.random.default_rng(0)
    X = (rng.random((300, 40)) < 0.05).astype(float)
    expected = URelief(7).fit(X).scores_
    np.testing.assert_allclose(URelief(7).fit(sparse.csr_array(X)).scores_, expected, rtol=1e-12)


def test_threads_single_precision_and_paths():
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.poisson(0.2, size=(200, 60)).astype(np.float32))
    expected = URelief(9).fit(X).scores_
    assert np.array_equal(URelief(9, n_jobs=3).fit(X).scores_, expected)
    assert np.array_equal(URelief(9).fit(X.astype(float)).scores_, expected)
    path = urelief_path(X, [4, 9], [0.5, 1.0], random_state=0)
    dense = urelief_path(X.toarray(), [4, 9], [0.5, 1.0], random_state=0)
    np.testing.assert_allclose(path, dense, rtol=1e-12, atol=1e-14)


@pytest.mark.data
@pytest.mark.parametrize("name", ["BASEHOCK", "PCMAC", "RELATHE"])
def test_text(load_mat, name):
    X = load_mat(name)
    expected = URelief(n_iterations=200, random_state=0).fit(X)
    for held in (sparse.csr_array(X), sparse.csc_array(X)):
        found = URelief(n_iterations=200, random_state=0).fit(held)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-15)


def test_the_kernel_refuses_what_would_be_out_of_bounds():
    def rows(columns=2, zero=(0.0, 0.0)):
        starts, index = np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32)
        by_rows = _kernels.SparseLines(starts, index, np.ones(2), 2)
        by_columns = _kernels.SparseLines(starts, index, np.ones(2), columns)
        return _kernels.SparseReliefRows(by_rows, by_columns, np.array(zero), 2)

    for wrong in ({"columns": 3}, {"zero": (0.0,)}):
        with pytest.raises(ValueError, match=r"of one matrix|one entry per column"):
            rows(**wrong)
    sums, distances = np.zeros(4), np.zeros(1)
    for queries, counts in (([2], [1]), ([-1], [1]), ([0], [2]), ([0], [0]), ([0], [])):
        with pytest.raises(ValueError, match=r"bounds|ascend|missing"):
            rows().add_sums(np.array(queries), np.array(counts, dtype=np.int64), sums, distances)
    with pytest.raises(ValueError, match="shape"):
        rows().add_sums(np.array([0]), np.array([1]), np.zeros(3), distances)
