"""What the outcomes of jobs say, gathered for tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ...evaluation import Comparison, compare
from ...evaluation.selection import size_index
from ..plan.jobs import CLUSTER_HYPOTHESIS, TABLE_SIZE, Job
from ..plan.suites import StudyColumn

#: Looks a job up: its stored outcome, or None.
Lookup = Callable[[Job], dict[str, Any] | None]


@dataclass(frozen=True)
class StudyCurve:
    """Mean error over folds, seeds and labels, per number of leading features."""

    sizes: np.ndarray
    error: np.ndarray
    #: Means over folds, one row per seed or random draw.
    repeats: np.ndarray


#: Sizes, and errors by label.
_Errors = tuple[list[int], dict[str, list[float]]]


class Results:
    """Errors of columns on data sets, and why there is none where there is none."""

    def __init__(
        self, lookup: Lookup, data_sets: Sequence[str], left_out: Sequence[str] = ()
    ) -> None:
        self._lookup = lookup
        #: Those of the study, and those that are there and were not asked for.
        self.data_sets, self.left_out = list(data_sets), list(left_out)
        self._errors = cache(self._read)

    def _read(self, job: Job) -> _Errors | str:
        """What a job found, without its orders, or why it found nothing."""
        outcome = self._lookup(job)
        if outcome is None:
            return "not computed"
        if outcome["status"] != "done":
            over = outcome["status"] == "limit"
            return "over the limit" if over else f"failed ({outcome['reason']})"
        rankings = outcome["rankings"].items()
        return outcome["sizes"], {label: found["rmse"] for label, found in rankings}

    def curve(self, column: StudyColumn, data_set: str) -> StudyCurve | str:
        """A curve, or the reason why there is none."""
        repeats: list[np.ndarray] = []
        sizes, reason = np.empty(0), "not computed"
        for seed in column.seeds:  # a seed counts once all its folds are there
            found = [self._errors(job) for job in column.jobs(data_set) if job.seed == seed]
            folds = [errors for errors in found if not isinstance(errors, str)]
            if len(folds) == len(found):
                sizes = np.array(folds[0][0])
                labels = list(folds[0][1]) if column.label is None else [column.label]
                errors = np.array([[by_label[name] for name in labels] for _, by_label in folds])
                repeats += list(errors.mean(axis=0))
            else:
                reasons = (r for r in found if isinstance(r, str) and r != "not computed")
                reason = next(reasons, reason)
        if not repeats:
            return reason
        return StudyCurve(sizes, np.mean(repeats, axis=0), np.array(repeats))

    def value(self, column: StudyColumn, data_set: str) -> float | str:
        """The error with 16 leading features, or the reason why there is none."""
        curve = self.curve(column, data_set)
        if isinstance(curve, str):
            return curve
        if curve.sizes[-1] < TABLE_SIZE:  # all methods would have the same
            return f"fewer than {TABLE_SIZE} columns"
        return float(curve.error[size_index(curve.sizes, TABLE_SIZE)])

    def numbers(self, column: StudyColumn) -> np.ndarray:
        """Errors on all data sets, NaN where there is none."""
        values = [self.value(column, name) for name in self.data_sets]
        return np.array([np.nan if isinstance(v, str) else v for v in values])

    def ari(self, data_set: str) -> float | None:
        """Median adjusted Rand index of k-means against the classes."""
        outcome = self._lookup(Job(data_set, -1, CLUSTER_HYPOTHESIS))
        return outcome["ari"] if outcome and outcome["status"] == "done" else None

    def compare(
        self, columns: Sequence[StudyColumn], without: Sequence[str] = ()
    ) -> Comparison | None:
        """Compare the columns that have values; None where fewer than two have."""
        rows = [i for i, name in enumerate(self.data_sets) if name not in without]
        values = {c.title: self.numbers(c)[rows] for c in columns}
        values = {title: v for title, v in values.items() if not np.isnan(v).all()}
        kept = np.array(list(values.values()))
        if len(values) < 2 or (~np.isnan(kept).any(axis=0)).sum() < 2:
            return None
        return compare(values, datasets=[self.data_sets[i] for i in rows])
