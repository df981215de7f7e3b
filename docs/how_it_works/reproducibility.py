r"""
The same answer twice, bit for bit
==================================

The same seed gives the same scores on one thread and on many, in one batch or in ten, from memory
or from disk. That takes care, because sums of floating-point numbers depend on their order.
"""

# %%
# Why order matters
# -----------------
# The same thousand numbers, summed in 2,000 different orders: the results differ in their last
# digits. A forest whose threads add up trees as they finish gives a slightly different score each
# time, ties break differently, and two runs disagree on the ranking.
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
numbers = rng.lognormal(sigma=3, size=1000)
sums = np.array([np.cumsum(rng.permutation(numbers))[-1] for _ in range(2000)])
fig, ax = plt.subplots(figsize=(6.4, 2.6))
ax.hist((sums - np.median(sums)) / np.spacing(np.median(sums)), bins=41, color="0.6")
ax.set(xlabel="difference of the sums, in units of the last place", yticks=[])
plt.show()

# %%
# Three rules
# -----------
# - *Random numbers are named, not taken in turn.* Tree :math:`t` draws from a stream that depends
#   on the seed and :math:`t` only, block :math:`b` on the seed and :math:`b`. So the first
#   :math:`k` trees of a forest are the forest of :math:`k` trees.
# - *Threads compute, one place adds.* Workers hand their results back in order, and sums are taken
#   in that order (``unsuprank/_parallel.py``). Kernels have no threads of their own.
# - *Nothing depends on a clock.* ``n_estimators="auto"`` looks at fixed numbers of trees, and its
#   bound follows from the table.
#
# See for yourself
# ----------------
from unsuprank import Genie3, URelief

X = rng.normal(size=(60, 400)) + rng.normal(size=(60, 1))


def same(make):
    """Whether one thread and three give the same bits."""
    one, three = (make(n_jobs).fit(X).scores_ for n_jobs in (1, 3))
    return one.tobytes() == three.tobytes()


print("Genie3:", same(lambda n_jobs: Genie3(300, random_state=0, n_jobs=n_jobs)))
print("Genie3, auto:", same(lambda n_jobs: Genie3("auto", random_state=0, n_jobs=n_jobs)))
print("URelief:", same(lambda n_jobs: URelief(20, n_jobs=n_jobs)))

# %%
# Trees that are added do not change those that are there. The leaves of the first 20 trees are the
# same in a forest of 20 and in one of 60:
from unsuprank import PredictiveClusteringForest

small, large = (PredictiveClusteringForest(k, random_state=0).fit(X).apply(X) for k in (20, 60))
print("first 20 trees:", np.array_equal(small, large[:, :20]))

# %%
# A column gains nothing by its place either: among equally good tests of a node one is drawn, and
# not the first taken. Between machines, the last digits of matrix products may differ with the
# library that computes them; on one machine nothing does.
