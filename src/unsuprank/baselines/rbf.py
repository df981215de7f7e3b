"""The graph of all pairs of rows with weights ``W = exp(-gamma d^2)``, in bands of rows.

W is symmetric and 1 on the diagonal, so only what is right of the diagonal is ever made. A band
is a few rows against themselves and all rows after them, so small that it stays in the cache
while products become distances, distances weights, and weights are summed and multiplied.
Threads take the bands in turn, with one thread of BLAS in each.

Two matrix products, over the columns for the distances and over the rows for ``f' W f``, each of
rows^2 columns / 2 multiply-adds, are nearly all of the work. Up to :data:`STORED_ROWS` rows the
distances are kept, because their median tunes gamma before the first weight is known; for more,
that of some rows does, and distances are made when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..parallel import blas_threads, in_batches, one_blas_thread
from ..progress import progress
from .graph import within_range

#: Rows up to which distances are kept; of more, this many give the median that tunes gamma.
STORED_ROWS = 3000
#: Bytes of a band, at the most; but it has at least so many rows, or products would be slow.
BAND_BYTES = 2**22
BAND_ROWS = 64
#: Values that tell about where the median of many is.
SAMPLE = 4096
#: Multiply-adds of one call of BLAS: a fraction of a second, so that Ctrl-C is heard.
BLOCK_WORK = 1e10

T = TypeVar("T")


@dataclass(frozen=True)
class RBFGraph:
    """``exp(-gamma d^2)`` between all pairs of rows."""

    rows: np.ndarray
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
        rows, unit = within_range(np.ascontiguousarray(X))
        rows = rows - rows.mean(axis=0)
        n_jobs = blas_threads() if n_jobs is None else n_jobs
        bands = _bands(len(rows))
        kept = _squared_distances(rows, bands, n_jobs) if len(rows) <= STORED_ROWS else None
        if gamma is not None:
            with np.errstate(over="ignore"):
                gamma = float(min(gamma * np.square(unit), 1e300))
        elif kept is not None:
            gamma = _tuned_gamma(kept, len(rows), n_jobs)
        else:
            some = rows[np.linspace(0, len(rows) - 1, STORED_ROWS).astype(np.intp)]
            distances = _squared_distances(some, _bands(len(some)), n_jobs)
            gamma = _tuned_gamma(distances, len(some), n_jobs)
        return cls(rows, gamma, bands, verbose, n_jobs, kept)

    def sums(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Degrees of the rows, and ``f' W f`` of each column of `f`."""
        degree = np.ones(len(f))
        total = np.zeros(f.shape[1])

        def work(band: slice, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            return weights.sum(axis=0), weights.sum(axis=1), _forms(weights, f, band)

        for band, (below, beside, forms) in self._of_bands(work):
            degree[band.start :] += below
            degree[band] += beside
            total += forms
        return degree, 2.0 * total + np.einsum("ij,ij->j", f, f)

    def toarray(self) -> np.ndarray:
        """All weights."""
        full = np.eye(len(self.rows)) / 2.0
        for band, weights in self._of_bands(lambda _band, weights: weights):
            full[band, band.start :] += weights
        return full + full.T

    def _of_bands(self, work: Callable[[slice, np.ndarray], T]) -> Iterator[tuple[slice, T]]:
        """The bands in order, and what `work` makes of their weights."""
        m = len(self.rows)
        norms = np.einsum("ij,ij->i", self.rows, self.rows)

        def weights(k: int) -> np.ndarray:
            if self.kept is None:
                made = _band_distances(self.rows, norms, self.bands[k])
                np.multiply(made, -self.gamma, out=made)
            else:
                made = self.kept[k] * -self.gamma
            return np.exp(made, out=made)

        done = _on_threads(lambda k: work(self.bands[k], weights(k)), len(self.bands), self.n_jobs)
        with progress("comparing rows", m * (m + 1) / 2, self.verbose) as bar:
            for band, result in zip(self.bands, done, strict=True):
                yield band, result
                bar.advance((band.stop - band.start) * (m - (band.start + band.stop) / 2))


def _on_threads(work: Callable[[int], T], count: int, n_jobs: int | None) -> Iterator[T]:
    """``work(0), work(1), ...``, each with one thread of BLAS."""
    with one_blas_thread():
        yield from in_batches(lambda k, _stop: work(k), count, n_jobs=n_jobs, batch_size=1)


def _bands(m: int) -> list[slice]:
    height = max(BAND_ROWS, BAND_BYTES // (8 * m))
    return [slice(a, min(a + height, m)) for a in range(0, m, height)]


def _column_blocks(X: np.ndarray, pairs: int) -> Iterator[slice]:
    """Columns of `X` of which products over so many pairs of rows take a moment each."""
    width = max(1, int(BLOCK_WORK / pairs))
    for a in range(0, X.shape[1], width):
        yield slice(a, a + width)


def _squared_distances(
    rows: np.ndarray, bands: list[slice], n_jobs: int | None
) -> list[np.ndarray]:
    """Of all bands, see :func:`_band_distances`."""
    norms = np.einsum("ij,ij->i", rows, rows)
    return list(_on_threads(lambda k: _band_distances(rows, norms, bands[k]), len(bands), n_jobs))


def _band_distances(rows: np.ndarray, norms: np.ndarray, band: slice) -> np.ndarray:
    """Squared distances of the rows of a band to all rows from its first on.

    Infinite up to the diagonal, so that weights are 0 there and every pair counts once.
    """
    height, below = band.stop - band.start, rows[band.start :]
    found = norms[band, None] + norms[band.start :]
    for part in _column_blocks(rows, found.size):
        found -= (2.0 * rows[band, part]) @ below[:, part].T
    np.maximum(found, 0.0, out=found)
    found[:, :height][np.tri(height, dtype=bool)] = np.inf
    return found


def _forms(weights: np.ndarray, f: np.ndarray, band: slice) -> np.ndarray:
    """``f' W f`` of each column over the pairs of a band."""
    found = [
        np.einsum("ij,ij->j", f[band, part], weights @ f[band.start :, part])
        for part in _column_blocks(f, weights.size)
    ]
    return np.concatenate(found)


def _tuned_gamma(distances: list[np.ndarray], n_rows: int, n_jobs: int | None) -> float:
    typical = median(distances, n_rows * (n_rows - 1) // 2, n_jobs)
    return 1.0 / typical if typical > 0 else 1.0


def median(parts: Sequence[np.ndarray], count: int, n_jobs: int | None = None) -> float:
    """The median of the finite values, `count` of them, in parts that hold infinite ones as well.

    Only values near the median of a sample are put in order.
    """
    step = max(1, count // SAMPLE)
    sample = np.sort(np.concatenate([part.ravel()[::step] for part in parts]))
    sample = sample[np.isfinite(sample)]
    if not len(sample):
        return 0.0
    middle, margin = len(sample) // 2, len(sample) // 32  # four standard errors
    low, high = sample[max(middle - margin, 0)], sample[min(middle + margin, len(sample) - 1)]
    found = list(_on_threads(lambda k: _about(parts[k], low, high), len(parts), n_jobs))
    below = sum(smaller for smaller, _ in found)
    near = np.concatenate([values for _, values in found])
    first, last = (count - 1) // 2 - below, count // 2 - below
    if first < 0 or last >= len(near):  # an unlucky sample
        return float(np.median(np.concatenate([part[np.isfinite(part)] for part in parts])))
    near.partition([first, last])
    return float(0.5 * near[first] + 0.5 * near[last])


def _about(values: np.ndarray, low: float, high: float) -> tuple[int, np.ndarray]:
    """How many values are below `low`, and those up to `high`."""
    below = values < low
    return int(np.count_nonzero(below)), values[(values <= high) ^ below]
