"""
Rankings one can trust
======================

A ranking always has a first column, even of noise. Three questions before you believe it: is it
beyond chance, would another seed give it, and would other rows?
"""

# %%
# The table is made here: 80 rows, 300 columns. Twelve columns share a signal, strong in the first
# and weak in the last of them; all others are noise of several kinds.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n, n_signal = 80, 12
X = rng.normal(size=(n, 300))
X[:, 100:200] = rng.standard_t(2, size=(n, 100))
X[:, 200:] = rng.random((n, 100)) < 0.05
X[:, :n_signal] += np.outer(rng.normal(size=n), np.linspace(2.0, 0.3, n_signal))
X = pd.DataFrame(X, columns=[f"signal_{j}" if j < n_signal else f"noise_{j}" for j in range(300)])

# %%
# Is it beyond chance?
# --------------------
# :class:`~unsuprank.SharedVariance` compares each column with itself in all orders of its rows, in
# closed form, whatever its distribution. If nothing but noise is there, p-values are even between
# 0 and 1.
import matplotlib.pyplot as plt

from unsuprank import SharedVariance

ranker = SharedVariance(n_features_to_select=n_signal).fit(X)
p = ranker.p_values_
fig, ax = plt.subplots(figsize=(6.4, 2.8))
ax.hist([p[n_signal:], p[:n_signal]], bins=20, stacked=True, color=["0.75", "C0"])
ax.axhline((len(p) - n_signal) / 20, color="0.4", lw=1, ls="--")
ax.set(xlabel="p-value", ylabel="columns", title="grey: noise, blue: signal; dashed: chance")
plt.show()

# %%
# Would other rows give it?
# -------------------------
# :func:`~unsuprank.evaluation.selection_frequency` fits to random halves of the rows, which vary
# as much as new tables of this size would, and counts.
from unsuprank.evaluation import selection_frequency

often = selection_frequency(ranker, X, n_resamples=50)
frame = often.to_frame().head(n_signal + 3)
frame.round(2)

# %%
# The strong ones are there in every half; the weak ones now and then, and so is a column of noise
# or another. A random ranking would have every column selected with this frequency:
print(round(float(often.chance), 3))

# %%
# Would another seed give it?
# ---------------------------
# ``SharedVariance`` and ``GreedyCSS`` have no seed. Forests do, and 100 trees, the paper's
# setting, are too few for a wide table. Here is how many of their best 12 columns two forests of
# different seeds share:
from unsuprank import Genie3


def shared_by_two(**settings):
    """How many of the best columns two forests of different seeds have in common."""
    tops = [
        set(Genie3(random_state=seed, n_features_to_select=n_signal, **settings).fit(X).order_[:12])
        for seed in (0, 1)
    ]
    return len(tops[0] & tops[1])


for n_estimators in (100, 1000, "auto"):
    print(f"{n_estimators!s:>5} trees: {shared_by_two(n_estimators=n_estimators)} of 12 shared")

# %%
# ``n_estimators="auto"`` grows until two forests like it would agree on 90% of what they select,
# with :doc:`probes </how/probes>` where they help, and says how it went. The bound on its work
# follows from the table and not from a clock, so that a slow machine goes as far as a fast one.
forest = Genie3("auto", n_features_to_select=n_signal, random_state=0).fit(X)
print(f"stable: {forest.converged_}, estimated agreement {forest.stability_:.2f}")

# %%
# Stable is not the same as right
# -------------------------------
# A forest that is stable may be stable on noise: the gain of the paper favours some kinds of
# columns. Out-of-bag gains, measured on rows that a tree did not see, do not.
for gain in ("in_bag", "out_of_bag"):
    forest = Genie3(3000, gain=gain, n_features_to_select=n_signal, random_state=0).fit(X)
    found = sum(name.startswith("signal") for name in forest.get_feature_names_out())
    print(f"{gain:<10} {found} of the 12 best columns are signal")

# %%
# ``rank_interval_`` and ``scores_sem_`` say how sure a forest is of each column, and
# :func:`unsuprank.plot.top` draws them.
from unsuprank import plot

plot.top(forest, n_signal)
plt.show()

# %%
# :doc:`/which-method` has the same comparisons for all methods, on tables of many kinds.
