"""Tails on a log scale, and p-values of several views put together.

P-values of what is plain to see are too small for a number, and columns would tie that should not.
So all of them are logarithms.

References
----------
Y. Liu, J. Xie (2020). Cauchy combination test: a powerful test with analytic p-value calculation
under arbitrary dependency structures. Journal of the American Statistical Association 115, 393-402.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaln, gammainc, gammaincc, gammaln, log_ndtr, logsumexp

from .shuffles import NEARLY_SYMMETRIC

#: A gamma law that is more skewed than the square of a normal number has too little in its middle.
MOST_SKEWED = np.sqrt(8.0)
#: Tails below this are found from the beginning of their expansion.
SMALLEST = 1e-280
#: No p-value of the best of many is larger, and none of a sum, as one near 1 would undo all others.
LARGEST, LARGEST_OF_SUMS = 0.9, 0.99
#: Logarithms of p-values below this are all that counts in a combination.
PLAIN = -30.0


def log_tail(score: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The larger of the tails of gamma laws at the skewness and at the clipped skewness."""
    clipped = np.clip(skewness, -MOST_SKEWED, MOST_SKEWED)
    return np.maximum(log_gamma_tail(score, skewness), log_gamma_tail(score, clipped))


def log_gamma_tail(score: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The chance to exceed standardised scores under Pearson's type III law."""
    score, skewness = np.broadcast_arrays(np.asarray(score, float), np.asarray(skewness, float))
    skewed = np.abs(skewness) > NEARLY_SYMMETRIC
    skew = np.where(skewed, skewness, 1.0)
    shape = 4.0 / skew**2
    place = np.maximum(shape + 2.0 * score / skew, 0.0)
    normal = log_ndtr(-score)
    # A law with an end has no tail there; a thin one keeps the order of scores.
    below = np.maximum(_log(gammainc(shape, place)), 2.0 * normal)
    tail = np.where(skew > 0.0, _log_upper_gamma(shape, place), below)
    return np.where(skewed, tail, normal)


def _log_upper_gamma(shape: np.ndarray, place: np.ndarray) -> np.ndarray:
    tail = gammaincc(shape, place)
    far = np.maximum(place - shape + 1.0, 1.0)
    expansion = shape * np.log(np.maximum(place, 1e-300)) - place - gammaln(shape) - np.log(far)
    return np.where(tail > SMALLEST, _log(tail), expansion)


def _log(values: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(values, 1e-323))


def log_correlation_tail(r: np.ndarray, n: np.ndarray) -> np.ndarray:
    """How often the correlation of `n` normal pairs is as far from 0."""
    a = np.maximum(0.5 * (n - 2.0), 0.5)
    rest = np.clip(1.0 - r**2, 1e-300, 1.0)
    tail = betainc(a, 0.5, rest)
    expansion = a * np.log(rest) - np.log(a) - betaln(a, 0.5)
    return np.where(tail > SMALLEST, _log(tail), expansion)


def log_shuffled_tail(
    r: np.ndarray, n: np.ndarray, skewness: np.ndarray, kurtosis: np.ndarray
) -> np.ndarray:
    """How often a correlation is as far from 0 in shuffled rows, given its law's moments.

    The largest of three: the tail of a normal law, of gamma laws with the same skewness, and of a
    t law with the same kurtosis.
    """
    score = np.abs(r) * np.sqrt(n - 1.0)
    sides = [log_gamma_tail(score, skewness), log_gamma_tail(score, -skewness)]
    excess = np.maximum(kurtosis - 3.0, 1e-6)
    degrees = 4.0 + 6.0 / excess
    t2 = score**2 * degrees / (degrees - 2.0)
    heavy = log_correlation_tail(np.sqrt(t2 / (t2 + degrees)), degrees + 2.0)
    return np.minimum(
        np.maximum.reduce([log_correlation_tail(r, n), np.logaddexp(*sides), heavy]), 0.0
    )


def log_best_of(log_p: np.ndarray, tests: np.ndarray) -> np.ndarray:
    """Sidak's p-value of the smallest of so many."""
    each = np.log1p(-np.exp(np.minimum(log_p, -1e-12)))
    some = np.log(np.maximum(-np.expm1(tests * each), 1e-300))
    many = np.where(log_p < PLAIN, log_p + np.log(tests), some)
    return np.minimum(many, np.log(LARGEST))


def combined(log_p: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Cauchy's combination of a row of p-values per view; NaN is left out.

    Where no view has any, it is 0: the p-value is 1.
    """
    weights = np.where(np.isnan(log_p), 0.0, weights)
    total = weights.sum(axis=0)
    weights = weights / np.where(total > 0.0, total, 1.0)
    known = np.minimum(np.where(np.isnan(log_p), -np.log(2.0), log_p), np.log(LARGEST_OF_SUMS))
    p = np.exp(np.maximum(known, PLAIN))
    cauchy = np.sum(weights / np.tan(np.pi * p), axis=0)
    plain = np.log(np.maximum(0.5 - np.arctan(cauchy) / np.pi, 1e-300))
    with np.errstate(divide="ignore"):
        far = -logsumexp(np.log(weights) - known, axis=0)
    found = np.where(known.min(axis=0) < PLAIN, far, plain)
    return np.where(total > 0.0, np.minimum(found, 0.0), 0.0)


def q_values(p_values: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's: the share of false discoveries among all p-values as small."""
    order = np.argsort(-p_values, kind="stable")
    rank = np.arange(len(order), 0, -1)
    found = np.empty(len(order))
    found[order] = np.minimum.accumulate(np.minimum(p_values[order] * len(order) / rank, 1.0))
    return found
