"""The strongest single partner of each column, among all pairings of lines and curves.

It is looked for in single precision among all pairs of atoms, or where these are too many, among
pairs that share the signs of some random projections: atoms with a correlation of 0.9 are together
in more than one of four such tables, so that hardly any is missed in `TABLES` of them. The partners
that are found are then judged to full precision, as the best of all that there are.

References
----------
M. S. Charikar (2002). Similarity estimation techniques from rounding algorithms. Proceedings of the
34th Annual ACM Symposium on Theory of Computing, 380-388.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._parallel import in_order, one_blas_thread
from .atoms import JUDGED_VALUES, Atoms
from .tails import log_best_of

#: Multiplications that a search among all pairs may take.
MOST_WORK = 3 * 10**10
#: Atoms that are compared with all others at a time.
BLOCK = 512
#: Tables of signs, and atoms that are to have the same ones.
TABLES, TOGETHER = 12, 128


class Partners(NamedTuple):
    """The strongest partner of each column."""

    log_p: np.ndarray
    partner: np.ndarray
    #: By whether the column shows its curve, and whether the partner does.
    of_pairing: dict[tuple[bool, bool], np.ndarray]


@dataclass(frozen=True)
class _Best:
    """The largest correlation of each atom, with lines and with curves."""

    size: np.ndarray
    partner: np.ndarray

    def update(self, section: int, targets: np.ndarray, at: np.ndarray, size: np.ndarray) -> None:
        better = size > self.size[section, targets]
        self.size[section, targets[better]] = size[better]
        self.partner[section, targets[better]] = at[better]


def strongest_partners(atoms: Atoms, n_columns: int, n_jobs: int | None = None) -> Partners:
    """The strongest partner of every column that has atoms; NaN and -1 for others."""
    n, width = atoms.values.shape
    best = _Best(np.zeros((2, width), np.float32), np.full((2, width), -1))
    search = _all_pairs if n * width**2 <= MOST_WORK else _pairs_by_signs
    with one_blas_thread():
        for targets, found in in_order(
            lambda piece: _compared(atoms, *piece), search(atoms), n_jobs
        ):
            for section, (at, size) in found.items():
                best.update(section, targets, at, size)
    return _judged(atoms, best, n_columns)


Piece = tuple[np.ndarray, np.ndarray]


def _all_pairs(atoms: Atoms) -> Iterator[Piece]:
    everything = np.arange(len(atoms.owner))
    for first in range(0, len(everything), BLOCK):
        yield everything[first : first + BLOCK], everything


def _pairs_by_signs(atoms: Atoms) -> Iterator[Piece]:
    n, width = atoms.values.shape
    bits = max(1, round(np.log2(width / TOGETHER)))
    rng = np.random.default_rng(0)
    for _ in range(TABLES):
        found = rng.standard_normal((bits + 1, n)).astype(np.float32) @ atoms.single
        code = (2 ** np.arange(bits)) @ (found[1:] * found[0] > 0.0)
        order = np.argsort(code, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
            group.sort()
            for first in range(0, len(group), BLOCK):
                yield group[first : first + BLOCK], group


def _compared(atoms: Atoms, targets: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, dict]:
    """The largest correlation of each target with lines and with curves, and with which."""
    all_of_them = len(others) == len(atoms.owner)
    right = atoms.single if all_of_them else atoms.single[:, others]
    sizes = np.abs(atoms.single[:, targets].T @ right)
    _forget_own(sizes, atoms.owner[targets], atoms.owner[others])
    cut = int(np.searchsorted(others, atoms.n_lines))
    found = {}
    for section, part in enumerate((slice(0, cut), slice(cut, None))):
        if sizes[:, part].shape[1]:
            at = sizes[:, part].argmax(axis=1)
            largest = sizes[:, part][np.arange(len(at)), at]
            found[section] = others[part][at], largest
    return targets, found


def _forget_own(sizes: np.ndarray, targets: np.ndarray, others: np.ndarray) -> None:
    """Put 0 where both atoms are of one column."""
    order = np.argsort(others, kind="stable")
    first = np.searchsorted(others[order], targets, "left")
    last = np.searchsorted(others[order], targets, "right")
    for step in range(int((last - first).max(initial=0))):
        rows = np.flatnonzero(first + step < last)
        sizes[rows, order[first[rows] + step]] = 0.0


def _judged(atoms: Atoms, best: _Best, n_columns: int) -> Partners:
    log_p, partner = np.full(n_columns, np.nan), np.full(n_columns, -1)
    tests = np.bincount(atoms.owner, len(atoms.owner) - atoms.n_own, n_columns)
    of_pairing = {}
    for section in (0, 1):
        targets = np.flatnonzero(best.partner[section] >= 0)
        at = best.partner[section, targets]
        found = _log_p_of_pairs(atoms, targets, at)
        for curve in (False, True):
            some = atoms.curve[targets] == curve
            own, p = atoms.owner[targets[some]], found[some]
            smallest, with_whom = _smallest(own, p, atoms.owner[at[some]], n_columns)
            of_pairing[curve, bool(section)] = with_whom
            better = ~(smallest >= log_p) & ~np.isnan(smallest)
            log_p[better], partner[better] = smallest[better], with_whom[better]
    log_p = log_best_of(log_p, np.maximum(tests, 1))
    return Partners(log_p, partner, of_pairing)


def _log_p_of_pairs(atoms: Atoms, targets: np.ndarray, at: np.ndarray) -> np.ndarray:
    step = max(1, JUDGED_VALUES // len(atoms.values))
    parts = [
        atoms.judged(targets[i : i + step], atoms.values[:, at[i : i + step]])
        for i in range(0, len(targets), step)
    ]
    return np.concatenate([np.empty(0), *parts])


def _smallest(
    column: np.ndarray, log_p: np.ndarray, partner: np.ndarray, n_columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """The smallest p-value of each column, and whose it is."""
    order = np.lexsort((log_p, column))
    first = order[np.unique(column[order], return_index=True)[1]]
    smallest, with_whom = np.full(n_columns, np.nan), np.full(n_columns, -1)
    smallest[column[first]], with_whom[column[first]] = log_p[first], partner[first]
    return smallest, with_whom
