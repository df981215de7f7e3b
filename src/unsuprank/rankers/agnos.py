"""AgnoS-S: an auto-encoder that pays for every column it looks at.

One slack a_i per column weighs its way into the auto-encoder,

    out = tanh(tanh((a * x) E + e) G + g),     loss = sum (out - x)^2 + penalty * sum |a_i|,

with as many hidden units as the data have intrinsic dimensions. Columns that help to rebuild
the others keep a large slack. The error is summed, not averaged over entries: with a mean the
penalty outweighs it and all slacks collapse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from .._checks import check_count, check_number, parameter, with_parameters
from .._parallel import one_blas_thread
from .._progress import Progress, progress
from ..ranker import MethodCard, Ranker
from ..table import Table
from .intrinsic_dimension import two_nn_dimension
from .scaling import centred

#: Epochs without progress after which training ends.
PATIENCE = 10


class Network(NamedTuple):
    """Parameters of the auto-encoder, or their gradient."""

    slack: np.ndarray
    encoder: np.ndarray
    encoder_bias: np.ndarray
    decoder: np.ndarray
    decoder_bias: np.ndarray

    @classmethod
    def random(cls, n: int, hidden: int, rng: np.random.RandomState) -> Network:
        """A start for training: Glorot's uniform weights, and slacks of 1."""
        reach = np.sqrt(6.0 / (n + hidden))
        return cls(
            np.ones(n),
            rng.uniform(-reach, reach, size=(n, hidden)),
            np.zeros(hidden),
            rng.uniform(-reach, reach, size=(hidden, n)),
            np.zeros(n),
        )


def loss_and_gradient(
    X: np.ndarray, net: Network, penalty: float, scratch: np.ndarray | None = None
) -> tuple[float, Network]:
    """The loss on all rows of `X`, and its gradient (0 for slacks at 0).

    `scratch` is room for two arrays like `X`: in every epoch anew, they would cost more than what
    is computed in them.
    """
    out, error = np.empty((2, *X.shape)) if scratch is None else scratch
    hidden = np.tanh(X @ (net.slack[:, None] * net.encoder) + net.encoder_bias)
    np.matmul(hidden, net.decoder, out=out)
    out += net.decoder_bias
    np.tanh(out, out=out)
    np.subtract(out, X, out=error)
    loss = float(np.vdot(error, error) + penalty * np.abs(net.slack).sum())
    np.square(out, out=out)
    at_out = np.subtract(1.0, out, out=out)  # the derivative of tanh, and then
    at_out *= error
    at_out *= 2.0
    at_hidden = (at_out @ net.decoder.T) * (1.0 - hidden * hidden)
    into = X.T @ at_hidden  # shared by the slacks and the encoder
    gradient = Network(
        slack=np.einsum("ij,ij->i", into, net.encoder) + penalty * np.sign(net.slack),
        encoder=net.slack[:, None] * into,
        encoder_bias=at_hidden.sum(axis=0),
        decoder=hidden.T @ at_out,
        decoder_bias=at_out.sum(axis=0),
    )
    return loss, gradient


def adam_step(
    parameters: Sequence[np.ndarray],
    gradient: Sequence[np.ndarray],
    moments: Sequence[np.ndarray],
    rate: float,
    step: int,
) -> None:
    """Move the parameters, in place, by one step of Adam, the first of which is 1.

    `moments` are the running means of each gradient and of its square, with the usual constants.
    """
    rate /= 1 - 0.9**step
    unbiased = 1 / (1 - 0.999**step)
    for p, g, (mean, square) in zip(parameters, gradient, moments, strict=True):
        mean += 0.1 * (g - mean)
        square += 0.001 * (g * g - square)
        p -= rate * mean / (np.sqrt(unbiased * square) + 1e-8)


def train(
    X: np.ndarray, hidden: int, seed: int, how: AgnoSS, bar: Progress
) -> tuple[np.ndarray, list[float]]:
    """Slacks after training on `X`, and the loss before each epoch."""
    net = Network.random(X.shape[1], hidden, np.random.RandomState(seed))
    moments = [np.zeros((2, *p.shape)) for p in net]
    losses: list[float] = []
    best, waited = np.inf, 0
    scratch = np.empty((2, *X.shape))
    for _ in range(how.max_epochs):
        loss, gradient = loss_and_gradient(X, net, how.penalty, scratch)
        losses.append(loss)
        waited = 0 if loss < best * (1 - how.tol) else waited + 1
        best = min(best, loss)
        if waited >= PATIENCE:
            break
        adam_step(net, gradient, moments, how.learning_rate, len(losses))
        bar.advance()
    return net.slack, losses


