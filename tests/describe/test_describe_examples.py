"""Every public function says what it does, and its example is true."""

from __future__ import annotations

import doctest
import inspect

import pytest

from unsuprank import describe, evaluation

FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (describe, evaluation)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_example(name):
    (test,) = doctest.DocTestFinder(recurse=False).find(FUNCTIONS[name], name)
    assert test.examples, f"{name} has no example"
    assert "Parameters\n" in test.docstring or "evaluation" in name
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_everything_is_documented():
    assert all(getattr(describe, name).__doc__ for name in describe.__all__ if name != "STRONG")
