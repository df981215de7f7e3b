"""Words and layout of what is published: the templates in ``assets``, filled in."""

from __future__ import annotations

from functools import cache
from typing import Any

try:
    from jinja2 import Environment, PackageLoader, select_autoescape
except ImportError as error:
    raise ImportError(
        'The page of the study needs Jinja2: install it with pip install "unsuprank[report]".'
    ) from error


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
