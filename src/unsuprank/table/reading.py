"""Reading what users hold: arrays, frames, AnnData and sparse matrices."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_dataframe
from narwhals.exceptions import DuplicateError
from scipy import sparse
from sklearn.utils import check_array

from .coding import column_major, encode_columns, find_categories, types_of_values
from .dense_table import Table
from .schema import ColumnChoice, Schema, column_mask
from .sparse_table import NUMBERS_ONLY, SparseTable, checked_matrix

MICROSECONDS_A_DAY = 86_400e6
#: Types of the values of a column of objects that may be meant as numbers, and of one that is.
NUMBERS = frozenset({int, float, np.float32, np.float64, np.int32, np.int64})
EXACT_NUMBERS = frozenset({*NUMBERS, Decimal})


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
    X : array-like, sparse matrix, pandas or polars DataFrame, AnnData, or Table
        A table is taken as it is; of an AnnData, the matrix ``X``. What is sparse becomes a
        :class:`SparseTable`.
    nominal_features : names, indices or boolean mask of nominal columns, optional
        Needed for plain arrays only: DataFrame columns that hold categories, strings,
        objects or booleans are nominal without being named, and so are columns of an array of
        objects that hold strings. Dates and times are numbers of days, decimals are numbers, and
        what is masked is missing.
    schema : Schema, optional
        Of the training table, when rows for prediction are read.
    min_rows : int
        Fewer rows are an error.
    estimator : object, optional
        Named in error messages.
    """
    if is_anndata(X):
        X = _table_of_anndata(X)
    if _has_sparse_columns(X):
        X = _table_of_sparse_frame(X)
    if sparse.issparse(X):
        X = SparseTable(checked_matrix(X), Schema(None, (None,) * X.shape[1]))
    if isinstance(X, Table):
        table = _reread(X, nominal_features, schema)
        _check_shape(table.shape, min_rows, estimator)
        return table
    frame = _as_frame(X)
    if isinstance(frame, nw.DataFrame):
        values, found = _read_frame(frame, nominal_features, schema)
    else:
        values, found = _read_array(X, nominal_features, schema, estimator)
    _check_shape(values.shape, min_rows, estimator)
    table = Table(values, found)
    _check_finite(table)
    return table


def is_anndata(X: Any) -> bool:
    """Tell whether `X` is an AnnData, without importing anndata."""
    return all(hasattr(X, name) for name in ("X", "obs_names", "var_names"))


def _table_of_anndata(adata: Any) -> Table:
    if adata.X is None:
        raise ValueError("The AnnData has no X; pass a layer of it, or its raw.to_adata().")
    table = read_table(adata.X if sparse.issparse(adata.X) else np.asarray(adata.X), min_rows=0)
    return table.renamed(str(name) for name in adata.var_names)


def _has_sparse_columns(X: Any) -> bool:
    """Whether `X` is a pandas DataFrame with a column that is sparse, all of them as a rule."""
    dtypes = X.dtypes if is_pandas_dataframe(X) else ()
    return any(hasattr(dtype, "fill_value") for dtype in dtypes)


def _table_of_sparse_frame(frame: Any) -> Table:
    dense = [name for name, dtype in frame.dtypes.items() if not hasattr(dtype, "fill_value")]
    if dense:
        raise ValueError(
            f"Some columns of the DataFrame are sparse and others are not, such as {dense[0]!r}; "
            "make all of them sparse, or all of them dense by astype(float)."
        )
    if any(dtype.fill_value != 0 for dtype in frame.dtypes):
        raise ValueError(
            "The sparse DataFrame leaves out values other than 0; pass one with fill_value=0, or "
            "frame.sparse.to_dense()."
        )
    return read_table(frame.sparse.to_coo(), min_rows=0).renamed(map(str, frame.columns))


def _as_frame(X: Any) -> Any:
    """A DataFrame of any kind as that of narwhals; anything else as it is."""
    try:
        return nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        names = getattr(X, "column_names", None) or X.columns
        name, times = Counter(names).most_common(1)[0]
        raise ValueError(
            f"{times} columns of X are called {name!r}; give each column a name of its own."
        ) from None


def _check_shape(shape: tuple[int, ...], min_rows: int, estimator: Any) -> None:
    # scikit-learn has the words for what is too small, and looks at no value.
    check_array(
        np.broadcast_to(0.0, shape),
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
        ensure_min_features=1,
        estimator=estimator,
    )


def _check_finite(table: Table) -> None:
    if table.infinite.any():
        where = table.schema.label(int(np.flatnonzero(table.infinite)[0]))
        raise ValueError(f"Input X contains infinity in {where}; replace it by a number or NaN.")


def _reread(table: Table, nominal: ColumnChoice, schema: Schema | None) -> Table:
    """A table as it is, but for columns that are declared nominal, or coded by a schema."""
    if schema is not None and isinstance(table, SparseTable):
        _check_width(table.n_columns, schema)
        return table
    if schema is not None:
        return _recoded(table, schema)
    declared = column_mask(nominal, table.n_columns, table.schema.names) & (table.n_values == 0)
    if not declared.any():
        return table
    if isinstance(table, SparseTable):
        raise ValueError(NUMBERS_ONLY)
    columns = [table.column(j) for j in np.flatnonzero(declared).tolist()]
    schema = table.schema.with_nominal(declared, [find_categories(c) for c in columns])
    return _recoded(table, schema)


