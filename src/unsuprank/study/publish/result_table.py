"""A table of results, and the templates in ``assets``, which make pages and tables of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ...io.write import atomic_write

try:
    from jinja2 import Environment, PackageLoader, select_autoescape
except ImportError as error:
    raise ImportError(
        'The page of the study needs Jinja2: install it with pip install "unsuprank[report]".'
    ) from error

Entry = str | float | int | None


@dataclass(frozen=True)
class ResultTable:
    """Rows under a header; the first column names the row."""

    name: str
    title: str
    header: Sequence[str]
    rows: list[list[Entry]]
    notes: Sequence[str] = field(default_factory=tuple)
    #: Columns among which the least number of each row is set in bold.
    bold: Sequence[int] = field(default_factory=tuple)

    def shown(self) -> list[list[tuple[str, bool]]]:
        """The entries of every row as a reader sees them, and whether each is in bold."""
        shown = []
        for row in self.rows:
            texts = [readable(entry) for entry in row]
            numbers = {j: float(texts[j]) for j in self.bold if isinstance(row[j], float)}
            least = min(numbers.values(), default=None)
            shown.append([(t, j in numbers and numbers[j] == least) for j, t in enumerate(texts)])
        return shown

    def csv(self) -> str:
        """The table as CSV, with eight digits and nothing in bold."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([[_exact(e) for e in row] for row in self.rows])
        return text.getvalue()

    def markdown(self) -> str:
        """The table as Markdown, with its title and notes."""
        return render("table.md", table=self)

    def latex(self) -> str:
        """The table as a LaTeX tabular."""
        return render("table.tex", table=self, escape=_latex)

    def write(self, directory: Path) -> None:
        """Write the table in all three forms."""
        for suffix, text in (("csv", self.csv()), ("md", self.markdown()), ("tex", self.latex())):
            atomic_write(directory / f"{self.name}.{suffix}", text)


def readable(entry: Entry) -> str:
    """An entry with four significant digits; a dash for nothing."""
    if entry is None:
        return "-"
    if isinstance(entry, float):
        return f"{entry:.0f}" if abs(entry) >= 1000 else f"{entry:.4g}"
    return str(entry)


def _exact(entry: Entry) -> str:
    if entry is None:
        return ""
    return f"{entry:.8g}" if isinstance(entry, float) else str(entry)


def _latex(text: str) -> str:
    for plain, written in (("\\", r"\textbackslash "), ("_", r"\_"), ("%", r"\%"), ("&", r"\&")):
        text = text.replace(plain, written)
    return text


def render(template: str, **facts: Any) -> str:
    """Fill in a template; in HTML, what is filled in is escaped."""
    return _environment().get_template(template).render(**facts)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("unsuprank.study.publish", "assets"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
