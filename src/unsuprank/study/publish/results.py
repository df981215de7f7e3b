"""What the outcomes of jobs say, gathered for tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...evaluation import Comparison, compare
from ...evaluation.selection import size_index
from ..plan.jobs import CLUSTER_HYPOTHESIS, N_FOLDS, TABLE_SIZE, Job, make_job
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


class Results:
    """Errors of columns on data sets, and why there is none where there is none."""

    def __init__(self, lookup: Lookup, data_sets: Sequence[str]) -> None:
        self._lookup = lookup
        self.data_sets = list(data_sets)
        self._curves: dict[tuple[str, str], StudyCurve | str] = {}

    def curve(self, column: StudyColumn, data_set: str) -> StudyCurve | str:
        """A curve, or the reason why there is none."""
        key = (column.title, data_set)
        if key not in self._curves:
            self._curves[key] = self._gather(column, data_set)
        return self._curves[key]

    def _gather(self, column: StudyColumn, data_set: str) -> StudyCurve | str:
        by_seed: list[np.ndarray] = []
        sizes, reason = np.empty(0), "not computed"
        for seed in column.seeds:  # a seed counts once all its folds are there
            jobs = [job for job in column.jobs(data_set) if job.seed == seed]
            outcomes = [self._lookup(job) for job in jobs]
            done = [o for o in outcomes if o is not None and o["status"] == "done"]
            if len(done) == N_FOLDS:
                sizes = np.array(done[0]["sizes"])
                by_seed.append(_errors(done, column.label).mean(axis=0))
            else:
                reason = next((_reason(o) for o in outcomes if _reason(o)), reason)
        if not by_seed:
            return reason
        repeats = np.concatenate(by_seed)
        return StudyCurve(sizes, repeats.mean(axis=0), repeats)

    def value(self, column: StudyColumn, data_set: str) -> float | str:
        """The error with 16 leading features, or the reason why there is none."""
        curve = self.curve(column, data_set)
        return (
            curve
            if isinstance(curve, str)
            else float(curve.error[size_index(curve.sizes, TABLE_SIZE)])
        )

    def numbers(self, column: StudyColumn) -> np.ndarray:
        """Errors on all data sets, NaN where there is none."""
        values = [self.value(column, name) for name in self.data_sets]
        return np.array([np.nan if isinstance(v, str) else v for v in values])

    def grid(self, column: StudyColumn) -> dict[str, np.ndarray]:
        """Errors of every ranking of a grid's jobs, per label, on all data sets."""
        found: dict[str, np.ndarray] = {}
        for d, name in enumerate(self.data_sets):
            outcomes = [self._lookup(job) for job in column.jobs(name)]
            if any(o is None or o["status"] != "done" for o in outcomes):
                continue
            at = size_index(outcomes[0]["sizes"], TABLE_SIZE)  # type: ignore[index]
            for label in outcomes[0]["rankings"]:  # type: ignore[index]
                errors = [o["rankings"][label]["rmse"][at] for o in outcomes if o]
                values = found.setdefault(label, np.full(len(self.data_sets), np.nan))
                values[d] = np.mean(errors)
        return found

    def ari(self, data_set: str) -> float | None:
        """Median adjusted Rand index of k-means against the classes."""
        outcome = self._lookup(make_job(data_set, -1, CLUSTER_HYPOTHESIS, {}))
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


def _errors(outcomes: list[dict[str, Any]], label: str | None) -> np.ndarray:
    """Errors of shape (n_folds, n_labels, n_sizes)."""
    labels = list(outcomes[0]["rankings"]) if label is None else [label]
    return np.array([[o["rankings"][name]["rmse"] for name in labels] for o in outcomes])


def _reason(outcome: dict[str, Any] | None) -> str:
    """Why an outcome has no value; empty for those that have one."""
    if outcome is None or outcome["status"] == "done":
        return ""
    return "over the limit" if outcome["status"] == "limit" else f"failed ({outcome['reason']})"
