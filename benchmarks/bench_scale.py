"""Large tables: `make bench-scale`, a section per topic. It takes some minutes and 4 GB of disk."""

from __future__ import annotations

from . import scale_growth, scale_rows, scale_sparse, scale_workers

SECTIONS = (scale_sparse, scale_growth, scale_rows, scale_workers)


def run() -> None:
    for section in SECTIONS:
        print(f"\n## {(section.__doc__ or '').splitlines()[0]}")
        section.run()
