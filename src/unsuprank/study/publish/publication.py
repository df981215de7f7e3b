"""Everything that is made of the results of some parts of the study, in one directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .paper_tables import (
    ari_table,
    beside_paper,
    beyond,
    curve_table,
    ensemble_table,
    gaps,
    table_2,
    table_2_departures,
    table_3,
    tests,
    urelief_table,
)
from .result_table import ResultTable
from .results import Results
from .study_figures import write_figures
from .study_page import StudyFacts, write_page
from .study_verdicts import about_table_2, verdicts

#: The tables in the order of the page, and the part of the study that each belongs to.
_TABLES = (
    ("ensemble-scores", table_2),
    ("ensemble-scores", table_2_departures),
    ("sota", table_3),
    ("sota", beside_paper),
    ("sota", tests),
    ("sota", beyond),
    ("urelief-grid", urelief_table),
    ("ensemble-grid", ensemble_table),
    ("ari", ari_table),
    ("curves", curve_table),
    ("sota", gaps),
)


def publish(out: Path, results: Results, facts: StudyFacts) -> None:
    """Write tables, pictures and the page of the parts that `facts` names."""
    tables = make_tables(results, facts.parts)
    for table in tables:
        table.write(out)
    figures = write_figures(results, facts.parts, out)
    shown = [t for t in tables if t.name != "fig-5-curves"]  # too long to be read
    said = verdicts(results) if "sota" in facts.parts else [about_table_2(results)]
    write_page(out, facts, [line for line in said if line], shown, figures)


def make_tables(results: Results, parts: Sequence[str]) -> list[ResultTable]:
    """The tables of some parts of the study, those that have rows."""
    tables = [make(results) for part, make in _TABLES if part in parts]
    return [table for table in tables if table is not None]
