"""The ends of the paths that the lasso takes by least angle regression.

Columns enter one at a time, whenever their correlation with what is left of the target reaches that
of the columns inside, and coefficients move such that these correlations stay equal. A column whose
coefficient comes to 0 leaves. Between two such events the path is a line, so that a step costs one
solution of a small system and one combination of products of the columns inside with all others.
Where products of all pairs of columns are not too many, they are made at once. Of wide tables, only
those of the columns that enter are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dtrtrs

from ..._parallel import in_batches
from ..._progress import Progress
from ..centred_matrix import ColumnMatrix

#: Columns up to which the products of all pairs are kept for all targets together.
GRAM_COLUMNS = 5000
#: Correlations below this share of the norm of a target are rounding errors.
ROUNDING = 1e-13
#: A column of which those inside leave no more than this repeats them.
REPEATED = 1e-7
#: Columns that gain so little on those inside move with them.
TOGETHER = 1e-9
#: Correlations that are as near to each other (relatively) are level.
LEVEL = 1e-10
#: Products of columns with a direction that may be those of copies, and of columns that are.
NEAR, COPIED = 1e-9, 1.0 - 1e-12

#: Products of a column with all columns.
ProductsOf = Callable[[int], np.ndarray]


def lasso_ends(
    Z: ColumnMatrix, Y: np.ndarray, steps: int, n_jobs: int | None, bar: Progress
) -> np.ndarray:
    """Coefficients, columns x targets, after some steps from 0.

    Columns are centred and of norm 1, or 0. Of those that are copies of each other, but for the
    sign, only the first takes part.
    """
    kept = ~repeated_columns(Z)
    Z = Z if kept.all() else Z[:, kept]
    correlations = target_correlations(Z, Y)
    few = Z.shape[1] <= min(GRAM_COLUMNS, 4 * len(Z))
    gram = Z.all_column_products() if few else None

    def products(column: int) -> np.ndarray:
        return np.asarray(Z[:, [column]])[:, 0] @ Z if gram is None else gram[column]

    def end(target: int, _: int) -> np.ndarray:
        return _path_end(products, correlations[target], steps)

    ends = in_batches(end, len(correlations), n_jobs=n_jobs, batch_size=1, progress=bar)
    coefficients = np.zeros((len(kept), len(correlations)))
    coefficients[kept] = np.column_stack(list(ends))
    return coefficients


def target_correlations(Z: ColumnMatrix, Y: np.ndarray) -> np.ndarray:
    """Products of targets and columns; what no column has to do with is left alone."""
    correlations = np.ascontiguousarray(Y.T @ Z)
    unrelated = np.abs(correlations).max(axis=1) <= ROUNDING * np.linalg.norm(Y, axis=0)
    correlations[unrelated] = 0.0
    return correlations


class _Inside:
    """The columns inside, their coefficients, and the Cholesky factor of their products."""

    def __init__(self, products_of: ProductsOf, most: int, n_columns: int) -> None:
        self._products_of = products_of
        self._products = np.empty((most, n_columns))
        self._factor = np.empty((0, 0))
        self.columns: list[int] = []
        self._signs = np.empty(0)
        self.coefficients = np.empty(0)

    def enter(self, column: int, sign: float) -> bool:
        """Take in a column; not one that repeats those inside."""
        products, k = self._products_of(column), len(self.columns)
        shared = _solved(self._factor, products[self.columns], transposed=True)
        rest = np.sqrt(max(products[column] - shared @ shared, 0.0))
        if rest <= REPEATED:
            return False
        grown = np.zeros((k + 1, k + 1), order="F")
        grown[:k, :k], grown[:k, k], grown[k, k] = self._factor, shared, rest
        self._factor = grown
        self._products[k] = products
        self.columns.append(column)
        self._signs = np.append(self._signs, sign)
        self.coefficients = np.append(self.coefficients, 0.0)
        return True

    def direction(self) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients along which correlations inside fall by 1, and by how much all fall."""
        rotated = _solved(self._factor, self._signs, transposed=True)
        direction = _solved(self._factor, rotated, transposed=False)
        return direction, direction @ self._products[: len(direction)]

    def move(self, direction: np.ndarray, length: float) -> tuple[float, int]:
        """Go so far, or less far to where a column leaves; returns how far, and which or -1."""
        ends = -self.coefficients / direction
        ends[ends <= 0.0] = np.inf
        first = int(np.argmin(ends))
        leaves = ends[first] < length
        length = float(ends[first]) if leaves else length
        self.coefficients = self.coefficients + length * direction
        return length, self._leave(first) if leaves else -1

    def _leave(self, position: int) -> int:
        self._factor = np.linalg.qr(np.delete(self._factor, position, axis=1)).R
        self._products[position:-1] = self._products[position + 1 :]
        self._signs = np.delete(self._signs, position)
        self.coefficients = np.delete(self.coefficients, position)
        return self.columns.pop(position)


