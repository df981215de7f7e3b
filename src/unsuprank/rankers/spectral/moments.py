"""Sums over the rows of a graph, of which scores of columns are made.

With the weights W and the degrees D of a graph, L = D - W and ``f' L f`` do not change when a
constant is added to a column f. So columns are shifted towards 0 first, and fewer digits cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Moments:
    """Of columns f, each less a shift and in a unit of its own."""

    shift: np.ndarray
    #: ``1' D 1``
    total: float
    #: ``1' D f``
    linear: np.ndarray
    #: ``f' D f``
    square: np.ndarray
    #: ``f' W f``
    form: np.ndarray
    #: Which columns hold one value only.
    constant: np.ndarray

    @property
    def rough(self) -> np.ndarray:
        """``f' L f``."""
        return self.square - self.form

    @property
    def raw_square(self) -> np.ndarray:
        """``f' D f`` of the columns as they were."""
        return self.square + self.shift * (2.0 * self.linear + self.shift * self.total)

    @property
    def centred_square(self) -> np.ndarray:
        """``f' D f`` with the shift that makes it smallest."""
        return self.square - np.square(self.linear) / self.total
