"""The end of a lasso path on sparse columns, of which few take part.

The path of some columns is that of all if, wherever one of its steps ends, no other column is
correlated with the residual more than those that take part: in between, correlations change
linearly. So the path is followed with the columns that are correlated with the target most, all
others are compared at the ends of its steps, and those that should have taken part join for another
try. Products of pairs are needed of the few columns only.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import lars_path_gram

from ..centred_matrix import CentredMatrix

#: Columns that a path is tried with at first, besides four times as many as it has steps.
SCREENED = 256
#: Steps at whose ends all columns are compared in one go.
STEPS_AT_A_TIME = 64
#: Correlations that exceed others by less than this share of them are as large.
TIED = 1e-12
#: Products of columns with a direction that may be those of copies.
NEAR = 1e-9


def screened_path_end(
    Z: CentredMatrix, correlations: np.ndarray, steps: int, method: str
) -> np.ndarray:
    """Coefficients of a target after some steps, from its products with the columns of `Z`.

    Columns are centred and of norm 1; `method` is scikit-learn's ``"lasso"`` or ``"lar"``.
    """
    some = np.argsort(-np.abs(correlations), kind="stable")[: SCREENED + 4 * steps]
    while len(some):
        part = own = np.sort(some)
        few = Z[:, part]
        products = few.T @ few
        if method == "lasso":
            kept = _without_copies(products)
            own, products = part[kept], products[np.ix_(kept, kept)]
        alphas, _, path = lars_path_gram(
            correlations[own], products, n_samples=len(Z), max_iter=steps, method=method
        )
        coefficients = np.zeros(Z.shape[1])
        coefficients[own] = path[:, -1]
        missed = _missed(Z, correlations, Z[:, own] @ path, alphas * len(Z))
        missed[part] = False
        some = np.append(part, np.flatnonzero(missed)) if missed.any() else part[:0]
    return coefficients


def _without_copies(products: np.ndarray) -> np.ndarray:
    """The columns that do not repeat an earlier one, or its negative.

    scikit-learn leaves the path of the lasso where a column of it has a copy: the length of the
    next step is then a quotient of rounding errors.
    """
    return np.flatnonzero(~(np.abs(np.triu(products, 1)) > 1.0 - TIED).any(axis=0))


def repeated_columns(Z: np.ndarray) -> np.ndarray:
    """Mask of the columns that repeat an earlier one, or its negative; all have norm 1 or are 0.

    Columns that are alike have the same product with any direction. So only those are compared
    that are near each other in the order of their products with one of them.
    """
    direction = np.random.default_rng(0).normal(size=len(Z))
    marks = np.abs(direction @ Z) / np.linalg.norm(direction)
    order = np.argsort(marks, kind="stable")
    order = order[marks[order] > 0.0]  # without constant columns
    ends = np.append(np.flatnonzero(np.diff(marks[order]) > NEAR) + 1, len(order))
    starts = np.append(0, ends[:-1])
    repeated = np.zeros(Z.shape[1], dtype=bool)
    for k in np.flatnonzero(ends - starts > 1).tolist():
        alike = np.sort(order[starts[k] : ends[k]])
        while len(alike):
            same = np.abs(Z[:, alike[0]] @ Z[:, alike]) > 1.0 - TIED
            same[0] = True
            repeated[alike[same][1:]] = True
            alike = alike[~same]
    return repeated


def _missed(
    Z: CentredMatrix, correlations: np.ndarray, fitted: np.ndarray, largest: np.ndarray
) -> np.ndarray:
    """Which columns are correlated with a residual more than the `largest` of those tried."""
    missed = np.zeros(Z.shape[1], dtype=bool)
    allowed = largest * (1 + TIED) + TIED * largest[0]
    for first in range(0, len(allowed), STEPS_AT_A_TIME):
        at = slice(first, first + STEPS_AT_A_TIME)
        found = np.abs(correlations[:, None] - Z.T @ fitted[:, at])
        missed |= (found > allowed[at]).any(axis=1)
    return missed
