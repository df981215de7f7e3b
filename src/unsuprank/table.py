"""Any input a user may hold, read into typed columns.

Every ranker works on a :class:`Table`: one float64 matrix in Fortran order, so that a
column is contiguous, where nominal columns hold the codes ``0 .. k-1`` of their values
and NaN marks what is missing. A :class:`Schema` remembers names and nominal values, so
that new rows are read the way the training rows were.

A table is made once, by :func:`read_table` or by a reader of files, and then handed on: every
ranker, plot, report and function of the evaluation takes it as it is. The rest of the package
asks it for parts (:meth:`Table.take`), for single columns and for samples of rows, so that
other kinds of storage can find their place behind the same questions.

Everything is converted to float64 before any arithmetic: unsigned integers never wrap.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from . import _kernels

MICROSECONDS_A_DAY = 86_400e6

#: How columns are named: names, patterns of names, indices or a mask.
ColumnChoice = str | Sequence[str] | Sequence[int] | np.ndarray | None


@dataclass(frozen=True)
class Schema:
    """Names and kinds of the columns of a table."""

    names: tuple[str, ...] | None
    #: Per column: the sorted values of a nominal column, None for a numeric one.
    categories: tuple[np.ndarray | None, ...]
    #: Columns that were boolean; they are nominal with two values, and 0/1 for
    #: methods that know numbers only.
    boolean: frozenset[int] = field(default_factory=frozenset)

    @property
    def n_columns(self) -> int:
        return len(self.categories)

    def label(self, column: int) -> str:
        """How messages call a column."""
        return f"column {column}" if self.names is None else f"column {self.names[column]!r}"

    def take(self, columns: np.ndarray) -> Schema:
        """The schema of some columns, in the order given."""
        picked = columns.tolist()
        return Schema(
            None if self.names is None else tuple(self.names[j] for j in picked),
            tuple(self.categories[j] for j in picked),
            frozenset(i for i, j in enumerate(picked) if j in self.boolean),
        )

    def with_nominal(self, nominal: np.ndarray, categories: Sequence[np.ndarray]) -> Schema:
        """The schema in which the columns of a mask are nominal, with values of their own."""
        found = list(self.categories)
        for j, values in zip(np.flatnonzero(nominal).tolist(), categories, strict=True):
            found[j] = values
        return Schema(self.names, tuple(found), self.boolean)


@dataclass(frozen=True)
class Table:
    """Typed columns; see the module's prose."""

    values: np.ndarray
    schema: Schema

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, self.n_columns

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; x0, x1, ... where nothing names them."""
        names = self.schema.names
        return [f"x{j}" for j in range(self.n_columns)] if names is None else list(names)

    def column(self, j: int) -> np.ndarray:
        """Values of one column: numbers, or codes of nominal values; NaN is missing."""
        return self.values[:, j]

    def take(self, rows: Any = None, columns: Any = None) -> Table:
        """Part of the table; names, nominal values and what was boolean are kept.

        Parameters
        ----------
        rows, columns : indices or boolean mask, optional
            All by default. Indices may repeat and come in any order. Of a mask that keeps all
            columns, and no rows named, the table itself.
        """
        if rows is None and _keeps_all(columns):
            return self
        picked = None if columns is None else _as_indices(columns)
        values = self.values if rows is None else self.values[_as_indices(rows)]
        if picked is not None:
            values = values[:, picked]
        schema = self.schema if picked is None else self.schema.take(picked)
        return Table(np.asfortranarray(values), schema)

    def sample_rows(self, most: int, seed: int = 0) -> np.ndarray:
        """Indices of at most `most` rows, in order; all of them if there are no more."""
        if self.n_rows <= most:
            return np.arange(self.n_rows)
        return np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False))

    @cached_property
    def n_values(self) -> np.ndarray:
        """Number of values of each nominal column; 0 for numeric columns."""
        categories = self.schema.categories
        if set(map(type, categories)) <= {type(None)}:  # the quick way for wide numeric tables
            return np.zeros(len(categories), dtype=np.int32)
        return np.array([0 if c is None else len(c) for c in categories], dtype=np.int32)

    @cached_property
    def _flags(self) -> np.ndarray:
        return _kernels.column_flags(self.values)

    @property
    def missing(self) -> np.ndarray:
        """Whether each column has missing values."""
        return (self._flags & _kernels.MISSING) != 0

    @property
    def varies(self) -> np.ndarray:
        """Whether each column has at least two different known values."""
        return (self._flags & _kernels.VARIES) != 0

    @property
    def infinite(self) -> np.ndarray:
        """Whether each column has infinities; `read_table` refuses them."""
        return (self._flags & _kernels.INFINITE) != 0

    def require_complete(self, who: str, others: Sequence[str]) -> None:
        """Refuse missing values with a message that says who takes them."""
        if self.missing.any():
            where = self.schema.label(int(np.flatnonzero(self.missing)[0]))
            raise ValueError(
                f"{who} cannot take missing values (NaN), and {where} has some; fill them in, or "
                f"use a ranker that accepts them: {', '.join(others)}."
            )

    def require_numeric(self, who: str, others: Sequence[str]) -> None:
        """Refuse nominal columns with a message that says who takes them."""
        for j in np.flatnonzero(self.n_values):
            if int(j) not in self.schema.boolean:
                raise ValueError(
                    f"{who} needs numbers, and {self.schema.label(int(j))} is nominal; encode or "
                    f"drop it, or use a ranker that accepts it: {', '.join(others)}."
                )


def read_table(
    X: Any,
    *,
    nominal_features: ColumnChoice = None,
    schema: Schema | None = None,
    min_rows: int = 2,
    estimator: Any = None,
) -> Table:
    """Read `X` into a table; with `schema`, the way the table of that schema was read.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, AnnData, or Table
        A table is taken as it is; of an AnnData, the matrix ``X``.
    nominal_features : names, indices or boolean mask of nominal columns, optional
        Needed for plain arrays only: DataFrame columns that hold categories, strings,
        objects or booleans are nominal without being named, and so are columns of an array of
        objects that hold strings. Dates and times are numbers of days.
    schema : Schema, optional
        Of the training table, when rows for prediction are read.
    min_rows : int
        Fewer rows are an error.
    estimator : object, optional
        Named in error messages.
    """
    if sparse.issparse(X):
        raise TypeError(
            "Sparse input is not supported: pass a dense array, for instance X.toarray()."
        )
    if is_anndata(X):
        X = _table_of_anndata(X)
    if isinstance(X, Table):
        table = _reread(X, nominal_features, schema)
        _check_shape(table.values, min_rows, estimator)
        return table
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        values, found = _read_frame(frame, nominal_features, schema)
    else:
        values, found = _read_array(X, nominal_features, schema, estimator)
    _check_shape(values, min_rows, estimator)
    table = Table(values, found)
    _check_finite(table)
    return table


def is_anndata(X: Any) -> bool:
    """Tell whether `X` is an AnnData, without importing anndata."""
    return all(hasattr(X, name) for name in ("X", "obs_names", "var_names"))


def _table_of_anndata(adata: Any) -> Table:
    if adata.X is None:
        raise ValueError("The AnnData has no X; pass a layer of it, or its raw.to_adata().")
    matrix = adata.X.toarray() if sparse.issparse(adata.X) else adata.X
    table = read_table(np.asarray(matrix), min_rows=0)
    names = tuple(str(name) for name in adata.var_names)
    return Table(table.values, Schema(names, table.schema.categories, table.schema.boolean))


def _check_shape(values: np.ndarray, min_rows: int, estimator: Any) -> None:
    check_array(
        values,
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
        ensure_min_features=1,
        estimator=estimator,
    )


def _check_finite(table: Table) -> None:
    if table.infinite.any():
        where = table.schema.label(int(np.flatnonzero(table.infinite)[0]))
        raise ValueError(f"Input X contains infinity in {where}; replace it by a number or NaN.")


def _keeps_all(columns: Any) -> bool:
    """Whether a mask, or none at all, leaves no column out."""
    return columns is None or (getattr(columns, "dtype", None) == np.bool_ and bool(columns.all()))


def _as_indices(wanted: Any) -> np.ndarray:
    wanted = np.asarray(wanted)
    return np.flatnonzero(wanted) if wanted.dtype == np.bool_ else wanted.astype(np.intp)


def _reread(table: Table, nominal: ColumnChoice, schema: Schema | None) -> Table:
    """A table as it is, but for columns that are declared nominal, or coded by a schema."""
    if schema is not None:
        return _recoded(table, schema)
    declared = column_mask(nominal, table.n_columns, table.schema.names) & (table.n_values == 0)
    if not declared.any():
        return table
    columns = [table.column(j) for j in np.flatnonzero(declared).tolist()]
    schema = table.schema.with_nominal(declared, [_find_categories(c) for c in columns])
    return _recoded(table, schema)


def _recoded(table: Table, schema: Schema) -> Table:
    """The same values with the codes of another schema."""
    _check_width(table.n_columns, schema)
    pairs = zip(table.schema.categories, schema.categories, strict=True)
    if all(old is new or np.array_equal(old, new) for old, new in pairs):  # type: ignore[arg-type]
        return Table(table.values, schema)
    return Table(
        _encode_columns([_decoded(table, j) for j in range(table.n_columns)], schema), schema
    )


def _decoded(table: Table, j: int) -> np.ndarray:
    """The values of a column as they were before they were coded."""
    column, categories = table.column(j), table.schema.categories[j]
    if categories is None:
        return column
    known = ~np.isnan(column)
    values = np.full(len(column), None, dtype=object)
    values[known] = np.asarray(categories, dtype=object)[column[known].astype(int)]
    return values


def _read_array(
    X: Any, nominal: ColumnChoice, schema: Schema | None, estimator: Any
) -> tuple[np.ndarray, Schema]:
    _refuse_what_is_no_table(X)
    any_nominal = schema is not None and any(c is not None for c in schema.categories)
    if nominal is None and schema is None:
        nominal = _columns_with_texts(X)
    if nominal is None and not any_nominal:
        return _read_numeric_array(X, schema, estimator)
    raw = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    columns = [raw[:, j] for j in range(raw.shape[1])]
    if schema is None:
        is_nominal = column_mask(nominal, raw.shape[1], None)
        categories = tuple(
            _find_categories(c) if is_nominal[j] else None for j, c in enumerate(columns)
        )
        schema = Schema(None, categories)
    _check_width(len(columns), schema)
    return _encode_columns(columns, schema), schema


def _refuse_what_is_no_table(X: Any) -> None:
    """Say what to do with things that people try and NumPy has no words for."""
    if isinstance(X, (str, PathLike)):
        raise TypeError("X is the name of a file; read it: unsuprank.io.read_file(path).table().")
    if callable(getattr(X, "table", None)):
        raise TypeError(f"X is a {type(X).__name__}; pass the table that it holds: X.table().")
    if X is None or isinstance(X, Mapping):
        raise TypeError(
            f"X is {'None' if X is None else 'a dict'}; pass an array, a DataFrame, an AnnData or "
            "a Table."
        )


def _columns_with_texts(X: Any) -> np.ndarray | None:
    """Mask of the columns of an array of objects that hold texts; None if there is none."""
    if getattr(getattr(X, "dtype", None), "kind", "") != "O" or np.ndim(X) != 2:
        return None
    mask = np.array([any(isinstance(v, str) for v in column) for column in X.T], dtype=bool)
    return mask if mask.any() else None


def _read_numeric_array(X: Any, schema: Schema | None, estimator: Any) -> tuple[np.ndarray, Schema]:
    # Empty and one-row tables are judged later, with the caller's own minimum.
    sizes = {"ensure_min_samples": 0, "ensure_min_features": 0}
    try:
        values = check_array(
            X, dtype=np.float64, order="F", ensure_all_finite=False, estimator=estimator, **sizes
        )
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"X holds texts ({error}); pass a DataFrame or an array of dtype object, whose columns "
            "of texts are nominal, or name them in nominal_features."
        ) from None
    if schema is None:
        n = values.shape[1]
        boolean = getattr(X, "dtype", None) == np.bool_
        categories = (np.array([False, True]) if boolean else None,) * n
        schema = Schema(None, categories, frozenset(range(n) if boolean else ()))
    _check_width(values.shape[1], schema)
    return values, schema


def _check_width(n_columns: int, schema: Schema) -> None:
    if n_columns != schema.n_columns:
        raise ValueError(f"X has {n_columns} features, but {schema.n_columns} were expected.")


def _read_frame(
    frame: nw.DataFrame, nominal: ColumnChoice, schema: Schema | None
) -> tuple[np.ndarray, Schema]:
    dtypes = frame.schema
    names = tuple(str(name) for name in dtypes)
    numeric = [dtype.is_numeric() for dtype in dtypes.values()]
    ordered = [dtype.is_numeric() or dtype.is_temporal() for dtype in dtypes.values()]
    if schema is not None:
        _check_width(len(names), schema)
    elif nominal is None and all(numeric):
        schema = Schema(names, (None,) * len(names))
    if schema is not None and all(numeric) and all(c is None for c in schema.categories):
        return np.asfortranarray(frame.to_numpy(), dtype=np.float64), schema
    columns = [_column_values(frame[name], name) for name in dtypes]
    if schema is None:
        is_nominal = column_mask(nominal, len(names), names) | ~np.array(ordered)
        categories = tuple(
            _find_categories(c) if is_nominal[j] else None for j, c in enumerate(columns)
        )
        boolean = frozenset(j for j, c in enumerate(columns) if c.dtype == np.bool_)
        schema = Schema(names, categories, boolean)
    return _encode_columns(columns, schema), schema


def _column_values(series: nw.Series, name: str) -> np.ndarray:
    dtype = series.dtype
    if dtype.is_numeric():
        return series.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False)
    if dtype == nw.Boolean:
        if series.null_count() == 0:
            return series.to_numpy().astype(bool)
    elif dtype.is_temporal():
        warnings.warn(f"Column {name!r} holds dates or times; they are read as days.", stacklevel=2)
        return _days(series)
    elif dtype.is_nested():
        raise ValueError(f"Column {name!r} holds {dtype}; only numbers and names can be ranked.")
    return np.array([*series.to_list(), None], dtype=object)[:-1]


def _days(series: nw.Series) -> np.ndarray:
    """Days since 1970-01-01 of dates, and lengths or times of day in days; NaN where missing."""
    dtype = series.dtype
    if dtype == nw.Time:
        times = [None if t is None else t.isoformat() for t in series.to_list()]
        stamps = np.array([t and f"1970-01-01T{t}" for t in times], dtype="datetime64[us]")
    elif dtype == nw.Duration:
        stamps = series.to_numpy().astype("timedelta64[us]")
    else:
        if getattr(dtype, "time_zone", None) is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        stamps = series.to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64) / MICROSECONDS_A_DAY)


def column_mask(
    wanted: ColumnChoice,
    n_columns: int,
    names: tuple[str, ...] | None,
    parameter: str = "nominal_features",
) -> np.ndarray:
    """Mask of the columns that somebody names, by `parameter`, in one of many ways.

    Names may be patterns: ``"MT-*"`` is all columns whose names begin so.
    """
    mask = np.zeros(n_columns, dtype=bool)
    if wanted is None:
        return mask
    items = np.atleast_1d(np.asarray(wanted))  # one name or number is as good as a list of it
    if items.dtype == np.bool_:
        if items.shape != (n_columns,):
            raise ValueError(
                f"{parameter} as a mask needs one entry per column ({n_columns}), got {items.size}."
            )
        return items.copy()
    for item in items.tolist():
        mask[_column_indices(item, n_columns, names, parameter)] = True
    return mask


def _column_indices(
    item: Any, n_columns: int, names: tuple[str, ...] | None, parameter: str
) -> list[int]:
    if names is not None and item in names:
        return [names.index(item)]
    if isinstance(item, int) and 0 <= item < n_columns:
        return [item]
    if names is not None and isinstance(item, str):
        found = [j for j, name in enumerate(names) if fnmatchcase(name, item)]
        if found:
            return found
    raise ValueError(
        f"{parameter} names {item!r}, which is not a column; X has {n_columns} columns"
        + ("." if names is None else f": {', '.join(names[:8])}{' ...' if n_columns > 8 else ''}.")
    )


def _known(column: np.ndarray) -> np.ndarray:
    """Mask of the values that are not missing (None, NaN, NA, NaT)."""
    if column.dtype != object:
        return column == column
    # None is not equal to None here, and NaN is never equal to itself; pandas' NA makes
    # comparisons undefined, hence the explicit loop.
    return np.fromiter(
        (v is not None and type(v).__name__ != "NAType" and v == v for v in column),
        dtype=bool,
        count=len(column),
    )


def code_values(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the values of a nominal column, NaN where one is missing, and its sorted values."""
    categories = _find_categories(column)
    return _codes(column, categories), categories


