"""The pictures of the study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...evaluation import plots
from ..plan import paper, suites
from .paper_tables import SCORES, grid_ranks, paper_comparison
from .results import Results, StudyCurve

#: The paper shows lung and PCMAC; the others are added because they differ from these.
CURVE_EXAMPLES = ("lung", "PCMAC", "lymphoma", "Yale")
_SIZE_NAMES = {"log2": "log2 n", "sqrt": "√n", None: "n"}

#: Name, caption (empty for what the page does not show) and axes of pictures.
_Figures = Iterator[tuple[str, str, Any]]


def write_figures(results: Results, parts: Sequence[str], directory: Path) -> list[tuple[str, str]]:
    """Draw what there is; return file names and captions, in the order of the paper."""
    made: list[tuple[str, str]] = []
    for part, draw in _FIGURES:
        for name, caption, ax in draw(results) if part in parts else ():
            path = directory / f"{name}.png"
            path.parent.mkdir(exist_ok=True)
            # No date in the file: the same results give the same bytes.
            ax.figure.savefig(path, dpi=110, metadata={"Software": None})
            if caption:
                made.append((path.name, caption))
    return made


def _ari(results: Results) -> _Figures:
    found = {n: v for n in results.data_sets if (v := results.ari(n)) is not None}
    if found:
        yield "fig-1-ari", "Fig. 1. Do clusters resemble classes?", plots.plot_ari_density(found)


def _average_ranks(results: Results) -> _Figures:
    caption = "Fig. 2. Average ranks of the paper's own Table 3 (26 data sets)."
    yield "fig-2-ranks-paper", caption, plots.plot_average_ranks(paper_comparison())
    for columns, name, what in (
        (suites.PUBLISHED_COLUMNS, "published", "ours, published settings"),
        (suites.RIGHT_SETTINGS, "right", "ours, right settings, with controls"),
    ):
        found = results.compare(columns)
        if found is not None:
            caption = f"Fig. 2. Average ranks: {what} ({len(found.datasets)} data sets)."
            yield f"fig-2-ranks-{name}", caption, plots.plot_average_ranks(found)


def _urelief(results: Results) -> _Figures:
    ranks = grid_ranks(results, suites.URELIEF_GRID)
    if ranks is not None:
        ax = plots.plot_heat_map(
            ranks,
            [f"{i:g} m" for i in paper.URELIEF_ITERATIONS],
            [str(k) for k in paper.URELIEF_NEIGHBORS],
            row_label="iterations I",
            column_label="neighbours K",
        )
        yield "fig-3-urelief", "Fig. 3. Settings of URelief.", ax


def _ensembles(results: Results) -> _Figures:
    for score, title in SCORES.items():
        ranks = grid_ranks(results, suites.ensemble_grid(score))
        if ranks is not None:
            sizes = [_SIZE_NAMES[size] for size in paper.SUBSET_SIZES]
            ensembles = [e.replace("_", " ") for e in paper.ENSEMBLES]
            ax = plots.plot_heat_map(ranks, sizes, ensembles, row_label="subset size n'")
            caption = f"Fig. 4. Ensembles and subset sizes, {title} score."
            yield f"fig-4-ensembles-{score.replace('_', '-')}", caption, ax


def _curves(results: Results) -> _Figures:
    shown = [c for c in suites.RIGHT_SETTINGS if c.method not in ("variance", "random")]
    for name in results.data_sets:
        found = {column.title: results.curve(column, name) for column in shown}
        curves = {title: c for title, c in found.items() if isinstance(c, StudyCurve)}
        means = {title: curve.error for title, curve in curves.items()}
        band, chance = None, results.curve(suites.RANDOM, name)
        if isinstance(chance, StudyCurve):
            band = (*np.percentile(chance.repeats, [5, 95], axis=0), chance.error)
            curves["random"] = chance
        if curves:
            sizes = next(iter(curves.values())).sizes
            ax = plots.draw_curves(sizes, means, band, title=name)
            if name in CURVE_EXAMPLES:
                yield f"fig-5-curves-{name}", f"Fig. 5. Error curves, {name}.", ax
            else:
                yield f"curves/{name}", "", ax


_FIGURES = (
    ("ari", _ari),
    ("sota", _average_ranks),
    ("urelief-grid", _urelief),
    ("ensemble-grid", _ensembles),
    ("curves", _curves),
)
