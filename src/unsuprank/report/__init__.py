"""One self-contained HTML page about a ranking; it needs the extra ``unsuprank[report]``."""

from .page import write_report

__all__ = ["write_report"]
