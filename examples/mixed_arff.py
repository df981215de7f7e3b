"""Numbers and names side by side, with gaps: an ARFF file is ranked as it is.

    python examples/mixed_arff.py [table.arff [label]]

Without a file, a small table of made-up pets is used.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from unsuprank import Genie3
from unsuprank.io import read_file

PETS = """@relation pets
@attribute species {dog, cat, bird}
@attribute weight numeric
@attribute legs numeric
@attribute sound {bark, meow, sing}
@attribute chip {yes, no}
@data
"""


def made_up_pets() -> Path:
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(120):
        kind = rng.integers(3)
        species, sound = ("dog", "cat", "bird")[kind], ("bark", "meow", "sing")[kind]
        weight = f"{rng.normal((20, 4, 0.2)[kind], (5, 1, 0.05)[kind]):.2f}"
        cells = [species, weight, "2" if kind == 2 else "4", sound, ("yes", "no")[rng.integers(2)]]
        lines.append(",".join("?" if rng.random() < 0.1 else cell for cell in cells))
    path = Path(tempfile.mkdtemp()) / "pets.arff"
    path.write_text(PETS + "\n".join(lines) + "\n")
    return path


path = Path(sys.argv[1]) if len(sys.argv) > 1 else made_up_pets()
table = read_file(path).with_label(sys.argv[2] if len(sys.argv) > 2 else None).table()
ranker = Genie3(n_estimators=500, random_state=0).fit(table)

share = np.isnan(table.values).mean()
print(f"{path.name}: {table.n_rows} rows, {share:.0%} of the values are missing")
for rank, j in enumerate(ranker.order_[:10], 1):
    kind = "nominal" if table.n_values[j] else "numeric"
    print(f"{rank:3}  {table.names[j]:<30} {kind}  {ranker.scores_[j]:.4g}")
