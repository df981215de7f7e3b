"""The trace of K^3, which is for the skewness of what a column shares by chance.

With all products of the rows at hand it is exact. Without them, K = ZZ' can stretch vectors. With
Q an orthonormal basis of few directions that K stretches most, and random signs V freed of it,

    K^2  =  K QQ' K  +  K (I - QQ') K,    of which the second part is on average  (K V)(K V)',

so that with C = [K Q, K V], columns of V divided by the root of their number, the diagonal of K^2
is that of CC', and tr K^3 = |Z'C|^2.

References
----------
R. A. Meyer, C. Musco, C. Musco, D. P. Woodruff (2021). Hutch++: Optimal stochastic trace
estimation. Symposium on Simplicity in Algorithms, 142-155.
"""

from __future__ import annotations

import numpy as np

from ..centred_matrix import ColumnMatrix

#: Rows that are multiplied with all rows at a time.
ROWS = 1024
#: Directions that are followed exactly, and random ones.
DIRECTIONS, RANDOM = 16, 32


def trace_of_cube(kernel: np.ndarray) -> float:
    """tr K^3, some rows at a time: K K takes as much memory as K."""
    parts = (kernel[first : first + ROWS] for first in range(0, len(kernel), ROWS))
    return float(sum(np.vdot(part @ kernel.T, part) for part in parts))


def root_of_square(Z: ColumnMatrix) -> np.ndarray:
    """C with CC' = K^2 in the directions that count most, and on average in all others."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(Z @ (rng.standard_normal((len(Z), DIRECTIONS)).T @ Z).T).Q
    V = rng.choice(np.array([-1.0, 1.0]), (len(Z), RANDOM)) / np.sqrt(RANDOM)
    V -= Q @ (Q.T @ V)
    return Z @ (np.hstack([Q, V]).T @ Z).T
