"""Texts that say a date or a time, read as the time that has passed since the first of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from .file_column import shorten
from .parse_numbers import Reading

_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?")
#: Ways to write a date. Of those that read equally many cells, the first is taken: where nothing
#: says whether 3/4/2020 is in March or in April, the month comes first.
_DATES = (
    "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d", "%d-%m-%Y", "%d.%m.%y",
    "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y",
)  # fmt: skip
_TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p")
_FORMATS = (*_DATES, *_TIMES, *(f"{d} {t}" for d in _DATES for t in _TIMES))
#: Texts that a way to write dates is tried on first.
_SAMPLE = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400.0


def parse_dates(words: Sequence[str]) -> Reading:
    """Read texts as dates: days since the first, or seconds if all are within a day."""
    best = np.full(len(words), np.nan)
    for read in (_read_iso, *(_reader(form) for form in _FORMATS)):
        sample = words[:: max(1, len(words) // _SAMPLE)]
        if sum(read(w) is not None for w in sample) * 2 <= len(sample):
            continue
        seconds = np.array([_seconds(read(w)) for w in words])
        if np.isnan(seconds).sum() < np.isnan(best).sum():
            best = seconds
    if np.isnan(best).all():
        return Reading(best, "dates", "")
    first = int(np.flatnonzero(~np.isnan(best))[0])
    values, since = elapsed(best)
    example = f"{shorten(words[first], 30)!r} is {values[first]:.12g}"
    return Reading(values, "dates", f"holds dates or times; it is read as {since} ({example})")


def elapsed(seconds: np.ndarray) -> tuple[np.ndarray, str]:
    """Turn seconds since 1970 into days since the first, or seconds within a day; say which."""
    start, unit, since = time_scale(float(np.nanmin(seconds)), float(np.nanmax(seconds)))
    return (seconds - start) / unit, since


def time_scale(first: float, last: float) -> tuple[float, float, str]:
    """Choose a start and a unit for times between two, in seconds since 1970, and name them."""
    moment = (_EPOCH + timedelta(seconds=first)).replace(tzinfo=None)
    if last - first < _DAY:
        day = "" if moment.date() == _EPOCH.date() else f"{moment.date()} "
        return first, 1.0, f"seconds since {day}{moment.time().isoformat('seconds')}"
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    start = (midnight.replace(tzinfo=UTC) - _EPOCH).total_seconds()
    return start, _DAY, f"days since {midnight.date()}"


def _read_iso(word: str) -> datetime | None:
    if not _ISO.fullmatch(word):
        return None
    date, _, time = word.replace("T", " ", 1).partition(" ")
    year, month, day = date.split("-")
    try:
        return datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2} {time}".strip())
    except ValueError:
        return None


def _reader(form: str) -> Callable[[str], datetime | None]:
    if form in _TIMES:  # of the first day of all
        return lambda word: _parse(f"{_EPOCH.date()} {word}", f"%Y-%m-%d {form}")
    return lambda word: _parse(word, form)


def _parse(word: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(word, form)
    except ValueError:
        return None


def _seconds(moment: datetime | None) -> float:
    if moment is None:
        return np.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