def _solved(factor: np.ndarray, values: np.ndarray, *, transposed: bool) -> np.ndarray:
    """Solve a triangular system: SciPy's own function takes longer to check it than to solve it."""
    return dtrtrs(factor, values, trans=int(transposed))[0] if len(factor) else values


def _path_end(products_of: ProductsOf, correlations: np.ndarray, steps: int) -> np.ndarray:
    inside = _Inside(products_of, min(steps, len(correlations)), len(correlations))
    outside = np.ones(len(correlations), dtype=bool)
    left, least = correlations.copy(), ROUNDING * np.abs(correlations).max()
    leaver = -1
    for _ in range(steps):
        if (leaver < 0 or not inside.columns) and not _next_enters(inside, outside, left):
            break
        shared = float(np.abs(left[inside.columns[-1]]))
        if shared <= least:
            break
        direction, change = inside.direction()
        ahead = (_to_level(shared, s * left[outside], s * change[outside]) for s in (1.0, -1.0))
        length, leaver = inside.move(direction, min(shared, *ahead))
        left -= length * change
        if leaver >= 0:
            outside[leaver] = True
    end = np.zeros(len(correlations))
    end[inside.columns] = inside.coefficients
    return end


def _next_enters(inside: _Inside, outside: np.ndarray, left: np.ndarray) -> bool:
    """Take in the column that is correlated most; False if none is left."""
    while True:
        sizes = np.where(outside, np.abs(left), 0.0)
        column = int(np.argmax(sizes))
        if sizes[column] == 0.0:
            return False
        outside[column] = False  # for good, if it repeats those inside
        if inside.enter(column, float(np.sign(left[column]))):
            return True


def _to_level(shared: float, correlations: np.ndarray, change: np.ndarray) -> float:
    """How far it is to where a column outside is as correlated as those inside.

    One that is so by now has just left and falls behind; if not, it enters at once.
    """
    distance, speed = shared - correlations, 1.0 - change
    ahead = speed >= TOGETHER
    lengths = np.where(distance <= LEVEL * shared, 0.0, distance / np.where(ahead, speed, 1.0))
    return float(lengths[ahead].min(initial=np.inf))


def repeated_columns(Z: ColumnMatrix) -> np.ndarray:
    """Mask of the columns that repeat an earlier one, or its negative; all have norm 1 or are 0.

    Columns that are alike have the same product with any direction. So only those are compared
    that are near each other in the order of their products with one of them.
    """
    direction = np.random.default_rng(0).normal(size=len(Z))
    marks = np.abs(direction @ Z) / np.linalg.norm(direction)
    order = np.argsort(marks, kind="stable")
    order = order[marks[order] > 0.0]  # without constant columns
    repeated = np.zeros(Z.shape[1], dtype=bool)
    for near in np.split(order, np.flatnonzero(np.diff(marks[order]) > NEAR) + 1):
        if len(near) > 1:
            alike = np.sort(near)
            products = Z[:, alike].all_column_products()
            repeated[alike] = (np.abs(np.triu(products, 1)) > COPIED).any(axis=0)
    return repeated
