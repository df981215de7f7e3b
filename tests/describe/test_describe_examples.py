"""Every public function says what it does, and its example is true."""

from __future__ import annotations

import doctest
import inspect

import pytest

from unsuprank import describe

FUNCTIONS = [name for name in describe.__all__ if inspect.isfunction(getattr(describe, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_example(name):
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(describe, name), name)
    assert test.examples, f"{name} has no example"
    assert "Parameters\n" in test.docstring
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


def test_everything_is_documented():
    assert all(getattr(describe, name).__doc__ for name in describe.__all__ if name != "STRONG")
