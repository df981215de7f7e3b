"""Figures of `make truth`, read from the tables of docs/which-method.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[1] / "which-method.md"
#: How a method is called in the tables, where that differs.
IN_TABLES = {
    "genie3": ["genie3", "genie3, out of bag", "genie3, 100 trees"],
    "shared-variance": ["shared-variance", "shared-variance, 3 bins"],
}
#: The tables that a card quotes: the beginning of the heading, and what the figures are.
QUOTED = {
    "Planted columns": "average precision of planted columns (1 is best)",
    "Pure noise": "mean percentile of the rank of noise, by kind (0.50 is fair)",
    "The top 20 columns": "the top 20 columns on 17 labelled sets",
}
STUDY = Path(__file__).parents[1] / "reproduction" / "summary.md"
#: How methods are called in the study.
IN_STUDY = {
    "genie3": "Genie3",
    "symbolic": "Symbolic",
    "agnos-s": "AgnoS-S",
    "css": "GreedyCSS",
    "css-knn": "GreedyCSS, polished",
    "diversified": "Diversified Genie3",
    "laplacian": "Laplace",
    "spec": "SPEC",
    "urelief": "URelief",
    "mcfs": "MCFS",
    "ndfs": "NDFS",
    "variance": "variance",
}
#: Methods that a card is compared with.
BESIDE = ("shared-variance", "random")


@dataclass(frozen=True)
class Figures:
    """A table of the page: what it measures, names of its columns, and rows by name."""

    title: str
    columns: list[str]
    rows: dict[str, dict[str, str]]

    def of(self, columns: list[str]) -> list[list[str]]:
        """The rows in which the first of these columns has a figure."""
        lines = [[name, *(row.get(c, "") for c in columns)] for name, row in self.rows.items()]
        return [line for line in lines if line[1]]


def read_figures() -> dict[str, Figures]:
    """The tables of the page, by heading."""
    parts = re.split(r"^### (.*)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return {t: _figures(t, body) for t, body in zip(parts[1::2], parts[2::2], strict=True)}


def _figures(title: str, text: str) -> Figures:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head, body = cells[0], cells[2:]
    return Figures(title, head[1:], {r[0]: dict(zip(head[1:], r[1:], strict=True)) for r in body})


def quoted(name: str) -> list[tuple[str, list[str], list[list[str]]]]:
    """For a method: what was measured, the columns, and the rows, of each table that has it."""
    found = []
    for start, meaning in QUOTED.items():
        figures = next(f for title, f in read_figures().items() if title.startswith(start))
        own = [c for c in IN_TABLES.get(name, [name]) if c in figures.columns]
        beside = [c for c in BESIDE if c in figures.columns and c != name]
        if own:
            found.append((meaning, [*own, *beside], figures.of([*own, *beside])))
    return found


def weakest(name: str, n: int = 3) -> list[tuple[str, float, float, str]]:
    """Designs in which a method is furthest behind the best: design, figure, best figure, whose."""
    planted = next(f for t, f in read_figures().items() if t.startswith("Planted"))
    found = []
    for design, row in planted.rows.items():
        known = {c: float(v) for c, v in row.items() if v}
        if name in known and not design.startswith("mean"):
            best = max(known, key=lambda c: known[c])
            found.append((design, known[name], known[best], best))
    behind = [line for line in found if line[2] - line[1] >= 0.05]
    return sorted(behind, key=lambda line: line[1] - line[2])[:n]


def better_than_random(name: str) -> tuple[int, int] | None:
    """On how many data sets of the study, of how many, a method beats random choices of columns."""
    lines = STUDY.read_text("utf-8").splitlines()
    counts = next(line for line in lines if "better than the mean of random choices" in line)
    found = re.search(rf"[:,] {re.escape(IN_STUDY.get(name, '?'))} (\d+)/(\d+)", counts)
    return (int(found[1]), int(found[2])) if found else None
