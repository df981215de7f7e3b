"""`unsuprank methods`: the list of methods."""

from __future__ import annotations

from .. import registry
from . import console
from .console import Prose


def methods() -> None:
    """Tell what each method is, when to use it, what it accepts and what it costs."""
    rows = [
        [m.name, Prose(m.what), Prose(m.when), Prose(m.accepts), Prose(m.cost)]
        for m in registry.available()
    ]
    columns = [(c, "left") for c in ("method", "what it is", "when to use it", "accepts", "cost")]
    console.print_table("", columns, rows)
