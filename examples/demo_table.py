"""Write the table that `make demo` ranks: measurements of cell nuclei, shipped by scikit-learn.

python examples/demo_table.py table.csv
"""

import sys

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer()
with open(sys.argv[1], "w", encoding="utf-8") as stream:
    stream.write(",".join([*data.feature_names, "diagnosis"]) + "\n")
    for row, kind in zip(data.data, data.target, strict=True):
        stream.write(",".join([*map(repr, row.tolist()), data.target_names[kind]]) + "\n")
