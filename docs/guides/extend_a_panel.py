"""
Extend a panel
==============

Some columns are measured already, or must be there: a panel of genes, a core questionnaire. Which
ones are worth adding *given these*, and how many?
"""

# %%
# Handwritten digits of 8 x 8 pixels, shipped by scikit-learn. A camera reads the middle row of the
# image already. Which pixels should it read besides?
import numpy as np
from sklearn.datasets import load_digits

digits = load_digits(as_frame=True)
X = digits.data
have = [f"pixel_4_{column}" for column in range(8)]

# %%
# Given these
# -----------
# ``include=`` puts columns first. For :class:`~unsuprank.GreedyCSS` that changes what the others
# are worth: what the panel explains is projected out before anything is picked.
from unsuprank import GreedyCSS

n_more = 8
given = GreedyCSS(n_features_to_select=len(have) + n_more, include=have).fit(X)
plain = GreedyCSS(n_features_to_select=n_more).fit(X)

# %%
# ``picks_`` has the columns in the order in which they were picked, those of the panel first, and
# ``explained_`` what they explain together. (Two pixels of the panel, at the edges of the image,
# are always blank; constant columns explain nothing and are no picks.)
n_panel = int(np.isin(X.columns[given.picks_], have).sum())
added = given.picks_[n_panel : n_panel + n_more]
print("worth adding:", ", ".join(X.columns[added]))
print(f"explained by the panel {given.explained_[n_panel - 1]:.0%}", end=", ")
print(f"with the additions {given.explained_[n_panel + n_more - 1]:.0%}")

# %%
import matplotlib.pyplot as plt


def as_image(columns):
    """Pixels in the order of the columns, which are read row by row."""
    image = np.zeros(64)
    image[columns] = 1 + np.arange(len(columns))[::-1]
    return image.reshape(8, 8)


fig, axes = plt.subplots(1, 3, figsize=(6.4, 2.6))
panel = X.columns.get_indexer(have)
for ax, title, columns in zip(
    axes,
    ["the panel", "added to the panel", "the best without it"],
    [panel, added, plain.picks_[:n_more]],
    strict=True,
):
    ax.imshow(as_image(columns), cmap="Blues")
    ax.set(title=title, xticks=[], yticks=[])
plt.show()

# %%
# The additions keep away from the row that is read already; without a panel one of the picks lies
# in it.
#
# How many more?
# --------------
# With ``"auto"``, ``n_features_`` counts what is worth adding to the panel before chance would do
# as well.
auto = GreedyCSS(n_features_to_select="auto", include=have).fit(X)
print(auto.n_features_, "more columns explain more than chance")

# %%
# Leave columns out
# -----------------
# ``exclude=`` puts columns last: they are never picked, but still have to be explained, so that
# others stand for them. Both take names, patterns such as ``"pixel_0_*"``, indices or a mask, and
# every ranker has them. For rankers other than :class:`~unsuprank.GreedyCSS` they force places and
# change no score. On the command line they are ``--include`` and ``--exclude``.
from unsuprank import SharedVariance

edges = ["pixel_*_0", "pixel_*_7"]
ranker = SharedVariance(n_features_to_select=5, include=have[:1], exclude=edges[1:]).fit(X)
print(X.columns[ranker.order_[:5]].tolist())
