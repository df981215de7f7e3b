"""What a release must agree on with itself."""

from __future__ import annotations

import re
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest

import unsuprank
from unsuprank import _kernels

ROOT = Path(__file__).parent.parent


def test_one_version():
    """The package says it once; what cannot derive it repeats it."""
    assert version("unsuprank") == unsuprank.__version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {unsuprank.__version__}\n" in citation
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_the_changelog_knows_the_version():
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] in ("Unreleased", unsuprank.__version__)


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock"
)
def test_the_kernels_leave_the_global_lock_off():
    assert _kernels.__name__
    assert not sys._is_gil_enabled()
