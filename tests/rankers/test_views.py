"""Views: their moments against all orders of the rows, trios against three loops, and the level."""

from __future__ import annotations

import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from test_shared_variance import sums_of

from unsuprank import SharedVariance
from unsuprank.rankers.coordinates import Coordinates
from unsuprank.rankers.shared_variance import partners, trios
from unsuprank.rankers.shared_variance.atoms import Atoms
from unsuprank.rankers.shared_variance.joint import Products, joint_view
from unsuprank.rankers.shared_variance.known_rows import Patterns, restricted_sums
from unsuprank.rankers.shared_variance.score_tables import score_tables
from unsuprank.rankers.shared_variance.sides import Side, summed_view
from unsuprank.rankers.shared_variance.tails import (
    combined,
    log_best_of,
    log_correlation_tail,
    log_gamma_tail,
    q_values,
)
from unsuprank.rankers.shared_variance.views import VIEWS, WEIGHTS, Facets, views_of
from unsuprank.table import read_table


def mixed(rng: np.random.Generator, rows: int, gaps: bool = False) -> np.ndarray:
    """Numbers with and without ties, heavy-tailed ones, and codes in the last column."""
    X = np.column_stack(
        [
            rng.normal(size=(rows, 2)),
            np.exp(2.0 * rng.normal(size=rows)),
            rng.integers(0, 4, rows),
            rng.normal(size=rows),
            rng.permutation(rows) % 3,
        ]
    ).astype(float)
    if gaps:
        X[0, 0] = X[1, 4] = X[1, 3] = np.nan
    return X


def standardised(values: np.ndarray) -> np.ndarray:
    """Centred, with variance 1; missing values at 0."""
    known = ~np.isnan(values)
    z = np.where(known, values - np.nanmean(values), 0.0)
    size = np.sqrt(np.sum(z**2) / known.sum())
    return z / size if size > 1e-9 else 0.0 * z


def blocks(values: np.ndarray, nominal: int) -> list[np.ndarray]:
    """The coordinates of each column; those of the last one are indicators."""
    found = [standardised(column)[:, None] for column in values.T]
    codes = values[:, nominal]
    Z = (codes[:, None] == np.unique(codes)).astype(float)
    Z -= Z.mean(axis=0)
    found[nominal] = Z / np.sqrt(np.sum(Z**2) / len(Z))
    return found


