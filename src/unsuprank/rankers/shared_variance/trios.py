"""The strongest product of two others for each column: what neither of them tells alone.

With x_a the normal scores of columns, or indicators of nominal values, all correlations of products
of two with a third are blocks of one matrix product for each a,

    t_bc  =  sum_i x_ia x_ib x_ic,        b, c > a,

n p^3 / 3 multiplications for p of them. Each t counts three times: for c with the product of a and
b, for b, and for a. The largest, each divided by the length of its centred product, are then judged
to full precision as the best of all pairs of others, in the known rows of the column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._parallel import in_order, one_blas_thread
from .atoms import JUDGED_VALUES, Atoms
from .tails import log_best_of

#: Multiplications that a search of all columns may take, and one of some of them.
MOST_WORK, SOME_WORK = 8 * 10**10, 4 * 10**9
#: Rows that are looked at.
MOST_ROWS = 4096
#: Products that are judged for each column.
JUDGED = 4
#: The least variance of a product, beside that of independent columns, for it to be looked at.
LEAST_VARIANCE = 1e-6


class Trios(NamedTuple):
    """The strongest pair of others of each column."""

    log_p: np.ndarray
    partners: np.ndarray


@dataclass(frozen=True)
class _Search:
    """Coordinates, and one over the length of the centred product of each pair of them."""

    x: np.ndarray
    owner: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, owner: np.ndarray) -> _Search:
        n, squared = len(x), x * x
        length2 = squared.T @ squared - (x.T @ x) ** 2 / n
        usable = (length2 > LEAST_VARIANCE / n) & (owner[:, None] != owner)
        scale = np.where(usable, 1.0 / np.sqrt(np.where(usable, length2, 1.0)), 0.0)
        return cls(x, owner, scale.astype(np.float32))

    def beginning_with(self, a: int) -> tuple[np.ndarray, ...]:
        """For each c > a, the largest |t| of a product with x_a and its b; for a, that of any pair.

        Returns the sizes and b for each c, and the size, b and c for a.
        """
        later, others = self.x[:, a + 1 :], self.scale[a + 1 :, a + 1 :]
        sizes = np.abs((later * self.x[:, [a]]).T @ later)
        sizes *= others != 0.0  # b and c of one column
        sizes[:, self.scale[a, a + 1 :] == 0.0] = 0.0
        of_a = sizes * others
        top = int(of_a.argmax()) if of_a.size else 0
        b, c = divmod(top, max(len(of_a), 1))
        sizes *= self.scale[a, a + 1 :, None]
        at = sizes.argmax(axis=0) if len(sizes) else np.zeros(0, int)
        largest = sizes[at, np.arange(len(at))]
        size = of_a.ravel()[top] if of_a.size else 0.0
        return largest, at + a + 1, np.array([size, b + a + 1, c + a + 1])


def columns_within(log_p: np.ndarray, widths: np.ndarray, n_rows: int) -> np.ndarray:
    """Which columns are searched: all, or those of the smallest p-values that can be."""
    if n_rows * float(widths.sum()) ** 3 / 3.0 <= MOST_WORK:
        return widths > 0
    most = (3.0 * SOME_WORK / n_rows) ** (1.0 / 3.0)
    order = np.lexsort((np.arange(len(log_p)), log_p))
    chosen = np.zeros(len(log_p), dtype=bool)
    chosen[order[np.cumsum(widths[order]) <= most]] = True
    return chosen & (widths > 0)


def strongest_trios(atoms: Atoms, columns: np.ndarray, n_jobs: int | None = None) -> Trios:
    """The strongest product of two others, among columns of a mask; NaN and -1 for others."""
    places = np.flatnonzero(~atoms.curve & columns[atoms.owner])
    owner = atoms.owner[places]
    log_p, partners = np.full(len(columns), np.nan), np.full((len(columns), 2), -1)
    if len(np.unique(owner)) < 3:
        return Trios(log_p, partners)
    search = _Search.of(atoms.single[:, places].astype(np.float32), owner)
    candidates = _candidates(search, n_jobs)
    found = _log_p_of_products(atoms, *(places[c] for c in candidates))
    tests = _n_tests(owner, len(columns))
    order = np.lexsort((found, owner[candidates[0]]))
    column = owner[candidates[0]][order]
    first = np.unique(column, return_index=True)[1]
    best = order[first]
    log_p[column[first]] = log_best_of(found[best], tests[column[first]])
    partners[column[first]] = np.stack([owner[c[best]] for c in candidates[1:]], axis=1)
    return Trios(log_p, partners)


def _candidates(search: _Search, n_jobs: int | None) -> tuple[np.ndarray, ...]:
    """Targets, and pairs of others that are to be judged for them."""
    width = len(search.owner)
    size, second = np.zeros((width, width), np.float32), np.zeros((width, width), int)
    own = np.zeros((width, 3))
    with one_blas_thread():
        results = in_order(search.beginning_with, range(width), n_jobs)
        for a, (sizes, at, of_a) in enumerate(results):
            size[a, a + 1 :], second[a, a + 1 :], own[a] = sizes, at, of_a
    kept = min(JUDGED, width - 1)
    first = np.argpartition(-size, kept - 1, axis=0)[:kept]
    target = np.broadcast_to(np.arange(width), first.shape)
    found = np.stack([target.ravel(), first.ravel(), second[first, target].ravel()])
    found = found[:, size[first, target].ravel() > 0.0]
    some = np.flatnonzero(own[:, 0] > 0.0)
    return tuple(np.hstack([found, np.stack([some, *own[some, 1:].T.astype(int)])]))


def _log_p_of_products(
    atoms: Atoms, target: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    n = len(atoms.values)
    step = max(1, JUDGED_VALUES // n)
    parts = []
    for i in range(0, len(target), step):
        part = slice(i, i + step)
        product = atoms.values[:, first[part]] * atoms.values[:, second[part]] * n
        parts.append(atoms.judged(target[part], product))
    return np.concatenate([np.empty(0), *parts])


def _n_tests(owner: np.ndarray, n_columns: int) -> np.ndarray:
    """Pairs of others for each column, times its own coordinates."""
    own = np.bincount(owner, minlength=n_columns).astype(float)
    rest = own.sum() - own
    pairs = 0.5 * (rest**2 - (np.sum(own**2) - own**2))  # pairs of different columns
    return np.maximum(own * pairs, 1.0)
