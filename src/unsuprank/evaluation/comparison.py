"""Are some methods better than others over many data sets?

Friedman's test on the ranks within each data set, with the correction for ties, and
Nemenyi's critical distance for pairs of methods, as Demšar (2006) recommends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from scipy.stats import chi2, rankdata, studentized_range

from .._checks import check_number
from .selection import size_index

if TYPE_CHECKING:
    from .curve import ErrorCurves


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` found.

    Attributes
    ----------
    methods, datasets : tuple of str
    ranks : ndarray of shape (n_datasets, n_methods)
        1 is the best method of a data set; equals share their mean rank.
    average_ranks : ndarray of shape (n_methods,)
    statistic, p_value : float
        Friedman's chi-squared, corrected for ties.
    critical_distance : float
        Average ranks further apart than this differ at level `alpha` (Nemenyi).
    alpha : float
    dropped : tuple of str
        Data sets without a value for every method; they are left out.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: np.ndarray
    average_ranks: np.ndarray
    statistic: float
    p_value: float
    critical_distance: float
    alpha: float
    dropped: tuple[str, ...]

    @cached_property
    def pairwise_p(self) -> np.ndarray:
        """Nemenyi's p-values, shape (n_methods, n_methods)."""
        k = len(self.methods)
        a, b = np.triu_indices(k, 1)
        gaps = np.abs(self.average_ranks[a] - self.average_ranks[b]) / _unit(*self.ranks.shape)
        p = np.ones((k, k))
        p[a, b] = p[b, a] = np.clip(studentized_range.sf(gaps, k, np.inf), 0.0, 1.0)
        return p

    def groups(self) -> list[tuple[str, ...]]:
        """Largest sets of methods whose average ranks differ by less than the critical distance.

        Best first; a method that differs from all others is in none.
        """
        order = np.argsort(self.average_ranks, kind="stable")
        ranks = self.average_ranks[order]
        found: list[tuple[str, ...]] = []
        reached = 0
        for start in range(len(order)):
            stop = int(np.searchsorted(ranks, ranks[start] + self.critical_distance, side="left"))
            if stop > reached and stop - start > 1:
                found.append(tuple(self.methods[j] for j in order[start:stop]))
                reached = stop
        return found

    def plot(self, ax: Any = None) -> Any:
        """Draw the average-rank diagram; needs matplotlib."""
        from .plots import plot_average_ranks

        return plot_average_ranks(self, ax=ax)


def compare(
    results: Any,
    *,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    size: int = 16,
    higher_is_better: bool = False,
    alpha: float = 0.05,
) -> Comparison:
    """Compare methods over data sets by their ranks.

    Parameters
    ----------
    results : mapping, DataFrame or array
        A mapping of methods to values (one per data set), a DataFrame with one column per
        method, an array of shape (n_datasets, n_methods), or a mapping of data sets to
        :class:`ErrorCurves`. A data set with a missing value (NaN) is left out and named.
    methods, datasets : sequence of str, optional
        Names, where `results` has none.
    size : int, default=16
        Where curves are compared; shorter ones at their end.
    higher_is_better : bool, default=False
        Whether large values get the good ranks.
    alpha : float, default=0.05
        Level of the critical distance.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from unsuprank.evaluation import compare
    >>> found = compare({"A": [1.0, 1.0, 2.0], "B": [2.0, 3.0, 3.0], "C": [3.0, 2.0, 4.0]})
    >>> found.average_ranks.round(2)
    array([1.  , 2.33, 2.67])
    """
    check_number("alpha", alpha, 0.0, 1.0, open_low=True)
    names, sets, values = _read_results(results, methods, datasets, size)
    complete = ~np.isnan(values).any(axis=1)
    if values.shape[1] < 2 or complete.sum() < 2:
        raise ValueError(
            "A comparison needs at least two methods and two data sets with a value for each."
        )
    kept = values[complete] if not higher_is_better else -values[complete]
    ranks = np.array([rankdata(row) for row in kept])
    statistic, p_value = friedman(ranks)
    average = ranks.mean(axis=0)
    return Comparison(
        methods=names,
        datasets=tuple(s for s, c in zip(sets, complete, strict=True) if c),
        ranks=ranks,
        average_ranks=average,
        statistic=statistic,
        p_value=p_value,
        critical_distance=_critical_range(alpha, len(names)) * _unit(*ranks.shape),
        alpha=alpha,
        dropped=tuple(s for s, c in zip(sets, complete, strict=True) if not c),
    )


def _unit(n_datasets: int, n_methods: int) -> float:
    """What one unit of the studentized range is in average ranks."""
    return float(np.sqrt(n_methods * (n_methods + 1) / (12.0 * n_datasets)))


@cache
def _critical_range(alpha: float, n_methods: int) -> float:
    """Nemenyi's critical value; remembered, because SciPy integrates for it."""
    return float(studentized_range.ppf(1.0 - alpha, n_methods, np.inf))


def friedman(ranks: np.ndarray) -> tuple[float, float]:
    """Friedman's tie-corrected statistic and its chi-squared p-value.

    SciPy's function refuses two methods, for which the same formula holds.
    """
    n, k = ranks.shape
    variance = ((ranks - (k + 1) / 2.0) ** 2).sum() / (k - 1)
    if variance == 0.0:
        return 0.0, 1.0
    statistic = float(((ranks.sum(axis=0) - n * (k + 1) / 2.0) ** 2).sum() / variance)
    return statistic, float(chi2.sf(statistic, k - 1))


def _read_results(
    results: Any, methods: Sequence[str] | None, datasets: Sequence[str] | None, size: int
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Names of methods and of data sets, and the values: data sets x methods."""
    names: Sequence[str] | None = None
    if isinstance(results, Mapping):
        if any(hasattr(values, "sizes") for values in results.values()):
            return _from_curves(results, size)
        names, values = [*map(str, results)], np.array([*results.values()], dtype=float).T
    else:
        frame = nw.from_native(results, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            names, results = frame.columns, frame.to_numpy()
        values = np.asarray(results, dtype=float)
    if values.ndim != 2:
        raise ValueError("results must hold one value per data set and method.")
    sets = datasets or [f"data set {i}" for i in range(len(values))]
    names = methods or names or [f"method {j}" for j in range(values.shape[1])]
    if (len(sets), len(names)) != values.shape:
        raise ValueError(
            f"results has {values.shape[0]} data sets and {values.shape[1]} methods, but "
            f"{len(sets)} and {len(names)} names were given."
        )
    return tuple(names), tuple(sets), values


def _from_curves(
    curves: Mapping[str, ErrorCurves], size: int
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    first = next(iter(curves.values()))
    names = (*first.values, *(("random",) if len(first.random) else ()))
    values = np.array(
        [[c.mean(name)[size_index(c.sizes, size)] for name in names] for c in curves.values()]
    )
    sign = -1.0 if first.higher_is_better else 1.0
    return names, tuple(map(str, curves)), sign * values
