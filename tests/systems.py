"""Marks of tests that only some systems can run: each tests what the package does there alone."""

from __future__ import annotations

import os
import sys

import pytest

posix = pytest.mark.skipif(
    os.name != "posix", reason="forks, signals, links and pipes are not those of POSIX here"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc are Linux's")