def _find_categories(column: np.ndarray) -> np.ndarray:
    if column.dtype == np.bool_:
        return np.array([False, True])
    known = column[_known(column)]
    try:
        return np.unique(known)
    except TypeError:  # values of several types have no order of their own
        distinct = sorted(set(known.tolist()), key=lambda v: (type(v).__name__, str(v)))
        return np.array([*distinct, None], dtype=object)[:-1]


def _encode_columns(columns: list[np.ndarray], schema: Schema) -> np.ndarray:
    n_rows = len(columns[0]) if columns else 0
    values = np.empty((n_rows, len(columns)), dtype=np.float64, order="F")
    for j, (column, categories) in enumerate(zip(columns, schema.categories, strict=True)):
        if categories is None:
            values[:, j] = _as_numbers(column, schema.label(j))
        else:
            values[:, j] = _codes(column, categories)
    return values


def _as_numbers(column: np.ndarray, label: str) -> np.ndarray:
    if column.dtype == object:
        column = np.where(_known(column), column, np.nan)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{label.capitalize()} should hold numbers: {error}. If it holds names, list it in "
            "nominal_features or give a DataFrame."
        ) from None


def _codes(column: np.ndarray, categories: np.ndarray) -> np.ndarray:
    """Position of each value in `categories`; NaN for missing and unseen values."""
    position = {value: code for code, value in enumerate(categories.tolist())}
    known = _known(column)
    codes = np.full(len(column), np.nan)
    codes[known] = [position.get(value, np.nan) for value in column[known].tolist()]
    return codes
