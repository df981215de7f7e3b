"""The clustering space: where normalised impurity is a squared distance.

Every attribute becomes a vector:

- numeric x: one coordinate, ``x / sd(x)`` over the training rows;
- nominal x: one coordinate per value, the indicator scaled by ``1 / sqrt(Gini(x))``;
- all of it scaled by ``1 / sqrt(n)`` for n attributes, and centred. Constant columns drop out.

Write z_i for row i. The sum over attributes of normalised variance and normalised Gini
index of a set E of rows is then the mean squared distance of its z_i to their centre, so
that the heuristic of a split of E (weights w, N = sum w, S = sum w z) into L and R is

    h = |S_L|^2 / N_L + |S_R|^2 / N_R - |S|^2 / N.

Targets enter through inner products only. What is more, h does not change if the kernel
``z_i . z_j`` is replaced by ``-d_ij / 2`` with the squared distance ``d_ij = |z_i - z_j|^2``
(the terms that depend on one row alone cancel), and in terms of distances nothing large is
subtracted from something large: ``2 h = q / N - q_L / N_L - q_R / N_R`` with ``q`` the sum of
``w_i w_j d_ij`` over pairs in the set. So trees are grown from squared distances.

Missing values have no place in one matrix of distances: attributes with missing values form
a part of their own, coordinates plus a mask, for which sums and counts are kept per attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas

from .. import _kernels
from .._parallel import in_batches, interruptible, one_blas_thread
from ..table import SparseTable, Table
from .centred_matrix import CentredMatrix, sparse_lines, spread_factors
from .row_distances import SquaredDistances, to_distances

#: Bytes of coordinates that are made at a time on the way to a Gram matrix.
BLOCK_BYTES = 2**20
#: The least number of columns of such a block: each adds to all of the Gram matrix.
BLOCK_COLUMNS = 256
#: Up to this many rows, a Gram matrix is the sum of two.
HALVES_ROWS = 4096
#: Rows of distances that are made of inner products at a time.
DISTANCE_ROWS = 256
#: What it takes to make a coordinate, in multiplications of a matrix product.
EMBED_WORK = 30


#: Up to this many rows, trees are grown in double precision; it costs little there.
DOUBLE_ROWS = 512
#: The matrix of all distances is made when it is at most this large.
DISTANCE_BYTES = 2**30
#: Coordinates of a sparse table, which are not sparse, are made when they are at most this large.
SPARSE_BYTES = 2**28


def embedding_widths(table: Table) -> np.ndarray:
    """Number of coordinates of each column; 0 for constant columns."""
    return np.where(table.varies, np.maximum(table.n_values, 1), 0).astype(np.int32)


def embed(
    table: Table,
    first: int = 0,
    last: int | None = None,
    *,
    buffer: np.ndarray | None = None,
    stretch: np.ndarray | None = None,
) -> np.ndarray:
    """Coordinates of columns ``first .. last-1``: float64, rows x coordinates, Fortran order.

    Missing values are at 0, the centre of their coordinate. The coordinates take the memory of
    `buffer` if there is enough of it, and are multiplied by the `stretch` of their column.
    """
    last = table.n_columns if last is None else last
    widths = embedding_widths(table)[first:last]
    shape = (table.n_rows, int(widths.sum()))
    if buffer is None or buffer.size < shape[0] * shape[1]:
        out = np.empty(shape, order="F")
    else:
        out = buffer[: shape[0] * shape[1]].reshape(shape, order="F")
    scale = 1.0 / np.sqrt(max(table.n_columns, 1))
    values, n_values = table.block(first, last), table.n_values[first:last]
    interruptible(EMBED_WORK * out.size, _kernels.embed, values, n_values, 0, widths, scale, out)
    if stretch is not None:
        out *= np.repeat(stretch[first:last], widths)
    return out


def embed_sparse(table: SparseTable, stretch: np.ndarray | None = None) -> CentredMatrix:
    """Coordinates of all columns, those of constant ones at 0; see `embedded_blocks`."""
    factors = coordinate_factors(table)
    return CentredMatrix.of(
        table, table.moments.mean, factors if stretch is None else factors * stretch
    )


def embedded_blocks(
    table: Table, first: int = 0, last: int | None = None, stretch: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """The coordinates of columns ``first .. last-1``, a block of columns at a time.

    Each block takes the memory of the one before it: new memory costs more than what is done
    with it. A `stretch` is a factor for the coordinates of each column.
    """
    last = table.n_columns if last is None else last
    widths = embedding_widths(table)
    columns = np.cumsum(np.maximum(widths, 1))
    per_block = max(BLOCK_COLUMNS, BLOCK_BYTES // (8 * table.n_rows))
    buffer = np.empty(table.n_rows * min(per_block, int(columns[-1])))
    while first < last:
        limit = (columns[first - 1] if first else 0) + per_block
        stop = max(first + 1, int(np.searchsorted(columns, limit, side="right")))
        stop = min(stop, last)
        yield embed(table, first, stop, buffer=buffer, stretch=stretch)
        first = stop


def gram(table: Table, n_jobs: int | None = None, stretch: np.ndarray | None = None) -> np.ndarray:
    """Inner products of the rows in the clustering space: the whole matrix, symmetric.

    The products over two halves of the columns are added up, on two threads if there are. The
    threads of BLAS are for tables with many rows: after each call they stay awake for a while,
    and keep a processor from the threads that grow trees.
    """
    if isinstance(table, SparseTable):
        return embed_sparse(table, stretch).all_row_products(n_jobs)
    m = table.n_rows
    total = np.zeros((m, m), order="F")
    if m > HALVES_ROWS:
        for block in embedded_blocks(table, stretch=stretch):
            if block.shape[1]:  # all columns may be constant
                blas.dsyrk(1.0, block, beta=1.0, c=total, overwrite_c=True)
        return mirrored(total)
    cuts = (0, table.n_columns // 2, table.n_columns)

    def half(first: int, last: int) -> np.ndarray:
        products = np.zeros((m, m))
        for block in embedded_blocks(table, cuts[first], cuts[last], stretch):
            products += block @ block.T
        return products

    with one_blas_thread():
        for products in in_batches(half, 2, n_jobs=n_jobs, batch_size=1):
            total += products
    return mirrored(total)


def mirrored(matrix: np.ndarray, block: int = 256) -> np.ndarray:
    """The matrix with its upper triangle in place of the lower one, block by block."""
    for start in range(0, len(matrix), block):
        stop = start + block
        square = matrix[start:stop, start:stop]
        square[:] = np.triu(square) + np.triu(square, 1).T
        matrix[stop:, start:stop] = matrix[start:stop, stop:].T
    return matrix


def squared_distances(
    table: Table, n_jobs: int | None = None, stretch: np.ndarray | None = None
) -> np.ndarray:
    """Squared distances of the rows in the clustering space, to full relative precision."""
    distances = gram(table, n_jobs, stretch).T  # symmetric, and row after row
    norms = np.diagonal(distances).copy()
    pairs = [np.empty((0, 2), dtype=np.intp)]
    for first in range(0, table.n_rows, DISTANCE_ROWS):
        rows = distances[first : first + DISTANCE_ROWS]
        pairs.append(to_distances(rows, norms, first))
    left, right = map(np.ascontiguousarray, np.concatenate(pairs).T)
    if len(left):
        exact = np.zeros(len(left))
        for block in embedded_blocks(table, stretch=stretch):
            for z in block.T:
                exact += np.square(z[left] - z[right])
        distances[left, right] = distances[right, left] = exact
    return distances


@dataclass(frozen=True)
class Space:
    """The clustering space of a table in the form that trees are grown from.

    Attributes without missing values are held as coordinates, as squared distances of all
    pairs of rows, or both: coordinates are good for large sets of rows, distances for sets
    with fewer rows than coordinates. Attributes with missing values are held as coordinates
    and a mask.

    The space of a sample of rows may be part of the space of all of them: `stretch` then says
    how many times larger the coordinates of each column are there than by the sample's own spread.

    The attributes that trees may test, the columns of `table`, need not be those that make up
    the space, the columns of `clustering`.
    """

    table: Table
    clustering: Table
    #: Where each column of `table` is in `clustering`, -1: nowhere; None if they are the same.
    places: np.ndarray | None
    coords: np.ndarray | None
    distances: np.ndarray | None
    partial: np.ndarray | None
    known: np.ndarray | None
    #: Coordinates of the attributes without missing values.
    width: int
    stretch: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        dtype: type | None = None,
        coords: bool | None = None,
        distances: bool | None = None,
        n_jobs: int | None = None,
        stretch: np.ndarray | None = None,
        features: Table | None = None,
        places: np.ndarray | None = None,
    ) -> Space:
        """Embed `table`; what is not asked for is decided by what is fastest.

        Trees test the columns of `features`, those of `table` by default; see `places` above.
        """
        complete = ~table.missing
        m, width = table.n_rows, int(embedding_widths(table)[complete].sum())
        if dtype is None:
            dtype = np.float64 if m <= DOUBLE_ROWS else np.float32
        if distances is None:
            distances = m <= 2 * width and m * m * np.dtype(dtype).itemsize <= DISTANCE_BYTES
        if coords is None:
            coords = not distances or (m > width // 3 and not table.is_sparse)
        if coords and table.is_sparse:
            _check_size_of_coordinates(m, width, dtype)
        known_part = table if complete.all() else table.take(columns=complete)
        known_stretch = None if stretch is None else stretch[complete]
        partial, known = _partial_coordinates(table, ~complete, stretch)
        # The scale of the coordinates is that of the whole table, also for a part of it.
        factor = known_part.n_columns / table.n_columns
        return cls(
            table if features is None else features,
            table,
            places,
            _padded_coordinates(known_part, width, dtype, factor, known_stretch)
            if coords and width
            else None,
            _scaled_distances(known_part, factor, dtype, n_jobs, known_stretch)
            if distances and width
            else None,
            partial,
            known,
            width,
            stretch,
        )

    @property
    def dtype(self) -> np.dtype:
        held = self.coords if self.coords is not None else self.distances
        return np.dtype(np.float64) if held is None else held.dtype

    @cached_property
    def row_keys(self) -> np.ndarray | None:
        """Names of the rows for the draws that replace missing values."""
        return row_keys(self.table)

    @cached_property
    def norms(self) -> np.ndarray:
        """Squared norms of the rows in the attributes without missing values."""
        if self.distances is None:
            return np.zeros(self.table.n_rows)  # coordinates tell them
        means = self.distances.mean(axis=1, dtype=np.float64)
        return means - 0.5 * means.mean()

    @cached_property
    def scales(self) -> np.ndarray:
        """The factor between values and coordinates of each feature; 0 for those without any."""
        scales = coordinate_factors(self.clustering)
        if self.stretch is not None:
            scales = scales * self.stretch
        return scales if self.places is None else np.append(scales, 0.0)[self.places]


def coordinate_factors(table: Table, scale: float | None = None) -> np.ndarray:
    """The factor between the values and the coordinates of each column; 0 for constant ones.

    Columns get the variance `scale` squared; by default that of a table with so many columns.
    """
    scale = 1.0 / np.sqrt(table.n_columns) if scale is None else scale
    if isinstance(table, SparseTable):
        return spread_factors(table, scale)
    return _kernels.embedding_scales(table.values, table.n_values, scale)


def kernel_columns(table: Table) -> _kernels.Columns:
    """The columns of a table as the kernels that split by them hold them."""
    if not isinstance(table, SparseTable):
        return _kernels.Columns(table.values, table.n_values, table.missing)
    lines = sparse_lines(table.by_columns)
    return _kernels.Columns(lines, table.n_values, table.missing)


def row_keys(table: Table) -> np.ndarray | None:
    """A word per row that depends on its values only; None when nothing is missing."""
    if not table.missing.any():
        return None
    return _kernels.row_keys(table.values, table.n_values)


def _check_size_of_coordinates(m: int, width: int, dtype: type) -> None:
    """Refuse a sparse table with so many rows that it would have to be made dense."""
    if m * width * np.dtype(dtype).itemsize > SPARSE_BYTES:
        raise ValueError(
            f"The sparse table has {m:,} rows, more than can be compared with each other; pass "
            "max_samples=1024, which grows trees on samples of that many rows."
        )


def _scaled_distances(
    table: Table, factor: float, dtype: type, n_jobs: int | None, stretch: np.ndarray | None
) -> np.ndarray:
    if isinstance(table, SparseTable):
        return SquaredDistances(embed_sparse(table, stretch)).of_all_pairs(dtype, n_jobs)
    distances = squared_distances(table, n_jobs, stretch)
    distances *= factor
    return distances.astype(dtype, copy=False)


def _padded_coordinates(
    table: Table, width: int, dtype: type, factor: float, stretch: np.ndarray | None
) -> np.ndarray:
    padded = -(-width // 16) * 16
    coords: np.ndarray = np.zeros((table.n_rows, padded), dtype=dtype)
    start = 0
    for block in embedded_blocks(table, stretch=stretch):
        stop = start + block.shape[1]
        coords[:, start:stop] = block if factor == 1.0 else block * np.sqrt(factor)
        start = stop
    return coords


def _partial_coordinates(
    table: Table, columns: np.ndarray, stretch: np.ndarray | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    if not columns.any():
        return None, None
    part = table.take(columns=columns)
    widths = embedding_widths(part)
    width = int(widths.sum())
    if width == 0:
        return None, None
    factor = part.n_columns / table.n_columns
    coords = _padded_coordinates(
        part, width, np.float64, factor, None if stretch is None else stretch[columns]
    )
    known = np.zeros_like(coords)
    owner = np.repeat(np.arange(part.n_columns), widths)
    known[:, :width] = ~np.isnan(part.values[:, owner])
    return coords, known
