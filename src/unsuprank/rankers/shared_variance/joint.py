"""What a column shares with the products of pairs of others, summed up over all pairs.

With H_k = z_k z_k' and K their sum, the products of different columns, z_k o z_l, have inner
products

    K2  =  (K o K  -  sum_k H_k o H_k) / 2,

and without those of which column j is a part, L = C (K2 - M) C with M = H_j o (K - H_j) and C the
matrix that centres. What is shared is z'Lz, and the sums over L that its mean and variance take
are all of them forms of powers of z:

    z'Mz    =  s'Ks - (sum z^3)^2,                      s = z o z, c = z o s
    <K2, M> =  z'(K2 o K)z - s'K2 s
    |M|^2   =  s'(K o K)s - 2 c'Kc + (sum z^4)^2
    M1      =  z o (Kz - |z|^2 z).

The sums that only the skewness takes are those of K2, times what is left of its trace.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._parallel import in_batches, one_blas_thread
from .by_rows import sums_over
from .columns import Powers
from .shuffles import Parts, Sums, diagonal_and_rest, mean, parts, third_moment, variance
from .tails import log_tail

#: Columns that are multiplied at a time.
COLUMNS = 256


@dataclass(frozen=True)
class Products:
    """K, and the products of pairs of columns."""

    kernel: np.ndarray
    #: K2 with its rows and columns centred.
    pairs: np.ndarray

    @classmethod
    def of(cls, kernel: np.ndarray, own_squares: np.ndarray) -> Products:
        """From K and the sum of all H_k o H_k."""
        pairs = 0.5 * (kernel**2 - own_squares)
        pairs -= pairs.mean(axis=0)
        pairs -= pairs.mean(axis=1, keepdims=True)
        return cls(kernel, pairs)


def joint_view(
    products: Products, Z: np.ndarray, n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and logarithms of p-values of numbers, of which Z has the centred coordinates."""
    n = len(Z)
    pairs, whole = products.pairs, sums_over(products.pairs)
    if (
        not Z.shape[1] or not whole.trace > 1e-9 * np.trace(products.kernel) ** 2 / n
    ):  # no two columns to multiply
        nothing = np.full(Z.shape[1], np.nan)
        return nothing, nothing

    mixed, squared = pairs * products.kernel, products.kernel**2

    def some(first: int, last: int) -> np.ndarray:
        return _forms(products, mixed, squared, Z[:, first:last])

    with one_blas_thread():
        found = np.hstack(list(in_batches(some, Z.shape[1], n_jobs=n_jobs, batch_size=COLUMNS)))
    explained, trace, diagonal2, diagonal3, squares = found
    powers = Powers.of(Z)
    own = _left(n, parts(n, whole), Sums(trace, diagonal2, diagonal3, whole.squares - squares, 0.0))
    return _scores(n, explained / powers.z2, powers.projection(), own)


def _forms(products: Products, mixed: np.ndarray, squared: np.ndarray, z: np.ndarray) -> np.ndarray:
    """z'Lz, sums over the diagonal of L, and what |L|^2 is short of |K2|^2."""
    n, kernel, pairs = len(z), products.kernel, products.pairs
    s, k = z * z, np.diagonal(kernel)[:, None]
    c, z2 = z * s, s.sum(axis=0)
    Kz, Ks, Ps = kernel @ z, kernel @ s, pairs @ s
    own = _dot(s, Ks) - c.sum(axis=0) ** 2
    lines = z * (Kz - z2 * z)
    total = lines.sum(axis=0)
    of_M = _dot(s, squared @ s) - 2.0 * _dot(c, kernel @ c) + _dot(s, s) ** 2
    of_M += total**2 / n**2 - 2.0 * _dot(lines, lines) / n
    across = _dot(z, mixed @ z) - _dot(s, Ps)
    d = np.diagonal(pairs)[:, None] - s * (k - s) + 2.0 * lines / n - total / n**2
    explained = _dot(z, pairs @ z) - own
    return np.stack([explained, d.sum(axis=0), _dot(d, d), _dot(d, d**2), 2.0 * across - of_M])


def _dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", x, y)


def _left(n: int, whole: Parts, sums: Sums) -> Parts:
    """The invariants of L; those of the third order that are not known in proportion."""
    aa, qq, aaa = diagonal_and_rest(n, sums)
    share = np.clip(qq / whole.qq, 0.0, 1.0) ** 1.5 if whole.qq > 0.0 else np.zeros_like(qq)
    third = (whole.aaq, whole.aqq, whole.triangles, whole.cubes)
    return Parts(sums.trace, aa, qq, aaa, *(share * value for value in third))


def _scores(n: int, explained: np.ndarray, show: Sums, others: Parts) -> tuple:
    column = parts(n, show)
    spread = variance(n, column, others)
    deviation = np.sqrt(np.where(spread > 1e-12 * mean(n, column, others) ** 2, spread, np.nan))
    scores = (explained - mean(n, column, others)) / deviation
    skewness = third_moment(n, column, others) / deviation**3
    return scores, np.where(np.isnan(scores), np.nan, log_tail(scores, np.nan_to_num(skewness)))
