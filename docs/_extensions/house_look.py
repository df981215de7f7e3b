"""One look for all pictures of the site; guides themselves say nothing of fonts and colours."""

from __future__ import annotations

from typing import Any

LOOK = {
    "figure.figsize": (6.4, 3.6),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "font.size": 10,
}


def apply(gallery_conf: dict[str, Any], fname: str) -> None:  # noqa: ARG001 - what is called with
    """Set the look before every script, as sphinx-gallery's resetters are called."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(LOOK)