@with_parameters
class AgnoSS(Ranker):
    r"""AgnoS-S: good columns are what an auto-encoder needs to rebuild all columns.

    One slack a_i per column weighs its way into an auto-encoder with tanh units, trained by
    Adam on ``sum (out - x)^2 + penalty sum |a_i|`` over the standardised data. The score is
    ``|a_i|`` (``raw_scores_`` and ``scores_``), averaged over restarts; constant columns have 0.

    Parameters
    ----------
    n_restarts : int, default=1
        Independent trainings whose slacks are averaged. One training is poorly reproducible
        from seed to seed; more are steadier.
    n_hidden : int, optional
        Number of hidden units; the ceiling of :func:`intrinsic_dimension` by default.
    penalty : float, default=1
        Weight of the penalty on the slacks.
    learning_rate : float, default=0.01
        Learning rate of Adam.
    max_epochs : int, default=150
        The largest number of passes over the data; each is one step on all rows.
    tol : float, default=1e-4
        Stop early when ten epochs in a row did not lower the loss by this share of it.
    {selection}
    n_jobs : int, optional
        Threads, with joblib's meaning, one restart each. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the weights.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    raw_scores_ : ndarray of shape (n_features_in_,)
        The method's own value, the same as ``scores_``.
    n_hidden_ : int
        Number of hidden units.
    n_iter_ : int
        Number of epochs of the longest training.
    losses_ : list of ndarray
        The loss before each epoch, for each restart.

    References
    ----------
    Doquet, Sebag: Agnostic feature selection. ECML PKDD 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import AgnoSS
    >>> X = np.random.default_rng(0).normal(size=(60, 1)) @ np.ones((1, 3))
    >>> AgnoSS(n_restarts=2, random_state=0).fit(X).scores_.shape
    (3,)
    """

    cards = (
        MethodCard(
            name="agnos-s",
            question="relevance",
            what="Does an auto-encoder keep the column when forgetting is rewarded?",
            when="Non-linear relations among numeric columns; answers differ between seeds",
            cost="epochs of mn; the slowest here",
            formula=(
                r"|a_j| \quad\text{from}\quad \min_{a,f,g} \sum_i |g(f(a \odot x_i)) - x_i|^2"
                r" + \lambda \sum_j |a_j|"
            ),
            meaning="the auto-encoder needs this column to rebuild the table",
            effort=30.0,
        ),
    )

    scale_free = True

    n_restarts: int = parameter(check_count, default=1)
    n_hidden: int | None = parameter(check_count, default=None)
    penalty: float = parameter(check_number, default=1.0, high=1e100)
    learning_rate: float = parameter(check_number, default=0.01, high=1e3, open_low=True)
    max_epochs: int = parameter(check_count, default=150)
    tol: float = parameter(check_number, default=1e-4, high=1.0)
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    def _score(self, table: Table) -> np.ndarray:
        X, norms = centred(table.values, np.sqrt(table.n_rows))
        informative = norms > 0
        used = np.ascontiguousarray(X[:, informative])
        scores = np.zeros(table.n_columns)
        self.losses_: list[np.ndarray] = []
        self.n_hidden_ = self.n_iter_ = 0
        if used.shape[1]:
            self.n_hidden_ = self.n_hidden or int(np.ceil(two_nn_dimension(used)))
            slacks, self.losses_ = self._train_all(used)
            self.n_iter_ = max(len(losses) for losses in self.losses_)
            scores[informative] = np.mean(np.abs(slacks), axis=0)
        self.raw_scores_ = scores
        return scores

    def _train_all(self, X: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        rng = check_random_state(self.random_state)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_restarts)
        work = self.n_restarts * self.max_epochs
        # One BLAS thread each: sums are then in the same order for every n_jobs.
        with one_blas_thread(), progress("training", work, self.verbose) as bar:
            trained = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(train)(X, self.n_hidden_, int(seed), self, bar) for seed in seeds
            )
        return [slack for slack, _ in trained], [np.array(losses) for _, losses in trained]
