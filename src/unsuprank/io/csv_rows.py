"""Rows of a delimited file that is larger than memory.

A text has no rows that could be looked up, so it is read once, by pyarrow, and goes into a Parquet
file in a temporary directory, which is removed when nobody needs it any more. How the file is
written (delimiter, header, names of rows, decimal comma) is found out from its beginning, as it is
of small files. Columns that the beginning shows to hold plain numbers are stored as such. If one of
them turns out to hold something else, the rest of the file is looked through for other such
columns, and it is read again with all of them as texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._progress import progress
from .._temporary import TemporaryDirectory
from .arrow_rows import column_by_words, parse_options, plain_numbers, text_options
from .cell_rows import Layout, find_decimal_comma, find_layout, point
from .data_file import FileProblem, ReadOptions, unique_names
from .delimited import SAMPLE_LENGTH, delimiter_of, first_row, split_cells
from .file_column import FileColumn
from .parquet_rows import ParquetRows
from .text_columns import MISSING, decode

#: Bytes of text that are split at a time.
BLOCK_BYTES = 2**22


@dataclass(frozen=True)
class _Writing:
    """How a file is written, as its beginning tells."""

    path: Path
    source: str
    encoding: str
    delimiter: str
    commas: bool
    layout: Layout
    missing: frozenset[str]

    @property
    def n_titles(self) -> int:
        """Columns before the first that is ranked."""
        return int(self.layout.row_title is not None)

    def batches(self) -> Iterator[Any]:
        """Yield the cells of the columns that are ranked, some rows at a time, as texts."""
        import pyarrow as pa
        from pyarrow import csv

        names = [str(j) for j in range(len(self.layout.names) + self.n_titles)]
        options = csv.ReadOptions(
            column_names=names,
            skip_rows=self.layout.body.lines[0] - 1,
            encoding=self.encoding,
            block_size=BLOCK_BYTES,
        )
        parsing, texts = parse_options(self.delimiter, quotes=True), text_options(names)
        texts.check_utf8 = True
        try:
            with csv.open_csv(self.path, options, parsing, texts) as reader:
                for batch in reader:
                    yield batch.select(names[self.n_titles :])
        except pa.ArrowInvalid as error:
            raise FileProblem(
                f"{self.source} cannot be read in parts: {error}; correct it, or raise --memory"
            ) from None


def spill_delimited(
    path: Path, source: str, options: ReadOptions, notes: list[str], nominal: tuple[str, ...] = ()
) -> ParquetRows:
    """Copy a delimited file into a temporary Parquet file, and give the rows of that."""
    writing = _find_writing(path, source, options, notes)
    place = TemporaryDirectory()
    target = Path(place.name) / "columns.parquet"
    texts: set[int] = set()
    while True:
        found = _spill(writing, target, texts)
        if found == texts:
            break
        texts = found

    def understand(name: str, words: list) -> FileColumn:
        said = [point(w) if writing.commas else w for w in words]
        return column_by_words(name, said, np.arange(len(words)), options, numbered=False)

    rows = ParquetRows(target, nominal=nominal, na=options.na, understand=understand)
    rows.place = place  # type: ignore[attr-defined]  # removed with the last that reads it
    return rows


def _find_writing(path: Path, source: str, options: ReadOptions, notes: list[str]) -> _Writing:
    with path.open("rb") as stream:
        raw = stream.read(SAMPLE_LENGTH)
    raw = raw[: raw.rfind(b"\n") + 1] or raw
    text = decode(raw, source, notes)
    delimiter = delimiter_of(text, path, options)
    found = first_row(text, delimiter)
    if found is None or delimiter == " " or len(found[0]) < 2:
        raise FileProblem(f"{source} cannot be read in parts; raise --memory to read it whole")
    layout = find_layout(split_cells(text, delimiter, source), options.header)
    if not len(layout.body):
        raise FileProblem(f"{source} has a header and no rows")
    commas = options.decimal == "," or (
        delimiter != "," and options.decimal is None and find_decimal_comma(layout.body.sample)
    )
    if commas:
        notes.append("numbers are written with a decimal comma")
    if layout.row_title is not None:
        notes.append("the first column holds the names of the rows; it is not ranked")
    missing = MISSING | frozenset(options.na)
    return _Writing(path, source, _encoding(raw, notes), delimiter, commas, layout, missing)


def _encoding(raw: bytes, notes: list[str]) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    return "latin-1" if any("Latin-1" in note for note in notes) else "utf8"


def _spill(writing: _Writing, target: Path, texts: set[int]) -> set[int]:
    """Write a Parquet file with some columns as texts; returns those that have to be."""
    import pyarrow as pa
    import pyarrow.parquet

    names = unique_names(writing.layout.names)
    needed = set(texts)
    kinds = [pa.string() if j in texts else pa.float64() for j in range(len(names))]
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    size = writing.path.stat().st_size
    with (
        pyarrow.parquet.ParquetWriter(target, schema, compression="lz4") as writer,
        progress(f"reading {writing.source}", size) as bar,
    ):
        for batch in writing.batches():
            columns = []
            for j, cells in enumerate(batch.columns):
                numbers = None if j in needed else _numbers(cells, writing)
                if numbers is None:
                    needed.add(j)
                columns.append(cells if numbers is None else numbers)
            if needed == texts:
                writer.write_batch(pa.record_batch(columns, schema=schema))
            bar.advance(batch.nbytes)
    return needed


def _numbers(cells: Any, writing: _Writing) -> Any:
    """The cells as an array of numbers; None if they are not plain ones."""
    import pyarrow as pa

    numbers = plain_numbers(cells, writing.missing, writing.commas)
    return None if numbers is None else pa.array(numbers, from_pandas=True)
