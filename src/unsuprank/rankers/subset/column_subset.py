"""Greedy column-subset selection: the next column explains most of what is left.

Columns are blocks of coordinates in a space where squared length is variation (one coordinate
for a number, one per value for a nominal column). With E the coordinates that are left after
everything chosen so far is projected out, column j with block E_j would explain

    gain_j = |P_j E|^2 = trace(H_j^+ F_j),    H_j = E_j' E_j,    F_j = E_j' E E' E_j,

which for a single coordinate is |E' e_j|^2 / |e_j|^2. Neither E nor the n x n matrix E' E is
ever formed. H and F of all columns are computed once, from the products of the coordinates A
(:mod:`..coordinates`), and then updated: with Q an orthonormal basis of the chosen column's block
in E,

    U = A' Q,    V = A' (I - B B') A A' Q,    H_j -= U_j U_j',
    F_j -= V_j U_j' + U_j V_j' - U_j (U' U) U_j',

where B is the basis of everything chosen before and U_j are the rows of U that belong to
column j. This is the recursion of Farahat, Ghodsi and Kamel (2013) for blocks; a step costs two
products of A with as many vectors as the column has coordinates. Of tables with more rows than
coordinates, a square matrix with the same inner products of columns takes the place of A.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._parallel import blas_threads
from ..._progress import Progress
from ..centred_matrix import ColumnMatrix
from ..coordinates import root_of, root_of_square, trace_of_cube

#: A column of which a smaller share than this is unexplained has nothing to add.
EXHAUSTED = 1e-8
#: Gains this close to the best (relatively) are ties, which the first column wins.
TIE = 1e-10
#: Bytes of kernel times coordinates that are made at a time.
BLOCK_BYTES = 2**24
#: Products of all rows are made if there are at most so many, and so are those of all columns.
MOST_LINES = 8192


@dataclass(frozen=True)
class ResidualColumns:
    """What is left of each column; K is the product E E' of all that is left."""

    #: What the column would explain of everything, itself included.
    gain: np.ndarray
    #: Its own squared length, tr H.
    own: np.ndarray
    #: tr HK of its product H = E_j E_j' with itself, |H|^2, and the rank of H.
    image: np.ndarray
    square: np.ndarray
    rank: np.ndarray


@dataclass
class _Group:
    """All columns with the same number of coordinates, and their H and F."""

    columns: np.ndarray  # (k,)
    coordinates: np.ndarray  # (k, width)
    H: np.ndarray  # (k, width, width)
    F: np.ndarray
    floor: np.ndarray  # (k,): less squared length than this counts as none


