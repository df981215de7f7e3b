"""The fold loop: learn orders on some rows, judge their leading columns on the others.

Error curves and the study of the paper go through the same few functions, so that a fold of the
one is a fold of the other: the same rows, and nothing of the test rows in what is learned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold

from .._checks import check_count
from ..table import Table
from .judges import Judge

#: Training rows and test rows.
FoldRows = tuple[np.ndarray, np.ndarray]
#: Orders by label, learned on the rows whose indices are given.
Learn = Callable[[np.ndarray], Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class JudgedFold:
    """What was learned on the training rows of a fold, and how its test rows judge it."""

    orders: Mapping[str, np.ndarray]
    #: Per label, of shape (n_repetitions, n_sizes).
    values: dict[str, np.ndarray]
    #: Time of learning.
    seconds: float


def split_rows(cv: Any, n_rows: int, random_state: int) -> list[FoldRows]:
    """Folds of a number of rows.

    Parameters
    ----------
    cv : int, scikit-learn splitter or None
        An int shuffles the rows into that many folds; None is one fold that learns from all
        rows and is judged on all of them.
    n_rows : int
    random_state : int
        Seed of the shuffling.
    """
    if cv is None:
        everything = np.arange(n_rows)
        return [(everything, everything)]
    if hasattr(cv, "split"):
        return list(cv.split(np.zeros(n_rows)))
    n_folds = check_count("cv", cv, minimum=2)
    if n_folds > n_rows:
        raise ValueError(f"cv is {n_folds}, but there are only {n_rows} rows; use fewer folds.")
    return list(KFold(n_folds, shuffle=True, random_state=random_state).split(np.zeros(n_rows)))


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Some rows of a table, an array, a CSR matrix or a data frame, of its own kind."""
    if isinstance(X, Table):
        return X.take(rows=rows)
    if sparse.issparse(X):
        return X[rows]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame[rows.tolist()].to_native()
    return np.asarray(X)[rows]


def judge_fold(rows: FoldRows, learn: Learn, judge: Judge, sizes: np.ndarray) -> JudgedFold:
    """Learn orders on the training rows, and judge each of them on the test rows."""
    train, test = rows
    started = time.perf_counter()
    orders = learn(train)
    seconds = time.perf_counter() - started
    judge_order = judge.on_fold(train, test)
    values = {label: judge_order(order, sizes) for label, order in orders.items()}
    return JudgedFold(orders, values, seconds)