def _recoded(table: Table, schema: Schema) -> Table:
    """The same values with the codes of another schema."""
    _check_width(table.n_columns, schema)
    pairs = zip(table.schema.categories, schema.categories, strict=True)
    if all(old is new or np.array_equal(old, new) for old, new in pairs):  # type: ignore[arg-type]
        return Table(table.values, schema)
    return Table(
        encode_columns([_decoded(table, j) for j in range(table.n_columns)], schema), schema
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
    if np.ma.is_masked(X):
        X = _without_mask(X)
    any_nominal = schema is not None and any(c is not None for c in schema.categories)
    if nominal is None and schema is None:
        nominal = _columns_with_texts(X)
    if nominal is None and not any_nominal:
        return _read_numeric_array(X, schema, estimator)
    raw = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    columns = [raw[:, j] for j in range(raw.shape[1])]
    if schema is None:
        schema = _schema_of(columns, column_mask(nominal, len(columns), None), None)
    _check_width(len(columns), schema)
    return encode_columns(columns, schema), schema


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


def _without_mask(X: np.ma.MaskedArray) -> np.ndarray:
    """An array in which what was masked is missing."""
    kind = np.float64 if X.dtype.kind in "iuf" else object
    return np.ma.filled(X.astype(kind), np.nan)


def _columns_with_texts(X: Any) -> np.ndarray | None:
    """Mask of the columns of an array of objects that hold texts; None if there is none."""
    if getattr(getattr(X, "dtype", None), "kind", "") != "O" or np.ndim(X) != 2:
        return None
    mask = np.array([any(isinstance(v, str) for v in column) for column in X.T], dtype=bool)
    return mask if mask.any() else None


def _read_numeric_array(X: Any, schema: Schema | None, estimator: Any) -> tuple[np.ndarray, Schema]:
    # Empty and one-row tables are judged later, with the caller's own minimum.
    sizes = {"ensure_min_samples": 0, "ensure_min_features": 0}
    is_numeric = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"  # converted as it is copied
    dtype = None if is_numeric else np.float64
    try:
        values = check_array(X, dtype=dtype, ensure_all_finite=False, estimator=estimator, **sizes)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"X holds texts ({error}); pass a DataFrame or an array of dtype object, whose columns "
            "of texts are nominal, or name them in nominal_features."
        ) from None
    if schema is None:
        schema = Schema.of_array(getattr(X, "dtype", None), values.shape[1])
    _check_width(values.shape[1], schema)
    return column_major(values), schema


def _check_width(n_columns: int, schema: Schema) -> None:
    if n_columns != schema.n_columns:
        raise ValueError(f"X has {n_columns} features, but {schema.n_columns} were expected.")


def _read_frame(
    frame: nw.DataFrame, nominal: ColumnChoice, schema: Schema | None
) -> tuple[np.ndarray, Schema]:
    dtypes = frame.schema
    names = tuple(str(name) for name in dtypes)
    numeric = [dtype.is_numeric() for dtype in dtypes.values()]
    if schema is not None:
        _check_width(len(names), schema)
    elif nominal is None and all(numeric):
        schema = Schema(names, (None,) * len(names))
    if schema is not None and all(numeric) and all(c is None for c in schema.categories):
        return column_major(frame.to_numpy()), schema
    columns = [_column_values(*column) for column in zip(frame.iter_columns(), names, strict=True)]
    if schema is None:
        named = column_mask(nominal, len(names), names)
        is_nominal = named | ~np.array([_is_ordered(column) for column in columns])
        objects = np.array([dtype == nw.Object for dtype in dtypes.values()])
        _warn_of_hidden_numbers(columns, names, objects & is_nominal & ~named)
        schema = _schema_of(columns, is_nominal, names)
    return encode_columns(columns, schema), schema


def _schema_of(
    columns: list[np.ndarray], is_nominal: np.ndarray, names: tuple[str, ...] | None
) -> Schema:
    """The schema of columns of which some are nominal."""
    categories = [find_categories(c) if is_nominal[j] else None for j, c in enumerate(columns)]
    boolean = {j for j in np.flatnonzero(is_nominal).tolist() if columns[j].dtype == np.bool_}
    return Schema(names, tuple(categories), frozenset(boolean))


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
    values = np.array([*series.to_list(), None], dtype=object)[:-1]
    for kind in set(map(type, values)):
        if kind.__hash__ is None:
            raise ValueError(
                f"Column {name!r} holds values of type {kind.__name__}; only numbers and names can "
                "be ranked."
            )
    return values


def _is_ordered(column: np.ndarray) -> bool:
    """Whether a column holds numbers, which may be exact ones as databases have them."""
    if column.dtype != object:
        return column.dtype.kind == "f"
    kinds = types_of_values(column)
    return Decimal in kinds and kinds <= EXACT_NUMBERS


def _warn_of_hidden_numbers(
    columns: list[np.ndarray], names: tuple[str, ...], suspects: np.ndarray
) -> None:
    """Tell of columns that are nominal only because they are columns of objects."""
    for j in np.flatnonzero(suspects).tolist():
        if set() < types_of_values(columns[j]) <= NUMBERS:
            warnings.warn(
                f"Column {names[j]!r} holds numbers in a column of objects and is read as nominal; "
                "use .astype(float) to rank it as numbers.",
                stacklevel=2,
            )


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