class Residual:
    """What a growing set of columns leaves unexplained.

    Parameters
    ----------
    coordinates : ColumnMatrix of shape (n_rows, n_coordinates)
        Centred; the coordinates of a column are neighbours.
    widths : ndarray of shape (n_columns,)
        Number of coordinates of each column; 0 for columns without variation.
    candidates : ndarray of bool, optional
        Columns that may be chosen, all by default. The others have to be explained, too, but
        what they would explain is not kept, which saves much if they have many coordinates.
    squares : ndarray of shape (n_coordinates,), optional
        The squares of the products of each coordinate with all, added up, where they are known.
    """

    def __init__(
        self,
        coordinates: ColumnMatrix,
        widths: np.ndarray,
        candidates: np.ndarray | None = None,
        squares: np.ndarray | None = None,
    ) -> None:
        if coordinates.shape[0] > coordinates.shape[1] and coordinates.shape[1] <= MOST_LINES:
            coordinates = ColumnMatrix(root_of(coordinates.all_column_products()))
        self._coordinates, self._squares = coordinates, squares
        #: A A', if there is room for it.
        self._kernel = coordinates.all_row_products() if len(coordinates) <= MOST_LINES else None
        self._basis = np.empty((coordinates.shape[0], 0))
        #: tr K^3 of all that is left; estimated where K is not made.
        if self._kernel is not None:
            self._cubes = trace_of_cube(self._kernel)
        else:
            self._cubes = float(np.sum((root_of_square(coordinates).T @ coordinates) ** 2))
        self._starts = np.concatenate([[0], np.cumsum(widths)])
        self.n_columns = len(widths)
        candidates = np.ones(len(widths), dtype=bool) if candidates is None else candidates
        open_widths = np.where(candidates, widths, 0)
        self._groups = []
        for width in np.unique(open_widths[open_widths > 0]).tolist():
            columns = np.flatnonzero(open_widths == width)
            places = self._starts[columns][:, None] + np.arange(width)
            self._groups.append(self._group(columns, places))
        others = np.flatnonzero(np.repeat(~candidates, widths))
        #: Coordinates of the other columns, one by one.
        self._others = self._group(np.full(len(others), -1), others[:, None])
        self.total = self.left()

    def left(self) -> float:
        """Squared length of all that is unexplained."""
        groups = (*self._groups, self._others)
        return float(sum(np.trace(g.H, axis1=1, axis2=2).sum() for g in groups))

    def squares(self) -> float:
        """The squared norm of the product K of all that is unexplained: tr K^2."""
        groups = (*self._groups, self._others)
        return float(sum(np.trace(g.F, axis1=1, axis2=2).sum() for g in groups))

    def gains(self) -> np.ndarray:
        """What each column would explain of the rest; 0 if it has nothing to add."""
        return self.columns().gain

    def columns(self) -> ResidualColumns:
        """What is left of each column, and what it would explain."""
        gain, own, image, square, rank = np.zeros((5, self.n_columns))
        for group in self._groups:
            at = group.columns
            gain[at], rank[at] = _block_gains(group)
            own[at] = np.trace(group.H, axis1=1, axis2=2)
            image[at] = np.trace(group.F, axis1=1, axis2=2)
            square[at] = np.square(group.H).sum(axis=(1, 2))
        return ResidualColumns(gain, own, image, square, rank)

    @property
    def n_dimensions(self) -> int:
        """Dimensions that the chosen columns span."""
        return self._basis.shape[1]

    def cubes(self) -> float:
        """tr K^3 of all that is left."""
        left, squares = self.left(), max(self.squares(), 0.0)
        # What rounding has made of a small difference stays between the bounds of any K.
        return float(np.clip(self._cubes, squares**2 / left if left else 0.0, squares**1.5))

    def _rest(self, vectors: np.ndarray) -> np.ndarray:
        """What the chosen columns leave of some vectors."""
        return vectors - self._basis @ (self._basis.T @ vectors)

    def project_out(self, column: int) -> None:
        """Add a column to the chosen ones."""
        part = slice(self._starts[column], self._starts[column + 1])
        block = np.asarray(self._coordinates[:, part])
        fresh = _orthonormal_complement(block, self._basis)
        if not fresh.shape[1]:
            return
        image = self._rest(self._times(fresh))
        self._cubes -= self._cubes_of(fresh, image)
        # Two long rows times the table are much faster than the table times two columns.
        both = np.hstack([fresh, image]).T @ self._coordinates
        U, V = (np.ascontiguousarray(part.T) for part in np.vsplit(both, 2))
        self._basis = np.hstack([self._basis, fresh])
        squares = U.T @ U
        for group in (*self._groups, self._others):
            u, v = U[group.coordinates], V[group.coordinates]
            ut = u.transpose(0, 2, 1)
            group.H -= _outer(u, ut)
            cross = _outer(v - 0.5 * _outer(u, squares), ut)
            group.F -= cross + cross.transpose(0, 2, 1)

    def _cubes_of(self, fresh: np.ndarray, image: np.ndarray) -> float:
        """What tr K^3 loses with orthonormal vectors that K maps to `image`: with S = QQ',

        tr ((I - S) K)^3 = tr K^3 - 3 tr Q'K^3 Q + 3 tr Q'K^2 Q Q'K Q - tr (Q'K Q)^3.
        """
        one, two = fresh.T @ image, image.T @ image
        three = np.vdot(image, self._rest(self._times(image)))
        return 3.0 * three - 3.0 * np.vdot(two, one) + np.trace(one @ one @ one)

    def _group(self, columns: np.ndarray, places: np.ndarray) -> _Group:
        width = places.shape[1]
        if width == 1:
            H, F = (part[places][:, :, None] for part in self._alone)
            return _Group(columns, places, H, F, EXHAUSTED * H[:, 0, 0])
        H = np.empty((len(columns), width, width))
        F = np.empty_like(H)
        step = max(1, BLOCK_BYTES // max(1, 8 * width * len(self._coordinates)))
        for a in range(0, len(columns), step):
            part = np.asarray(self._coordinates[:, places[a : a + step].ravel()])
            image = self._times(part)
            blocks = part.T.reshape(-1, width, len(part))
            H[a : a + step] = blocks @ blocks.transpose(0, 2, 1)
            F[a : a + step] = blocks @ image.T.reshape(blocks.shape).transpose(0, 2, 1)
        floor = EXHAUSTED * np.trace(H, axis1=1, axis2=2)
        return _Group(columns, places, H, F, floor)

    @cached_property
    def _alone(self) -> tuple[np.ndarray, np.ndarray]:
        """H and F of all single coordinates, before anything is chosen."""
        Z = self._coordinates
        if self._squares is not None:
            return Z.column_squares(), self._squares
        if self._kernel is not None:
            return Z.column_squares(), Z.quadratic_forms(self._kernel)
        return Z.column_squares(), Z.gram_squares(blas_threads())

    def _times(self, vectors: np.ndarray) -> np.ndarray:
        """A A' times some vectors."""
        if self._kernel is None:
            return self._coordinates @ (vectors.T @ self._coordinates).T
        return self._kernel @ vectors


def _block_gains(group: _Group) -> tuple[np.ndarray, np.ndarray]:
    """What the columns of a group explain, and the directions that they have left."""
    if group.H.shape[1] == 1:
        lengths, images = group.H[:, 0], group.F[:, 0]
    else:
        lengths, axes = np.linalg.eigh(group.H)
        images = (axes * (group.F @ axes)).sum(axis=1)
    alive = lengths > group.floor[:, None]
    # A direction explains at least itself, whatever rounding has done to F.
    gains = np.maximum(images / np.where(alive, lengths, 1.0), lengths)
    return np.where(alive, gains, 0.0).sum(axis=1), alive.sum(axis=1)


def _outer(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """``left @ right``; products of single columns need no matrix multiplication."""
    return left * right if left.shape[-1] == 1 else left @ right


def _orthonormal_complement(block: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Orthonormal basis of what `block` adds to the span of `basis`."""
    floor = np.sqrt(EXHAUSTED * np.vdot(block, block))
    rest = block
    for _ in range(2):  # once leaves rounding errors of the size of what was subtracted
        rest = rest - basis @ (basis.T @ rest)
    left, lengths, _ = np.linalg.svd(rest, full_matrices=False)
    fresh = left[:, lengths > floor]
    return fresh - basis @ (basis.T @ fresh)


@dataclass(frozen=True)
class GreedyPath:
    """A greedy choice of columns, in shares of the total variation."""

    picks: np.ndarray
    #: Unexplained before each pick, and, one more entry, after the last.
    unexplained: np.ndarray
    #: What each column would add to the picks.
    would_add: np.ndarray


#: What makes a column the next pick: an array with a number per column, the largest wins, and
#: a number that is not positive never does.
Criterion = Callable[[Residual], np.ndarray]


def greedy_path(
    residual: Residual,
    n_picks: int,
    *,
    first: Sequence[int] | np.ndarray = (),
    criterion: Criterion = Residual.gains,
    progress: Progress | None = None,
) -> GreedyPath:
    """Choose up to `n_picks` columns; those in `first` come before all others.

    It ends early when the criterion has no column left. `residual` is used up.
    """
    unit = residual.total or 1.0
    alone = residual.gains() if len(first) else np.zeros(0)
    waiting = {int(column) for column in first}
    picks: list[int] = []
    unexplained = [residual.total]
    while len(picks) < n_picks:
        worth = _of_waiting(waiting, residual, alone) if waiting else criterion(residual)
        worth[picks] = 0.0
        best = worth.max(initial=0.0)
        if best <= 0.0:
            if not waiting:
                break
            waiting.clear()
            continue
        pick = int(np.argmax(worth >= best * (1.0 - TIE)))
        waiting.discard(pick)
        residual.project_out(pick)
        picks.append(pick)
        unexplained.append(min(unexplained[-1], max(residual.left(), 0.0)))
        if progress is not None:
            progress.advance()
    gains = residual.gains()
    gains[picks] = 0.0
    return GreedyPath(np.array(picks, dtype=np.intp), np.array(unexplained) / unit, gains / unit)


def _of_waiting(waiting: set[int], residual: Residual, alone: np.ndarray) -> np.ndarray:
    """Gains of the waiting columns only; what each explains alone when none has anything to add."""
    columns = sorted(waiting)
    gains = residual.gains()
    worth = gains if gains[columns].any() else alone
    allowed = np.zeros_like(gains)
    allowed[columns] = worth[columns]
    return allowed
