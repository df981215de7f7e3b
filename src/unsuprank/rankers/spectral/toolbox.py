"""How the toolbox scikit-feature runs the spectral rankers, for the reproduction of studies.

Published comparisons of these rankers took their scores from that toolbox, with its default
settings. Those differ from the methods that the papers describe in ways that decide the order of
the columns, so both are here: the methods by default, and what the toolbox makes of them by
``preset="scikit-feature"``.

The heat kernel has width 1 whatever the scale of the data. On almost every table that makes the
weights the identity matrix: no row has a neighbour, all scores tie, and the order that wins is
that of the columns. SPEC is sorted the wrong way round, MCFS takes the largest coefficient
instead of the largest absolute one, and a slip of broadcasting stands in for NDFS's Laplacian
(:mod:`.ndfs_toolbox` has its steps).

Everything that only the toolbox does stands here, with its explanation: rankers ask for it, and
their documentation quotes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from ..._parallel import in_batches
from ..._progress import Progress
from ..centred_matrix import ColumnMatrix
from .graph import LARGEST_EIGENVALUE
from .lasso_path import target_correlations

PRESETS = (None, "scikit-feature")
#: Columns whose scores differ by less than this share of the largest that there can be tie.
TIED = 1e-6
#: Values of SPEC below this are sums of rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True)
class PublishedSettings:
    """How the toolbox runs one method."""

    #: Parameters that the preset sets, whatever the ranker's own are.
    parameters: Mapping[str, Any]
    #: What the toolbox does differently, for the notes in the documentation of the ranker.
    notes: str
    #: The largest raw score that there can be; the largest that there is, where none is known.
    largest: float | None = None

    def __str__(self) -> str:
        shown = {
            k: f"{v:g}" if isinstance(v, float) else repr(v) for k, v in self.parameters.items()
        }
        return ", ".join(f"{name}={value}" for name, value in shown.items())

    def warn_of_ties(self, raw: np.ndarray, who: str) -> None:
        """Warn when the scores of all columns are numerically the same."""
        largest = float(np.abs(raw).max()) if self.largest is None else self.largest
        if len(raw) > 1 and np.ptp(raw) <= TIED * largest:
            warnings.warn(
                f"All scores of {who} tie with the published default settings: the order is that "
                "of the columns and says nothing about the data.",
                stacklevel=3,
            )


LAPLACIAN_SCORE = PublishedSettings(
    {"standardize": False, "n_neighbors": 5, "weights": "heat", "width": 1.0},
    """\
The toolbox scikit-feature uses width 1 whatever the scale of the data. On most data that
makes the graph an identity matrix: every score is 0 up to rounding, and the order that of
the columns. It also gives constant columns an arbitrary score; here they come last.""",
    LARGEST_EIGENVALUE,
)

SPEC = PublishedSettings(
    {"graph": "rbf", "gamma": 1.0, "standardize": False},
    """\
The toolbox scikit-feature ranks the worst columns first, for every style; takes gamma 1
whatever the scale of the data, which on most data makes all scores tie; and decomposes
the whole graph. Under styles -1 and 0 it lets constant columns win or divides 0 by 0; here
they come last. Under style 0 it leaves out the eigenvector that is found first, which is an
arbitrary one where rows are isolated; here it is the trivial one.""",
    LARGEST_EIGENVALUE,
)

MCFS = PublishedSettings(
    {"standardize": False, "n_neighbors": 5, "weights": "heat", "width": 1.0},
    """\
The toolbox scikit-feature takes the largest coefficient instead of the largest absolute
one. An eigenvector's sign is arbitrary, and so is its ranking. It also lets a regression
take as many steps as it is asked for: beyond one less than the number of rows it divides
by rounding errors, with coefficients of 1e10 and more. And it leaves out the lasso's drops:
where a coefficient crosses 0, the regression leaves the path, and its error can grow.""",
)

NDFS = PublishedSettings(
    {
        "alpha": 1.0,
        "beta": 1.0,
        "gamma": 1e9,
        "standardize": False,
        "n_neighbors": 5,
        "weights": "binary",
    },
    """\
The toolbox scikit-feature subtracts the graph from a matrix that repeats the degrees in
every row instead of the diagonal matrix of degrees, so that its "Laplacian" is none; it
scales F to unit columns in each step; its objective can increase; and it inverts a matrix of
columns x columns in every step, where one of rows x rows will do. It works on columns as they
come: those with a large mean stand in for the missing intercept and those with a small unit
need large coefficients, so here columns are standardised by default.""",
)


def least_angle_ends(
    Z: ColumnMatrix, Y: np.ndarray, steps: int, n_jobs: int | None, bar: Progress
) -> np.ndarray:
    """Coefficients, columns x targets, of least angle regressions without the lasso's drops.

    scikit-learn's variant turns the direction of a coefficient that crosses 0, after which the
    error of the fit can grow.
    """
    columns, correlations = np.asarray(Z), target_correlations(Z, Y)
    options = {"max_iter": steps, "method": "lar", "return_path": False}

    def end(j: int, _: int) -> np.ndarray:
        return lars_path(columns, Y[:, j], Xy=correlations[j], **options)[2]

    with warnings.catch_warnings():
        # Columns that repeat others are left out on the way, as they should be.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        ends = in_batches(end, Y.shape[1], n_jobs=n_jobs, batch_size=1, progress=bar)
        return np.column_stack(list(ends))


def mcfs_scores(coef: np.ndarray) -> np.ndarray:
    """The largest signed coefficient of each column."""
    return coef.max(axis=1)


def spec_scores(better: np.ndarray) -> np.ndarray:
    """The wrong way round; what only rounding keeps from 0 is 0, so that ties are exact."""
    worse = LARGEST_EIGENVALUE - better
    return np.where(worse < ROUNDING, 0.0, worse)
