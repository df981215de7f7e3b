"""
Reading the report
==================

``ranker.report`` and ``unsuprank rank table.csv --report page.html`` write one page that can be
sent to a colleague: no server, no network, everything in the file. What stands on it, and how to
read it.
"""

# %%
# The page of this guide is about 178 wines with a column of noise. It is made of the table, the
# ranking, and refits to parts of the rows. Labels colour what is drawn and have a section of their
# own; they never take part in the ranking.
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

from unsuprank import SharedVariance, plot

wine = load_wine(as_frame=True)
X = wine.data.assign(noise=np.random.default_rng(0).normal(size=len(wine.data)))
ranker = SharedVariance().fit(X)
page = Path(tempfile.mkdtemp()) / "wine.html"
ranker.report(X, page, title="wine", labels=wine.target_names[wine.target], label_name="cultivar")
print(f"{page.stat().st_size / 1e6:.1f} MB")

# %%
# .. image:: /images/report.png
#    :alt: The top of a report: verdict and ranking
#
# (The page that ``make demo`` writes, of 17 November 2026.)
#
# Verdict
# -------
# Three questions, each answered in a sentence with the figures that it rests on.
#
# *Is there structure beyond chance?* Columns are counted as beyond chance with at most 5% false
# discoveries among them. "None was found" means that the ranking below says nothing of columns that
# go together.
#
# *Is the order stable?* The ranker was fitted again to 80% of the rows, several times. "Mostly"
# means that four in five of the top columns stay at the top in four of five refits, "in part" that
# half of them do; the rank intervals below say which. (For a forest, what other seeds would give is
# drawn from the standard errors of its scores instead, and the sentence says so.)
#
# *Which few columns stand for all?* The first picks of :class:`~unsuprank.GreedyCSS`, how much of
# all columns they explain, and up to how many would explain more than chance. To keep few columns,
# take these; the curve further below judges the leading columns of the *ranking*, which may repeat
# one another.
#
# Below stands what is good to know of the table itself: scales that differ much, columns that
# repeat each other exactly, values that look like a code for missing.
#
# The ranking
# -----------
# Bars are scores, grey where a column is not beyond chance. The rank interval is where the rank
# lay in nine of ten refits. Beside it stands what the column explains of the others, and what it
# would by chance. Click a name for a card of the column: its values and its nearest columns.
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(6.4, 3.8))
plot.top(ranker, 14, ax=ax)
plt.show()

# %%
# All columns
# -----------
# The same as a table of all columns, with their type, values, spread, gaps and zeros: sort it by
# any of these, search it, look up a list of names that you paste, or download it.
#
# How many columns are enough to predict all?
# -------------------------------------------
# The error of predicting all columns from the leading ones, on rows left aside. The band is what
# random orders of the columns come to: where the curve is inside of the band, the ranking is no
# better than chance *at this task*. For a ranking of relevance that is no fault: what is relevant
# repeats itself. See :doc:`/guide/how_many`.
#
# Which columns repeat one another?
# ---------------------------------
# Associations of the leading columns, similar ones side by side: nearly the absolute correlation
# for two numeric columns and what corresponds to it for nominal ones, 0 for what chance would give.
fig, ax = plt.subplots(figsize=(5.2, 4.4))
plot.redundancy(ranker, X, ax=ax)
plt.show()

# %%
# What the rows look like
# -----------------------
# Rows in the plane of two principal axes, of all columns and of the leading ones alone. If the
# second picture shows what the first one shows, the leading columns carry it.
fig, axes = plt.subplots(1, 2, figsize=(7.6, 3.4))
for ax, n in zip(axes, (None, 5), strict=True):
    plot.embedding(ranker, X, n=n, labels=wine.target_names[wine.target], ax=ax)
plt.show()

# %%
# What sets the groups of rows apart?
# -----------------------------------
# Only with labels: :func:`~unsuprank.explain_clusters` of each label against the rest, see
# :doc:`/guide/explain_clusters`.
#
# Is this just variance?
# ----------------------
# Scores against the spread of the columns. A method that only finds columns of large numbers draws
# a line here.
fig, ax = plt.subplots()
plot.against_spread(ranker, X, ax=ax)
plt.show()

# %%
# Reproduce this ranking
# ----------------------
# The last section names the method, its parameters, seed and version: enough to repeat the page.
