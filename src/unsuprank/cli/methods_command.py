"""`unsuprank methods`: the list of methods."""

from __future__ import annotations

from .. import registry
from ..ranker import QUESTIONS
from . import console


def methods() -> None:
    """Tell what each method is, when to use it, what it accepts and what it costs."""
    for question, title in QUESTIONS.items():
        entries = [(m.name, _describe(m)) for m in registry.available() if m.question == question]
        console.print_entries(title, entries)


def _describe(method: registry.Method) -> list[str]:
    """Put what is known of a method into a few sentences, the first of which says what it is."""
    facts = [f"accepts {method.accepts}", f"cost {method.cost}" if method.cost else ""]
    return [method.what, method.when, "; ".join(fact for fact in facts if fact)]
