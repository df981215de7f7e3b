"""Tables and columns brought to a common scale, without overflow, underflow or cancellation."""

from __future__ import annotations

import numpy as np

#: Squares of larger values, summed over many rows and columns, may overflow.
LARGEST = 1e140


def within_range(X: np.ndarray) -> tuple[np.ndarray, float]:
    """`X` and 1, or `X / u` and u for a power of two u that keeps squares in range."""
    unit = range_unit(float(np.abs(X).max(initial=0.0)))
    return (X, unit) if unit == 1.0 else (X / unit, unit)


def range_unit(largest: float) -> float:
    """A power of two by which values up to `largest` may be squared; 1 where they are anyway."""
    if largest == 0.0 or 1 / LARGEST < largest < LARGEST:
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))


def constant_columns(X: np.ndarray) -> np.ndarray:
    """Which columns hold one value only."""
    return X.min(axis=0) == X.max(axis=0)


def largest_sizes(X: np.ndarray) -> np.ndarray:
    """A power of two near the largest absolute value of each column; 2 where all are 0."""
    largest = np.abs(X).max(axis=0)
    exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    return np.ldexp(1.0, np.clip(exponent, -1020, 1020))


def unit_size(X: np.ndarray) -> np.ndarray:
    """Columns divided by a power of two, so that values are of size 1 and none is rounded."""
    return X / largest_sizes(X)


def unit_range(X: np.ndarray) -> np.ndarray:
    """Columns shifted and scaled into [0, 1]; constant ones are 0."""
    X = unit_size(X)
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    return (X - low) / np.where(span > 0, span, 1.0)


def centred(X: np.ndarray, length: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Centred columns of a given Euclidean norm, and the norms they had; constant ones are 0."""
    size = largest_sizes(X)
    Z = X / size
    Z = Z - Z.mean(axis=0)
    Z[:, constant_columns(X)] = 0.0
    norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    known = norm > 0
    Z *= length / np.where(known, norm, 1.0)
    with np.errstate(over="ignore"):
        return Z, np.where(known, norm * size, 0.0)
