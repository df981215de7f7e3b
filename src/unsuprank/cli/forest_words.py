"""What the commands say of forests: whether another seed would give the same top columns."""

from __future__ import annotations

from typing import Any

from ..describe.fitted import forest_in, n_settled
from ..ranker import Ranker
from . import console


def say_how_stable(ranker: Ranker, name: str = "") -> None:
    """Say whether another seed would give the ranking of a forest again, if it is one."""
    forest = forest_in(ranker)
    if forest is not None:
        console.note((f"{name}: " if name else "") + _how_stable(forest))


def _how_stable(forest: Any) -> str:
    trees, top = f"{forest.n_estimators_:,} trees", n_settled(forest)
    if forest.stability_ is None:
        return (
            f"another seed of {trees} may give another order; without --trees, a forest grows "
            "until its top columns are stable"
        )
    if not top:
        return f"{trees}; the rank intervals say which places another seed may change"
    shared = f"two forests like this would share about {forest.stability_:.0%} of their top {top}"
    if forest.converged_:
        return f"{trees}: {shared}"
    return (
        f"{trees}, the most for a table of this size: {shared}, not {forest.stability:.0%}; the "
        "rank intervals say what is open"
    )
