"""The graph of all pairs of rows with weights ``W = exp(-gamma d^2)``, in bands of rows.

W is symmetric and 1 on the diagonal, so only what is right of the diagonal is ever made. A band
is a few rows against themselves and all rows after them, so small that it stays in the cache
while products become distances, distances weights, and weights are summed and multiplied.
Threads take the bands in turn, with one thread of BLAS in each.

Two matrix products, over the columns for the distances and over the rows for ``f' W f``, each of
rows^2 columns / 2 multiply-adds, are nearly all of the work; tables of small whole numbers have
faster ones. Up to :data:`STORED_ROWS` rows the distances are kept, because their median tunes
gamma before the first weight is known; for more, that of some rows does, and distances are made
when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from ... import _kernels
from ..._parallel import blas_threads, in_batches, one_blas_thread
from ..._progress import progress
from .moments import Moments
from .row_distances import RowDistances, column_blocks
from .whole_distances import WholeDistances

#: Rows up to which distances are kept; of more, this many give the median that tunes gamma.
STORED_ROWS = 3000
#: Values that tell about where the median of many is.
SAMPLE = 2**14

T = TypeVar("T")
Distances: TypeAlias = RowDistances | WholeDistances


@dataclass(frozen=True)
class RBFGraph:
    """``exp(-gamma d^2)`` between all pairs of rows."""

    distances: Distances
    gamma: float
    bands: list[slice]
    verbose: int = 0
    n_jobs: int | None = None
    #: Squared distances, band by band, where they are kept.
    kept: list[np.ndarray] | None = None

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        gamma: float | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> RBFGraph:
        """The graph of `X`; without `gamma`, 1 / median squared distance of two rows.

        `n_jobs` are threads, by default as many as BLAS would take.
        """
        n_jobs = blas_threads() if n_jobs is None else n_jobs
        distances = WholeDistances.of(X, n_jobs) or RowDistances.of(X)
        kept = _of_all_bands(distances, n_jobs) if len(X) <= STORED_ROWS else None
        if gamma is not None:
            with np.errstate(over="ignore"):
                gamma = float(min(gamma * np.square(distances.unit), 1e300))
        elif kept is not None:
            gamma = _tuned_gamma(distances, kept, n_jobs)
        else:
            some = distances.among(np.linspace(0, len(X) - 1, STORED_ROWS).astype(np.intp))
            gamma = _tuned_gamma(some, _of_all_bands(some, n_jobs), n_jobs)
        return cls(distances, gamma, distances.bands(), verbose, n_jobs, kept)

    def sums(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Degrees of the rows, and ``f' W f`` of each column of `f`."""
        degree = np.ones(len(f))
        total = np.zeros(f.shape[1])

        def work(band: slice, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            weights = self._weights(squared)
            return weights.sum(axis=0), weights.sum(axis=1), _forms(weights, f, band)

        for band, (below, beside, forms) in self._of_bands(work):
            degree[band.start :] += below
            degree[band] += beside
            total += forms
        return degree, 2.0 * total + np.einsum("ij,ij->j", f, f)

    def exact_moments(self) -> Moments | None:
        """Sums for the table's own columns, if it has an exact and faster way to them."""
        whole = self.distances
        if not isinstance(whole, WholeDistances):
            return None
        degree, form = (
            np.zeros(whole.table.all_rows, dtype=np.int64),
            np.zeros(whole.table.all_cols),
        )
        done = self._of_bands(lambda band, squared: whole.band_sums(band, squared, self.gamma))
        for band, (degrees, forms) in done:
            degree[band.start :] += degrees
            form += forms
            if band.start == 0 and whole.lonely(degree[band]):
                return None  # before more work is lost
        return whole.moments(degree, form)

    def toarray(self) -> np.ndarray:
        """All weights."""
        full = np.eye(self.distances.n_rows) / 2.0
        for band, weights in self._of_bands(lambda _band, squared: self._weights(squared)):
            full[band, band.start :] += weights
        return full + full.T

    def _weights(self, squared: np.ndarray) -> np.ndarray:
        exponents = self.distances.exponents(squared, self.gamma)
        return np.exp(exponents, out=exponents)

    def _of_bands(self, work: Callable[[slice, np.ndarray], T]) -> Iterator[tuple[slice, T]]:
        """The bands in order, and what `work` makes of their distances."""
        m = self.distances.n_rows

        def of_band(k: int) -> T:
            band = self.bands[k]
            squared = self.distances.of_band(band) if self.kept is None else self.kept[k]
            return work(band, squared)

        done = _on_threads(of_band, len(self.bands), self.n_jobs)
        with progress("comparing rows", m * (m + 1) / 2, self.verbose) as bar:
            for band, result in zip(self.bands, done, strict=True):
                yield band, result
                bar.advance((band.stop - band.start) * (m - (band.start + band.stop) / 2))


def _on_threads(work: Callable[[int], T], count: int, n_jobs: int | None) -> Iterator[T]:
    """``work(0), work(1), ...``, each with one thread of BLAS."""

    def batch(first: int, last: int) -> list[T]:
        return [work(k) for k in range(first, last)]

    size = min(max(1, count // 12), 4)  # short work is slowed down by handovers
    with one_blas_thread():
        for done in in_batches(batch, count, n_jobs=n_jobs, batch_size=size):
            yield from done


def _of_all_bands(distances: Distances, n_jobs: int | None) -> list[np.ndarray]:
    bands = distances.bands()
    return list(_on_threads(lambda k: distances.of_band(bands[k]), len(bands), n_jobs))


def _forms(weights: np.ndarray, f: np.ndarray, band: slice) -> np.ndarray:
    """``f' W f`` of each column over the pairs of a band."""
    found = [
        np.einsum("ij,ij->j", f[band, part], weights @ f[band.start :, part])
        for part in column_blocks(f, weights.size)
    ]
    return np.concatenate(found)


def _tuned_gamma(distances: Distances, found: list[np.ndarray], n_jobs: int | None) -> float:
    count = distances.n_rows * (distances.n_rows - 1) // 2
    typical = median(found, count, n_jobs, distances.none)
    return 1.0 / typical if typical > 0 else 1.0


def median(
    parts: Sequence[np.ndarray], count: int, n_jobs: int | None = None, none: float = np.inf
) -> float:
    """The median of `count` values, in parts that hold the largest there can be, `none`, as well.

    Only values near the median of a sample are put in order.
    """
    step = max(1, count // SAMPLE)
    sample = np.sort(np.concatenate([part.ravel()[::step] for part in parts]))
    sample = sample[sample != none]
    if not len(sample):
        return 0.0
    middle, margin = len(sample) // 2, int(2 * np.sqrt(len(sample)))  # four standard errors
    low, high = sample[max(middle - margin, 0)], sample[min(middle + margin, len(sample) - 1)]

    def about(first: int, last: int) -> list[tuple[int, np.ndarray]]:
        low_high = low.item(), high.item()
        return [_kernels.values_between(part, *low_high) for part in parts[first:last]]

    size = -(-len(parts) // 8)  # short work: few handovers
    batches = in_batches(about, len(parts), n_jobs=n_jobs, batch_size=size)
    found = [one for batch in batches for one in batch]
    below = sum(smaller for smaller, _ in found)
    near = np.concatenate([values for _, values in found])
    first, last = (count - 1) // 2 - below, count // 2 - below
    if first < 0 or last >= len(near):  # an unlucky sample
        return float(np.median(np.concatenate([part[part != none] for part in parts])))
    near.partition([first, last])
    return float(0.5 * near[first] + 0.5 * near[last])
