"""How far the rankings of several methods agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..ranker import Ranker
from .ranks import spearman


@dataclass(frozen=True)
class RankingAgreement:
    """Agreement of every pair of methods.

    Attributes
    ----------
    names : list of str
        Of the methods; rows and columns of both matrices.
    spearman : ndarray
        Correlation of the ranks of all columns.
    shared : ndarray of int
        How many columns two methods have in common among the top ones of each.
    """

    names: list[str]
    spearman: np.ndarray
    shared: np.ndarray


def compare_rankings(fitted: Mapping[str, Ranker], top: int = 16) -> RankingAgreement:
    """Compare the rankings of fitted rankers, pair by pair.

    Parameters
    ----------
    fitted : mapping of names to rankers
        All fitted on the same columns.
    top : int, default=16
        Leading columns that are compared as sets.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import RandomRanker, VarianceRanker
    >>> from unsuprank.describe import compare_rankings
    >>> X = np.eye(5) * [1, 2, 3, 4, 5]
    >>> fitted = {"variance": VarianceRanker().fit(X), "random": RandomRanker(0).fit(X)}
    >>> compare_rankings(fitted, top=2).shared.diagonal()
    array([2, 2])
    """
    rankers = list(fitted.values())
    leading = np.array([r.ranking_ <= top for r in rankers], dtype=int)
    correlations = [[spearman(a.ranking_, b.ranking_) for b in rankers] for a in rankers]
    return RankingAgreement(list(fitted), np.array(correlations), leading @ leading.T)


def agreement_rows(fitted: Mapping[str, Ranker], top: int) -> list[list[str]]:
    """Put the agreement of every pair into words: correlation of ranks / shared top columns.

    Parameters
    ----------
    fitted : mapping of names to rankers
    top : int

    Examples
    --------
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.describe import agreement_rows
    >>> agreement_rows({"variance": VarianceRanker().fit([[1, 0], [2, 8]])}, 1)
    [['variance', '1.00 / 1']]
    """
    found = compare_rankings(fitted, top)
    return [
        [name, *(f"{r:.2f} / {n}" for r, n in zip(*row, strict=True))]
        for name, *row in zip(found.names, found.spearman, found.shared, strict=True)
    ]
