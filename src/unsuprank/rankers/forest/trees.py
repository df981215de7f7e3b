"""Grown trees as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np


@dataclass(frozen=True)
class Trees:
    """The nodes of consecutive trees of a forest, end to end.

    The nodes of tree t are ``node_offset[t] .. node_offset[t + 1] - 1``; the root comes first,
    and the two children of a node stand beside each other: ``left`` (test false) and
    ``left + 1`` (test true), counted from ``node_offset[t]``. Leaves have feature -1.
    A numeric test is ``value > threshold``; a nominal one asks whether the value is in a set
    of codes, the bits of ``subset_words`` from word ``subset`` on. ``rows`` lists the distinct
    training rows of each tree with their multiplicities, such that those of a node are
    ``row_begin .. row_end - 1``, counted from ``row_offset[t]``.
    """

    node_offset: np.ndarray
    row_offset: np.ndarray
    feature: np.ndarray
    left: np.ndarray
    threshold: np.ndarray
    subset: np.ndarray
    subset_words: np.ndarray
    gain: np.ndarray
    weight: np.ndarray
    right_share: np.ndarray
    row_begin: np.ndarray
    row_end: np.ndarray
    rows: np.ndarray
    multiplicity: np.ndarray

    @property
    def size(self) -> int:
        """Number of trees."""
        return len(self.node_offset) - 1

    def as_dict(self) -> dict[str, np.ndarray]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def nodes(self, tree: int) -> slice:
        """Where the nodes of a tree are."""
        return slice(int(self.node_offset[tree]), int(self.node_offset[tree + 1]))

    def roots(self) -> np.ndarray:
        """The root of the tree that each node belongs to."""
        return np.repeat(self.node_offset[:-1], np.diff(self.node_offset))

    def subset_values(self, node: int, n_values: int) -> np.ndarray:
        """Codes in the set that a nominal test asks for."""
        start = int(self.subset[node])
        words = self.subset_words[start : start + -(-n_values // 64)]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(bits[:n_values])

    @classmethod
    def join(cls, parts: Sequence[Trees]) -> Trees:
        """One forest from consecutive parts."""
        joined = {f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)}
        for name in ("node_offset", "row_offset"):
            joined[name] = _join_offsets([getattr(p, name) for p in parts])
        word = np.cumsum([0] + [len(p.subset_words) for p in parts[:-1]])
        joined["subset"] = np.concatenate(
            [np.where(p.subset < 0, -1, p.subset + w) for p, w in zip(parts, word, strict=True)]
        )
        return cls(**joined)

    def renumbered(self, numbers: np.ndarray) -> Trees:
        """The same trees with feature ``numbers[j]`` in place of feature j."""
        feature = np.where(self.feature < 0, -1, numbers[self.feature]).astype(self.feature.dtype)
        return replace(self, feature=feature)

    def first(self, n_trees: int) -> Trees:
        """The forest of the first `n_trees` trees."""
        stop = {"node_offset": n_trees + 1, "row_offset": n_trees + 1, "subset_words": None}
        stop["rows"] = stop["multiplicity"] = int(self.row_offset[n_trees])
        nodes = int(self.node_offset[n_trees])
        return Trees(**{k: v[: stop.get(k, nodes)] for k, v in self.as_dict().items()})


def _join_offsets(parts: Sequence[np.ndarray]) -> np.ndarray:
    sizes = np.concatenate([np.diff(p) for p in parts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
