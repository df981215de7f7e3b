"""Texts that say a number: with a unit, a currency, digits in groups, or a decimal comma.

A column of cells like ``1187 kg`` holds numbers, and ranked as names it would be one of the most
useless columns of its table. It is read as numbers if all of its cells are numbers of one unit,
some of which may be without it; cells of several units are names, because a number alone
would not say what is larger.

Readers here and in :mod:`.parse_dates` take the distinct texts of a column and give a
:class:`Reading`: a number for each, NaN for those that they cannot read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .file_column import shorten

_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_MINUS = "\N{MINUS SIGN}"
_CURRENCY = "$€£¥₹"
_UNIT = rf"(?:[^\W\d_]|[%‰°{_CURRENCY}])[\w%°/²³·^*-]{{0,11}}"
#: Per decimal sign: how numbers are written with it, and what separates groups of digits.
_GROUPS = {".": f",'{_SPACES}", ",": f".'{_SPACES}"}


@dataclass(frozen=True)
class Reading:
    """What a reader makes of the distinct texts of a column."""

    numbers: np.ndarray
    #: What the column then holds, in a word.
    what: str
    #: What to tell of it.
    note: str

    @property
    def readable(self) -> np.ndarray:
        """Which of the texts it could read."""
        return ~np.isnan(self.numbers)


def _cell_pattern(decimal: str) -> re.Pattern[str]:
    point, groups = re.escape(decimal), f"[{re.escape(_GROUPS[decimal])}]"
    digits = rf"(?:\d{{1,3}}(?:{groups}\d{{3}})+|\d+)(?:{point}\d*)?|{point}\d+"
    return re.compile(
        rf"(?P<before>[{_CURRENCY}])?[{_SPACES}]*(?P<sign>[+\-{_MINUS}]?)[{_SPACES}]*(?P<digits>{digits})"
        rf"(?P<exponent>[eE][+-]?\d+)?[{_SPACES}]*(?P<after>{_UNIT})?"
    )


_CELL = {decimal: _cell_pattern(decimal) for decimal in _GROUPS}


def parse_numbers(words: Sequence[str], decimal: str | None = None) -> Reading:
    """Read texts as numbers of one unit; `decimal` is found out if it is not given."""
    signs = [decimal] if decimal else list(_CELL)
    # A point wins where both can be meant: "1,234" is a thousand and some.
    return max((_read(words, sign) for sign in signs), key=lambda r: int(r.readable.sum()))


def _read(words: Sequence[str], decimal: str) -> Reading:
    matches = [_CELL[decimal].fullmatch(word) for word in words]
    units = [_unit(m) if m else "" for m in matches]
    unit = next((u for u, _ in Counter(u for u in units if u).most_common(1)), "")
    numbers = np.array(
        [
            _value(m, decimal) if m and u in ("", unit) else np.nan
            for m, u in zip(matches, units, strict=True)
        ]
    )
    return Reading(numbers, "numbers", _describe(words, numbers, units, unit))


def _unit(match: re.Match[str]) -> str:
    return (match["before"] or "") + (match["after"] or "")


def _value(match: re.Match[str], decimal: str) -> float:
    kept = "".join(c for c in match["digits"] if c.isdecimal() or c == decimal)
    sign = "-" if match["sign"] in ("-", _MINUS) else ""
    return float(sign + kept.replace(decimal, ".") + (match["exponent"] or ""))


def _describe(words: Sequence[str], numbers: np.ndarray, units: list[str], unit: str) -> str:
    """Say what was read, by an example."""
    shown = [i for i, u in enumerate(units) if u == unit and not np.isnan(numbers[i])]
    if not shown:
        return ""
    example = max(shown, key=lambda i: len(words[i]))
    in_unit = f" in {unit}" if unit else ""
    said = shorten(words[example], 30)
    return f"is read as numbers{in_unit} ({said!r} is {numbers[example]:.12g})"
