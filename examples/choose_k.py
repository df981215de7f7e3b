"""How many features to keep? Let a scikit-learn pipeline choose.

python examples/choose_k.py
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from unsuprank import Genie3

X, y = load_digits(return_X_y=True)
pipeline = make_pipeline(Genie3(n_estimators=50, random_state=0), KNeighborsClassifier(3))
search = GridSearchCV(pipeline, {"genie3__n_features_to_select": [4, 8, 16, 32, 64]}, cv=2)
search.fit(X[:600], y[:600])

for k, accuracy in zip(
    search.cv_results_["param_genie3__n_features_to_select"],
    search.cv_results_["mean_test_score"],
    strict=True,
):
    print(f"{k:3} pixels: accuracy {accuracy:.3f}")
print("Best:", search.best_params_["genie3__n_features_to_select"])
