"""Rows of a delimited file that is larger than memory.

A text has no rows that could be looked up, so it is read once, by pyarrow, and goes into a Parquet
file in a temporary directory, which is removed when nobody needs it any more. Columns that the
beginning shows to hold plain numbers are stored as such. If one of them turns out to hold something
else, the rest of the file is looked through for other such columns, and it is read again with all
of them as texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._progress import progress
from .._temporary import TemporaryDirectory
from .csv_batches import CsvBatches
from .data_file import FileProblem, ReadOptions, unique_names
from .delimited import SAMPLE_LENGTH, delimiter_of, split_cells
from .file_column import FileColumn
from .parquet_rows import ParquetRows
from .text_columns import decode


def spill_delimited(
    path: Path, source: str, options: ReadOptions, notes: list[str], nominal: tuple[str, ...] = ()
) -> ParquetRows:
    """Copy a delimited file into a temporary Parquet file, and give the rows of that."""
    batches = _open(path, source, options, notes)
    place = TemporaryDirectory()
    target = Path(place.name) / "columns.parquet"
    texts: set[int] = set()
    while (found := _spill(batches, path.stat().st_size, target, texts)) != texts:
        texts = found

    def understand(name: str, words: list) -> FileColumn:
        return batches.column_by_words(name, words, np.arange(len(words)), options)

    rows = ParquetRows(target, nominal=nominal, na=options.na, understand=understand)
    rows.place = place  # type: ignore[attr-defined]  # removed with the last that reads it
    return rows


def _open(path: Path, source: str, options: ReadOptions, notes: list[str]) -> CsvBatches:
    with path.open("rb") as stream:
        raw = stream.read(SAMPLE_LENGTH)
    raw = raw[: raw.rfind(b"\n") + 1] or raw
    text = decode(raw, source, notes)
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf8"
    encoding = "latin-1" if any("Latin-1" in note for note in notes) else encoding
    delimiter = delimiter_of(text, path, options)
    rows = split_cells(text, delimiter, source)
    if not len(rows):
        raise FileProblem(f"{source} has no rows at its beginning")
    return CsvBatches.find(path, source, encoding, delimiter, rows, options, notes)


def _spill(batches: CsvBatches, size: int, target: Path, texts: set[int]) -> set[int]:
    """Write a Parquet file with some columns as texts; returns those that have to be."""
    import pyarrow as pa
    import pyarrow.parquet

    names = unique_names(batches.layout.names)
    needed = set(texts)
    kinds = [pa.string() if j in texts else pa.float64() for j in range(len(names))]
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    with (
        pyarrow.parquet.ParquetWriter(target, schema, compression="lz4") as writer,
        progress(f"reading {batches.source}", size) as bar,
    ):
        for batch in batches:
            columns: list[Any] = []
            for j, cells in enumerate(batch.columns[batches.layout.n_titles :]):
                numbers = None if j in needed else batches.numbers(cells)
                if numbers is None:
                    needed.add(j)
                columns.append(cells if numbers is None else pa.array(numbers, from_pandas=True))
            if needed == texts:
                writer.write_batch(pa.record_batch(columns, schema=schema))
            bar.advance(batch.nbytes)
    return needed
