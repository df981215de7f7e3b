"""AgnoS-S: gradients, training, restarts; and the intrinsic dimension."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank import AgnoSS, intrinsic_dimension
from unsuprank._progress import progress
from unsuprank.rankers.agnos import Network, adam_step, loss_and_gradient, train


def random_case(seed):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(rng.randint(2, 8), rng.randint(1, 6)))
    net = Network.random(X.shape[1], rng.randint(1, 4), rng)
    for array in net:
        array += 0.3 * rng.normal(size=array.shape)
    return X, net


def test_gradient_against_finite_differences():
    for seed in range(30):
        X, net = random_case(seed)
        _, gradient = loss_and_gradient(X, net, 0.7)
        for array, slope in zip(net, gradient, strict=True):
            for at in np.ndindex(array.shape):
                kept = array[at]
                array[at] = kept + 1e-6
                up, _ = loss_and_gradient(X, net, 0.7)
                array[at] = kept - 1e-6
                down, _ = loss_and_gradient(X, net, 0.7)
                array[at] = kept
                assert slope[at] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-6)


def test_gradient_and_adam_against_pytorch():
    torch = pytest.importorskip("torch")
    for seed in range(10):
        X, net = random_case(seed)
        theirs = [torch.tensor(a.copy(), requires_grad=True) for a in net]
        moments = [np.zeros((2, *array.shape)) for array in net]
        their_adam = torch.optim.Adam(theirs, lr=0.01)
        data = torch.tensor(X)
        for step in range(1, 6):
            a, e, eb, g, gb = theirs
            out = torch.tanh(torch.tanh((a * data) @ e + eb) @ g + gb)
            their_loss = ((out - data) ** 2).sum() + 0.7 * a.abs().sum()
            their_adam.zero_grad()
            their_loss.backward()
            loss, gradient = loss_and_gradient(X, net, 0.7)
            assert loss == pytest.approx(their_loss.item())
            for mine, other in zip(gradient, theirs, strict=True):
                np.testing.assert_allclose(mine, other.grad.numpy(), atol=1e-9)
            adam_step(net, gradient, moments, 0.01, step)
            their_adam.step()


@pytest.fixture(scope="module")
def redundant():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 2)) @ rng.normal(size=(2, 10)) + 0.1 * rng.normal(size=(80, 10))


def test_training_lowers_the_loss(redundant):
    ranker = AgnoSS(random_state=0).fit(redundant)
    (losses,) = ranker.losses_
    assert losses[-1] < 0.7 * losses[0]
    assert ranker.n_iter_ == len(losses) <= 150


def test_early_stop(redundant):
    assert AgnoSS(tol=0.5, random_state=0).fit(redundant).n_iter_ < 60


def test_restarts_are_averaged_and_steadier(redundant):
    def agreement(n_restarts):
        runs = [AgnoSS(n_restarts=n_restarts, random_state=s).fit(redundant) for s in range(6)]
        return np.corrcoef([r.scores_ for r in runs]).mean()

    assert agreement(10) > agreement(1)


def test_constant_columns_have_no_slack(redundant):
    X = np.column_stack([redundant, np.full(80, 3.0)])
    scores = AgnoSS(random_state=0).fit(X).scores_
    assert scores[-1] == 0
    np.testing.assert_array_equal(scores[:-1], AgnoSS(random_state=0).fit(redundant).scores_)


@pytest.mark.parametrize(
    ("dimension", "share"), [(1, 0.15), (2, 0.15), (3, 0.15), (4, 0.15), (5, 0.15), (10, 0.25)]
)
def test_intrinsic_dimension_of_cubes(dimension, share):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        turn = np.linalg.qr(rng.normal(size=(50, dimension)))[0].T
        X = rng.uniform(size=(2000, dimension)) @ turn
        assert abs(intrinsic_dimension(X) - dimension) <= share * dimension


def test_intrinsic_dimension_ignores_unit_and_duplicates():
    X = np.random.default_rng(0).uniform(size=(300, 3))
    expected = intrinsic_dimension(X)
    assert intrinsic_dimension(np.vstack([X, X[:50]])) == pytest.approx(expected, rel=1e-12)
    for unit in (1e-200, 1e200):
        assert intrinsic_dimension(X * unit) == pytest.approx(expected, rel=1e-9)


def test_intrinsic_dimension_of_bad_input():
    assert intrinsic_dimension(np.ones((5, 2))) == 1
    with pytest.raises(ValueError, match="minimum of 3"):
        intrinsic_dimension(np.ones((2, 2)))
    with pytest.raises(ValueError, match="column 1"):
        intrinsic_dimension([[1, np.nan], [2, 3], [3, 4]])


def test_adam_is_that_of_the_textbook():
    rng = np.random.default_rng(0)
    found = rng.normal(size=(3, 2))
    expected, mean, square = found.copy(), 0.0, 0.0
    moments = [np.zeros((2, 3, 2))]
    for step in range(1, 6):
        gradient = rng.normal(size=(3, 2))
        adam_step([found], [gradient], moments, 0.05, step)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        straight, size = mean / (1 - 0.9**step), square / (1 - 0.999**step)
        expected = expected - 0.05 * straight / (np.sqrt(size) + 1e-8)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("patience", [1, 3])
def test_training_ends_when_nothing_has_improved_for_as_long_as_patience_lasts(
    patience, monkeypatch
):
    monkeypatch.setattr("unsuprank.rankers.agnos.PATIENCE", patience)
    X = np.random.default_rng(0).normal(size=(12, 4))
    never = AgnoSS(penalty=0.1, max_epochs=20, tol=1.0)
    with progress("training", 20, 0) as bar:
        assert len(train(X, 2, 0, never, bar)[1]) == patience
