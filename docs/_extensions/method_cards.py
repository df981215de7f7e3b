"""A page for each method, written at every build from what its class says about itself.

The card (:class:`unsuprank.MethodCard`), the docstring and what the class accepts come from the
package, figures from pages of the documentation (:mod:`evidence`), and the pictures from one table
on which all methods are drawn (:mod:`common_example`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common_example
import evidence
from numpydoc.docscrape import ClassDoc

from unsuprank import registry
from unsuprank.ranker import QUESTIONS

FOLDER = "methods"
MEASURED = (
    "Measured by ``make truth`` on 17 November 2026; all tables and what the designs are: "
    ":doc:`/which-method`."
)
BEHIND = "Average precision of planted columns, in the designs where it is furthest behind others:"
STUDY = (
    "In the :doc:`study run again </reproduction/README>` (version 0.1.0, 16 November 2026), its "
    "16 leading columns predict all others better than the mean of random choices on {} of {} data "
    "sets."
)


def write_pages(app: Any) -> None:
    """Write the pages and their pictures into the source folder of the site."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    methods = registry.available()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of steps that did not converge; the cards are no place
        common_example.draw_all(folder / "all.png")
        for method in methods:
            common_example.draw_scores(method.name, folder / f"{method.name}.png")
    _write(folder / "index.rst", index_page(methods))
    for method in methods:
        _write(folder / f"{method.name}.rst", card_page(method))


def index_page(methods: list[registry.Method]) -> str:
    """What methods there are, by question, and all of them on the common example."""
    parts = [heading("Method cards", "="), INDEX]
    for question, title in QUESTIONS.items():
        mine = [m for m in methods if m.question == question]
        links = [[f":doc:`{m.name}`", m.what, m.cost] for m in mine]
        parts += [heading(title, "-"), table(["method", "what it asks", "cost"], links)]
    parts += [heading("What they accept", "-"), table(ACCEPTS, [accepts(m) for m in methods])]
    return "\n".join([*parts, toctree(["/which-method", *(m.name for m in methods)])])


def card_page(method: registry.Method) -> str:
    """All that is known of a method."""
    doc = ClassDoc(method.ranker)
    settings = ", ".join(f"{k}={v!r}" for k, v in method.params.items())
    name = method.ranker.__name__
    facts = [
        ["class", f":class:`~unsuprank.{name}`" + (f" with ``{settings}``" if settings else "")],
        ["command", f"``unsuprank rank table.csv --method {method.name}``"],
        ["question", QUESTIONS[method.question]],
        ["when", method.when],
        ["a high score says", method.meaning],
        ["cost, m rows, n columns", method.cost],
        *zip(ACCEPTS[1:], accepts(method)[1:], strict=True),
    ]
    return "\n".join([
        heading(method.name, "="),
        f"**{method.what}**\n",
        f".. math:: {method.formula}\n" if method.formula else "",
        table(["", ""], facts, header=False),
        f".. image:: {method.name}.png\n   :alt: Scores of {method.name} on the common example\n",
        ":doc:`index` shows all methods on this table.\n",
        _section("About it", plain(doc["Extended Summary"])),
        _section("Good to know", plain(doc["Notes"])),
        weaknesses(method.name),
        figures(method.name),
        _section("References", plain(doc["References"])),
    ])  # fmt: skip


def weaknesses(name: str) -> str:
    """Where the method is furthest behind, in words and figures."""
    behind = [
        f"- *{design}*: {own:.2f}, where {best} has {most:.2f}"
        for design, own, most, best in evidence.weakest(name)
    ]
    parts = ["\n".join([BEHIND, "", *behind, "", MEASURED])] if behind else []
    if counts := evidence.better_than_random(name):
        parts.append(STUDY.format(*counts))
    return "\n\n".join([heading("Known weaknesses", "-"), *parts, ""]) if parts else ""


def figures(name: str) -> str:
    """The tables that have the method, beside the default and chance."""
    found = evidence.quoted(name)
    if not found:
        return ""
    parts = [heading("Measured", "-"), MEASURED, ""]
    for meaning, columns, rows in found:
        parts += [f"*{meaning[0].upper()}{meaning[1:]}*\n", table(["", *columns], rows)]
    return "\n".join(parts)


ACCEPTS = ["", "nominal", "missing", "sparse", "larger than memory", "weights of rows"]


def accepts(method: registry.Method) -> list[str]:
    """What a method takes, in the order of `ACCEPTS`."""
    kinds = (method.accepts_nominal, method.accepts_missing, method.accepts_sparse)
    answers = ["yes" if kind else "no" for kind in kinds]
    return [f":doc:`{method.name}`", *answers, method.beyond_memory or "no", "yes"]


def heading(title: str, line: str) -> str:
    """A heading in reStructuredText."""
    return f"{title}\n{line * max(len(title), 4)}\n"


def table(head: list[str], rows: Iterable[Iterable[str]], header: bool = True) -> str:
    """A table in reStructuredText."""
    lines = [".. list-table::", f"   :header-rows: {int(header)}", ""]
    for row in [head, *rows] if header else rows:
        first, *others = row
        lines += [f"   * - {first}", *(f"     - {cell}" for cell in others)]
    return "\n".join([*lines, ""])


def toctree(names: Iterable[str]) -> str:
    """The pages below the index."""
    return "\n".join([".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), ""])


def plain(lines: list[str]) -> list[str]:
    """Text of a docstring without footnotes: those of a card may be cited in what it leaves out."""
    cited = [re.sub(r"\[(\d+)\]_", r"[\1]", line) for line in lines]
    return [re.sub(r"^\.\. \[(\d+)\] *", r"\1. ", line) for line in cited]


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([heading(title, "-"), *lines, ""]) if any(lines) else ""


def _write(path: Path, text: str) -> None:
    """Write a page if it has changed, so that Sphinx reads it only then."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


INDEX = """\
What each method asks of a column, what it takes and costs, and where it fails. The pages are
written at every build from what the classes say about themselves; :doc:`/which-method` compares all
of them.

All methods on one table of 150 rows and 24 columns: four that differ between three groups of rows
(*groups*), four that follow one smooth factor and two that are nearly copies of it, a column and
its square, ten of noise, and two of noise on a tenfold scale. Each strip has the columns in the
order of the method, the best on the left. A method of *relevance* should have grey on the right; a
set of *representatives* one column of each colour first, and near-copies late.

.. image:: all.png
   :alt: Strips of coloured columns in the order of each method

"""


def link_to_cards(app, what, name, obj, options, lines):
    """Let the page of a ranker in the reference point to its cards."""
    cards = obj.__dict__.get("cards") if what == "class" else None
    if cards:
        links = ", ".join(f":doc:`/methods/{card.name}`" for card in cards)
        lines += ["", f".. seealso:: The method card, with figures and weaknesses: {links}", ""]


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for documents."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("autodoc-process-docstring", link_to_cards, priority=950)
    return {"parallel_read_safe": True}