def in_all_orders(shown: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """What coordinates share with K, for each order of their rows; as they are first."""
    P = shown @ np.linalg.pinv(shown, rcond=1e-9)
    orders = np.array(list(permutations(range(len(P)))))
    return np.einsum("oij,ij->o", P[orders[:, :, None], orders[:, None, :]], kernel)


SIDES = {
    "line of values": ("values", "values"),
    "line": ("scores", "scores"),
    "curve": ("curves", "scores"),
    "bend": ("scores", "curves"),
    "spread": ("curves", "curves"),
}


@pytest.mark.parametrize(("rows", "gaps"), [(6, False), (7, False), (7, True)])
@pytest.mark.parametrize("view", SIDES)
def test_sums_over_the_others(rows: int, view: str, gaps: bool) -> None:
    """Scores of all views that are sums, standardised over all orders of the known rows."""
    X = mixed(np.random.default_rng(rows), rows, gaps)
    table = read_table(X, nominal_features=[5])
    facets = Facets(table, 1, gaps=gaps)
    seen = facets.summed(view)
    scores, curves = facets.tables
    tables = {"values": table.values, "scores": scores.values, "curves": curves.values}
    show, others = (blocks(tables[name], 5) for name in SIDES[view])
    for j in range(6 if view in ("line", "spread") else 5):
        known = ~np.isnan(X[:, j])
        K = sum(Z @ Z.T for k, Z in enumerate(others) if k != j)[np.ix_(known, known)]
        centre = np.eye(len(K)) - 1.0 / len(K)
        values = in_all_orders(show[j][known], centre @ K @ centre)
        if np.abs(show[j]).max() > 0.0:
            expected = (values[0] - values.mean()) / values.std()
            assert seen.scores[j] == pytest.approx(expected, rel=1e-9, abs=1e-9), j
        else:
            assert np.isnan(seen.scores[j])


@pytest.mark.parametrize("rows", [4, 5, 6, 7])
def test_products_of_pairs(rows: int) -> None:
    """Mean and variance of the joint view over all orders."""
    rng = np.random.default_rng(rows)
    Z = np.column_stack([standardised(x) for x in rng.exponential(size=(5, rows))])
    scores, _ = joint_view(Products.of(Z @ Z.T, (Z**2) @ (Z**2).T), Z)
    centre = np.eye(rows) - 1.0 / rows
    for j in range(5):
        pairs = [(a, b) for a in range(5) for b in range(a) if j not in (a, b)]
        L = sum(np.outer(Z[:, a] * Z[:, b], Z[:, a] * Z[:, b]) for a, b in pairs)
        values = in_all_orders(Z[:, [j]], centre @ L @ centre)
        assert scores[j] == pytest.approx((values[0] - values.mean()) / values.std(), rel=1e-10)


@pytest.mark.parametrize("rows", [4, 5, 6, 7])
def test_moments_of_one_correlation(rows: int, monkeypatch) -> None:
    """The four moments by which the strongest partner and product are judged."""
    rng = np.random.default_rng(rows)
    u, v = (standardised(x) / np.sqrt(rows) for x in rng.exponential(size=(2, rows)))
    told = {}

    def tail(r, n, skewness, kurtosis):
        told.update(r=r, n=n, skewness=skewness, kurtosis=kurtosis)
        return np.zeros_like(r)

    monkeypatch.setattr("unsuprank.rankers.shared_variance.atoms.log_shuffled_tail", tail)
    Atoms(u[:, None], np.zeros(1, int), np.zeros(1, bool), None).judged(np.array([0]), v[:, None])
    r = np.array([u[list(order)] @ v for order in permutations(range(rows))])
    assert told["r"][0] == pytest.approx(u @ v)
    assert np.mean(r**2) == pytest.approx(1.0 / (rows - 1))
    assert told["skewness"][0] == pytest.approx(stats.skew(r), rel=1e-10)
    assert told["kurtosis"][0] == pytest.approx(stats.kurtosis(r, fisher=False), rel=1e-10)


def test_sums_in_known_rows() -> None:
    """Restricted and centred sums against the matrix itself; tr K^3 is an estimate."""
    rng = np.random.default_rng(0)
    Z = rng.exponential(size=(30, 7)) ** 2
    Z -= Z.mean(axis=0)
    K, known = Z @ Z.T, rng.random((30, 4)) < 0.7
    found, diagonals = restricted_sums(K, sums_of(K), known.astype(float))
    for g in range(4):
        B = Z[known[:, g]] - Z[known[:, g]].mean(axis=0)
        for name, value in vars(sums_of(B @ B.T)).items():
            close = 0.2 if name == "triangles" else 1e-10
            assert getattr(found, name)[g] == pytest.approx(value, rel=close), name
        np.testing.assert_allclose(diagonals[known[:, g], g], np.sum(B**2, axis=1))


def test_patterns_of_missing_values() -> None:
    X = np.array([[1.0, np.nan, 2.0, np.nan], [2.0, 1.0, 3.0, 5.0], [0.0, 1.0, 3.0, 5.0]])
    found = Patterns.of(X)
    assert sorted(found.n_known.tolist()) == [2, 3]
    np.testing.assert_array_equal(found.known[:, found.of_column], ~np.isnan(X))


def some_atoms(seed: int = 0, rows: int = 40) -> tuple[Atoms, np.ndarray]:
    X = mixed(np.random.default_rng(seed), rows)
    table = read_table(X, nominal_features=[5])
    return Atoms.of(*score_tables(table), None), X


def test_strongest_partner_against_two_loops() -> None:
    atoms, _ = some_atoms()
    found = partners.strongest_partners(atoms, 6)
    A, owner = atoms.values, atoms.owner
    for j in range(6):
        best, tests, with_whom = 0.0, 0, -1
        for a in np.flatnonzero(owner == j):
            for b in np.flatnonzero(owner != j):
                p = atoms.judged(np.array([a]), A[:, [b]])[0]
                tests += 1
                if p < best:
                    best, with_whom = p, owner[b]
        assert found.log_p[j] == pytest.approx(log_best_of(best, tests), rel=1e-6)
        assert found.partner[j] == with_whom


def test_trios_against_three_loops() -> None:
    """The best product of each column, with as many tests as there are pairs of others."""
    atoms, _ = some_atoms()
    found = trios.strongest_trios(atoms, np.ones(6, dtype=bool))
    lines = np.flatnonzero(~atoms.curve)
    A, owner = atoms.values, atoms.owner
    for j in range(6):
        best, tests, with_whom = 0.0, 0, None
        for a in lines[owner[lines] == j]:
            largest = []
            for b in lines[owner[lines] != j]:
                for c in lines[(owner[lines] != j) & (owner[lines] > owner[b])]:
                    v = A[:, b] * A[:, c] * len(A)
                    p = atoms.judged(np.array([a]), v[:, None])[0]
                    largest.append((-abs(np.corrcoef(A[:, a], v)[0, 1]), p, owner[b], owner[c]))
            tests += len(largest)
            p, b, c = min(largest)[1:]
            if p < best:
                best, with_whom = p, {b, c}
        assert found.log_p[j] <= log_best_of(best, tests) + 1e-9
        if abs(found.log_p[j] - log_best_of(best, tests)) < 1e-9:
            assert set(found.partners[j].tolist()) == with_whom


def test_signs_find_the_twins(monkeypatch) -> None:
    """Where not all pairs are compared, those with a strong correlation are found."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 400))
    X[:, 1:20:2] = X[:, :20:2] + 0.3 * rng.normal(size=(100, 10))
    atoms = Atoms.of(*score_tables(read_table(X)), None)
    everything = partners.strongest_partners(atoms, 400)
    monkeypatch.setattr(partners, "MOST_WORK", 0)
    found = partners.strongest_partners(atoms, 400)
    np.testing.assert_array_equal(found.partner[:20], np.arange(20) ^ 1)
    np.testing.assert_allclose(found.log_p[:20], everything.log_p[:20], rtol=1e-6)
    assert (found.log_p >= everything.log_p - 1e-6).all()


def test_scores_and_curves() -> None:
    """Ties share a score, a curve is free of its scores, and two values have no curve."""
    X = mixed(np.random.default_rng(0), 50, gaps=True)
    X = np.column_stack([X[:, :5], np.arange(50) % 2])
    scores, curves = score_tables(read_table(X))
    for x, z, q in zip(X.T, scores.values.T, curves.values.T, strict=True):
        known = ~np.isnan(x)
        expected = stats.norm.ppf((stats.rankdata(x[known]) - 0.5) / known.sum())
        np.testing.assert_allclose(z[known], expected, atol=1e-12)
        assert abs(np.sum((z[known] - z[known].mean()) * q[known])) < 1e-9
    assert not curves.values[:, 5].any()
    held = np.column_stack([np.where(X[:, 1:3] > 0.5, X[:, 1:3], 0.0), X[:, 1]])
    for dense, kept in zip(
        score_tables(read_table(held)),
        score_tables(read_table(sparse.csr_array(held))),
        strict=True,
    ):
        offset = dense.values - kept.dense().values
        np.testing.assert_allclose(offset, offset[[0]] + 0.0 * offset, atol=1e-12)


def test_tails_on_a_log_scale() -> None:
    scores, skewness = np.array([-1.0, 0.5, 3.0, 6.0]), np.array([0.7, -0.4, 1.5, 3.0])
    expected = stats.pearson3.logsf(scores, skewness)
    np.testing.assert_allclose(log_gamma_tail(scores, skewness), expected, rtol=1e-8)
    far = log_gamma_tail(np.array([500.0, 1000.0, 2000.0, 4000.0]), np.full(4, 1.0))
    assert (np.diff(far) < -500.0).all()
    place = np.array([1004.0, 2004.0, 4004.0, 8004.0])  # of a gamma law of shape 4
    plain = np.log(1.0 + place + place**2 / 2.0 + place**3 / 6.0) - place
    np.testing.assert_allclose(far, plain, rtol=1e-4)
    r = np.array([0.1, 0.5, 0.9])
    t = r * np.sqrt(28.0 / (1.0 - r**2))
    expected = np.log(2.0) + stats.t.logsf(t, 28)
    np.testing.assert_allclose(log_correlation_tail(r, np.full(3, 30)), expected, rtol=1e-9)


def test_combination() -> None:
    """Cauchy's law; very small p-values keep their order; what is not known is left out."""
    p = np.array([[0.03, 1e-200, 1e-300, 0.5], [0.4, 0.5, 0.5, np.nan]])
    found = combined(np.log(p), np.array([[0.7], [0.3]]))
    statistic = 0.7 * np.tan((0.5 - 0.03) * np.pi) + 0.3 * np.tan((0.5 - 0.4) * np.pi)
    assert found[0] == pytest.approx(np.log(stats.cauchy.sf(statistic)))
    assert found[1] == pytest.approx(np.log(1e-200 / 0.7))
    assert found[2] < found[1]
    assert found[3] == pytest.approx(np.log(0.5))


def test_q_values() -> None:
    p = np.random.default_rng(0).random(50) ** 3
    np.testing.assert_allclose(q_values(p), stats.false_discovery_control(p))


def planted() -> np.ndarray:
    """A line, a square, a common spread and an exclusive or among noise."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 40))
    X[:, 1] = X[:, 0] + 0.7 * X[:, 1]
    X[:, 3] = X[:, 2] ** 2 + 0.5 * X[:, 3]
    X[:, 5] *= np.exp(X[:, 4])
    X[:, 8] = np.sign(X[:, 6] * X[:, 7]) + 0.5 * X[:, 8]
    return X


def test_what_is_planted_is_found_and_said() -> None:
    ranker = SharedVariance(views="auto").fit(planted())
    assert set(ranker.order_[:9].tolist()) == set(range(9))
    assert (ranker.q_values_[:9] < 0.01).all()
    assert (ranker.q_values_[9:] > 0.05).all()
    assert ranker.view_[6:9].tolist() == ["trio"] * 3
    assert {frozenset((j, *ranker.partners_[j])) for j in (6, 7, 8)} == {frozenset((6, 7, 8))}
    assert ranker.partners_[:6, 0].tolist() == [1, 0, 3, 2, 5, 4]
    assert set(ranker.views_) == set(VIEWS)


def test_twins_beside_a_large_factor() -> None:
    """Ten pairs of r = 0.95 beside 250 columns of one factor and 250 of noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 520))
    X[:, :20] = np.repeat(rng.normal(size=(120, 10)), 2, axis=1) + 0.23 * rng.normal(size=(120, 20))
    X[:, 20:270] += rng.normal(size=(120, 1))
    ranker = SharedVariance(views="auto").fit(X)
    assert np.sum(ranker.p_values_[:20] < 0.05 / 520) >= 19
    assert np.mean(ranker.p_values_[270:] < 0.05) < 0.08


