"""The contract that every ranker honours.

A ranker is a scikit-learn selector. To add one, subclass :class:`Ranker`, say what input
it accepts, and write ``_score``: a table in, one score per column out, higher is better.
Everything else (reading input, ``order_``, ``ranking_``, ``transform``) is here. A
:class:`MethodCard` says what the method is; with it the ranker is on the command line, in the
study and in the documentation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ._checks import (
    as_count,
    check_fraction_or_count,
    check_parameters,
    parameter,
    with_parameters,
)
from ._cluster import address_of
from ._views import VIEWS
from ._weights import weighted_rows
from .dask_rows import is_dask
from .input_rows import in_memory, is_on_disk, read_rows
from .row_source import RowSource
from .table import ColumnChoice, Table, column_mask, is_anndata, read_table

#: The questions that rankings answer, with a title for each.
QUESTIONS = {
    "relevance": "Relevance: which columns carry structure?",
    "representatives": "Representatives: which few columns stand for all?",
    "clusters": "Clusters: which columns show the groups of the rows?",
    "control": "Controls: what should a method beat?",
}


#: What the docstrings of rankers quote by these names.
SHARED_DOCS = {
    "selection": """\
n_features_to_select : int or float, default=16
    Columns that ``transform`` keeps: a count, or a fraction of all columns.
include, exclude : names, patterns or indices of columns, optional
    Columns that are always selected, and columns that never are; see :class:`Ranker`.""",
    "nominal_features": """\
