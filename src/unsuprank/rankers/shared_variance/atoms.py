"""Single coordinates: what is compared one by one, and chance for one correlation.

A number has two, its line and its curve, and a nominal column has the indicators of its values.
The best of very many correlations is judged far in the tail. Between normal scores, that is the one
of a normal law. Where a column has few values, the tail is not less than those with the skewness
and kurtosis that the correlation has over all orders of the rows. For vectors u and v of length 1
that sum to 0,

    E r = 0,    E r^2 = 1 / (n - 1),    E r^3 = n / ((n - 1) (n - 2)) sum u^3 sum v^3,

and E r^4 is the mean square of what the projection on u shares with that on v (:mod:`.shuffles`).

Where most rows have one value, say k of n in u and l in v have others, r follows from the rows in
which both have. Take off that value, and sort what is left by size: the sums of products of the
largest m tell how many such rows it takes for r. There are m or more by chance less often than

    binom(k, m) binom(l, m) / binom(n, m),

so that no p-value needs to be larger: five rows of 2,000 that are the same five tell enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaln

from ...table import Table
from ..clustering_space import embed, embedding_widths
from .columns import Powers
from .shuffles import diagonal_and_rest
from .tails import log_shuffled_tail

#: Nominal columns of more values are left out.
MOST_VALUES = 16
#: Correlations that are judged at a time, in values.
JUDGED_VALUES = 2**23


@dataclass(frozen=True)
class Atoms:
    """Coordinates of length 1, those of lines before those of curves."""

    #: Rows x atoms; 0 where a value is missing.
    values: np.ndarray
    #: The column of each atom, and whether it is a curve.
    owner: np.ndarray
    curve: np.ndarray
    #: Known rows x columns, or None if nothing is missing.
    known: np.ndarray | None

    @classmethod
    def of(cls, scores: Table, curves: Table, known: np.ndarray | None) -> Atoms:
        """Those of a table of normal scores and of one of curves."""
        lines, line_owner = _coordinates(scores, scores.n_values <= MOST_VALUES)
        bent, bent_owner = _coordinates(curves, curves.n_values == 0)
        curve = np.arange(len(line_owner) + len(bent_owner)) >= len(line_owner)
        return cls(np.hstack([lines, bent]), np.append(line_owner, bent_owner), curve, known)

    @cached_property
    def single(self) -> np.ndarray:
        """The values in single precision, for searching."""
        return np.asfortranarray(self.values, dtype=np.float32)

    @cached_property
    def n_lines(self) -> int:
        """Atoms that are not curves."""
        return int((~self.curve).sum())

    @cached_property
    def n_own(self) -> np.ndarray:
        """How many atoms the column of each atom has."""
        return np.bincount(self.owner)[self.owner]

    def judged(self, target: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Logarithms of p-values of the correlations of atoms with a vector each."""
        u = self.values[:, target]
        if self.known is None:
            known = np.ones((len(u), 1))
        else:
            known = self.known[:, self.owner[target]].astype(np.float64)
        n = known.sum(axis=0)
        v = (vectors - np.sum(vectors * known, axis=0) / n) * known
        v2 = np.sum(v**2, axis=0)
        v = v / np.sqrt(np.where(v2 > 1e-12, v2, np.inf))
        u = u / np.sqrt(np.sum(u**2, axis=0))
        found = _log_p(n, u, v)
        rare = np.flatnonzero(self._mostly_one(u) & self._mostly_one(v))
        if len(rare):
            found[rare] = np.minimum(found[rare], _log_overlap(u[:, rare], v[:, rare]))
        return found

    def _mostly_one(self, x: np.ndarray) -> np.ndarray:
        """Whether more than half of the rows have one value, in columns without missing values."""
        if self.known is not None:
            return np.zeros(x.shape[1], dtype=bool)
        middle = np.sort(x[:: max(1, len(x) // 64)], axis=0)  # a quick look at some rows
        some = (middle[1:] == middle[:-1]).sum(axis=0) > len(middle) // 3
        some[some] = (x[:, some] == np.median(x[:, some], axis=0)).mean(axis=0) > 0.5
        return some


def _coordinates(table: Table, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    columns = np.flatnonzero(wanted & table.varies)
    part = table.take(columns=columns)
    owner = np.repeat(columns, embedding_widths(part))
    if not len(owner):
        return np.empty((table.n_rows, 0)), owner
    Z = embed(part)
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    kept = length > 0.0
    kept[1:] &= (owner[1:] != owner[:-1]) | (table.n_values[owner[1:]] != 2)  # one of two says all
    return Z[:, kept] / length[kept], owner[kept]


def _log_p(n: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    r = np.clip(np.einsum("ij,ij->j", u, v), -1.0, 1.0)
    of_u, of_v = Powers.of(u), Powers.of(v)
    skewness = n * np.sqrt(n - 1.0) / (n - 2.0) * of_u.z3 * of_v.z3
    (aa, qq, _), (bb, ss, _) = (diagonal_and_rest(n, x.products()) for x in (of_u, of_v))
    fourth = (n / (n - 2.0)) ** 2 * aa * bb / (n - 1.0) + qq * ss * 2.0 / (n * (n - 3.0))
    kurtosis = (fourth + 1.0 / (n - 1.0) ** 2) * (n - 1.0) ** 2
    return np.where(of_v.z2 > 0.5, log_shuffled_tail(r, n, skewness, kurtosis), 0.0)


def _log_overlap(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A bound on the p-value of correlations between columns that mostly have one value."""
    n, level_u, level_v = len(u), np.median(u, axis=0), np.median(v, axis=0)
    sizes = [np.sort(np.abs(x), axis=0)[::-1] for x in (u - level_u, v - level_v)]
    needed = np.abs(np.einsum("ij,ij->j", u, v)) - n * np.abs(level_u * level_v)
    enough = np.cumsum(sizes[0] * sizes[1], axis=0) >= needed * (1.0 - 1e-9)
    k, others = ((size > 0.0).sum(axis=0) for size in sizes)
    m = np.minimum(
        np.where(enough.any(axis=0), enough.argmax(axis=0) + 1, n), np.minimum(k, others)
    )
    bound = _log_binomial(k, m) + _log_binomial(others, m) - _log_binomial(n, m)
    return np.where(needed > 0.0, np.minimum(bound, 0.0), 0.0)


def _log_binomial(n: np.ndarray | int, k: np.ndarray) -> np.ndarray:
    return -np.log(n + 1.0) - betaln(n - k + 1.0, k + 1.0)
