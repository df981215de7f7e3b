"""The graph of all pairs of rows with weights ``W = exp(-gamma d^2)``, by halves.

W is symmetric, so only its upper half H is ever made: the weights above the diagonal, 1/2 on
it and 0 below, ``W = H + H'``. Products with H are those of a triangular matrix, half the work.
Up to :data:`STORED_ROWS` rows H is kept; for more it is made in bands of rows on demand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk, dtrmm

from ..progress import progress
from .graph import within_range

#: Rows up to which the graph is kept; of more, this many give the median that tunes gamma.
STORED_ROWS = 3000
#: Bytes of one band of a graph that is not kept.
BAND_BYTES = 2**23
#: Rows of a band that are worked on together, so that they stay in the cache.
STRIP_ROWS = 64
#: Values that tell about where the median of many is.
SAMPLE = 4096
#: Multiply-adds of one call of BLAS: a fraction of a second, so that Ctrl-C is heard.
BLOCK_WORK = 1e10


@dataclass(frozen=True)
class RBFGraph:
    """``exp(-gamma d^2)`` between all pairs of rows."""

    rows: np.ndarray
    gamma: float
    verbose: int = 0
    #: The upper half of the weights, where it is kept.
    half: np.ndarray | None = None

    @classmethod
    def of(cls, X: np.ndarray, gamma: float | None = None, verbose: int = 0) -> RBFGraph:
        """The graph of `X`; without `gamma`, 1 / median squared distance of two rows."""
        rows, unit = within_range(np.ascontiguousarray(X))
        rows = rows - rows.mean(axis=0)
        if gamma is not None:
            with np.errstate(over="ignore"):
                gamma = float(min(gamma * np.square(unit), 1e300))
        if len(rows) <= STORED_ROWS:
            squared = _squared_distances(rows)
            gamma = _tuned_gamma(squared) if gamma is None else gamma
            return cls(rows, gamma, verbose, _weigh(squared, gamma))
        if gamma is None:
            some = np.linspace(0, len(rows) - 1, STORED_ROWS).astype(np.intp)
            gamma = _tuned_gamma(_squared_distances(rows[some]))
        return cls(rows, gamma, verbose)

    def bands(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows of a band, and their part of the upper half from its first column on."""
        m = len(self.rows)
        if self.half is not None:
            yield slice(0, m), self.half
            return
        height = max(1, BAND_BYTES // (8 * m))
        norms = np.einsum("ij,ij->i", self.rows, self.rows)
        with progress("comparing rows", m * (m + 1) / 2, self.verbose) as bar:
            for a in range(0, m, height):
                band = slice(a, min(a + height, m))
                products = np.zeros((band.stop - a, m - a))
                for part in _column_blocks(self.rows, products.size):
                    products += self.rows[band, part] @ self.rows[a:, part].T
                yield band, _weigh(_from_products(products, norms[a:]), self.gamma)
                bar.advance((band.stop - a) * (m - (a + band.stop) / 2))

    def sums(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Degrees of the rows, and ``f' W f`` of each column of `f`."""
        degree = np.zeros(len(f))
        total = np.zeros(f.shape[1])
        for band, half in self.bands():
            for a, strip in _strips(half):
                degree[band.start + a :] += strip.sum(axis=0)
                degree[band.start + a :][: len(strip)] += strip.sum(axis=1)
            for part in _column_blocks(f, half.size):
                below = f[band.start :, part]
                total[part] += np.einsum("ij,ij->j", below[: len(half)], _product(half, below))
        return degree, 2.0 * total

    def toarray(self) -> np.ndarray:
        """All weights."""
        full = np.zeros((len(self.rows), len(self.rows)))
        for band, half in self.bands():
            full[band, band.start :] = half
        return full + full.T


def _strips(half: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """First row of a strip, and the strip from its own diagonal on."""
    for a in range(0, len(half), STRIP_ROWS):
        yield a, half[a : a + STRIP_ROWS, a:]


def _column_blocks(X: np.ndarray, pairs: int) -> Iterator[slice]:
    """Columns of `X` of which products over so many pairs of rows take a moment each."""
    width = max(1, int(BLOCK_WORK / pairs))
    for a in range(0, X.shape[1], width):
        yield slice(a, a + width)


def _product(half: np.ndarray, f: np.ndarray) -> np.ndarray:
    """A band of the upper half times `f`: a triangle, and the rectangle to the right of it."""
    height = len(half)
    # BLAS counts by columns, so to it everything is transposed.
    product = dtrmm(1.0, half[:, :height].T, f[:height].T, side=1, lower=1).T
    return product if height == len(f) else product + half[:, height:] @ f[height:]


def _squared_distances(rows: np.ndarray) -> np.ndarray:
    """Between all rows, above the diagonal."""
    products = np.zeros((len(rows), len(rows)))
    for part in _column_blocks(rows, products.size):
        dsyrk(1.0, rows[:, part].T, beta=1.0, c=products.T, trans=1, lower=1, overwrite_c=1)
    return _from_products(products, products.diagonal().copy())


def _from_products(half: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Squared distances in place of products of rows, right of the diagonal."""
    for a, strip in _strips(half):
        strip *= -2.0
        strip += norms[a : a + len(strip), None]
        strip += norms[a:]
        np.maximum(strip, 0.0, out=strip)
    return half


def _weigh(half: np.ndarray, gamma: float) -> np.ndarray:
    """Weights in place of squared distances."""
    for a, strip in _strips(half):
        strip *= -gamma
        np.exp(strip, out=strip)
        np.fill_diagonal(strip, 0.5)
        height = len(strip)
        strip[:, :height][np.tri(height, k=-1, dtype=bool)] = 0.0
        half[a : a + height, :a] = 0.0
    return half


def _tuned_gamma(squared: np.ndarray) -> float:
    typical = median(np.concatenate([row[i + 1 :] for i, row in enumerate(squared)]))
    return 1.0 / typical if typical > 0 else 1.0


def median(values: np.ndarray) -> float:
    """The median of many values: only those near that of a sample are put in order."""
    sample = np.sort(values[:: max(1, len(values) // SAMPLE)])
    middle, margin = len(sample) // 2, len(sample) // 32  # four standard errors
    low, high = sample[max(middle - margin, 0)], sample[min(middle + margin, len(sample) - 1)]
    below = np.count_nonzero(values < low)
    near = values[(values >= low) & (values <= high)]
    first, last = (len(values) - 1) // 2 - below, len(values) // 2 - below
    if first < 0 or last >= len(near):  # an unlucky sample
        return float(np.median(values))
    near.partition([first, last])
    return float(0.5 * near[first] + 0.5 * near[last])
