"""The nearest training row of every test row, for all prefixes of a column order at once.

The distance on the first 2k columns is that on the first k plus that on the columns
added, so one pass over the columns serves every size of a curve, and each addition is a
matrix product. Two things keep that honest:

* Data that are whole numbers, or decimals of few places, are turned into whole numbers.
  Every distance is then exact, equal distances are equal, and the lowest row wins.
* Otherwise the product only filters: the rows that rounding could have put first are
  compared again by the sum of squared differences, in column order.

Either way the answer does not depend on threads, blocks or the order in which the columns
of a prefix are listed, and the end of a curve is the same for every ranking.

Of sparse rows, the values that are not zero are all that is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from .measures import Values, written_out

#: Test rows whose distances are held at once.
BLOCK_ROWS = 128
#: Numbers held at once when near-equal distances are compared again.
BLOCK_NUMBERS = 2**22
#: Decimal places that are turned into whole numbers.
DECIMAL_PLACES = 4


class PrefixNeighbours:
    """Nearest training rows under the squared Euclidean distance on leading columns.

    A nominal column adds 1 where the values differ.

    Parameters
    ----------
    train, test : ndarray or csr_array of shape (n_train, n_columns), (n_test, n_columns)
        Complete; nominal columns hold codes.
    nominal : ndarray of bool, optional
        Which columns are nominal.

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank.evaluation import PrefixNeighbours
    >>> train = np.array([[0.0, 9.0], [1.0, 0.0]])
    >>> near = PrefixNeighbours(train, np.array([[0.0, 0.0]]))
    >>> near.nearest(order=[0, 1], sizes=[1, 2])
    array([[0],
           [1]])
    """

    def __init__(self, train: Values, test: Values, nominal: np.ndarray | None = None) -> None:
        self._nominal = np.zeros(train.shape[1], bool) if nominal is None else nominal
        numbers = [_numbers(values, ~self._nominal) for values in (test, train)]
        scale = whole_number_scale(numbers, train.shape[1])
        self._exact = scale is not None
        self._nominal_weight = 1.0 if scale is None else float(scale) ** 2
        self._train, self._test = (_on_scale(v, scale, self._nominal) for v in (train, test))
        if not isinstance(self._train, np.ndarray):
            self._train = self._train.tocsc()  # whose columns are picked for every block of rows
        self._of_all: np.ndarray | None = None

    def nearest(self, order: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Index of the nearest training row, shape (n_sizes, n_test); ties go to the first.

        Parameters
        ----------
        order : array of int
            Column indices, best first.
        sizes : array of int
            How many leading columns count, ascending.
        """
        order, sizes = np.asarray(order), np.asarray(sizes)
        ends = sizes[-1] == self._train.shape[1]
        # All columns together are the same whatever their order, and cost the most.
        known = self._of_all if ends else None
        wanted = sizes if known is None else sizes[:-1]
        n_test = self._test.shape[0]
        result = np.empty((len(sizes), n_test), dtype=np.intp)
        for start in range(0, n_test, BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            result[: len(wanted), rows] = self._nearest_of_block(self._test[rows], order, wanted)
        if known is not None:
            result[-1] = known
        elif ends:
            self._of_all = result[-1]
        return result

    def _nearest_of_block(self, test: Values, order: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        n_test, n_train = test.shape[0], self._train.shape[0]
        distance = np.zeros((n_test, n_train))
        test_norm, train_norm = np.zeros(n_test), np.zeros(n_train)
        found = np.empty((len(sizes), n_test), dtype=np.intp)
        done = 0
        for s, size in enumerate(sizes):
            added = order[done:size]
            test_norm += self._add_numeric(distance, test, added[~self._nominal[added]], train_norm)
            self._add_nominal(distance, test, added[self._nominal[added]])
            done = size
            if self._exact:
                found[s] = distance.argmin(axis=1)
            else:
                slack = _rounding_bound(size) * (test_norm + train_norm.max() + size)
                found[s] = self._decide(distance, slack, test, np.sort(order[:size]))
        return found

    def _add_numeric(
        self, distance: np.ndarray, test: Values, columns: np.ndarray, train_norm: np.ndarray
    ) -> np.ndarray:
        """Add what numeric columns add to the distances; return what they add to test norms."""
        a, b = test[:, columns], self._train[:, columns]
        a_norm, b_norm = _squared_norms(a), _squared_norms(b)
        distance += a_norm[:, None]
        distance += b_norm
        distance -= 2.0 * written_out(a @ b.T)
        train_norm += b_norm
        return a_norm

    def _add_nominal(self, distance: np.ndarray, test: Values, columns: np.ndarray) -> None:
        for j in columns:
            distance += self._nominal_weight * (test[:, j, None] != self._train[:, j])

    def _decide(
        self, distance: np.ndarray, slack: np.ndarray, test: Values, columns: np.ndarray
    ) -> np.ndarray:
        """The first of the truly nearest among those that rounding may have put first."""
        best = distance.argmin(axis=1)
        lowest = distance[np.arange(len(best)), best]
        maybe = distance <= (lowest + 2.0 * slack)[:, None]
        unsure = np.flatnonzero(maybe.sum(axis=1) > 1)
        if len(unsure) == 0:
            return best
        row, candidate = np.nonzero(maybe[unsure])
        exact = np.full((len(unsure), maybe.shape[1]), np.inf)
        exact[row, candidate] = self._direct(test, unsure[row], candidate, columns)
        best[unsure] = exact.argmin(axis=1)
        return best

    def _direct(
        self, test: Values, rows: np.ndarray, candidates: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Sums of squared differences between test rows and one candidate for each."""
        result = np.empty(len(rows))
        nominal = self._nominal[columns]
        test, train = test[:, columns], self._train[:, columns]
        train = train if isinstance(train, np.ndarray) else train.tocsr()
        step = max(1, BLOCK_NUMBERS // len(columns))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            difference = written_out(test[rows[part]] - train[candidates[part]])
            np.square(difference, out=difference)
            difference[:, nominal] = difference[:, nominal] != 0
            result[part] = difference.sum(axis=1)
        return result


def _rounding_bound(n_columns: int) -> float:
    """Relative error of an expanded squared distance, with room to spare."""
    return 4.0 * np.finfo(float).eps * (n_columns + 8)


def _squared_norms(rows: Values) -> np.ndarray:
    return (rows * rows if isinstance(rows, np.ndarray) else rows.power(2)).sum(axis=1)


def _numbers(values: Values, numeric: np.ndarray) -> np.ndarray:
    """The values of numeric columns, or those of sparse rows that are not zero."""
    if not isinstance(values, np.ndarray):
        return values.data
    return values if numeric.all() else values[:, numeric]


def whole_number_scale(parts: Sequence[np.ndarray], n_columns: int) -> int | None:
    """The least power of ten that makes all numbers whole, if distances stay exact."""
    for places in range(DECIMAL_PLACES + 1):
        scale = 10**places
        if all(_is_whole(part, scale) for part in parts):
            largest = max(np.abs(part).max(initial=0.0) for part in parts)
            exact = 4.0 * (largest * scale + 1.0) ** 2 * n_columns < 2.0**52
            return scale if exact else None
    return None


def _is_whole(values: np.ndarray, scale: int) -> bool:
    for start in range(0, len(values), BLOCK_ROWS):
        scaled = values[start : start + BLOCK_ROWS] * float(scale)
        # Decimals are off by their rounding once scaled; nothing else comes so close.
        if np.any(np.abs(scaled - np.rint(scaled)) > 1e-12 * np.abs(scaled)):
            return False
    return True


def _on_scale(values: Values, scale: int | None, nominal: np.ndarray) -> Values:
    if not isinstance(values, np.ndarray):
        data = values.data if scale is None else np.rint(values.data * float(scale))
        return sparse.csr_array((data, values.indices, values.indptr), shape=values.shape)
    if scale is not None:
        values = np.rint(values * np.where(nominal, 1.0, float(scale)))
    return np.ascontiguousarray(values)
