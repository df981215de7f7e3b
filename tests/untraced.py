"""Processes in which coverage is not measured: it would take most of their time."""

from __future__ import annotations

import os


def untraced() -> dict[str, str]:
    """The environment of this process without what asks for coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
