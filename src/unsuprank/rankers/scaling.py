"""Columns brought to a common scale, without overflow, underflow or cancellation."""

from __future__ import annotations

import numpy as np

#: Squares of larger values, summed over many rows and columns, may overflow.
LARGEST = 1e140


def range_unit(largest: float) -> float:
    """A power of two by which values up to `largest` may be squared; 1 where they are anyway."""
    if largest == 0.0 or 1 / LARGEST < largest < LARGEST:
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))


def largest_sizes(X: np.ndarray) -> np.ndarray:
    """A power of two near the largest absolute value of each column; 2 where all are 0."""
    largest = np.abs(X).max(axis=0)
    exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, np.clip(exponent, -1020, 1020))


def about_means(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centred columns over powers of two near their sizes, and these; constant ones are 0."""
    size = largest_sizes(X)
    Z = X / size
    Z = Z - Z.mean(axis=0)
    Z[:, X.min(axis=0) == X.max(axis=0)] = 0.0
    return Z, size


def centred(X: np.ndarray, length: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Centred columns of a given Euclidean norm, and the norms they had; constant ones are 0."""
    Z, size = about_means(X)
    norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    known = norm > 0
    Z *= length / np.where(known, norm, 1.0)
    with np.errstate(over="ignore"):
        return Z, np.where(known, norm * size, 0.0)
