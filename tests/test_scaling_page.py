"""The page on large tables says what the methods say of themselves, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "scaling.md"


@pytest.fixture(scope="module")
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("the documentation is not beside these tests")
    return PAGE.read_text("utf-8")


def test_the_table_of_methods_is_true(page: str) -> None:
    tables = run_path(str(PAGE.parent / "method_tables.py"))
    assert tables["support_table"]() in page


def test_the_examples_run(page: str) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.S))
    exec(compile(code, str(PAGE), "exec"), {})
