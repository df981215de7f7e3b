"""Parameters of estimators: name, type, default and what they may be, declared in one place. ::

    @with_parameters
    class Example(Ranker):
        power: float = parameter(check_number, default=1.0, high=4.0)
        n_bins: int | None = parameter(check_count, default=None, minimum=2)
        method: str | int = parameter(check_count, default="fast", words=("fast", "exact"))
        verbose: int = 0

The class then has a constructor that takes them by name and keeps them as they are, which is what
scikit-learn asks for, and :func:`check_parameters` judges them before a fit does any work. What
depends on more than one parameter is up to the class.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

T = TypeVar("T")


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


def check_fraction_or_count(name: str, value: Any, minimum: int = 1, high: float = 1.0) -> None:
    """Refuse all but whole numbers of at least `minimum` and fractions in (0, high]."""
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        check_count(name, value, minimum)
    elif isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        check_number(name, value, 0.0, high, open_low=True)
    else:
        raise TypeError(f"{name} must be a count or a fraction, got {value!r}.")


def is_fraction(value: Any) -> bool:
    """Whether a parameter that is a count or a fraction is a fraction."""
    return isinstance(value, (float, np.floating))


def as_count(value: int | float, total: int, minimum: int = 1) -> int:
    """A count, or a fraction of `total`, as a count from `minimum` to `total`."""
    count = round(value * total) if is_fraction(value) else int(value)
    return max(minimum, min(count, total))


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


def parameter(
    check: Callable[..., Any],
    *,
    default: Any,
    words: Sequence[str | None] = (),
    kw_only: bool = True,
    **bounds: Any,
) -> Any:
    """A parameter that is checked, of a class that is decorated by :func:`with_parameters`.

    Parameters
    ----------
    check : callable
        ``check(name, value, **bounds)`` raises an error that says what the parameter may be.
    default : object
        None may always be said where it is the default.
    words : sequence of str or None
        Values that mean something else and are not checked.
    kw_only : bool
        Whether the parameter must be given by its name.
    """
    words = (*words, None) if default is None else tuple(words)
    judge = partial(_check_all_but, words, partial(check, **bounds))
    return field(default=default, kw_only=kw_only, metadata={"check": judge})


def _check_all_but(
    words: Sequence[str | None], check: Callable[[str, Any], Any], name: str, value: Any
) -> None:
    if value is None or isinstance(value, str):
        if value in words:
            return
        told = [repr(word) for word in words if word is not None]
        if told:
            raise ValueError(f"{name} must be {', '.join(told)} or a number, got {value!r}.")
    check(name, value)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, field))
def with_parameters(cls: type[T]) -> type[T]:
    """Give a class a constructor for the parameters that it and the classes above it declare."""
    return dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)


def check_parameters(estimator: Any) -> None:
    """Raise for the first parameter whose value makes no sense."""
    for declared in fields(estimator):
        check = declared.metadata.get("check")
        if check is not None:
            check(declared.name, getattr(estimator, declared.name))
