"""One self-contained HTML page about a ranking; it needs the extra ``unsuprank[report]``.

What the page shows is computed by :mod:`unsuprank.describe` and :mod:`unsuprank.evaluation`, and
put together by :mod:`.page_facts`; :mod:`.words` judges it in sentences, :mod:`.figures` draws it,
:mod:`.page_data` is what the page's script shows on demand, and :mod:`.page` fills the template,
which holds all other words. Only :mod:`.page` and :mod:`.figures` import Jinja2 and Bokeh.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..io import atomic_write
from ..ranker import Ranker

__all__ = ["write_report"]


def write_report(
    ranker: Ranker,
    X: Any,
    path: str | Path,
    *,
    title: str = "table",
    labels: Sequence[str] | None = None,
    label_name: str | None = None,
    notes: Sequence[str] = (),
    seed: int | None = None,
) -> None:
    """Write the page about a fitted ranker.

    Parameters
    ----------
    ranker : fitted ranker
    X : array-like, DataFrame or Table
        What the ranker was fitted on.
    path : str or Path
        The file to write.
    title : str, default="table"
        What the data are called.
    labels, label_name : optional
        A label per row, which colours the planes of rows; the page says which columns set rows
        of one label apart. The ranking and all else on the page know nothing of labels.
    notes : sequence of str
        Further remarks for the summary.
    seed : int, optional
        Of the refits and samples on the page; the ranker's own by default, or 0.
    """
    try:
        from .page import render
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("bokeh", "jinja2"):
            raise
        raise ImportError(
            "A report needs Jinja2 and Bokeh: pip install 'unsuprank[report]'."
        ) from None
    from .page_facts import gather

    facts = gather(ranker, X, seed, labels)
    atomic_write(path, render(facts, title, label_name, notes))
