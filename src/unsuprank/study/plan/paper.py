"""The figures that the paper prints, as data.

Source: M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and distance-based feature
ranking for unsupervised learning", tables 1 to 3 and sections 6.1 and 6.2. What its tables
call MSE is the mean over folds and features of the per-feature RMSE of the 1NN regressor on
the 16 leading features. Values are kept as printed, with their number of digits.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from functools import cache
from importlib.resources import files

#: The bottom rows of the tables, and the p-values in the text.
TABLE_2_AVERAGE_RANKS = {"Genie3": 1.31, "RandomForest": 1.69}
TABLE_2_FRIEDMAN_P = 0.0476
TABLE_3_FRIEDMAN_P = 9.4e-8
#: Groups without significant differences (section 6.2), best first.
TABLE_3_GROUPS = (
    ("Genie3", "URelief"),
    ("URelief", "Laplace", "AgnoS-S", "NDFS", "MCFS"),
    ("Laplace", "AgnoS-S", "NDFS", "MCFS", "SPEC"),
)

#: The collection of data sets and the settings of the hyper-parameter studies (section 6.3).
#: Trees of its forests.
N_TREES = 100
URELIEF_ITERATIONS = (0.1, 0.25, 0.5, 0.75, 1.0)
URELIEF_NEIGHBORS = (5, 10, 15, 20, 30, 40)
ENSEMBLES = ("extra_trees", "random_forest")
SUBSET_SIZES = ("log2", "sqrt", None)


@cache
def table(number: int) -> dict[str, dict[str, Decimal]]:
    """Errors that Table 2 or 3 prints, of each method (outer key) on each data set (inner key)."""
    text = (files(__package__) / "assets" / f"table-{number}.csv").read_text("utf-8")
    (_, *methods), *rows = csv.reader(text.splitlines())
    return {
        method: {name: Decimal(values[m]) for name, *values in rows}
        for m, method in enumerate(methods)
    }


#: The data sets, as both tables list them.
DATA_SETS = tuple(table(3)["Genie3"])


def agrees(ours: float, printed: Decimal, tolerance: float) -> bool:
    """Whether a figure is within a relative tolerance of a printed one, or rounds to it."""
    exponent = printed.as_tuple().exponent
    half_unit = 0.5 * 10.0 ** int(exponent)
    difference = abs(ours - float(printed))
    return difference <= tolerance * float(printed) or difference <= half_unit * (1 + 1e-9)
