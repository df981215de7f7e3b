"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat


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
