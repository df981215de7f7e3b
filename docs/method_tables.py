"""The tables of all methods, for the README and for the page on large tables.

``python docs/method_tables.py`` shows both.
"""

from __future__ import annotations

from unsuprank import registry


def markdown_table() -> str:
    """The methods as the table of the README."""
    lines = [
        "| class | what it asks | nominal, missing | cost for m rows, n columns |",
        "|---|---|---|---|",
    ]
    for question, title in registry.QUESTIONS.items():
        lines.append(f"| **{title}** | | | |")
        lines += [_markdown_row(m) for m in registry.available() if m.question == question]
    return "\n".join(lines)


def support_table() -> str:
    """What every method can take, as a table for the documentation."""
    lines = [
        "| method | nominal | missing | sparse | larger than memory |",
        "|---|---|---|---|---|",
    ]
    for m in registry.available():
        cells = _yes_or_no(m.accepts_nominal, m.accepts_missing, m.accepts_sparse)
        lines.append(f"| `{m.name}` | {' | '.join(cells)} | {m.beyond_memory or 'no'} |")
    return "\n".join(lines)


def _markdown_row(method: registry.Method) -> str:
    settings = ", ".join(f'{name}="{value}"' for name, value in method.params.items())
    call = method.ranker.__name__ + (f"({settings})" if settings else "")
    takes = ", ".join(_yes_or_no(method.accepts_nominal, method.accepts_missing))
    return f"| `{call}` | {method.what} | {takes} | {method.cost} |"


def _yes_or_no(*answers: bool) -> list[str]:
    return ["yes" if answer else "no" for answer in answers]


if __name__ == "__main__":
    print(markdown_table(), support_table(), sep="\n\n")
