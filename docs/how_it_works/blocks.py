r"""
Blocks of rows, and sketches
============================

Rows beyond about a thousand make a score more precise and hardly ever another one. So a table of
many rows is ranked as many small ones, or is added up into a small one.
"""

# %%
# Blocks
# ------
# With ``max_samples``, a forest grows its trees on blocks: random samples of so many rows. Block
# :math:`b` depends on the seed and :math:`b` and on nothing else, so it is the same from memory,
# from disk and on any machine, and a block that got lost can be computed again.
#
# Do forests on blocks rank as a forest on all rows does? Handwritten digits, 1,797 rows: the rank
# correlation with a forest on all rows, for blocks of several sizes. The line is what another seed
# on all rows comes to.
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_digits

from unsuprank import Genie3

X = load_digits().data
X = X[:, X.std(axis=0) > 0]


def scores(seed, max_samples=None):
    """Scores of a forest of 400 trees."""
    return Genie3(400, random_state=seed, max_samples=max_samples).fit(X).scores_


whole, again = scores(0), scores(1)
sizes = [64, 128, 256, 512, 1024]
agreement = [spearmanr(whole, scores(2, size)).statistic for size in sizes]
fig, ax = plt.subplots()
ax.plot(sizes, agreement, "o-")
ax.axhline(spearmanr(whole, again).statistic, color="0.5", ls="--")
ax.set(xscale="log", xlabel="rows of a block", ylabel="rank correlation", ylim=(None, 1))
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
plt.show()

# %%
# Small blocks grow other trees: a few rows are told apart by few tests. From about a thousand rows
# on, blocks rank as all rows do.
#
# Sketches
# --------
# Methods that need nothing but inner products of columns see every row exactly as long as the
# products can be had. A table for which they cost too much need not be made small by sampling,
# which leaves rows out. A *count sketch* deals the rows :math:`x_i` out at random to :math:`r`
# rows and adds them up there with random signs :math:`s_i = \pm 1`:
#
# .. math:: y_b = \sum_{i \in b} s_i x_i, \qquad
#    \mathrm{E} \sum_b y_{bj} y_{bk} = \sum_i x_{ij} x_{ik},
#
# because the signs of different rows cancel on average. The error is that of a sample of about
# :math:`r` rows, but no row is left out: a column that is different from zero in ten rows of a
# million keeps all ten.
rng = np.random.default_rng(0)
m, n, r = 20_000, 60, 2048
rare = rng.random(m) < 0.002
table = rng.normal(size=(m, n)) + np.outer(rng.normal(size=m), rng.normal(size=n) * 0.7)
table[:, :10] = rare[:, None] * (1 + 0.5 * rng.normal(size=(m, 10)))  # ten rare columns that agree
table -= table.mean(axis=0)

sketch = np.zeros((r, n))
np.add.at(sketch, rng.integers(r, size=m), rng.choice([-1.0, 1.0], size=(m, 1)) * table)
sample = table[rng.choice(m, r, replace=False)]

exact = np.corrcoef(table.T)
pairs = np.triu_indices(n, 1)
rarely = (pairs[0] < 10) & (pairs[1] < 10)
fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.4), sharex=True, sharey=True)
for ax, small, title in zip(
    axes, (sample, sketch), ("a sample", "a sketch of all rows"), strict=True
):
    found = np.corrcoef(small.T)[pairs]
    ax.plot(exact[pairs][~rarely], found[~rarely], ".", ms=2, color="0.6")
    ax.plot(exact[pairs][rarely], found[rarely], ".", color="C3", label="rare columns")
    ax.set(xlabel="correlation, all rows", title=f"{title}: {r:,} rows")
axes[0].set_ylabel("correlation")
axes[0].legend()
plt.show()

# %%
# What has nothing to do with a column in the table has nothing to do with it in the sketch, which
# is why :doc:`chance </how/chance>` can be reckoned from the sketch as if it were the table. The
# module texts of ``unsuprank/rankers/row_blocks.py`` and ``coordinates/count_sketch.py`` have the
# details, and :doc:`/guide/large_and_sparse` shows both at work.
