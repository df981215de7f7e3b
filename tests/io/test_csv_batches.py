"""Cells that pyarrow splits are read as cells that loops split: the same columns, or messages."""

from __future__ import annotations

import numpy as np
import pytest

from unsuprank.io import FileProblem, ReadOptions, delimited, read_file
from unsuprank.io.csv_batches import CsvBatches
from unsuprank.io.delimited import split_cells as split

pytest.importorskip("pyarrow")

NUMBERS = ["1", "-2.5", "+3", "1e5", "1E-3", ".5", "7.", "007", "-0", "1_000", " 4", "5 ", "inf"]
ODD_NUMBERS = [
    "1e400",
    "1e-400",
    "9007199254740993",
    "0x1F",
    "nan(1)",
    "-nan",
    "Infinity",
    "١٢",
    "1d5",
]
COMMAS = ["1,5", "-0,25", ",75", "2", "1,5e3"]
WORDS = ["rye", "oats", 'a "b" c', "two\nlines", "x,y;z", "ünï", "  padded ", "", "t|t", "'q'"]
GAPS = ["", "NA", "?", " NA ", "nan", "null", "None"]
UNITS = ["5 kg", "12 kg", "7.5 kg"]
DATES = ["2020-01-03", "2021-11-30", "2020-06-01 10:00"]
KINDS = [
    NUMBERS[:8], NUMBERS, ODD_NUMBERS, COMMAS, WORDS, UNITS, DATES, ["True", "False"], ["a", "b"],
]  # fmt: skip


def random_file(rng: np.random.Generator) -> str:
    """Text of a delimited file, of which some are damaged."""
    delimiter = str(rng.choice([",", ";", "\t", "|", " "], p=[0.4, 0.3, 0.15, 0.1, 0.05]))
    n_rows, n_columns = int(rng.integers(1, 70)), int(rng.integers(1, 6))
    columns = [random_column(rng, n_rows) for _ in range(n_columns)]
    names = [str(rng.choice(["a", "b b", "id", "", "7", "x,1", "a"])) for _ in range(n_columns)]
    if rng.random() < 0.3:
        columns.insert(0, [f"r{i}" for i in range(n_rows)])
        if rng.random() < 0.5:
            names.insert(0, str(rng.choice(["", "index", "title"])))
    rows = [list(row) for row in zip(*columns, strict=True)]
    if rng.random() < 0.8:
        rows.insert(0, names)
    lines = [delimiter.join(written(c, delimiter, rng) for c in row) for row in rows]
    damage(lines, rng)
    newline = str(rng.choice(["\n", "\r\n", "\r"], p=[0.7, 0.2, 0.1]))
    return newline.join(lines) + (newline if rng.random() < 0.8 else "")


def random_column(rng: np.random.Generator, n_rows: int) -> list[str]:
    cells = [str(c) for c in rng.choice(KINDS[rng.integers(len(KINDS))], n_rows)]
    if rng.random() < 0.3:
        cells = [str(rng.choice(GAPS)) if rng.random() < 0.2 else c for c in cells]
    if rng.random() < 0.1:
        cells[rng.integers(n_rows)] = "stray"
    return cells


def written(cell: str, delimiter: str, rng: np.random.Generator) -> str:
    needed = delimiter in cell or "\n" in cell or (cell.startswith('"'))
    if needed or rng.random() < 0.1:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def damage(lines: list[str], rng: np.random.Generator) -> None:
    at = int(rng.integers(len(lines)))
    kind = rng.random()
    if kind < 0.05:
        lines[at] += ",;\t|9"
    elif kind < 0.1:
        lines.insert(at, str(rng.choice(["", "   ", '""'])))
    elif kind < 0.15:
        lines[at] = lines[at].replace("a", 'a"', 1)
    elif kind < 0.2:
        lines[at] = '"' + lines[at]
    elif kind < 0.25:
        lines[at] = lines[at].replace("r", '"r"x', 1)


@pytest.fixture(autouse=True)
def any_text_is_long_enough(monkeypatch):
    monkeypatch.setattr(delimited, "LEAST_OF_COLUMN", 0)


def reading(path, options, monkeypatch, length):
    """Everything that can be known of a file that was read, or the message."""
    monkeypatch.setattr(delimited, "ARROW_LENGTH", length)
    try:
        data = read_file(path, options)
    except FileProblem as problem:
        return str(problem)
    columns = [
        (
            c.name,
            c.values.tobytes() if c.categories is not None else (c.values + 0.0).tobytes(),
            None if c.categories is None else c.categories.tolist(),
            c.problem,
            c.note,
            c.texts() if c.as_written is not None else None,
        )
        for c in data.columns
    ]
    return data.notes, data.row_names, data.row_title, columns


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(300))
def test_random_files_are_read_the_same(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / f"random{rng.choice(['.csv', '.txt', '.tsv'], p=[0.6, 0.3, 0.1])}"
    encoding = str(rng.choice(["utf-8", "utf-8-sig", "utf-16"], p=[0.8, 0.1, 0.1]))
    path.write_bytes(random_file(rng).encode(encoding))
    options = ReadOptions(
        decimal=None if rng.random() < 0.8 else str(rng.choice([",", "."])),
        na=() if rng.random() < 0.8 else ("rye", "-2.5"),
        header=None if rng.random() < 0.8 else bool(rng.random() < 0.5),
    )
    by_loops = reading(path, options, monkeypatch, 2**60)
    by_arrow = reading(path, options, monkeypatch, 0)
    assert by_arrow == by_loops


def test_large_files_go_through_arrow(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "split_cells", lambda t, d, s: split(t[:60], d, s))
    monkeypatch.setattr(delimited, "ARROW_LENGTH", 10)
    path = tmp_path / "plain.csv"
    path.write_text("a,b,c\n" + "1,2.5,x\n3,NA,y\n" * 20)
    data = read_file(path)
    assert data.n_rows == 40
    assert [c.categories is None for c in data.columns] == [True, True, False]
    assert np.isnan(data.columns[1].values).sum() == 20


@pytest.mark.parametrize("n_rows", [2, 300])
def test_wide_files_are_read_by_the_faster_way(tmp_path, monkeypatch, n_rows):
    """pyarrow takes about 20 kB for each column of each block, whatever is in it."""
    used = []
    read = CsvBatches.read
    monkeypatch.setattr(CsvBatches, "read", lambda *a: used.append(a) or read(*a))
    monkeypatch.setattr(delimited, "LEAST_OF_COLUMN", 1000)
    monkeypatch.setattr(delimited, "ARROW_LENGTH", 1000)
    path, n_columns = tmp_path / "wide.csv", 70_000 // n_rows
    names, cells = [f"g{j}" for j in range(n_columns)], np.arange(n_columns)
    path.write_text("\n".join([",".join(names), *[",".join(map(str, cells))] * n_rows]) + "\n")
    data = read_file(path)
    assert (not used) == (n_rows == 2)
    assert data.names == names
    assert all((c.values == j).all() for j, c in enumerate(data.columns))


def test_messages_name_the_line(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "ARROW_LENGTH", 10)
    path = tmp_path / "short.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n")
    with pytest.raises(FileProblem, match="line 3: 1 values where 2 are expected"):
        read_file(path)
    path.write_text("a,b\n" + "1,2\n" * 20 + "3,oops\n")
    with pytest.raises(FileProblem, match="line 22 says 'oops'"):
        read_file(path).table()
