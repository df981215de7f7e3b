"""What columns show, what the others show them, and all of it put together.

=======  ===================================  =========================  ==========================
view     the column shows                     the others show            sees
=======  ===================================  =========================  ==========================
line     its values, and its normal scores    the same                   what goes up and down
curve    its curve                            their normal scores        a square of others
bend     its normal scores                    their curves               what others are a square of
spread   its curve                            their curves               a spread that varies
joint    its normal scores                    products of pairs          interactions of many
pair     line or curve                        the strongest single one   twins, small groups
trio     its normal scores, or its values     the strongest product      exclusive or, products
=======  ===================================  =========================  ==========================

Chance is known for each: for sums in closed form, for the best of many as that of one times their
number. The p-values of a column are put together by Cauchy's combination, which keeps the level
however they depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtri_exp

from ...row_source import RowSource
from ...table import SparseTable, Table
from ..clustering_space import embed, embedding_widths
from ..coordinates import Coordinates, Rows
from ..coordinates.coordinates import MANY_VALUES
from .atoms import Atoms
from .influence import influential_rows
from .joint import Products, joint_view
from .known_rows import Patterns
from .partners import strongest_partners
from .score_tables import score_tables
from .sides import Seen, Side, summed_view
from .tails import combined, q_values
from .trios import MOST_ROWS as TRIO_ROWS
from .trios import columns_within, strongest_trios

VIEWS = ("line", "curve", "bend", "spread", "joint", "pair", "trio")
#: What counts by default where most values are zeros: curves and products of rare counts show how
#: much a row was looked at, which all columns share.
VIEWS_OF_COUNTS, MOSTLY = ("line", "pair"), 0.5
#: How much each counts; the line of values and that of normal scores are apart.
WEIGHTS = {
    "line of values": 0.2,
    "line": 0.25,
    "curve": 0.09,
    "bend": 0.09,
    "spread": 0.09,
    "joint": 0.08,
    "pair": 0.1,
    "trio": 0.1,
}
#: Whether a view's column shows a curve, and whether the others do.
PAIRINGS = {
    "line of values": (False, False),
    "line": (False, False),
    "curve": (True, False),
    "bend": (False, True),
    "spread": (True, True),
}
#: Values that are made scores and curves of; of more, a sample of the rows.
MOST_CELLS, MOST_ROWS = 2**25, 16_384
#: Rows for products of pairs of columns, and for columns with missing values.
JOINT_ROWS, GAP_ROWS = 1024, 1024
#: Fewer rows have too few orders.
LEAST_ROWS = 8
#: Rows that make most of what columns share are left out as long as there are fewer than these.
MOST_LEFT_OUT = 8


@dataclass(frozen=True)
class Viewed:
    """What all views together tell of columns."""

    scores: np.ndarray
    log_p: np.ndarray
    #: The view that tells most of each column, and one or two others that it shares most with
    #: there, -1: none.
    view: np.ndarray
    partners: np.ndarray
    #: What each view looked at.
    used: dict[str, str]
    #: Rows that were left out as they make most of what columns share.
    influential: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))

    @property
    def p_values(self) -> np.ndarray:
        """They may be too small for a number, and 0."""
        return np.exp(self.log_p)

    @property
    def q_values(self) -> np.ndarray:
        """The share of false discoveries down to each column."""
        return q_values(self.p_values)


@dataclass
class Facets:
    """A table of numbers of normal size, with its normal scores and its curves."""

    table: Table
    n_jobs: int
    #: Whether columns are shuffled within their known rows.
    gaps: bool = False

    @cached_property
    def tables(self) -> tuple[Table, Table]:
        """Normal scores and curves; without names of many values, which stay with the line."""
        many = np.flatnonzero(self.table.n_values > MANY_VALUES)
        found = score_tables(self.table)
        for table in found if len(many) else ():
            table.values[:, many] = 0.0
        return found

    @cached_property
    def patterns(self) -> Patterns | None:
        """Which rows of each column are known."""
        return Patterns.of(self.table.values) if self.gaps else None

    def _side(self, table: Table) -> Side:
        if self.gaps:
            return Side(Coordinates(table, "all rows", "rows", self.n_jobs))
        return Side(Coordinates.of(table, self.n_jobs))

    @cached_property
    def sides(self) -> dict[str, Side]:
        """What columns show."""
        scores, curves = self.tables
        return {
            "values": self._side(self.table),
            "scores": self._side(scores),
            "curves": self._side(curves),
        }

    def summed(self, name: str) -> Seen:
        """One of the views that are sums over all others."""
        show, others = {
            "line of values": ("values", "values"),
            "line": ("scores", "scores"),
            "curve": ("curves", "scores"),
            "bend": ("scores", "curves"),
            "spread": ("curves", "curves"),
        }[name]
        return summed_view(self.sides[show], self.sides[others], self.patterns)


def sampled(table: Table, rows: int) -> Table:
    """At most so many rows."""
    return table if table.n_rows <= rows else table.take(table.sample_rows(rows))


def held_rows(rows: Rows) -> Table:
    """The table, or as many of its rows as views are made of: the same ones wherever they are."""
    most = min(max(JOINT_ROWS, MOST_CELLS // max(rows.n_columns, 1)), MOST_ROWS)
    if rows.n_rows <= most:
        return rows.take(np.arange(rows.n_rows)) if isinstance(rows, RowSource) else rows
    picked = np.random.default_rng(0).choice(rows.n_rows, most, replace=False)
    return rows.take(np.sort(picked))


def views_of(table: Table) -> Sequence[str]:
    """The views that a table is looked at by unless others are asked for."""
    if table.n_rows < LEAST_ROWS:
        return ("line",)
    held = table.matrix.data if isinstance(table, SparseTable) else table.values
    few = int(np.count_nonzero(held)) < MOSTLY * table.n_rows * table.n_columns
    return VIEWS_OF_COUNTS if few else VIEWS


@dataclass
class Looking:
    """One look at a table, view by view."""

    rows: Rows
    side: Side
    views: str | Sequence[str]
    log_p: dict[str, np.ndarray] = field(default_factory=dict)
    partners: dict[str, np.ndarray] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)

    @property
    def line(self) -> Coordinates:
        """The coordinates of the values."""
        return self.side.coordinates

    @property
    def n_jobs(self) -> int:
        """Threads."""
        return self.line.n_jobs

    @cached_property
    def table(self) -> Table:
        """What all views but the line of values are made of."""
        held = self.line.rows if self.line.rows_used == "all rows" else self.rows
        return held_rows(held)

    @cached_property
    def wanted(self) -> Sequence[str]:
        """The views by name."""
        if self.views == "auto":
            return views_of(self.table)
        return (self.views,) if isinstance(self.views, str) else tuple(self.views)

    @cached_property
    def facets(self) -> Facets:
        """Of the complete columns."""
        return Facets(self.table, self.n_jobs)

    @cached_property
    def gaps(self) -> Facets | None:
        """Of the columns with missing values."""
        if not self.table.missing.any():
            return None
        return Facets(sampled(self.table, GAP_ROWS), self.n_jobs, gaps=True)

    def said(self, table: Table) -> str:
        """Which rows were looked at."""
        n = self.rows.n_rows
        return "all rows" if table.n_rows == n else f"{table.n_rows:,} of {n:,} rows"

    def look(self) -> Viewed:
        """All views, one after the other."""
        if "line" in self.wanted:
            self.lines()
        for name in ("curve", "bend", "spread"):
            if name in self.wanted:
                self.summed(name)
        if "joint" in self.wanted:
            self.joint()
        if "pair" in self.wanted:
            self.pairs()
        if "trio" in self.wanted:
            self.trios()
        return self.put_together()

    def lines(self) -> None:
        """That of values, and that of normal scores."""
        seen = summed_view(self.side, self.side, None)
        self.log_p["line of values"] = self._with_gaps("line of values", seen.log_p)
        self.summed("line")
        self.used["line"] = self.line.rows_used

    def summed(self, name: str) -> None:
        """A view that is a sum over all others."""
        self.log_p[name] = self._with_gaps(name, self.facets.summed(name).log_p)
        self.used[name] = self.said(self.table)

    def _with_gaps(self, name: str, log_p: np.ndarray) -> np.ndarray:
        if self.gaps is None:
            return log_p
        return np.where(self.table.missing, self.gaps.summed(name).log_p, log_p)

    def joint(self) -> None:
        """Products of pairs of others; for complete columns of numbers."""
        some = sampled(self.facets.tables[0], JOINT_ROWS)
        some = some.dense() if isinstance(some, SparseTable) else some
        columns = np.flatnonzero(some.varies)
        self.log_p["joint"] = np.full(some.n_columns, np.nan)
        self.used["joint"] = self.said(some)
        if len(columns) < 3:
            return
        some = some.take(columns=columns)
        widths = embedding_widths(some)
        Z = np.ascontiguousarray(embed(some))
        shown = (some.n_values == 0) & ~some.missing
        products = Products.of(Z @ Z.T, _own_squares(Z, widths))
        at = (np.cumsum(widths) - 1)[shown]
        self.log_p["joint"][columns[shown]] = joint_view(products, Z[:, at], self.n_jobs)[1]

    def atoms(self, most: int) -> Atoms:
        """Single coordinates of all columns, in at most so many rows."""
        tables = [sampled(table, most) for table in self.facets.tables]
        dense = [t.dense() if isinstance(t, SparseTable) else t for t in tables]
        known = None if self.gaps is None else ~np.isnan(sampled(self.table, most).values)
        return Atoms.of(dense[0], dense[1], known)

    def trios(self) -> None:
        """The strongest pair of others; of all columns or of those that others views tell most."""
        atoms, n_columns = self.atoms(TRIO_ROWS), self.rows.n_columns
        widths = np.bincount(atoms.owner[~atoms.curve], minlength=n_columns)
        so_far = self.combined() if self.log_p else np.zeros(n_columns)
        chosen = columns_within(so_far, widths, len(atoms.values))
        found = strongest_trios(atoms, chosen, self.n_jobs)
        self.log_p["trio"], self.partners["trio"] = found
        self.partners["joint"] = found.partners
        self.used["trio"] = self.said(sampled(self.table, TRIO_ROWS))
        if chosen.sum() < (widths > 0).sum():
            self.used["trio"] += f", {chosen.sum():,} of {n_columns:,} columns"

    def pairs(self) -> None:
        """The strongest partner of each column."""
        found = strongest_partners(self.atoms(self.table.n_rows), self.rows.n_columns, self.n_jobs)
        self.log_p["pair"] = found.log_p
        self.used["pair"] = self.said(self.table)
        single = {name: found.of_pairing.get(p) for name, p in PAIRINGS.items()}
        for name, partner in {**single, "pair": found.partner}.items():
            if partner is not None:
                self.partners[name] = np.stack([partner, np.full(len(partner), -1)], axis=1)

    def combined(self) -> np.ndarray:
        """Logarithms of the p-values of all views so far."""
        weights = np.array([WEIGHTS[name] for name in self.log_p])[:, None]
        return combined(np.stack(list(self.log_p.values())), weights)

    def put_together(self) -> Viewed:
        """The combined p-values, and which view tells most."""
        names = list(self.log_p)
        weights = np.log([WEIGHTS[name] for name in names])[:, None]
        told = weights - np.stack(list(self.log_p.values()))
        loudest = np.where(np.isnan(told), -np.inf, told).argmax(axis=0)
        log_p = np.where(np.isnan(told).all(axis=0), 0.0, self.combined())
        nobody = np.full((len(log_p), 2), -1)
        partners = np.stack([self.partners.get(name, nobody) for name in names])
        view = np.array([name.partition(" ")[0] for name in names], dtype=object)[loudest]
        view[np.isnan(told).all(axis=0)] = ""
        scores = np.where(log_p < 0.0, -ndtri_exp(np.minimum(log_p, -1e-12)), 0.0)
        picked = partners[loudest, np.arange(len(log_p))]
        return Viewed(scores, log_p, view, picked, self.used)


def _own_squares(Z: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """The sum of all H o H: that of (z o z)(z o z)' for numbers."""
    ends = np.cumsum(widths)
    numbers = Z[:, (ends - widths)[widths == 1]] ** 2
    total = numbers @ numbers.T
    for first, last in zip((ends - widths)[widths > 1], ends[widths > 1], strict=True):
        total += (Z[:, first:last] @ Z[:, first:last].T) ** 2
    return total


def look(rows: Rows, line: Side, views: str | Sequence[str]) -> Viewed:
    """Look at a table by some views, without rows that make most of what columns share.

    Without the worst of them, others may show, up to `MOST_LEFT_OUT`.
    """
    left_out = np.zeros(0, dtype=int)
    kept, some, side = np.arange(rows.n_rows), rows, line
    while len(left_out) < MOST_LEFT_OUT:
        found = influential_rows(side, summed_view(side, side, None).log_p)
        if not len(found):
            break
        left_out = np.append(left_out, kept[found])
        kept = np.delete(kept, found)
        assert isinstance(line.coordinates.rows, Table)
        some = line.coordinates.rows.take(rows=kept).without_unused_values()
        side = Side(Coordinates.of(some, line.coordinates.n_jobs))
    return replace(Looking(some, side, views).look(), influential=np.sort(left_out))
