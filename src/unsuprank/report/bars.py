"""The bars of the leading columns: places on their track, in percent of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .page_facts import PageFacts

#: Half of an interval that holds the score of another seed's mean in 95 of 100 cases.
INTERVAL = 1.96
#: Bars that are all longer than this share of the longest start elsewhere than at 0.
ALL_FULL = 0.8


@dataclass(frozen=True)
class Bar:
    """One column of the ranking."""

    column: int
    score: float
    #: Half of the interval around the score; 0 where it is not known.
    error: float
    #: Percent of the track where bar and interval begin, and how long they are.
    start: float
    length: float
    interval_start: float
    interval_length: float


@dataclass(frozen=True)
class Bars:
    """The bars of the leading columns, best first, and the score at which they start."""

    start: float
    rows: list[Bar]


def score_bars(facts: PageFacts) -> Bars:
    """Lay out the scores of the leading columns, with their intervals, on a common scale."""
    scores = facts.scores[facts.bars]
    errors = np.zeros(len(scores))
    if facts.errors is not None:
        errors = INTERVAL * facts.errors[facts.bars]
    start = _start(scores, errors)
    highest = float((scores + errors).max())
    span = highest - start or 1.0
    origin = 0.0 if start <= 0.0 <= highest else start

    def percent(value: float) -> float:
        return round(100.0 * min(max((value - start) / span, 0.0), 1.0), 2)

    rows = []
    for j, score, error in zip(facts.bars.tolist(), scores, errors, strict=True):
        low, high = percent(score - error), percent(score + error)
        ends = sorted((percent(origin), percent(score)))
        rows.append(Bar(j, float(score), float(error), ends[0], ends[1] - ends[0], low, high - low))
    return Bars(start, rows)


def _start(scores: np.ndarray, errors: np.ndarray) -> float:
    """0, or just below the lowest score if bars from 0 would all look the same, or go left."""
    low, high = float((scores - errors).min()), float(scores.max())
    if 0.0 <= float(scores.min()) <= ALL_FULL * high:
        return 0.0
    return low - 0.05 * (high - low)
