"""The complete graph of the rows, with weights ``W = exp(-gamma d^2)``, in bands of rows.

W is symmetric and 1 on the diagonal, so only what is right of the diagonal is ever made. A band
is a few rows against themselves and all rows after them, so small that it stays in the cache
while products of rows become distances, distances weights, and weights are summed and multiplied.
Threads take the bands in turn, with one thread of BLAS in each, and what they find is added up in
the order of the bands: the number of threads changes no bit of it.

Two matrix products, over the columns for the distances and over the rows for ``f' W f``, each of
rows^2 columns / 2 multiply-adds, are nearly all of the work. Up to :data:`STORED_ROWS` rows the
distances are kept, because their median tunes gamma before the first weight is known; for more,
that of some rows does, and distances are made again when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from ..._parallel import blas_threads, in_batches, one_blas_thread
from ..._progress import progress
from ..centred_matrix import ColumnMatrix
from ..row_distances import SquaredDistances
from .graph import warn_if_all_isolated

#: Rows up to which distances are kept; of more, this many give the median that tunes gamma.
STORED_ROWS = 3000
#: Bytes of a band, at the most; but it has at least so many rows, or products would be slow.
BAND_BYTES = 2**22
BAND_ROWS = 64
#: Beyond these gammas all weights are 1, or 0; within, no infinite distance times gamma is lost.
GAMMAS = (1e-300, 1e300)

T = TypeVar("T")


@dataclass(frozen=True)
class Bands:
    """Squared Euclidean distances between all pairs of rows, in bands."""

    rows: ColumnMatrix
    n_jobs: int | None = None
    verbose: int = 0

    @cached_property
    def _distances(self) -> SquaredDistances:
        return SquaredDistances(self.rows)

    def in_bands(self, work: Callable[[slice], T]) -> Iterator[tuple[slice, T]]:
        """The bands in order, each with what `work` makes of it."""
        m = len(self.rows)
        height = max(BAND_ROWS, BAND_BYTES // (8 * m))
        bands = [slice(a, min(a + height, m)) for a in range(0, m, height)]
        n_jobs = blas_threads() if self.n_jobs is None else self.n_jobs
        with one_blas_thread(), progress("comparing rows", len(bands), self.verbose) as bar:
            done = in_batches(
                lambda k, _: work(bands[k]), len(bands), n_jobs=n_jobs, batch_size=1, progress=bar
            )
            yield from zip(bands, done, strict=True)

    def of_band(self, band: slice) -> np.ndarray:
        """Distances of the rows of a band to all rows from its first on.

        They are infinite up to the diagonal, so that weights are 0 there and every pair of rows
        counts once.
        """
        height = band.stop - band.start
        squared = self._distances.with_all(band, band.start)
        np.maximum(squared, 0.0, out=squared)
        squared[:, :height][np.tri(height, dtype=bool)] = np.inf
        return squared


def median(distances: Iterable[np.ndarray], n_rows: int) -> float:
    """The median over all pairs of rows; what is infinite in the bands is no pair."""
    count = n_rows * (n_rows - 1) // 2
    middle = [(count - 1) // 2, count // 2]
    return float(np.partition(np.concatenate([*distances], axis=None), middle)[middle].mean())


@dataclass(frozen=True)
class CompleteGraph:
    """Weights ``exp(-gamma d^2)`` between all pairs of rows."""

    bands: Bands
    gamma: float
    #: Distances by the first row of their band, where they are kept.
    kept: Mapping[int, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        X: ColumnMatrix,
        gamma: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> CompleteGraph:
        """The graph of `X`; without `gamma`, 1 / median squared distance of two rows.

        `n_jobs` are threads, by default as many as BLAS would take.
        """
        rows, unit = X.within_range()
        bands = Bands(rows, n_jobs, verbose)
        if gamma is None:
            return cls._tuned(bands)
        with np.errstate(over="ignore", under="ignore"):
            return cls(bands, float(np.clip(gamma * np.square(unit), *GAMMAS)))

    @classmethod
    def _tuned(cls, bands: Bands) -> CompleteGraph:
        m, some = len(bands.rows), bands
        if m > STORED_ROWS:
            sample = np.linspace(0, m - 1, STORED_ROWS).astype(np.intp)
            some = Bands(bands.rows[sample], bands.n_jobs, bands.verbose)
        found = {band.start: squared for band, squared in some.in_bands(some.of_band)}
        typical = median(found.values(), len(some.rows))
        gamma = 1.0 / typical if typical > 0 else 1.0
        return cls(bands, gamma, found if some is bands else {})

    def sums(self, f: ColumnMatrix) -> tuple[np.ndarray, np.ndarray]:
        """Degrees of the rows, and ``f' W f`` of each column of `f`."""
        degree = np.ones(len(f))
        form = np.zeros(f.shape[1])

        def work(band: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            weights = self._weights(band)
            forms = f[band].column_products(weights @ f[band.start :])
            return weights.sum(axis=0), weights.sum(axis=1), forms

        for band, (below, beside, forms) in self.bands.in_bands(work):
            degree[band.start :] += below
            degree[band] += beside
            form += forms
        warn_if_all_isolated(degree)
        return degree, 2.0 * form + f.column_squares()

    def toarray(self) -> np.ndarray:
        """All weights, as one matrix."""
        full = np.eye(len(self.bands.rows)) / 2.0
        for band, weights in self.bands.in_bands(self._weights):
            full[band, band.start :] += weights
        full += full.T
        warn_if_all_isolated(full.sum(axis=1))
        return full

    def _weights(self, band: slice) -> np.ndarray:
        kept = self.kept.get(band.start)
        squared = self.bands.of_band(band) if kept is None else kept
        exponents = squared * -self.gamma
        return np.exp(exponents, out=exponents)
