"""Tables, and the three forms in which each is written."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Entry = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Rows under a header; the first column names the row."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Entry]]
    notes: Sequence[str] = field(default_factory=tuple)
    #: Columns among which the least number of each row is set in bold.
    bold: Sequence[int] = field(default_factory=tuple)

    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([[_exact(e) for e in row] for row in self.rows])
        return text.getvalue()

    def markdown(self) -> str:
        lines = [f"**{self.title}**", ""]
        lines.append("| " + " | ".join(self.header) + " |")
        lines.append("|" + "---|" + "---:|" * (len(self.header) - 1))
        for row, best in zip(self.rows, self._best(), strict=True):
            cells = [f"**{readable(e)}**" if j in best else readable(e) for j, e in enumerate(row)]
            lines.append("| " + " | ".join(cells) + " |")
        lines += [f"\n{note}" for note in self.notes]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        lines = [
            f"% {_latex(self.title)}",
            f"\\begin{{tabular}}{{l{'r' * (len(self.header) - 1)}}}",
            "\\hline",
            " & ".join(map(_latex, self.header)) + r" \\",
            "\\hline",
        ]
        for row, best in zip(self.rows, self._best(), strict=True):
            cells = [
                f"\\textbf{{{readable(e)}}}" if j in best else _latex(readable(e))
                for j, e in enumerate(row)
            ]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, "\\hline", "\\end{tabular}", ""])

    def html(self) -> str:
        head = "".join(f"<th>{_html(h)}</th>" for h in self.header)
        body = ""
        for row, best in zip(self.rows, self._best(), strict=True):
            cells = [
                f"<td>{'<b>' if j in best else ''}{_html(readable(e))}{'</b>' if j in best else ''}"
                "</td>"
                for j, e in enumerate(row)
            ]
            body += f"<tr>{''.join(cells)}</tr>\n"
        notes = "".join(f"<p class=note>{_html(note)}</p>" for note in self.notes)
        return (
            f"<h3>{_html(self.title)}</h3><div class=scroll><table><thead><tr>{head}</tr></thead>"
            f"<tbody>\n{body}</tbody></table></div>{notes}\n"
        )

    def write(self, directory: Path) -> None:
        """Write all three forms."""
        for suffix, text in (("csv", self.csv()), ("md", self.markdown()), ("tex", self.latex())):
            (directory / f"{self.name}.{suffix}").write_text(text, encoding="utf-8")

    def _best(self) -> list[set[int]]:
        return [_least(row, self.bold) for row in self.rows]


def readable(entry: Entry) -> str:
    """Four significant digits; a dash for nothing."""
    if entry is None:
        return "-"
    if isinstance(entry, float):
        return f"{entry:.0f}" if abs(entry) >= 1000 else f"{entry:.4g}"
    return str(entry)


def _least(row: Sequence[Entry], columns: Sequence[int]) -> set[int]:
    shown = {j: float(readable(row[j])) for j in columns if isinstance(row[j], float)}
    least = min(shown.values(), default=None)
    return {j for j, value in shown.items() if value == least}


def _exact(entry: Entry) -> str:
    if entry is None:
        return ""
    return f"{entry:.8g}" if isinstance(entry, float) else str(entry)


def _latex(text: str) -> str:
    for plain, written in (("\\", r"\textbackslash "), ("_", r"\_"), ("%", r"\%"), ("&", r"\&")):
        text = text.replace(plain, written)
    return text


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
