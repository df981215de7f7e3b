"""Every public class has an example, and every example is true."""

from __future__ import annotations

import doctest

import pytest

import unsuprank

#: What one subclasses or reads needs no example.
PUBLIC = [n for n in unsuprank.__all__ if n not in ("Ranker", "MethodCard", "__version__")]


@pytest.mark.parametrize("name", PUBLIC)
def test_example(name):
    found = doctest.DocTestFinder(recurse=False).find(getattr(unsuprank, name), name)
    examples = [test for test in found if test.examples]
    assert examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in examples:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
