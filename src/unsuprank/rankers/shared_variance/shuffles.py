"""Moments of a matrix product when one factor is shuffled, over all n! orders.

Let P and K be symmetric n x n matrices whose rows sum to 0, and T = sum_ij P_ij K_p(i)p(j) for an
order p of the rows, all orders equally likely. The moments of T are polynomials in a few sums over
the entries of P and of K (Kazi-Aoual and others 1995). They are simplest after each matrix is
taken apart as the symmetric group sees it:

    P = trace/(n-1) (I - 1/n)  +  D  +  Q,      D_ij = (n [i=j] a_i - a_i - a_j) / (n-2),

where a_i = P_ii - trace/n is what is special about the diagonal, and Q is what remains: its
diagonal and the sums of its rows are 0. The three parts belong to different irreducible
representations. Write a' and Q' for those of K. Then T = trace trace' / (n-1) + A + B with A =
n/(n-2) sum_i a_i a'_p(i) and B = sum_ij Q_ij Q'_p(i)p(j), and by Schur's lemma each expectation
is an invariant of P times the same invariant of K, over the squared length of that invariant:

    E A^2   = (n/(n-2))^2  sum a^2  sum a'^2 / (n-1)
    E B^2   = |Q|^2 |Q'|^2 / (n(n-3)/2)                                       E AB = 0
    E A^3   = (n/(n-2))^3  sum a^3  sum a'^3  n / ((n-1)(n-2))
    E A^2 B = (n/(n-2))^2  sum a_i a_j Q_ij  sum a'_i a'_j Q'_ij / (n(n-3)/2)
    E A B^2 = sum a_i Q_ij^2  sum a'_i Q'_ij^2  4n / ((n-1)(n-3)(n-4))
    E B^3   = a quadratic form in (tr Q^3, sum Q_ij^3), written out in `_pair_cubes`.

Nothing large is subtracted from something large here, unlike in the usual expanded form. What is
more, an invariant of a sum of matrices that are shuffled independently is, on average, the sum of
theirs; `others` makes use of that.

The law of T is taken to be Pearson's type III (a shifted gamma), with these three moments.

References
----------
F. Kazi-Aoual, S. Hitier, R. Sabatier, J.-D. Lebreton (1995). Refined approximations to permutation
tests for multivariate inference. Computational Statistics & Data Analysis 20, 643-656.
J. Josse, J. Pages, F. Husson (2008). Testing the significance of the RV coefficient. Computational
Statistics & Data Analysis 53, 82-91.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr

#: Fewer rows have too few orders for a variance.
LEAST_ROWS = 4
#: Distributions less skewed than this are taken for normal.
NEARLY_SYMMETRIC = 1e-5

Number = Any  # a float, or an array with one number per column


@dataclass(frozen=True)
class Sums:
    """Sums over the entries of a symmetric matrix M, or of one matrix per column."""

    #: sum M_ii
    trace: Number
    #: sum M_ii^2
    diagonal2: Number
    #: sum M_ii^3
    diagonal3: Number
    #: sum M_ij^2
    squares: Number
    #: tr M^3
    triangles: Number
    #: sum M_ii M_jj M_ij
    diagonal_form: Number = None
    #: sum M_ii (M^2)_ii
    diagonal_squares: Number = None
    #: sum M_ij^3
    cubes: Number = None


@dataclass(frozen=True)
class Parts:
    """The invariants of D and Q that the moments are made of."""

    trace: Number
    #: sum a^2
    aa: Number
    #: |Q|^2
    qq: Number
    #: sum a^3
    aaa: Number
    #: a'Qa
    aaq: Number
    #: sum a_i Q_ij^2
    aqq: Number
    #: tr Q^3
    triangles: Number
    #: sum Q_ij^3
    cubes: Number


def parts(n: int, sums: Sums) -> Parts:
    """The invariants of matrices with `n` rows from sums over their entries."""
    y, level = 1.0 / (n - 2), sums.trace / (n - 1)
    aa, qq, aaa = diagonal_and_rest(n, sums)
    # With M_0 = M without its trace: a'M_0 a, and sum a_i (M_0^2)_ii.
    form = sums.diagonal_form - level * aa
    squares = sums.diagonal_squares - sums.trace / n * sums.squares - 2 * level * aa
    identity3 = (n - 1) * ((n - 1) ** 2 - 1) / n**2  # sum of the cubed entries of I - 1/n
    cubes = (
        sums.cubes
        - 3 * level * (sums.diagonal2 - sums.squares / n)
        + 3 * level**2 * sums.trace * (1 - 2 / n)
        - level**3 * identity3
    )
    cubes = cubes + 6 * y * squares + 6 * y**2 * form
    cubes = cubes - (1 + 6 * y + 12 * y**2 - (2 * n - 8) * y**3) * aaa
    aqq = squares - 2 * y * (n * aaa - form) + (1 + (n - 4) * y**2) * aaa
    aaq = form - n * y * aaa
    return Parts(
        sums.trace, aa, qq, aaa, aaq, aqq, triangles_of_rest(n, sums, aaa, aaq, aqq), cubes
    )


def diagonal_and_rest(n: Any, sums: Sums) -> tuple[Number, Number, Number]:
    """sum a^2, |Q|^2 and sum a^3."""
    centre = sums.trace / n
    aa = sums.diagonal2 - centre * sums.trace
    aaa = sums.diagonal3 - 3 * centre * sums.diagonal2 + 2 * centre**2 * sums.trace
    return aa, sums.squares - sums.trace**2 / (n - 1) - n / (n - 2) * aa, aaa


def triangles_of_rest(n: int, sums: Sums, aaa: Number, aaq: Number, aqq: Number) -> Number:
    """tr Q^3 from tr M^3 and the other invariants."""
    y, level = 1.0 / (n - 2), sums.trace / (n - 1)
    form = aaq + n * y * aaa
    squares = aqq + 2 * y * (n * aaa - form) - (1 + (n - 4) * y**2) * aaa
    traceless = sums.triangles - 3 * level * sums.squares + 2 * level**2 * sums.trace
    diagonal = 3 * n * y**2 * (n * aaa - form) - n**2 * (n - 3) * y**3 * aaa
    return traceless - 3 * n * y * squares + diagonal


def mean(n: int, p: Parts, k: Parts) -> Number:
    """The mean of T over all orders."""
    return p.trace * k.trace / (n - 1)


def variance(n: int, p: Parts, k: Parts) -> Number:
    """The variance of T over all orders; for at least `LEAST_ROWS` rows."""
    return (n / (n - 2)) ** 2 * p.aa * k.aa / (n - 1) + p.qq * k.qq * 2 / (n * (n - 3))


def third_moment(n: int, p: Parts, k: Parts) -> Number:
    """The third central moment of T over all orders; for at least `LEAST_ROWS` rows."""
    ratio = n / (n - 2)
    total = ratio**3 * n / ((n - 1) * (n - 2)) * p.aaa * k.aaa
    total = total + 3 * ratio**2 * 2 / (n * (n - 3)) * p.aaq * k.aaq
    if np.min(n) > 4:  # with four rows, Q_ij^2 sums to the same in every row
        total = total + 12 * n / ((n - 1) * (n - 3) * (n - 4)) * p.aqq * k.aqq
    return total + _pair_cubes(n, p, k)


def _pair_cubes(n: int, p: Parts, k: Parts) -> Number:
    """E B^3."""
    if np.max(n) < 6:  # the two invariants are one: tr Q^3 = 2 sum Q_ij^3
        return p.cubes * k.cubes * (6.0 if n == 4 else 1.8)
    orders = np.prod([n - 5.0 + i for i in range(6)], axis=0)
    return (
        8 * (n**3 - 9 * n**2 + 26 * n - 22) * p.triangles * k.triangles
        - 8 * (3 * n**2 - 15 * n + 16) * (p.triangles * k.cubes + p.cubes * k.triangles)
        + 4 * (n**4 - 8 * n**3 + 19 * n**2 - 4 * n - 16) * p.cubes * k.cubes
    ) / orders


def upper_tail(score: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The chance to exceed standardised scores under Pearson's type III law."""
    skewed = np.abs(skewness) > NEARLY_SYMMETRIC
    skew = np.where(skewed, skewness, 1.0)
    shape = 4.0 / skew**2
    place = np.maximum(shape + 2.0 * score / skew, 0.0)
    tail = np.where(skew > 0.0, gammaincc(shape, place), gammainc(shape, place))
    return np.where(skewed, tail, ndtr(-score))
