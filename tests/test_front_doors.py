"""Damaged input at every front door: answers and documented errors, and nothing else."""

from __future__ import annotations

import pytest
import systems
from fuzz.campaign import fuzz
from fuzz.doors import DOORS

pytestmark = systems.linux


@pytest.mark.parametrize("part", range(3))
def test_mutants_of_everything_that_can_be_read(part):
    findings = list(fuzz(list(DOORS)[part::3], count=300, seed=0))
    assert not findings, "\n".join(f"{f.door} {f.number}: {f.what}" for f in findings)


def test_workers_see_what_must_not_be():
    """Files elsewhere, pickles, too much memory and sudden death are told, each once or more."""
    findings = list(fuzz(["selftest"], count=12, seed=0))
    for sign in ("outside of its own directory", "pickle.find_class", "MemoryError", "ended by"):
        assert any(sign in finding.what for finding in findings), sign
