"""
Which features drive my clusters?
=================================

You have clusters already, from k-means, from a colleague or from a pathologist. Which columns set
them apart, all together and each one against the rest?
"""

# %%
# The chemistry of 178 wines, shipped by scikit-learn, in three clusters found by k-means. Two
# columns of noise and one of names are put in, to see whether they are found out.
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

wine = load_wine(as_frame=True).data
clusters = KMeans(3, n_init=10, random_state=0).fit_predict(StandardScaler().fit_transform(wine))
rng = np.random.default_rng(0)
X = wine.assign(
    noise=rng.normal(size=len(wine)),
    heavy_noise=rng.standard_t(2, size=len(wine)),
    shelf=rng.choice(["top", "middle", "bottom"], len(wine)),
)
X.loc[rng.random(len(X)) < 0.2, "hue"] = np.nan

# %%
# All clusters together
# ---------------------
# :func:`~unsuprank.explain_clusters` takes columns of all kinds, with gaps. The score is the share
# of the clusters that a column explains beyond chance: 1 if it tells them exactly, about 0 for
# noise. A DataFrame is taken as it is typed: text such as "16.4 kg" is a name, and identifiers are
# columns like any other. :func:`unsuprank.io.read_file` reads such text as numbers and dates as the
# command line does.
from unsuprank import explain_clusters

found = explain_clusters(X, clusters)
frame = found.to_frame()
overall = frame[frame["cluster"].isna()]
overall[["feature", "score", "low", "high", "adjusted_p_value", "beyond_chance"]].round(3)

# %%
import matplotlib.pyplot as plt

shown = overall[::-1]
fig, ax = plt.subplots(figsize=(6.4, 4.2))
ax.hlines(shown["feature"], shown["low"], shown["high"], color="0.7")
ax.scatter(shown["score"], shown["feature"], c=np.where(shown["beyond_chance"], "C0", "0.6"))
ax.set(xlabel="share of the clusters explained, with 95% intervals")
plt.show()

# %%
# Each cluster against the rest
# -----------------------------
# The direction says where the rows of the cluster lie.
for cluster, contrast in found.per_cluster.items():
    print(f"cluster {cluster}, {contrast.size} wines")
    for j in contrast.order[:4]:
        print(
            f"   {found.columns[j]:<30} {contrast.scores[j]:.2f} {contrast.direction[j]:<8}"
            f" {contrast.inside[j]:8.2f} inside {contrast.outside[j]:8.2f} outside"
        )

# %%
# A picture of the two best columns says the same:
first, second = (overall["feature"].iloc[i] for i in (0, 1))
fig, ax = plt.subplots()
for cluster in found.per_cluster:
    here = clusters == cluster
    ax.plot(X.loc[here, first], X.loc[here, second], "o", ms=4, alpha=0.7, label=str(cluster))
ax.set(xlabel=first, ylabel=second)
ax.legend(title="cluster")
plt.show()

# %%
# What p-values mean here
# -----------------------
# Chance means labels that have nothing to do with the columns. These clusters were made *from* the
# columns, so they differ in some of them even where there is nothing but noise: the scores say in
# which columns, and the p-values do not show that the clusters are real. For labels that come from
# elsewhere, such as a diagnosis, they mean what p-values mean.
#
# Each column is looked at by itself. What two columns tell together and neither alone is found by
# :class:`~unsuprank.PredictiveClusteringForest` with the labels as its clustering column. On the
# command line it is ``unsuprank explain table.csv --label cluster``.
