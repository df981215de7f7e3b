"""The methods by name, read off the classes.

What a method is, when to use it, what it accepts and what it costs stands on the ranker's own
class, as :class:`~unsuprank.ranker.MethodCard`. The command line, the report, the README and the
study all speak of methods through this module, so that they say the same thing, and a new ranker
is known everywhere as soon as it is imported.
"""

from __future__ import annotations

import difflib
import inspect
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from . import rankers as _rankers  # noqa: F401 - a method is known once its class is imported
from .ranker import QUESTIONS, MethodCard, Ranker, known_rankers
from .table import Table

DEFAULT = "shared-variance"


@dataclass(frozen=True, kw_only=True)
class Method(MethodCard):
    """A ranking method as people know it, and the class that does it."""

    ranker: type[Ranker]

    @property
    def accepts_nominal(self) -> bool:
        """Whether the method knows what to do with nominal columns."""
        return self.ranker.accepts_nominal and not self.numbers_only

    @property
    def accepts_missing(self) -> bool:
        """Whether the method can work with missing values."""
        return self.ranker.accepts_missing

    @property
    def accepts_sparse(self) -> bool:
        """Whether the method works from the values of a sparse table that are not zero."""
        return self.ranker.accepts_sparse and not self.dense_only

    @property
    def beyond_memory(self) -> str:
        """What the method does with a table that is larger than memory; nothing if it cannot."""
        if self.dense_only:
            return ""
        if self.ranker.streams_rows:
            return "all rows, some at a time"
        return "samples of rows" if self.ranker.samples_rows else ""

    @property
    def accepts(self) -> str:
        """Kinds of input, in words."""
        kinds = {
            "nominal": self.accepts_nominal,
            "missing values": self.accepts_missing,
            "sparse": self.accepts_sparse,
        }
        return ", ".join(["numbers", *(kind for kind, accepted in kinds.items() if accepted)])

    def cannot_take(self, table: Table) -> str:
        """Say why the method cannot rank a table; say nothing if it can."""
        if table.is_sparse and not self.accepts_sparse:
            return "it cannot take sparse tables"
        if table.missing.any() and not self.accepts_missing:
            return "it cannot take missing values"
        nominal = set(np.flatnonzero(table.n_values).tolist()) - table.schema.boolean
        if nominal and not self.accepts_nominal:
            return f"it needs numbers, and {table.schema.label(min(nominal))} is nominal"
        return ""


def available() -> list[Method]:
    """All methods: by the question they answer, in each of them the quickest first."""
    methods = [
        Method(**{f.name: getattr(card, f.name) for f in fields(card)}, ranker=cls)
        for cls in known_rankers()
        for card in cls.cards
    ]
    return sorted(methods, key=lambda m: (list(QUESTIONS).index(m.question), m.effort))


def find(name: str) -> Method:
    """The method called `name`; an error that lists the names if there is none."""
    wanted = name.strip().lower().replace("_", "-")
    methods = available()
    for method in methods:
        if wanted in (method.name, method.ranker.__name__.lower()):
            return method
    names = [method.name for method in methods]
    near = difflib.get_close_matches(wanted, names, 1)
    hint = f"did you mean {near[0]}? There are" if near else "choose one of"
    raise ValueError(f"{name!r} is not a method; {hint} {', '.join(names)}.")


def method_of(ranker: Ranker) -> Method | None:
    """The method that a ranker is an instance of, if its class has a card."""
    of_class = [m for m in available() if m.ranker is type(ranker)]
    set_params = ranker.get_params(deep=False)
    special = [m for m in of_class if m.params and m.params.items() <= set_params.items()]
    return next(iter(special or of_class), None)


def make(
    name: str,
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
    n_top: int | None = None,
    **params: Any,
) -> Ranker:
    """A ranker by name, given those of the parameters that it knows.

    Who asks by name wants a stable answer: a forest grows until its `n_top` best columns are
    stable (16 if that is not given), unless `n_estimators` is among the parameters.
    """
    method = find(name)
    offered = {"random_state": seed, "n_jobs": n_jobs, **params}
    if method.ranker.supports_auto_trees:
        wanted = {"n_estimators": "auto", "n_features_to_select": n_top}
        offered = wanted | {k: v for k, v in offered.items() if v is not None}
    known = inspect.signature(method.ranker).parameters
    chosen = {k: v for k, v in offered.items() if k in known and v is not None}
    if method.wraps is not None:
        inner = {k: v for k, v in params.items() if k not in ("include", "exclude")}
        chosen["ranker"] = make(method.wraps, seed=seed, n_jobs=n_jobs, n_top=n_top, **inner)
    return method.ranker(**chosen, **method.params)
