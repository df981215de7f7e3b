"""
How many?
=========

Which few columns stand for all, and when do more of them no longer matter? Three answers: when
chance would do as well, when little is left to explain, and when a predictor gains no more.
"""

# %%
# Measurements of 569 cell nuclei, 30 columns, shipped by scikit-learn. The labels are left aside.
from sklearn.datasets import load_breast_cancer

X = load_breast_cancer(as_frame=True).data

# %%
# Until chance would do as well
# -----------------------------
# :class:`~unsuprank.GreedyCSS` picks columns one after the other, each for what those before it
# leave unexplained, and stops counting where the best of all columns left explains no more than it
# would by chance. ``"auto"`` takes that number.
from unsuprank import GreedyCSS

ranker = GreedyCSS(n_features_to_select="auto").fit(X)
print(ranker.n_features_, "of", X.shape[1], "columns are beyond chance")

# %%
# That is an upper bound, and with 569 rows a generous one: chance is low when there are many rows,
# and so nearly every column has something of its own. What the picks explain together says how
# little that is.
#
# Until little is left to explain
# -------------------------------
import matplotlib.pyplot as plt
import numpy as np

explained = ranker.explained_
enough = int(np.searchsorted(explained, 0.8)) + 1
fig, ax = plt.subplots()
ax.plot(np.arange(1, len(explained) + 1), explained, "o-", ms=3)
ax.axhline(0.8, color="0.6", lw=1)
ax.axvline(ranker.n_features_, color="C1", lw=1, label="chance would do as well")
if enough <= len(explained):
    ax.plot(enough, explained[enough - 1], "o", color="C3", label=f"{enough} explain 80%")
ax.set(xlabel="columns picked", ylabel="share of all variation explained", ylim=(0, 1.02))
ax.legend(loc="lower right")
plt.show()
for j in ranker.picks_[:enough]:
    print(ranker.feature_names_in_[j])

# %%
# A table with much noise may never come to 80%: then the curve ends below the line, and all picks
# are listed.
#
# Until a predictor gains no more
# -------------------------------
# :func:`~unsuprank.evaluation.error_curve` ranks the columns on the training rows of every fold
# and predicts all columns of the test rows from the leading ones, by the nearest neighbour. Beside
# it is drawn what random orders of the columns come to: a ranking is worth its name where it is
# below. Distances and errors are in standard units here; raw ones would leave all to the columns
# of the largest unit.
from unsuprank import SharedVariance
from unsuprank.evaluation import error_curve

rankers = {"GreedyCSS": GreedyCSS(), "SharedVariance": SharedVariance()}
sizes = [1, 2, 4, 6, 8, 12, 16, 30]
curves = error_curve(X, rankers, sizes=sizes, cv=5, scale="standard")
fig, ax = plt.subplots()
curves.plot(ax=ax)
plt.show()

# %%
# Two questions, two curves. The columns that *share* most (``SharedVariance``) repeat each other,
# and from eight on they predict the rest worse than a random choice. For a few columns, take those
# that :class:`~unsuprank.GreedyCSS` picks.
#
# Of your own file
# ----------------
# ``unsuprank rank table.xlsx --method css`` lists the picks and says how many are beyond chance and
# what they explain, and ``unsuprank curve table.xlsx --method css`` measures the error. In Python,
# a DataFrame is taken as it is typed: text such as "16.4 kg" is a name, and identifiers are ranked.
# :func:`unsuprank.io.read_file` reads such text as numbers and dates as the command line does:
# ``data = read_file("table.xlsx")``, and ``X = data.without(data.identifiers()).table()`` leaves
# identifiers out. All blocks above take that ``X``, with sizes up to its number of columns.
#
# If you have a task with labels after all, let it decide: :doc:`/guide/pipeline`.
