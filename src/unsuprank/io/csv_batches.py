"""Text cells of a delimited file, split and read by pyarrow, some rows at a time.

pyarrow splits cells and reads plain numbers ten times as fast as loops do, but it has views of its
own on what is a number and what is missing. So it splits into texts only, and a column whose texts
all become plain numbers is done. All others are read by their *different* texts in the same way as
:mod:`.text_columns` reads cells: the result is the same, cell by cell. How the file is written
(delimiter, header, names of rows, decimal comma) is found out from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._progress import progress
from .cell_rows import Layout, Rows, find_layout, has_decimal_commas, parse_point
from .data_file import DataFile, FileProblem, ReadOptions
from .file_column import FileColumn, coded_column, shorten
from .text_columns import MISSING, as_numbers, column_of_words

#: Bytes of text that are split at a time, and more of a wide file: the work for a column is the
#: same for a block of any size.
BLOCK_BYTES, BLOCK_OF_COLUMN = 2**22, 4000
#: A number with a decimal comma, in two parts around it.
_COMMA = r"^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$"


@dataclass(frozen=True)
class CsvBatches:
    """A delimited file, and how it is written as its beginning tells.

    Parameters
    ----------
    opened : str or pyarrow.NativeFile
        A path, or the text in memory.
    source : str
    encoding : str
    delimiter : str
    rows : Rows
        The cells at the beginning.
    options : ReadOptions
    notes : list of str
        Where to say how the file is written.
    """

    opened: Any
    source: str
    encoding: str
    delimiter: str
    layout: Layout
    commas: bool
    missing: frozenset[str]

    @classmethod
    def find(
        cls,
        opened: Any,
        source: str,
        encoding: str,
        delimiter: str,
        rows: Rows,
        options: ReadOptions,
        notes: list[str],
    ) -> CsvBatches:
        """Find out from the cells at the beginning of a file how it is written, and note it."""
        if delimiter == " " or ord(delimiter) > 127 or len(rows.first) < 2:
            raise FileProblem(f"{source} cannot be read in parts; raise --memory to read it whole")
        layout = find_layout(rows, source, options.header)
        commas = has_decimal_commas(layout.body, options.decimal, delimiter)
        notes += layout.notes(commas)
        missing = MISSING | frozenset(options.na)
        return cls(opened, source, encoding, delimiter, layout, commas, missing)

    def __iter__(self) -> Iterator[Any]:
        """Yield batches of rows of texts, those of the names of rows in the first column."""
        import pyarrow as pa
        from pyarrow import csv

        names = [str(j) for j in range(self.layout.width)]
        kinds = dict.fromkeys(names, pa.string())
        try:
            with csv.open_csv(
                self.opened,
                csv.ReadOptions(
                    column_names=names,
                    skip_rows=self.layout.body.lines[0] - 1,
                    encoding=self.encoding,
                    block_size=min(max(BLOCK_BYTES, BLOCK_OF_COLUMN * len(names)), 2**30),
                ),
                csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
            ) as reader:
                yield from reader
        except pa.ArrowInvalid as error:
            raise FileProblem(
                f"{self.source} cannot be read in parts: {error}; correct it, or raise --memory"
            ) from None

    def numbers(self, cells: Any) -> np.ndarray | None:
        """Read texts as float64 with NaN where missing; None if any is not plainly a number."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.commas:
            cells = pc.replace_substring_regex(cells, _COMMA, r"\1.\2")
        numbers = _plain_numbers(cells)
        if numbers is not None:
            return numbers
        gaps = pc.is_in(cells, pa.array(sorted(self.missing)))
        if not pc.any(gaps).as_py():
            return None
        return _plain_numbers(pc.if_else(gaps, pa.scalar(None, pa.string()), cells))

    def point(self, cell: str) -> str:
        """Write the decimal comma of a number as a point, if the file has such."""
        return parse_point(cell) if self.commas else cell

    def read(self, options: ReadOptions, notes: list[str]) -> DataFile:
        """Read the whole file."""
        import pyarrow as pa

        table = pa.Table.from_batches(list(self))
        first, names = self.layout.n_titles, self.layout.names
        row_names = [self.point(c) for c in table.column(0).to_pylist()] if first else None
        columns = []
        with progress(f"reading {shorten(self.source)}", len(names)) as bar:
            for name, cells in zip(names, table.columns[first:], strict=True):
                columns.append(self._column(name, cells, options))
                bar.advance()
        title = self.layout.row_title or ""
        return DataFile(self.source, columns, row_names, notes, row_title=title)

    def _column(self, name: str, cells: Any, options: ReadOptions) -> FileColumn:
        numbers = self.numbers(cells)
        if numbers is not None:
            return FileColumn(name, numbers)
        coded = cells.combine_chunks().dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False)
        return self.column_by_words(name, coded.dictionary.to_pylist(), codes, options)

    def column_by_words(
        self, name: str, words: list[str], codes: np.ndarray, options: ReadOptions
    ) -> FileColumn:
        """Make a column of its different cells and the place of each row's cell among them."""
        words = [self.point(word) for word in words]
        numbers = as_numbers(words, self.missing)
        if numbers is not None:
            return FileColumn(name, numbers[codes])
        known = [None if w.strip() in self.missing else w.strip() for w in words]
        return column_of_words(coded_column(name, known, codes), None, options)


def _plain_numbers(cells: Any) -> np.ndarray | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = np.array(pc.cast(cells, pa.float64()), dtype=np.float64)
    except pa.ArrowInvalid:
        return None
    # Whatever else pyarrow takes for a number, such as "nan(1)", is not plain.
    return numbers if int(np.isnan(numbers).sum()) == cells.null_count else None
