"""How often a column is selected when other rows had been seen.

The ranker is fitted to many random parts of the rows. Parts of half the rows, drawn without
replacement, differ from the table about as much as another table of its size from the same source
would: a mean over m / 2 of m rows varies around that of the table by s^2 / (m / 2) * (1 - 1 / 2) =
s^2 / m. Larger parts overlap more and promise too much (four fifths: a quarter of that variance),
smaller ones leave too little to rank by. Meinshausen and Buehlmann's stability selection (2010)
takes halves for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from .._checks import check_count, check_fraction_or_count, check_number
from .._parallel import one_blas_thread
from ..describe.fitted import read_as_told
from ..describe.frames import as_frame
from ..describe.ranks import rank_interval
from ..describe.refits import part_size, refit, row_parts
from ..ranker import Ranker

#: A number of columns, a share of them, or None for what the ranker itself selects.
CutOff = int | float | None


@dataclass(frozen=True)
class SelectionFrequency:
    """How sure a selection is; arrays have an entry per column of the table.

    Attributes
    ----------
    names : list of str
        Of the columns.
    cut_offs : tuple
        Numbers or shares of columns; None is what the ranker itself selects.
    frequency : ndarray of shape (n_columns,), or (n_cut_offs, n_columns) if several were asked for
        Share of the resamples in which a column is among the selected.
    chance : float, or ndarray of shape (n_cut_offs,)
        The frequency to expect of a column when columns are ranked at random, those aside that
        the ranker includes or excludes.
    mean_rank : ndarray
        Over the resamples.
    rank_low, rank_high : ndarray of int
        Between these lie the ranks in nine of ten resamples.
    n_resamples, n_rows : int
        How many resamples there were, of how many rows each.
    """

    names: list[str]
    cut_offs: tuple[CutOff, ...]
    frequency: np.ndarray
    chance: float | np.ndarray
    mean_rank: np.ndarray
    rank_low: np.ndarray
    rank_high: np.ndarray
    n_resamples: int
    n_rows: int

    def to_frame(self) -> Any:
        """Put it into a pandas DataFrame, the best mean rank first.

        Returns
        -------
        DataFrame
            With the columns feature, frequency (frequency_16 and so on if there are several
            cut-offs), mean_rank, rank_low and rank_high.
        """
        several = self.frequency.ndim == 2
        labels = [f"frequency_{c}" for c in self.cut_offs] if several else ["frequency"]
        found = {
            "feature": np.array(self.names, dtype=object),
            **dict(zip(labels, np.atleast_2d(self.frequency), strict=True)),
            "mean_rank": self.mean_rank,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
        }
        order = np.argsort(self.mean_rank, kind="stable")
        return as_frame({name: values[order] for name, values in found.items()})


def selection_frequency(
    ranker: Ranker,
    X: Any,
    *,
    n_resamples: int = 50,
    fraction: float = 0.5,
    n_features: CutOff | Sequence[int | float] = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> SelectionFrequency:
    """Count how often each column is selected when only some of the rows are seen.

    Parameters
    ----------
    ranker : ranker
        Cloned and fitted to every resample, with another seed where it takes one.
    X : array-like, DataFrame, AnnData or Table
    n_resamples : int, default=50
        A frequency is known to about 0.07 with 50 (its largest standard error), 0.05 with 100.
    fraction : float, default=0.5
        Share of the rows in a resample, drawn without replacement. Halves vary as much as new
        tables of this size would; more than that promises too much. With 1.0 only seeds differ.
    n_features : int, float or sequence of these, optional
        Leading columns that count as selected: a number or a share, or several, all cut from the
        same fits. By default what the ranker itself selects, which may be "auto".
    random_state : int, default=0
        Seed of the resamples and of the ranker.
    n_jobs : int, optional
        Threads over resamples; the answer does not depend on it.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    SelectionFrequency

    Examples
    --------
    Three columns share a signal, seven are noise: two of the three are selected, sometimes these
    and sometimes those, and never noise.

    >>> import numpy as np
    >>> from unsuprank import SharedVariance
    >>> from unsuprank.evaluation import selection_frequency
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 10))
    >>> X[:, :3] += 2 * rng.normal(size=(100, 1))
    >>> found = selection_frequency(SharedVariance(), X, n_features=[2, 3])
    >>> found.frequency[1], found.chance
    (array([1., 1., 1., 0., 0., 0., 0., 0., 0., 0.]), array([0.2, 0.3]))
    >>> bool(found.frequency[0, :3].max() < 1)
    True
    """
    check_count("n_resamples", n_resamples)
    check_number("fraction", fraction, 0.0, 1.0, open_low=True)
    check_count("random_state", random_state, minimum=0)
    cut_offs = _read_cut_offs(n_features)
    table = read_as_told(ranker, X)
    size = part_size(table.n_rows, fraction)
    parts = row_parts(table.n_rows, size, n_resamples, random_state)

    def read(fitted: Ranker) -> tuple[np.ndarray, ...]:
        selected = [_selected(fitted, cut_off) for cut_off in cut_offs]
        return fitted.ranking_, np.array(selected), fitted.forced_ == 0

    with one_blas_thread():  # sums of matrix products depend on the number of threads
        found = refit(ranker, table, parts, random_state, read, n_jobs=n_jobs, verbose=verbose)
    ranks, selected, free = map(np.array, zip(*found, strict=True))
    frequency = selected.mean(axis=0)
    chance = _chance(frequency[:, free[0]])
    low, high = rank_interval(ranks)
    one = n_features is None or isinstance(n_features, Real)
    return SelectionFrequency(
        table.names, cut_offs, frequency[0] if one else frequency,
        float(chance[0]) if one else chance, ranks.mean(axis=0), low, high, n_resamples, size,
    )  # fmt: skip


def _read_cut_offs(n_features: CutOff | Sequence[int | float]) -> tuple[CutOff, ...]:
    if n_features is None:
        return (None,)
    wanted = np.ravel(np.asarray(n_features, dtype=object)).tolist()
    if not wanted:
        raise ValueError("n_features is empty; give a number of columns, or several.")
    for cut_off in wanted:
        check_fraction_or_count("n_features", cut_off)
    return tuple(wanted)


def _selected(fitted: Ranker, cut_off: CutOff) -> np.ndarray:
    """Mask of the columns that a fitted ranker selects if it may have so many."""
    if cut_off is not None:
        fitted.set_params(n_features_to_select=cut_off)
    return fitted.get_support()


def _chance(frequency: np.ndarray) -> np.ndarray:
    """What a random ranking that selects as many comes to: the mean over the columns."""
    return frequency.mean(axis=1) if frequency.shape[1] else np.zeros(len(frequency))
