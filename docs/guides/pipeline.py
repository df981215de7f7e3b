"""
In a scikit-learn pipeline, with a grid search
==============================================

Every ranker is a scikit-learn selector: it takes its place in a pipeline, and a grid search can
choose its settings.
"""

# %%
# Handwritten digits, shipped by scikit-learn. The ranking never sees the labels; the classifier
# behind it does, and so the search can ask how many pixels the task needs. Rankings are fitted
# within each fold.
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from unsuprank import Genie3, GreedyCSS, SharedVariance

X, y = load_digits(return_X_y=True, as_frame=True)
X, y = X[:450], y[:450]
pipeline = Pipeline([("ranker", GreedyCSS()), ("classifier", KNeighborsClassifier(3))])
search = GridSearchCV(
    pipeline,
    {
        "ranker": [GreedyCSS(), SharedVariance(), Genie3(50, random_state=0)],
        "ranker__n_features_to_select": [4, 8, 16, 32],
    },
    cv=3,
).fit(X, y)
print(search.best_params_["ranker"], f"accuracy {search.best_score_:.3f}")

# %%
import matplotlib.pyplot as plt
import pandas as pd

results = pd.DataFrame(search.cv_results_)
results["ranker"] = results["param_ranker"].map(lambda ranker: type(ranker).__name__)
table = results.pivot_table(
    index="param_ranker__n_features_to_select", columns="ranker", values="mean_test_score"
)
ax = table.plot(marker="o", logx=True)
ax.set(xlabel="pixels kept", ylabel="accuracy, 3 folds", xticks=table.index)
ax.set_xticklabels(table.index)
ax.minorticks_off()
plt.show()

# %%
# With few pixels, the columns that *share* most (:class:`~unsuprank.SharedVariance`) come last:
# they are neighbours on the image and repeat each other. Which of the others is ahead depends on
# how many may be kept, and that is what a search is for.
#
# What else works as usual
# ------------------------
# Names and output types:
ranker = search.best_estimator_["ranker"].set_output(transform="pandas")
print(ranker.get_feature_names_out()[:5])
print(ranker.transform(X).iloc[:2, :5])

# %%
# Scores as importances, for ``SelectFromModel``:
from sklearn.feature_selection import SelectFromModel

chosen = SelectFromModel(SharedVariance(), threshold="1.5*mean").fit(X)
print(chosen.get_support().sum(), "columns have more than 1.5 times the mean importance")

# %%
# Weights of rows, also through scikit-learn's metadata routing. Whole numbers count rows:
import numpy as np

weights = np.random.default_rng(0).integers(1, 4, size=len(X))
weighted = SharedVariance().fit(X, sample_weight=weights)
repeated = SharedVariance().fit(X.loc[X.index.repeat(weights)])
print(np.allclose(weighted.scores_, repeated.scores_))
