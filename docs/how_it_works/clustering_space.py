r"""
The clustering space: targets enter through inner products only
===============================================================

Predictive clustering trees predict *all* columns at once. With 7,000 columns that looks expensive.
It is not: a tree never needs the columns, only how far the rows are apart.
"""

# %%
# Every column becomes a vector
# -----------------------------
# A split should make the rows of each branch alike in all columns. The paper measures how unlike
# the rows of a set :math:`E` are by the mean over columns of the normalised variance (numbers) or
# the normalised Gini index (names). Give every column coordinates in which both are squared
# distances:
#
# - a number :math:`x` has one coordinate, :math:`x / \mathrm{sd}(x)`;
# - a name has one coordinate per value, its indicator over :math:`\sqrt{\mathrm{Gini}(x)}`;
# - all are divided by :math:`\sqrt{n}` for :math:`n` columns, and centred.
#
# Write :math:`z_i` for row :math:`i` in these coordinates. The impurity of :math:`E` is then the
# mean squared distance of its :math:`z_i` to their centre, and the gain of a split into :math:`L`
# and :math:`R`, with :math:`S = \sum_i z_i` and :math:`N` rows in each set, is
#
# .. math:: h = \frac{|S_L|^2}{N_L} + \frac{|S_R|^2}{N_R} - \frac{|S|^2}{N},
#
# because the sums of squares cancel. Let us check that on a table of numbers and names.
import numpy as np

rng = np.random.default_rng(0)
m = 60
number, name = rng.gamma(2.0, size=m), rng.integers(3, size=m)


def gini(names):
    """One minus the sum of the squared shares of the values."""
    return 1 - np.square(np.bincount(names, minlength=3) / len(names)).sum()


def impurity(rows):
    """The mean over the two columns of normalised variance and normalised Gini index."""
    return (number[rows].var() / number.var() + gini(name[rows]) / gini(name)) / 2


Z = np.column_stack([number / number.std(), np.eye(3)[name] / np.sqrt(gini(name))]) / np.sqrt(2)
Z -= Z.mean(axis=0)
left = np.arange(m) < 25
by_definition = m * impurity(np.arange(m)) - sum(s.sum() * impurity(s) for s in (left, ~left))
S = Z.sum(axis=0)
by_sums = sum(np.square(Z[s].sum(axis=0)).sum() / s.sum() for s in (left, ~left)) - S @ S / m
print(f"{by_definition:.12f} by definition, {by_sums:.12f} by sums of vectors")

# %%
# Only distances are needed
# -------------------------
# :math:`|S_L|^2 = \sum_{i,j \in L} z_i \cdot z_j`, so the gain is made of inner products of rows.
# What is more, terms that depend on one row alone cancel, and so the matrix :math:`z_i \cdot z_j`
# may be replaced by :math:`-d_{ij}/2` with the squared distances :math:`d_{ij} = |z_i - z_j|^2`:
#
# .. math::
#    2h = \frac{q}{N} - \frac{q_L}{N_L} - \frac{q_R}{N_R}, \qquad q_A = \sum_{i,j \in A} d_{ij}.
#
# In terms of distances nothing large is subtracted from something large. The matrix is made once
# per fit, by one product of the table with itself, and is shared by all trees.
D = np.square(Z[:, None] - Z[None]).sum(axis=2)


def q_over_n(rows):
    return D[np.ix_(rows, rows)].sum() / rows.sum()


by_distances = (q_over_n(np.ones(m, bool)) - q_over_n(left) - q_over_n(~left)) / 2
print(f"{by_distances:.12f} by distances")

# %%
# What it buys
# ------------
# A tree costs the same for 500 columns as for 4,000; only the matrix takes longer. Below, the time
# of a tree on 70 rows, from the processor times of fits with 20 trees and with 220.
import time

import matplotlib.pyplot as plt

from unsuprank import Genie3

widths = [250, 500, 1000, 2000, 4000]


def seconds(X, n_estimators):
    """The least processor time of three fits."""
    times = []
    for _ in range(3):
        start = time.process_time()
        Genie3(n_estimators, n_jobs=1, random_state=0).fit(X)
        times.append(time.process_time() - start)
    return min(times)


tables = [rng.normal(size=(70, n)) for n in widths]
few, many = (np.array([seconds(X, trees) for X in tables]) for trees in (20, 220))
fig, ax = plt.subplots()
ax.plot(widths, 1000 * (many - few) / 200, "o-")
ax.set(
    xlabel="columns",
    ylabel="milliseconds a tree",
    xscale="log",
    ylim=(0, 1500 * max((many - few) / 200)),
)
ax.set_xticks(widths, widths)
ax.minorticks_off()
plt.show()

# %%
# In nodes with many more rows than the space has coordinates, sums of coordinates are cheaper than
# pairs of rows, and the kernels take those; the choice is made from the shape of the table.
# Missing values have no place in one matrix of distances: columns with gaps keep sums and counts
# of their own.
#
# The same space serves :class:`~unsuprank.SharedVariance`, :class:`~unsuprank.GreedyCSS` and
# :class:`~unsuprank.Diversified`. It is made in one place,
# ``unsuprank/rankers/clustering_space.py``. The idea of trees that see outputs through a kernel is
# that of Geurts, Wehenkel and d'Alché-Buc (2006).
