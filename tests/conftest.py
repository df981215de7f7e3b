"""What several test files share."""

from __future__ import annotations

import os
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import hypothesis
import numpy as np
import pytest

if version("scikit-learn").startswith("1.6."):  # it refuses to import its own checks otherwise
    os.environ["SCIPY_ARRAY_API"] = "1"

from scipy.io import loadmat

# Property tests look at the same few cases in every run; ``--hypothesis-profile=fresh``, which is
# what ``make fuzz`` asks for, looks at many that nobody has seen before.
hypothesis.settings.register_profile(
    "fixed", derandomize=True, max_examples=4, deadline=None, database=None
)
hypothesis.settings.register_profile(
    "fresh", max_examples=150, deadline=None, print_blob=True, database=None
)
hypothesis.settings.load_profile("fixed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Trace no test that asks for it.

    The mark of pytest-cov does it by stopping and starting coverage, which adds one more report to
    the end of every process each time: after a few hundred of these, forks took seconds to exit.
    """
    if item.get_closest_marker("untraced") is None:
        return (yield)
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
        threading.settrace(of_threads)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory of real data sets; tests that need it skip without it."""
    place = os.environ.get("UNSUPRANK_DATA")
    if not place or not Path(place).is_dir():
        pytest.skip("UNSUPRANK_DATA does not point to the data sets")
    return Path(place)


@pytest.fixture(scope="session")
def reference_dir(data_dir: Path) -> Path:
    """Score vectors of other programs, beside the data sets."""
    place = data_dir.parent / "reference"
    if not place.is_dir():
        pytest.skip("no reference directory beside UNSUPRANK_DATA")
    return place


@pytest.fixture(scope="session")
def load_mat(data_dir: Path):
    """A function that loads a .mat data set as float64."""

    def load(name: str) -> np.ndarray:
        return loadmat(data_dir / f"{name}.mat")["X"].astype(np.float64)

    return load
