"""The order in which guides are read, which is not that of their names."""

from __future__ import annotations

ORDER = (
    # guides by task
    "survey",
    "expression_data",
    "single_cells",
    "how_many",
    "explain_clusters",
    "extend_a_panel",
    "rankings_one_can_trust",
    "large_and_sparse",
    "pipeline",
    "reading_the_report",
    # how it works
    "clustering_space",
    "chance",
    "probes",
    "blocks",
    "reproducibility",
)


class ReadingOrder:
    """A key that sorts the scripts of a gallery; sphinx-gallery makes one per folder."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> int:
        """The place of a script; one that is not in the list is an error."""
        return ORDER.index(filename.removesuffix(".py"))
