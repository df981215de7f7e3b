"""Rankings side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ranker import Ranker


def rank_rows(names: Sequence[str], fitted: Mapping[str, Ranker]) -> list[dict[str, Any]]:
    """One row per feature with its score and rank by every method, best on average first."""
    mean = np.mean([r.ranking_ for r in fitted.values()], axis=0)
    rows = []
    for j in np.argsort(mean, kind="stable").tolist():
        row: dict[str, Any] = {"feature": names[j], "mean_rank": float(mean[j])}
        for name, ranker in fitted.items():
            row[f"{name}_rank"] = int(ranker.ranking_[j])
            row[f"{name}_score"] = float(ranker.scores_[j])
        rows.append(row)
    return rows


def agreement_rows(fitted: Mapping[str, Ranker], top: int) -> list[list[str]]:
    """For every pair: the correlation of ranks, and how many of the top features are shared."""
    rows = []
    for name, a in fitted.items():
        row = [name]
        for b in fitted.values():
            shared = len(set(a.order_[:top].tolist()) & set(b.order_[:top].tolist()))
            row.append(f"{_spearman(a.ranking_, b.ranking_):.2f} / {shared}")
        rows.append(row)
    return rows


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    if len(a) < 2:
        return 1.0
    return float(np.corrcoef(a, b)[0, 1])
