"""What is known of the scikit-feature collection: names, shapes, sizes and checksums.

The files are those of the GitHub repository jundongl/scikit-feature, commit
48cffad4e88ff4b9d2f1c7baffb314d1b3303792, directory ``skfeature/data``. Where no copy was at
hand, only the shape is known, and ``checksum`` is None: such a file is verified by its
shape alone, and only when that is asked for.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

#: Where the collection is published.
BASE_URL = "https://raw.githubusercontent.com/jundongl/scikit-feature/master/skfeature/data"


@dataclass(frozen=True)
class KnownFile:
    """One file of the collection."""

    name: str
    rows: int
    columns: int
    size: int | None = None
    checksum: str | None = None

    @property
    def file_name(self) -> str:
        """Name of the file where it is published, and where it is kept."""
        return f"{self.name}.mat"


def _read() -> dict[str, KnownFile]:
    lines = (files(__package__) / "assets" / "collection.csv").read_text("utf-8").splitlines()
    return {
        row["name"]: KnownFile(
            row["name"],
            int(row["rows"]),
            int(row["columns"]),
            int(row["size"]) if row["size"] else None,
            row["checksum"] or None,
        )
        for row in csv.DictReader(lines)
    }


#: The collection by name.
COLLECTION = _read()


def known_file(name: str) -> KnownFile:
    """The file of a data set; a wrong name is answered with the right ones."""
    if name not in COLLECTION:
        raise ValueError(f"No data set is called {name!r}; there are: {', '.join(COLLECTION)}.")
    return COLLECTION[name]
