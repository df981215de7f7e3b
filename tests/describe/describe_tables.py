"""Tables of four kinds, and their clustering space by independent means."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.linear_model import LinearRegression


def small_numeric() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 7)) + 0.3 * rng.normal(size=(40, 7))
    return pd.DataFrame(X * 10.0 ** np.arange(-3, 4), columns=list("abcdefg"))


def mixed_with_gaps() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=["x", "y", "z"])
    frame["kind"] = rng.choice(["red", "green", "blue"], size=90)
    frame["other"] = np.where(rng.random(90) < 0.8, frame["kind"], "grey")
    frame["flag"] = rng.random(90) < 0.3
    frame["constant"] = 4.5
    frame["nothing"] = np.nan
    frame.loc[rng.random(90) < 0.2, "x"] = np.nan
    frame.loc[rng.random(90) < 0.3, "kind"] = None
    return frame


def wide() -> pd.DataFrame:
    X = np.random.default_rng(2).normal(size=(30, 400)) * np.arange(1, 401)
    return pd.DataFrame(X, columns=[f"gene {j}" for j in range(400)])


def many_rows() -> pd.DataFrame:
    """More rows than a Gram matrix makes in halves; as wide as long, so that one is made."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(1100, 1095)))
    frame.columns = [f"x{j}" for j in range(1095)]
    frame["kind"] = rng.integers(12, size=1100).astype(str)
    return frame


TABLES = {f.__name__: f for f in (small_numeric, mixed_with_gaps, wide, many_rows)}


def clustering_space(frame: pd.DataFrame) -> np.ndarray:
    """Standardised numbers, scaled indicators, zeros where a value is missing; a column each."""
    parts = []
    for name in frame:
        column = frame[name]
        known = column.notna().to_numpy()
        if column[known].nunique() < 2:
            continue
        if column.dtype.kind == "f":
            x = column.to_numpy()
            z = ((x - np.nanmean(x)) / np.nanstd(x))[:, None]
        else:
            values = sorted(column[known].unique())
            z = np.array([[float(v == w) for w in values] for v in column])
            share = z[known].mean(axis=0)
            z = (z - share) / np.sqrt(1 - (share**2).sum())
        z[~known] = 0.0
        parts.append(z)
    return np.hstack(parts)


def _design(column):
    """Columns of a regression: ranks and their squares, or an indicator of each name; gaps at 0."""
    if column.dtype.kind == "f":
        known = column.notna().to_numpy()
        ranks = np.zeros((len(column), 2))
        ranks[known, 0] = rankdata(column[known]) / known.sum()
        ranks[known, 1] = ranks[known, 0] ** 2
        ranks[known] -= ranks[known].mean(axis=0)
        return ranks
    dummies = pd.get_dummies(column).to_numpy(float, copy=True)
    known = dummies.sum(axis=1) > 0
    dummies[known] -= dummies[known].mean(axis=0)
    return dummies


def plain_share(column, target):
    """The share of groups that a regression on a column explains, beyond chance."""
    X = _design(column)
    fitted = LinearRegression(fit_intercept=False).fit(X, target - target.mean(axis=0)).predict(X)
    residual = target - target.mean(axis=0) - fitted
    share = 1.0 - (residual**2).sum() / ((target - target.mean(axis=0)) ** 2).sum()
    chance = np.linalg.matrix_rank(X) / (len(X) - 1)
    return (share - chance) / (1.0 - chance)
