"""The figures that the paper prints, as data.

Source: M. Petković, D. Kocev, B. Škrlj, S. Džeroski, "Ensemble- and distance-based feature
ranking for unsupervised learning", tables 1 to 3 and sections 6.1 and 6.2. What its tables
call MSE is the mean over folds and features of the per-feature RMSE of the 1NN regressor on
the 16 leading features. Values are kept as printed, with their number of digits.
"""

from __future__ import annotations

from decimal import Decimal

#: Table 1: rows, columns, domain.
DATA_SETS: dict[str, tuple[int, int, str]] = {
    "ALLAML": (72, 7129, "biology"),
    "arcene": (200, 10000, "mass spectrometry"),
    "BASEHOCK": (1993, 4862, "text data"),
    "Carcinom": (174, 9182, "biology"),
    "CLL-SUB-111": (111, 11340, "biology"),
    "COIL20": (1440, 1024, "face image"),
    "colon": (62, 2000, "biology"),
    "gisette": (7000, 5000, "digit recognition"),
    "GLI-85": (85, 22283, "biology"),
    "GLIOMA": (50, 4434, "biology"),
    "Isolet": (1560, 617, "spoken letter recognition"),
    "leukemia": (72, 7070, "biology"),
    "lung": (203, 3312, "biology"),
    "lymphoma": (96, 4026, "biology"),
    "madelon": (2600, 500, "artificial"),
    "nci9": (60, 9712, "biology"),
    "ORL": (400, 1024, "face image"),
    "PCMAC": (1943, 3289, "text data"),
    "pixraw10P": (100, 10000, "face image"),
    "Prostate-GE": (102, 5966, "biology"),
    "RELATHE": (1427, 4322, "text data"),
    "SMK-CAN-187": (187, 19993, "biology"),
    "TOX-171": (171, 5748, "biology"),
    "USPS": (9298, 256, "hand written image"),
    "warpPIE10P": (210, 2420, "face image"),
    "Yale": (165, 1024, "face image"),
}

_TABLE_2 = """
data_set Genie3 RandomForest
ALLAML 1.15 1.14
arcene 40.92 40.79
BASEHOCK 0.17 0.18
Carcinom 0.33 0.34
CLL-SUB-111 1726.00 2449.00
COIL20 0.12 0.10
colon 1.43 1.42
gisette 269.00 275.00
GLI-85 1516.00 1508.00
GLIOMA 0.23 0.24
Isolet 0.37 0.36
leukemia 1.84 1.87
lung 0.29 0.29
lymphoma 1.73 1.87
madelon 31.79 33.61
nci9 1.62 1.66
ORL 24.90 34.20
PCMAC 0.18 0.19
pixraw10P 6.65 6.19
Prostate-GE 0.22 0.21
RELATHE 0.22 0.23
SMK-CAN-187 0.34 0.34
TOX-171 206.00 217.00
USPS 0.33 0.48
warpPIE10P 16.90 22.30
Yale 46.70 51.80
"""

_TABLE_3 = """
data_set Genie3 URelief Laplace SPEC MCFS NDFS AgnoS-S
ALLAML 1.15 1.11 1.16 1.15 1.16 1.15 1.22
arcene 40.90 51.30 42.40 76.20 42.40 42.40 80.60
BASEHOCK 0.17 0.18 0.18 0.18 0.18 0.18 0.16
Carcinom 0.33 0.33 0.36 0.36 0.35 0.36 0.36
CLL-SUB-111 1726.00 1823.00 1735.00 2350.00 2429.00 1744.00 2374.00
COIL20 0.12 0.11 0.16 0.23 0.28 0.09 0.18
colon 1.43 1.49 1.50 1.50 1.50 1.50 1.49
gisette 269 278.00 291.00 315.00 291.00 291.00 304.00
GLI-85 1516.00 1759.00 1521.00 1783.00 1558.00 1655.00 1712.00
GLIOMA 0.23 0.23 0.24 0.27 0.23 0.24 0.27
Isolet 0.37 0.48 0.37 0.45 0.42 0.38 0.36
leukemia 1.84 1.83 1.91 1.90 1.91 1.91 1.94
lung 0.29 0.29 0.30 0.33 0.29 0.31 0.31
lymphoma 1.73 1.81 2.01 2.01 2.01 2.01 1.85
madelon 31.79 31.83 33.62 33.62 33.62 33.62 34.61
nci9 1.62 1.64 1.60 1.66 1.60 1.60 1.76
ORL 24.98 27.60 34.19 34.19 34.19 34.19 23.19
PCMAC 0.18 0.19 0.16 0.18 0.18 0.19 0.16
pixraw10P 6.65 7.93 9.30 8.48 9.30 9.30 6.48
Prostate-GE 0.22 0.23 0.22 0.30 0.23 0.22 0.24
RELATHE 0.22 0.22 0.23 0.24 0.23 0.23 0.32
SMK-CAN-187 0.34 0.35 0.35 0.34 0.35 0.35 0.38
TOX-171 206.00 212.00 207.00 221.00 237.00 219.00 209.00
USPS 0.33 0.35 0.33 0.38 0.40 0.29 0.34
warpPIE10P 16.97 16.45 30.28 30.28 30.28 30.28 15.30
Yale 46.77 51.29 56.76 56.76 56.76 56.76 42.73
"""

#: The bottom rows of the tables, and the p-values in the text.
TABLE_2_AVERAGE_RANKS = {"Genie3": 1.31, "RandomForest": 1.69}
TABLE_2_FRIEDMAN_P = 0.0476
TABLE_3_AVERAGE_RANKS = {
    "Genie3": 1.90,
    "URelief": 3.42,
    "Laplace": 4.04,
    "SPEC": 5.25,
    "MCFS": 4.60,
    "NDFS": 4.46,
    "AgnoS-S": 4.33,
}
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


def table_2() -> dict[str, dict[str, Decimal]]:
    """Printed error of each method (outer key) on each data set (inner key)."""
    return _parse(_TABLE_2)


def table_3() -> dict[str, dict[str, Decimal]]:
    """Printed error of each method (outer key) on each data set (inner key)."""
    return _parse(_TABLE_3)


def agrees(ours: float, printed: Decimal, tolerance: float) -> bool:
    """Whether a figure is within a relative tolerance of a printed one, or rounds to it."""
    exponent = printed.as_tuple().exponent
    half_unit = 0.5 * 10.0 ** int(exponent)
    difference = abs(ours - float(printed))
    return difference <= tolerance * float(printed) or difference <= half_unit * (1 + 1e-9)


def _parse(text: str) -> dict[str, dict[str, Decimal]]:
    (_, *methods), *rows = (line.split() for line in text.strip().splitlines())
    return {
        method: {name: Decimal(values[m]) for name, *values in rows}
        for m, method in enumerate(methods)
    }
