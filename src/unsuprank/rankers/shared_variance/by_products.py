"""The sums without K and without G: for sparse tables of many rows and columns.

z'Kz of each column is the sum of the squares of its line of G, and the sum of them all is |K|^2;
they are exact, as is all that mean and variance need. tr K^3 and sum K_ii (K^2)_ii, which are for
the skewness, are estimated (:mod:`..coordinates.cubes`).
"""

from __future__ import annotations

import numpy as np

from ..centred_matrix import CentredMatrix
from ..coordinates import Coordinates, root_of_square
from .shuffles import Sums
from .sums import TableSums, table_sums, traces


def sums_by_products(coordinates: Coordinates) -> TableSums:
    """All sums over the columns that vary, which are numbers."""
    Z = coordinates.matrix
    assert isinstance(Z, CentredMatrix)
    diagonal = Z.row_squares()
    forms = coordinates.shared_squares
    ones = np.ones(len(forms))
    rows = np.vstack([traces(forms, ones.astype(np.int32), ones), Z.diagonal_sums(diagonal)])
    return table_sums(_sums_over(Z, diagonal, forms.sum()), rows, {})


def _sums_over(Z: CentredMatrix, diagonal: np.ndarray, squares: float) -> Sums:
    C = root_of_square(Z)
    along = diagonal @ Z
    return Sums(
        trace=diagonal.sum(),
        diagonal2=np.sum(diagonal**2),
        diagonal3=np.sum(diagonal**3),
        squares=squares,
        triangles=np.sum((C.T @ Z) ** 2),
        diagonal_form=along @ along,
        diagonal_squares=diagonal @ np.einsum("ij,ij->i", C, C),
        cubes=np.nan,
    )