nominal_features : sequence of names, indices, or mask, optional
    Nominal columns of a plain array; those of a DataFrame are found by their type.""",
}


def with_quotations(doc: str | None, texts: Mapping[str, str]) -> str | None:
    """A docstring with the texts that it quotes as ``{name}``."""
    doc = doc and cleandoc(doc)
    for name, text in texts.items():
        doc = doc and doc.replace(f"{{{name}}}", text)
    return doc


@dataclass(frozen=True, kw_only=True)
class MethodCard:
    """What people want to know of a method; :mod:`unsuprank.registry` reads it off the classes."""

    #: What the method is called on the command line and in the study.
    name: str
    #: One of `QUESTIONS`: "relevance", "representatives", "clusters" or "control".
    question: str
    #: What the method asks of a column, in one sentence.
    what: str
    when: str = ""
    cost: str = ""
    #: The score of column j in TeX, in the notation of the module or class.
    formula: str = ""
    #: What a high score means, in words for someone who has never heard of the method.
    meaning: str = ""
    #: Time of a fit in those of Genie3 with 100 trees, roughly.
    effort: float = 1.0
    #: Parameters that make this method of its class.
    params: Mapping[str, Any] = field(default_factory=dict)
    #: The method whose ranker this one wraps.
    wraps: str | None = None
    #: Whether these parameters make a class that takes nominal columns refuse them.
    numbers_only: bool = False
    #: Whether these parameters make a class that takes sparse tables refuse them.
    dense_only: bool = False


@with_parameters
class Ranker(SelectorMixin, BaseEstimator):
    """Base class of all rankers.

    Every ranker has the parameters `include` and `exclude`: names of columns, patterns of names
    such as ``"MT-*"``, indices or a mask. Columns of `include` come first and are always
    selected, among the `n_features_to_select` or even beyond; columns of `exclude` come last and
    never are. Neither changes a score (but for :class:`GreedyCSS`, which picks columns given those
    included): excluded columns are still part of the table that the others are judged by. To
    leave them out of that as well, drop them from the table.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        One score per input column; higher is better.
    order_ : ndarray of shape (n_features_in_,)
        Column indices, best first; equal scores keep the order of the columns. What is
        included comes first, what is excluded last.
    ranking_ : ndarray of shape (n_features_in_,)
        Rank of each column; 1 is the best.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Scores clipped at 0 and scaled to sum 1.
    forced_ : ndarray of shape (n_features_in_,)
        -1 for what is included, 1 for what is excluded, 0 for all other columns.
    """

    #: What people should know of the method; several if parameters make several methods of it.
    cards: ClassVar[tuple[MethodCard, ...]] = ()
    #: Whether NaN is a missing value that the method can work with, or an error.
    accepts_missing: ClassVar[bool] = False
    #: Whether the method knows what to do with nominal columns.
    accepts_nominal: ClassVar[bool] = False
    #: Whether the method works from the values of a sparse table that are not zero.
    accepts_sparse: ClassVar[bool] = False

    #: Whether a table on disk is read some rows at a time, and all rows count.
    streams_rows: ClassVar[bool] = False
    #: Rows that a sample should have, where the method can be told to look at samples of rows
    #: (`max_samples`); 0 where it cannot.
    samples_rows: ClassVar[int] = 0
    #: Whether the method tells how many columns are enough: ``n_features_to_select="auto"``.
    supports_auto_k: ClassVar[bool] = False
    #: Whether a fit can go on until the selected columns are stable: ``n_estimators="auto"``.
    supports_auto_trees: ClassVar[bool] = False
    #: Texts that the docstring of a class quotes as ``{name}``.
    shared_docs: ClassVar[Mapping[str, str]] = SHARED_DOCS
    #: Fitted attributes with an entry (or two, low and high) per column, and what `to_frame`
    #: calls them.
    column_facts: ClassVar[Mapping[str, str]] = {}

    n_features_to_select: int | float | str = parameter(check_fraction_or_count, default=16)
    include: ColumnChoice = None
    exclude: ColumnChoice = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = with_quotations(cls.__doc__, cls.shared_docs)

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002 - the selector contract
        sample_weight: Any = None,
    ) -> Self:
        """Score the columns of `X`.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame, AnnData or Table, (n_samples, n_features)
            Of an AnnData, the matrix ``X``. Or an array on disk, or a Dask collection.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers are counts: the ranking is that of the table with its rows repeated so
            often. Other weights are shares: as many rows as there are get drawn in proportion, by
            systematic sampling from `random_state` (from a seed of 0 where a ranker has none).

        Returns
        -------
        self
        """
        check_parameters(self)
        self._check_parameters()
        table = self._read(X)
        forced = self._read_forced(table)
        if sample_weight is not None:
            if isinstance(table, RowSource):
                raise ValueError("sample_weight needs the table in memory, without a scheduler.")
            seed = getattr(self, "random_state", 0)
            rows = weighted_rows(sample_weight, table.shape, seed)
            table = table.take(rows).without_unused_values()
        scores = self._finite(np.asarray(self._score(table), dtype=np.float64), table)
        self._remember_input(table if is_anndata(X) or isinstance(table, RowSource) else X)
        self.scores_, self.forced_ = scores, forced
        return self

    def _finite(self, scores: np.ndarray, table: Table | RowSource) -> np.ndarray:
        """The scores, all of them numbers: NaN has no place in an order."""
        lost = np.flatnonzero(~np.isfinite(scores))
        if len(lost):
            raise ValueError(
                f"{type(self).__name__} found no finite score for "
                f"{table.schema.label(int(lost[0]))}; bring the columns to a common scale."
            )
        return scores

    def _read_forced(self, table: Table | RowSource) -> np.ndarray:
        """Which columns are forced in (-1) or out (1); 0 for all others."""
        if self.include is None and self.exclude is None:
            return np.zeros(table.n_columns, dtype=int)  # without making up names of columns
        chosen = [
            column_mask(getattr(self, name), table.n_columns, tuple(table.names), name)
            for name in ("include", "exclude")
        ]
        both = chosen[0] & chosen[1]
        if both.any():
            where = table.schema.label(int(np.flatnonzero(both)[0]))
            raise ValueError(f"include and exclude both name {where}; leave it out of one of them.")
        return chosen[1].astype(int) - chosen[0].astype(int)

    def _remember_input(self, X: Any) -> None:
        """Set ``n_features_in_`` and ``feature_names_in_``."""
        if not isinstance(X, (Table, RowSource)):
            validate_data(self, X, skip_check_array=True)
            return
        self.n_features_in_ = X.n_columns
        if X.schema.names is not None:
            self.feature_names_in_ = np.array(X.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def transform(self, X: Any) -> Any:
        """Keep the selected columns of `X`; of a table, a table, and of an AnnData, a view.

        Parameters
        ----------
        X : array-like, DataFrame, AnnData or Table of shape (n_samples, n_features)
            A Dask collection stays one.
        """
        if not isinstance(X, Table) and not is_anndata(X) and not is_dask(X):
            return super().transform(X)
        support = self.get_support()
        if X.shape[1] != len(support):
            raise ValueError(f"X has {X.shape[1]} columns, but {len(support)} were ranked.")
        if isinstance(X, Table):
            return X.take(columns=support)
        return X.loc[:, X.columns[support]] if hasattr(X, "columns") else X[:, support]

    @abstractmethod
    def _score(self, table: Table) -> np.ndarray:
        """One score per column of `table`, higher is better."""

    def _check_parameters(self) -> None:
        """Raise for parameters that do not go together; called before data are read."""

    def _read(self, X: Any) -> Any:
        """A table; of a ranker that streams rows, maybe a source of them."""
        who = type(self).__name__
        nominal = getattr(self, "nominal_features", None)
        if self.streams_rows and is_on_disk(X):
            rows = read_rows(X, nominal, self, getattr(self, "scheduler", None))
            if isinstance(rows, RowSource):
                return rows
            X = rows
        X = in_memory(X, nominal, self._advice_on_size(who))
        table = read_table(X, nominal_features=nominal, estimator=self)
        if table.is_sparse and not self.accepts_sparse:
            raise TypeError(
                f"{who} cannot take sparse input; pass X.toarray() if that fits into memory, or "
                f"use a ranker that accepts it: {', '.join(rankers_that('accepts_sparse'))}."
            )
        if not self.accepts_missing:
            table.require_complete(who, rankers_that("accepts_missing"))
        if not self.accepts_nominal:
            table.require_numeric(who, rankers_that("accepts_nominal"))
        return table

    def _advice_on_size(self, who: str) -> str:
        """What to do with a table that is too large to be read whole."""
        if self.samples_rows:
            return f"set max_samples={self.samples_rows} to rank it by samples of its rows"
        able = ", ".join(rankers_that("streams_rows") + rankers_that("samples_rows"))
        return f"{who} needs all rows; sample some, or use a ranker for large tables: {able}"

    @property
    def takes_sparse(self) -> bool:
        """Whether the method works from a sparse table, with these parameters."""
        return self.accepts_sparse

    @property
    def scale_free(self) -> bool:
        """Whether the ranking does not depend on the units of columns, with these parameters."""
        return False

    @property
    def order_(self) -> np.ndarray:
        check_is_fitted(self)
        return np.lexsort((-self.scores_, self.forced_))  # equal ones stay in the order of columns

    @property
    def ranking_(self) -> np.ndarray:
        order = self.order_
        ranking = np.empty_like(order)
        ranking[order] = np.arange(1, len(order) + 1)
        return ranking

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self)
        positive = np.clip(self.scores_, 0.0, None)
        largest = positive.max(initial=0.0)
        if largest == 0.0:
            return positive
        positive = positive / largest  # so that the sum cannot overflow
        return positive / positive.sum()

    def _get_support_mask(self) -> np.ndarray:
        order = self.order_
        mask = np.zeros(len(order), dtype=bool)
        n_included = int((self.forced_ < 0).sum())
        mask[order[: max(self._count_selected(len(order)), n_included)]] = True
        return mask & (self.forced_ <= 0)

    def _count_selected(self, n: int) -> int:
        """How many of `n` columns are to be selected."""
        return as_count(self.n_features_to_select, n)  # type: ignore[arg-type]

    def to_frame(self) -> Any:
        """Put all that the fit has found about single columns into a pandas DataFrame, best first.

        Returns
        -------
        DataFrame
            With the columns feature, rank, score and selected; where the ranker knows how sure it
            is, score_sem, rank_low and rank_high; where it knows chance, explained, chance and
            p_value.
        """
        check_is_fitted(self)
        return VIEWS["frame"](self)

    def report(self, X: Any, path: Any, **options: Any) -> None:
        """Write one self-contained HTML page about this fitted ranking of `X`.

        Parameters
        ----------
        X : the table that the ranker was fitted on
        path : str or Path
            The file to write.
        **options
            `title`, `labels` and `label_name` (a label per row, for colours only), `seed`.
        """
        check_is_fitted(self)
        VIEWS["report"](self, X, path, **options)

    def _repr_html_(self) -> str:
        """The top of a fitted ranking for notebooks; scikit-learn's diagram before that."""
        if not hasattr(self, "scores_"):
            return super()._repr_html_()
        return VIEWS["html"](self)

    def __getstate__(self) -> dict[str, Any]:
        """All that is known, with the address of a scheduler instead of the connection to it."""
        state = super().__getstate__()
        scheduler = getattr(self, "scheduler", None)
        return state | {"scheduler": address_of(scheduler)} if scheduler is not None else state

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy that has the same scheduler: a connection cannot be copied."""
        scheduler = getattr(self, "scheduler", None)
        if address_of(scheduler) is scheduler:
            return super().__sklearn_clone__()
        return clone(copy(self)).set_params(scheduler=scheduler)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        tags.input_tags.allow_nan = self.accepts_missing
        tags.input_tags.string = False
        tags.target_tags.required = False
        return tags


def known_rankers() -> list[type[Ranker]]:
    """All rankers with a card of their own that were imported, in that order."""

    def family(cls: type) -> list[type]:
        children: list[type] = cls.__subclasses__()
        return [d for c in children for d in (c, *family(c))]

    return [cls for cls in family(Ranker) if cls.__dict__.get("cards")]


def rankers_that(ability: str) -> list[str]:
    """Names of the package's rankers with a class attribute set, alphabetically."""
    ours = [cls for cls in known_rankers() if cls.__module__.startswith("unsuprank.")]
    return sorted(cls.__name__ for cls in ours if getattr(cls, ability))
