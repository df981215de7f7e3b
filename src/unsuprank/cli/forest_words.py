"""What the commands say of forests: whether another seed would give the same top columns."""

from __future__ import annotations

from ..describe.fitted import forest_in, how_stable
from ..ranker import Ranker
from . import console


def say_how_stable(ranker: Ranker, name: str = "") -> None:
    """Say whether another seed would give the ranking of a forest again, if it is one."""
    forest = forest_in(ranker)
    if forest is None:
        return
    trees = f"{forest.n_estimators_:,} trees"
    if forest.stability_ is None:
        said = f"another seed of {trees} may give another order; without --trees, a forest grows "
        said += "until its top columns are stable"
    else:
        said = how_stable(forest) or trees
        said += "; the rank intervals say which places another seed may change"
    console.note((f"{name}: " if name else "") + said)
