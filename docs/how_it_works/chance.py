r"""
Chance in closed form
=====================

How much of the other columns would a column explain if it had nothing to do with them? The answer
is known without a single shuffle, whatever the column is.
"""

# %%
# What a column explains
# ----------------------
# In the :doc:`clustering space </how/clustering_space>` every column has total variance 1. Let
# :math:`P` be the projection onto the centred coordinates of one column (one coordinate for a
# number, a few for a name), and :math:`K = \sum Z_k Z_k^\top` over all *other* columns. The column
# explains
#
# .. math:: T = \mathrm{tr}\, P K = \sum_{ij} P_{ij} K_{ij}.
#
# For numbers this is the sum of squared correlations. A column of 60 names has a projection of
# rank 59 and explains much by chance; a column with one far value explains little or much, as luck
# has it. So :math:`T` is compared with itself over all :math:`n!` orders :math:`p` of the column's
# rows,
#
# .. math:: T_p = \sum_{ij} P_{ij} K_{p(i)p(j)}.
#
# The mean
# --------
# Rows of :math:`P` and of :math:`K` sum to 0, since both are centred. So off the diagonal their
# entries sum to minus their trace. A random order takes an entry of the diagonal of :math:`P` to
# any diagonal entry of :math:`K`, which has the mean :math:`\mathrm{tr} K / n`, and one off the
# diagonal to any off the diagonal, with the mean :math:`-\mathrm{tr} K / (n(n-1))`. Hence
#
# .. math::
#    \mathrm{E}\, T_p = \mathrm{tr} P \left( \frac{1}{n} + \frac{1}{n(n-1)} \right) \mathrm{tr} K
#    = \frac{\mathrm{tr} P \; \mathrm{tr} K}{n - 1}.
#
# The variance
# ------------
# Take each matrix apart as the symmetric group sees it:
#
# .. math::
#    P = \frac{\mathrm{tr} P}{n-1} \left( I - \tfrac{1}{n} 1 1^\top \right) + D + Q, \qquad
#    D_{ij} = \frac{n [i = j] a_i - a_i - a_j}{n - 2},
#
# where :math:`a_i = P_{ii} - \mathrm{tr} P / n` is what is special about the diagonal, and
# :math:`Q` is what remains: its diagonal and the sums of its rows are 0. The three parts belong to
# different irreducible representations, which a shuffle does not mix. With :math:`b` and
# :math:`R` for :math:`K`, by Schur's lemma each expectation is an invariant of :math:`P` times
# the same invariant of :math:`K`, over the dimension of the representation, :math:`n-1` and
# :math:`n(n-3)/2`:
#
# .. math::
#    \mathrm{var}\, T_p = \left( \frac{n}{n-2} \right)^{2} \frac{|a|^2 |b|^2}{n-1}
#    + \frac{2 |Q|^2 |R|^2}{n(n-3)}.
#
# The first term is what far values do: :math:`|a|^2` is large when few rows hold the column's
# variance. The third moment follows in the same way, and with it a shifted gamma distribution
# (Pearson's type III) for p-values.
#
# The same with 4,000 shuffles
# ----------------------------
# Three columns that have nothing to do with the ten others: a normal one, one with a far tail, and
# names of 30 values.
import numpy as np

rng = np.random.default_rng(0)
n = 80
others = rng.normal(size=(n, 10)) + rng.normal(size=(n, 1))
others[:, 0] = rng.lognormal(sigma=1.5, size=n)
Z = (others - others.mean(axis=0)) / others.std(axis=0) / np.sqrt(n)
K = Z @ Z.T
columns = {
    "normal": rng.normal(size=(n, 1)),
    "far tail": rng.lognormal(sigma=2.0, size=(n, 1)),
    "30 names": np.eye(30)[rng.permutation(n) % 30],
}


def projection(X):
    """The projection onto the centred columns of `X`."""
    u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    u = u[:, s > 1e-10 * s[0]]
    return u @ u.T


def parts(M):
    """The trace, the squared length of a, and that of Q."""
    trace, a = np.trace(M), np.diag(M) - np.trace(M) / n
    aa = a @ a
    return trace, aa, np.square(M).sum() - trace**2 / (n - 1) - n / (n - 2) * aa


def moments(P):
    """Mean and standard deviation over all orders, by the formulas above."""
    (t, aa, qq), (t_k, aa_k, qq_k) = parts(P), parts(K)
    variance = (n / (n - 2)) ** 2 * aa * aa_k / (n - 1) + 2 * qq * qq_k / (n * (n - 3))
    return t * t_k / (n - 1), np.sqrt(variance)


orders = [rng.permutation(n) for _ in range(4000)]
projections = {name: projection(X) for name, X in columns.items()}
shuffled = {
    name: np.array([np.sum(P * K[np.ix_(p, p)]) for p in orders]) for name, P in projections.items()
}
for name, P in projections.items():
    mean, sd = moments(P)
    T = shuffled[name]
    print(f"{name:<10} mean {mean:.4f} (shuffles {T.mean():.4f}), sd {sd:.4f} ({T.std():.4f})")

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 3, figsize=(7.6, 2.7))
for ax, (name, P) in zip(axes, projections.items(), strict=True):
    mean, sd = moments(P)
    ax.hist(shuffled[name], bins=40, color="0.8", density=True)
    ax.axvline(mean, color="C0")
    ax.axvspan(mean - sd, mean + sd, color="C0", alpha=0.15)
    ax.set(title=name, yticks=[], xlabel="explained by chance")
plt.show()

# %%
# In the package
# --------------
# :class:`~unsuprank.SharedVariance` has the same numbers, as shares of the variance of the other
# columns: ``chance_`` is the mean, and the score counts standard deviations from it.
from unsuprank import SharedVariance

X = np.column_stack([columns["normal"], others])
ranker = SharedVariance().fit(X)
mean, sd = moments(projections["normal"])
explained = np.sum(projections["normal"] * K)
print(f"{ranker.chance_[0]:.6f} {mean / 10:.6f}")
print(f"{ranker.scores_[0]:.6f} {(explained - mean) / sd:.6f}")

# %%
# The sums over :math:`K` are made once, and those over :math:`K` without one column follow from
# them (``unsuprank/rankers/shared_variance/others.py``), so all columns together cost a few
# products of the table with itself. The moments are those of Kazi-Aoual and others (1995); the
# form above, in which nothing large is subtracted from something large, and the third moment are
# in ``unsuprank/rankers/shared_variance/shuffles.py``. :class:`~unsuprank.GreedyCSS` uses the same
# moments to decide when to stop, and :func:`~unsuprank.explain_clusters` for its p-values.