def test_a_stray_row() -> None:
    """A header of numbers is named, and noise stays noise."""
    X = np.random.default_rng(2).normal(size=(301, 20))
    X[0] = np.arange(20)
    with pytest.warns(UserWarning, match="row 0 makes up most"):
        ranker = SharedVariance(views="auto").fit(X)
    assert ranker.influential_rows_.tolist() == [0]
    assert np.mean(ranker.p_values_ < 0.05) <= 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not len(SharedVariance(views="auto").fit(X[1:]).influential_rows_)


@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_level(gaps: float) -> None:
    """Noise of several kinds: as many small p-values as there should be."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(12):
        X = np.column_stack(
            [
                rng.normal(size=(80, 6)),
                rng.standard_t(2, size=(80, 4)),
                rng.poisson(1.0, size=(80, 4)),
                rng.integers(0, 2, size=(80, 4)),
                rng.integers(0, 4, size=(80, 4)),
            ]
        ).astype(float)
        X[:, :9][rng.random(80) < gaps] = np.nan  # the same rows
        found.append(SharedVariance(views="auto", nominal_features=[20, 21]).fit(X).p_values_)
    for level in (0.05, 0.01):
        n = np.size(found)
        small = int(np.sum(np.array(found) < level))
        assert stats.binomtest(small, n, level).pvalue > 0.001, (level, small / n)


def test_invariance() -> None:
    """Neither the order of rows and columns nor units change a score."""
    X = planted()[:150, :12]
    expected = SharedVariance(views="auto").fit(X).scores_
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    other = SharedVariance(views="auto").fit((3.0 - 7.0 * X)[rows][:, columns])
    np.testing.assert_allclose(other.scores_, expected[columns], rtol=1e-6, atol=1e-6)


def test_storages_agree() -> None:
    """A sparse table is looked at as the dense one is; mostly zeros, by fewer views."""
    rng = np.random.default_rng(4)
    for rate, few in ((3.0, False), (0.3, True)):
        X = rng.poisson(rate, size=(150, 20)).astype(float)
        dense, kept = (SharedVariance(views="auto").fit(x) for x in (X, sparse.csr_array(X)))
        np.testing.assert_allclose(kept.scores_, dense.scores_, rtol=1e-6, atol=1e-6)
        assert (set(dense.views_) == {"line", "pair"}) == few
        assert views_of(read_table(X)) == views_of(read_table(sparse.csr_array(X)))


def test_constants_and_identifiers_score_nothing() -> None:
    frame = pd.DataFrame(planted()[:60, :4], columns=list("abcd"))
    frame["constant"], frame["key"] = 1.0, [f"k{i}" for i in range(60)]
    ranker = SharedVariance(views="auto").fit(frame)
    assert ranker.scores_[4:].tolist() == [0.0, 0.0]
    assert ranker.p_values_[4:].tolist() == [1.0, 1.0]
    assert ranker.view_[4:].tolist() == ["", ""]


def test_parameters() -> None:
    X = planted()[:60, :8]
    with pytest.raises(ValueError, match="views"):
        SharedVariance(views="lines").fit(X)
    with pytest.raises(ValueError, match="views"):
        SharedVariance(views=[]).fit(X)
    assert set(SharedVariance(views=["curve", "pair"]).fit(X).views_) == {"curve", "pair"}
    assert set(WEIGHTS) == {*VIEWS, "line of values"}
    assert SharedVariance(views="auto").fit(X[:6]).views_ == {"line": "all rows"}


def test_a_view_of_columns_that_do_not_vary() -> None:
    side = Side(Coordinates.of(read_table(np.ones((20, 3)))))
    assert np.isnan(summed_view(side, side, None).log_p).all()
    assert SharedVariance(views="auto").fit(np.ones((20, 3))).scores_.tolist() == [0.0, 0.0, 0.0]
