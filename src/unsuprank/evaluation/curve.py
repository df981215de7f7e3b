"""How good are the first 1, 2, 4, ... features of a ranking?

Every repetition (a fold, or a start of k-means) learns the ranking on its training rows,
hands the leading columns to a model, and judges the model on the other rows. Random
orders go the same way, so that every curve comes with the band that chance would give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from .._checks import check_choice, check_count
from .._parallel import in_batches, one_blas_thread
from .._progress import progress
from ..table import Table, is_anndata, read_table
from .folds import JudgedFold, judge_fold, rows_of, split_rows
from .judges import Measure, make_judge
from .measures import in_standard_units
from .selection import RankerOrOrder, learn_order, random_order, read_methods, read_sizes


@dataclass(frozen=True)
class ErrorCurves:
    """Errors of leading features, per method and fold, with a band of random orders.

    Attributes
    ----------
    sizes : ndarray of int
        Numbers of leading features.
    values : dict of str to ndarray of shape (n_folds, n_sizes)
        What was measured, for each method.
    random : ndarray of shape (n_random, n_folds, n_sizes)
        The same for random orders.
    orders : dict of str to ndarray of shape (n_folds, n_features)
        What each training fold ranked.
    test_rows : tuple of ndarray
        The rows that judged each fold.
    measure, higher_is_better, random_state
        What was measured, and from which seed.
    """

    sizes: np.ndarray
    values: dict[str, np.ndarray]
    random: np.ndarray
    orders: dict[str, np.ndarray]
    test_rows: tuple[np.ndarray, ...]
    measure: str
    higher_is_better: bool
    random_state: int

    def mean(self, method: str) -> np.ndarray:
        """Mean over folds, one value per size; `method` may be ``"random"``."""
        if method == "random":
            return self.random.mean(axis=(0, 1))
        return self.values[method].mean(axis=0)

    def band(self, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Where the middle `coverage` of the random orders lie, after the mean over folds."""
        tail = 50.0 * (1.0 - coverage)
        low, high = np.percentile(self.random.mean(axis=1), [tail, 100.0 - tail], axis=0)
        return low, high

    def beats_chance(self, method: str) -> np.ndarray:
        """Share of random orders that `method` is better than, one value per size."""
        sign = 1.0 if self.higher_is_better else -1.0
        return (sign * self.mean(method) > sign * self.random.mean(axis=1)).mean(axis=0)

    def tidy(self) -> dict[str, np.ndarray]:
        """Columns ``method``, ``draw``, ``fold``, ``size``, ``value``, one row per value.

        ``pandas.DataFrame(curves.tidy())`` is a data frame; ``draw`` numbers the random
        orders and is 0 for methods.
        """
        stacks = {name: values[None] for name, values in self.values.items()}
        stacks["random"] = self.random
        parts = zip(*(_tidy(name, stack) for name, stack in stacks.items()), strict=True)
        method, draw, fold, at, value = map(np.concatenate, parts)
        sizes = self.sizes[at]
        return {"method": method, "draw": draw, "fold": fold, "size": sizes, "value": value}

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves and the band of chance; needs matplotlib."""
        from .plots import plot_error_curves

        return plot_error_curves(self, ax=ax)


def _tidy(name: str, stack: np.ndarray) -> tuple[np.ndarray, ...]:
    """The name, the places and the values of a stack of draws, folds and sizes."""
    places = np.indices(stack.shape).reshape(3, -1)
    return np.full(stack.size, name, dtype=object), *places, stack.ravel()


def error_curve(
    X: Any,
    ranker_or_order: RankerOrOrder | Mapping[str, RankerOrOrder],
    *,
    y: Any = None,
    sizes: str | Sequence[int] = "geometric",
    cv: Any = "auto",
    model: Any = "1nn",
    measure: str | Measure = "rmse",
    scale: str = "raw",
    nominal_features: Any = None,
    n_random: int = 10,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> ErrorCurves:
    """Judge the leading features of rankings that are learned on training rows only.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame, AnnData or Table of shape (n_samples, n_features)
        Of a sparse one, rows are written out some at a time; a `model` of your own needs all
        values at once and refuses it, and so does a measure of your own.
    ranker_or_order : ranker, order, or mapping of names to these
        A ranker is cloned and fitted to each training fold. An order (column indices,
        best first) is used as it is: whether it knew the test rows is for you to judge.
    y : array-like, optional
        Labels, for the measures that compare to them. No ranker ever sees them.
    sizes : "geometric" or sequence of int, default="geometric"
        Numbers of leading features; geometric is 1, 2, 4, ... and all features.
    cv : int, scikit-learn splitter, None or "auto", default="auto"
        An int shuffles the rows into that many folds; None ranks and judges on all rows.
        "auto" is 10, and None for clustering and custom measures, as in the literature.
    model : "1nn" or scikit-learn estimator, default="1nn"
        What predicts all features from the leading ones; for ``classification`` what
        predicts the label. The nearest neighbour is Euclidean, the first of equals.
    measure : str or callable, default="rmse"
        ``rmse``, ``mse``, ``relative`` (to predicting training means): errors of
        predicting all features, where nominal ones count with their error rate.
        ``classification``: accuracy of predicting `y`. ``nmi``, ``ari``,
        ``clustering_accuracy``: agreement of k-means (k = number of classes) with `y`, for
        20 starts. Or a function of ``(X, X_selected, y)``; higher is better for it.
    scale : {"raw", "standard"}, default="raw"
        What distances and errors are measured in: numbers as they are, as in the paper, so that
        the columns of the largest unit decide; or in units of their standard deviations. Rankers
        always see the table as it is.
    nominal_features : names, indices or mask, optional
        Nominal columns of a plain array.
    n_random : int, default=10
        Random orders in the band of chance.
    n_jobs : int, optional
        Threads over folds and methods.
    random_state : int, default=0
        Seed of folds, random orders and k-means.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    ErrorCurves

    Examples
    --------
    >>> import numpy as np
    >>> from unsuprank import VarianceRanker
    >>> from unsuprank.evaluation import error_curve
    >>> X = np.random.default_rng(0).normal(size=(60, 6)) * [1, 1, 1, 1, 1, 9]
    >>> curves = error_curve(X, VarianceRanker(), cv=5)
    >>> curves.sizes
    array([1, 2, 4, 6])
    >>> bool(curves.beats_chance("VarianceRanker")[0] > 0.5)
    True
    """
    check_count("n_random", n_random, minimum=0)
    check_count("random_state", random_state, minimum=0, maximum=2**32 - 1)
    check_choice("scale", scale, ("raw", "standard"))
    methods = read_methods(ranker_or_order)
    table = read_table(X, nominal_features=nominal_features)
    judged = table if scale == "raw" else in_standard_units(table)
    judge = make_judge(measure, model, judged, y, random_state)
    wanted = read_sizes(sizes, table.n_columns)
    folds = split_rows(judge.default_cv if cv == "auto" else cv, table.n_rows, random_state)
    names = [*methods, *(f"random {draw}" for draw in range(n_random))]
    own = isinstance(X, Table) or is_anndata(X)
    source = table if own else X.tocsr() if sparse.issparse(X) else X

    def work(name: str, f: int) -> JudgedFold:
        def learn(train: np.ndarray) -> dict[str, np.ndarray]:
            if name in methods:
                return {name: learn_order(methods[name], rows_of(source, train), table.n_columns)}
            return {name: random_order(table.n_columns, random_state, names.index(name), f)}

        return judge_fold(folds[f], learn, judge, wanted)

    jobs = [(name, f) for name in names for f in range(len(folds))]
    found = iter(_run(work, jobs, n_jobs, verbose))
    results = {name: [next(found) for _ in folds] for name in names}
    values = {name: np.vstack([fold.values[name] for fold in results[name]]) for name in names}
    random = [values.pop(name) for name in names[len(methods) :]]
    shape = (n_random, *values[names[0]].shape)
    return ErrorCurves(
        sizes=wanted,
        values=values,
        random=np.array(random).reshape(shape),
        orders={name: np.array([fold.orders[name] for fold in results[name]]) for name in methods},
        test_rows=tuple(test for _, test in folds),
        measure=judge.name,
        higher_is_better=judge.higher_is_better,
        random_state=random_state,
    )


def _run(work: Callable, jobs: Sequence[tuple], n_jobs: int | None, verbose: int) -> list[Any]:
    """What `work` makes of each job, in their order."""

    def one(first: int, _stop: int) -> Any:
        return work(*jobs[first])

    alone = effective_n_jobs(n_jobs) == 1
    with (
        nullcontext() if alone else one_blas_thread(),
        progress("evaluating rankings", len(jobs), verbose) as bar,
    ):
        return list(in_batches(one, len(jobs), n_jobs=n_jobs, batch_size=1, progress=bar))
