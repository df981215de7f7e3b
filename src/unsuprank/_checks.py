"""Parameter checks whose one-sentence errors name the parameter and what it may be."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_count(name: str, value: Any, minimum: int = 1, maximum: int = 2**31 - 1) -> int:
    """Return `value` as an int if it is a whole number within bounds."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    number = int(value)
    if not minimum <= number <= maximum:
        raise ValueError(f"{name} must be from {minimum} to {maximum}, got {number}.")
    return number


def check_number(
    name: str, value: Any, low: float = 0.0, high: float = np.inf, *, open_low: bool = False
) -> float:
    """Return `value` as a float if it is a finite number within bounds."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    number = float(value)
    inside = low < number <= high if open_low else low <= number <= high
    if not inside or not np.isfinite(number):
        raise ValueError(
            f"{name} must be a finite number {'above' if open_low else 'from'} {low:g}"
            f"{'' if np.isinf(high) else f' to {high:g}'}, got {number:g}."
        )
    return number


def check_fraction_or_count(name: str, value: Any) -> None:
    """Refuse all but whole numbers of at least 1 and fractions in (0, 1]."""
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        check_count(name, value)
    elif isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        check_number(name, value, 0.0, 1.0, open_low=True)
    else:
        raise TypeError(f"{name} must be a count or a fraction, got {value!r}.")


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Refuse all but a few values."""
    if not any(value is choice or value == choice for choice in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}.")


def check_flag(name: str, value: Any) -> bool:
    """Return `value` as a bool if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)
