"""Parquet, through pyarrow."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .data_file import (
    DataFile,
    FileColumn,
    FileProblem,
    ReadOptions,
    boolean_column,
    nominal_column,
    shorten,
)


def read_parquet(path: Path, source: str, _: ReadOptions) -> DataFile:
    """Read a Parquet file; a stored pandas index names the rows."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise FileProblem(
            f"{source}: Parquet needs pyarrow; pip install 'unsuprank[io]' to read it"
        ) from None
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise FileProblem(f"{source} is not a readable Parquet file: {error}") from None
    index = _index_names(table)
    columns, row_names = [], None
    for name, values in zip(table.column_names, table.columns, strict=True):
        if name in index:
            row_names = [str(v) for v in values.to_pylist()]
        else:
            columns.append(_column(name, values))
    notes = [] if row_names is None else ["the stored index names the rows; it is not ranked"]
    return DataFile(source, columns, row_names, notes)


def _index_names(table) -> set[str]:
    """Name the columns that a pandas index was stored in."""
    described = (table.schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in described if isinstance(name, str)}


def _column(name: str, values) -> FileColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        return nominal_column(name, values.cast(kind.value_type).to_pylist())
    if pa.types.is_boolean(kind):
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        return boolean_column(name, numbers)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return FileColumn(
            name, np.array(pc.cast(values, pa.float64(), safe=False), dtype=np.float64)
        )
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or "string_view" in str(kind):
        return nominal_column(name, values.to_pylist())
    what = "dates or times" if pa.types.is_temporal(kind) else f"values of type {kind}"
    hint = "turn it into numbers or leave it out with --drop"
    problem = f"column {shorten(name)!r} holds {what}; {hint}"
    return FileColumn(name, np.full(len(values), np.nan), np.array([]), problem=problem)
