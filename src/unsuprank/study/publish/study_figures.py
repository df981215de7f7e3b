"""The pictures of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...evaluation import plots
from ..plan import paper
from ..plan.suites import PUBLISHED_COLUMNS, RANDOM, RIGHT_COLUMNS, RIGHT_SEVEN, StudyColumn
from .paper_tables import SCORES, ensemble_ranks, paper_comparison, urelief_ranks
from .results import Results, StudyCurve

#: The paper shows lung and PCMAC; the others are added because they differ from these.
CURVE_EXAMPLES = ("lung", "PCMAC", "lymphoma", "Yale")
_RIGHT = (*RIGHT_SEVEN, *(c for c in RIGHT_COLUMNS if c not in RIGHT_SEVEN))


def write_figures(results: Results, parts: Sequence[str], directory: Path) -> list[tuple[str, str]]:
    """Draw what there is; return file names and captions, in the order of the paper."""
    made: list[tuple[str, str]] = []

    def keep(ax: Any, name: str, caption: str) -> None:
        # No date in the file: the same results give the same bytes.
        ax.figure.savefig(directory / f"{name}.png", dpi=110, metadata={"Software": None})
        made.append((f"{name}.png", caption))

    if "ari" in parts:
        found = {n: v for n in results.data_sets if (v := results.ari(n)) is not None}
        if found:
            keep(
                plots.plot_ari_density(found), "fig-1-ari", "Fig. 1. Do clusters resemble classes?"
            )
    if "sota" in parts:
        _rank_diagrams(results, keep)
    if "urelief-grid" in parts and (ranks := urelief_ranks(results)) is not None:
        keep(_urelief_map(ranks), "fig-3-urelief", "Fig. 3. Settings of URelief.")
    if "ensemble-grid" in parts:
        for score, title in SCORES.items():
            ranks = ensemble_ranks(results, score)
            if ranks is not None:
                caption = f"Fig. 4. Ensembles and subset sizes, {title} score."
                keep(_ensemble_map(ranks), f"fig-4-ensembles-{score.replace('_', '-')}", caption)
    if "curves" in parts:
        for name in results.data_sets:
            _curves(results, name, keep, directory)
    return [(name, caption) for name, caption in made if caption]


def _rank_diagrams(results: Results, keep) -> None:
    keep(
        plots.plot_average_ranks(paper_comparison()),
        "fig-2-ranks-paper",
        "Fig. 2. Average ranks of the paper's own Table 3 (26 data sets).",
    )
    for columns, name, what in (
        (PUBLISHED_COLUMNS, "fig-2-ranks-published", "ours, published settings"),
        (_RIGHT, "fig-2-ranks-right", "ours, right settings, with controls"),
    ):
        found = results.compare(columns)
        if found is not None:
            caption = f"Fig. 2. Average ranks: {what} ({len(found.datasets)} data sets)."
            keep(plots.plot_average_ranks(found), name, caption)


def _urelief_map(ranks: np.ndarray) -> Any:
    return plots.plot_heat_map(
        ranks,
        [f"{i:g} m" for i in paper.URELIEF_ITERATIONS],
        [str(k) for k in paper.URELIEF_NEIGHBORS],
        row_label="iterations I",
        column_label="neighbours K",
    )


def _ensemble_map(ranks: np.ndarray) -> Any:
    return plots.plot_heat_map(
        ranks,
        ["log2 n" if s == "log2" else "√n" if s == "sqrt" else "n" for s in paper.SUBSET_SIZES],
        [e.replace("_", " ") for e in paper.ENSEMBLES],
        row_label="subset size n'",
    )


def _curves(results: Results, data_set: str, keep, directory: Path) -> None:
    means, sizes, band = {}, None, None
    shown: list[StudyColumn] = [c for c in _RIGHT if c.method not in ("variance", "random")]
    for column in shown:
        curve = results.curve(column, data_set)
        if isinstance(curve, StudyCurve):
            means[column.title], sizes = curve.error, curve.sizes
    chance = results.curve(RANDOM, data_set)
    if isinstance(chance, StudyCurve):
        low, high = np.percentile(chance.repeats, [5, 95], axis=0)
        band, sizes = (low, high, chance.error), chance.sizes
    if sizes is None:
        return
    ax = plots.draw_curves(sizes, means, band, title=data_set)
    if data_set in CURVE_EXAMPLES:
        keep(ax, f"fig-5-curves-{data_set}", f"Fig. 5. Error curves, {data_set}.")
    else:
        (directory / "curves").mkdir(exist_ok=True)
        keep(ax, f"curves/{data_set}", "")
