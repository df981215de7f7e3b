"""Weights of rows as rows: how often each one stands in the table that a ranker sees.

Every ranker takes weights in the same way and in one place: the table is made anew with as many
copies of a row as its weight says, and the method itself knows nothing of it. Two kinds of weights
mean two things:

- Whole numbers are counts. A weight of 3 is three rows, 0 is none, and the ranking is exactly that
  of the table with its rows repeated, standard errors and p-values included.
- Other weights, such as those of surveys, are shares: only their ratios count, and the table keeps
  its number of rows, since weights are no additional evidence. Rows are drawn by systematic
  sampling: a row whose share of the table is 2.3 rows is there two times or three. Equal weights
  draw every row once. What the one random start changes is below one copy of each row, and
  rankers with another ``random_state`` show how much that matters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

#: Values that a table may have once its rows are repeated: 8 GB, or ten times what it has.
MOST_VALUES, MOST_TIMES = 2**30, 10


def weighted_rows(sample_weight: Any, shape: tuple[int, int], random_state: Any) -> np.ndarray:
    """Indices of the rows of a weighted table, in order, as often as they are to be there.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,)
    shape : rows and columns of the table
    random_state : int, RandomState or None
        Decides where systematic sampling starts; whole numbers need none.
    """
    weights = _check_weights(sample_weight, shape[0])
    whole = (weights == np.floor(weights)).all()
    times = _counts(weights, shape) if whole else _drawn(weights, random_state)
    if times.sum() < 2:
        raise ValueError("sample_weight leaves a single row; a ranking needs two or more.")
    return np.repeat(np.arange(shape[0]), times)


def _check_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    weights = check_array(
        sample_weight,
        dtype=np.float64,
        ensure_2d=False,
        ensure_min_samples=0,  # the shape is judged below
        input_name="sample_weight",
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight needs one number per row, so the shape ({n_rows},), and has the shape "
            f"{weights.shape}."
        )
    if (weights < 0).any():
        raise ValueError(
            "sample_weight must not be negative, and the weight of row "
            f"{int(np.argmax(weights < 0))} is {weights[weights < 0][0]:g}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; give some rows a weight.")
    return weights


def _counts(weights: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    if weights.sum() > max(MOST_VALUES / shape[1], MOST_TIMES * shape[0]):
        raise ValueError(
            f"Whole numbers in sample_weight are counts, and these make {weights.sum():.3g} rows, "
            "which is too many; if they are shares, divide them by their mean: rows are then drawn "
            "in proportion."
        )
    return weights.astype(np.int64)


def _drawn(weights: np.ndarray, random_state: Any) -> np.ndarray:
    """Copies of each row: marks one apart, from a random start, that fall into its share."""
    ends = np.cumsum(weights / weights.max())  # so that the sum cannot overflow
    start = check_random_state(random_state).uniform()
    passed = np.floor(ends / ends[-1] * len(weights) + start).astype(np.int64)
    return np.diff(passed, prepend=0)
