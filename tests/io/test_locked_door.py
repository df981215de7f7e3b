"""Whatever a file does to the library that reads it becomes a sentence, and costs nothing else."""

from __future__ import annotations

import gzip
import io
import os
import signal
import sys
import threading
import zipfile

import numpy as np
import pytest
import systems
from scipy.io import savemat

from unsuprank.io import FileProblem, ReadOptions, locked_door, open_large, parsers, read_file
from unsuprank.io import read as read_module

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")
pytestmark = systems.linux  # elsewhere time is limited, and memory where the system can

OVER_BUDGET = r"cannot be read within its budget of [\d,]+ MB of memory and \d+ s"


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(np.arange(12.0).reshape(4, 3)).write_h5ad(path)
    return path


def crash(*_) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def go_round_in_circles(*_) -> None:
    while True:
        pass


def wait_for_good(*_) -> None:
    threading.Event().wait()


def ask_for_much(*_) -> None:
    np.ones(2**29)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (crash, "SIGSEGV"),
        (go_round_in_circles, "SIGKILL|SIGXCPU|after 4 s"),
        (wait_for_good, "after 4 s"),
    ]
    + [(ask_for_much, "budget of [0-9,]+ MB of memory and 1 s")],
)
def test_the_end_of_a_reader_is_told(cells, monkeypatch, end, said):
    monkeypatch.setattr(locked_door, "SECONDS", 1)
    for name in ("h5ad", "hdf5"):
        monkeypatch.setitem(parsers.READERS, name, end)
    for read in (read_file, lambda path: open_large(path, ReadOptions(), memory=0)):
        with pytest.raises(FileProblem, match=OVER_BUDGET + f".*({said})|{said}"):
            read(cells)


def test_an_interrupt_ends_the_reader(cells, monkeypatch):
    def interrupt(*_) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(parsers.READERS, "h5ad", go_round_in_circles)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_file(cells)
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ChildProcessError):  # there is none left
        os.waitpid(-1, os.WNOHANG)


def test_beside_threads_a_fresh_interpreter_reads(cells, monkeypatch):
    expected = read_file(cells).table().values
    monkeypatch.setattr(locked_door, "_fork", pytest.fail)
    done = threading.Event()
    busy = threading.Thread(target=done.wait)
    busy.start()
    try:
        np.testing.assert_array_equal(read_file(cells).table().values, expected)
        cells.write_bytes(cells.read_bytes()[:2000])
        with pytest.raises(FileProblem, match=r"cells\.h5ad is not a readable \.h5ad file"):
            read_file(cells)
        monkeypatch.setattr(locked_door, "WALL", 0)  # within which nobody starts
        with pytest.raises(FileProblem, match=OVER_BUDGET):
            read_file(cells)
    finally:
        done.set()
        busy.join()


def external_link(stored, other):
    stored["X"] = h5py.ExternalLink(str(other), "secret")


def external_storage(stored, other):
    stored.create_dataset("X", (4, 3), "f8", external=[(str(other), 0, h5py.h5f.UNLIMITED)])


def virtual(stored, other):
    layout = h5py.VirtualLayout((4, 3), "f8")
    layout[:] = h5py.VirtualSource(str(other), "secret", (4, 3))
    stored.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("lead", [external_link, external_storage, virtual])
@pytest.mark.parametrize("fifo", [False, True])
@pytest.mark.parametrize("ending", [".h5ad", ".mat"])
def test_what_leads_to_another_file_is_not_followed(tmp_path, cells, lead, fifo, ending):
    other = tmp_path / "secret.h5"
    if fifo:
        os.mkfifo(other)
    else:
        with h5py.File(other, "w") as stored:
            stored["secret"] = np.ones((4, 3))
    path = tmp_path / f"t{ending}"
    if ending == ".h5ad":
        cells.rename(path)
        with h5py.File(path, "r+") as stored:
            del stored["X"]
            lead(stored, other)
    else:
        with h5py.File(path, "w", userblock_size=512) as stored:
            lead(stored, other)
        with path.open("r+b") as stream:
            stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    reads = [read_file]
    if ending == ".h5ad":
        reads += [lambda path: open_large(path, ReadOptions(), memory=0)]
    for read in reads:
        with pytest.raises(FileProblem, match="takes 'X' from another file"):
            read(path)


def workbook(path, sheet, place="xl/worksheets/sheet1.xml"):
    """A workbook of one sheet, as small as can be."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stored:
        stored.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{space}" xmlns:r="{kind}"><sheets>'
            '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        stored.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{kind}/worksheet" '
            f'Target="{place.removeprefix("xl/")}"/></Relationships>',
        )
        stored.writestr(
            place, f'<worksheet xmlns="{space}"><sheetData>{sheet}</sheetData></worksheet>'
        )


FAR = (
    '<row r="1"><c r="A1"><v>1</v></c></row><row {}="1048576"><c {}="XFD1048576"><v>1</v></c></row>'
)


def far_cell(path):
    workbook(path, FAR.format("r", "r"))


def far_cell_elsewhere(path):
    workbook(path, FAR.format(" r ", "  r "), "xl/Worksheets/sheet1.xml")


def many_openings(path):
    workbook(path, "<row>" + "<c " * 400_000 + "</row>")


def far_cell_of_libreoffice(path):
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    cells = (
        '<table:table-row table:number-rows-repeated="1048575"><table:table-cell '
        'table:number-columns-repeated="16383" office:value-type="float" office:value="1"/>'
        "</table:table-row>"
    )
    with zipfile.ZipFile(path, "w") as stored:
        stored.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        stored.writestr("META-INF/manifest.xml", "<manifest/>")
        stored.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{office}office:1.0" '
            f'xmlns:table="{office}table:1.0"><office:body><office:spreadsheet>'
            f'<table:table table:name="s">{cells}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def values_without_size(path):
    path.write_bytes(header("|V0", 2**40))


def texts_without_size(path):
    path.write_bytes(header("<U0", 2**31))


def header(dtype, n_values):
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({n_values},)}}".encode()
    head = head.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head


def zeros(path):
    np.savez_compressed(path, X=np.zeros((7_000, 7_000), dtype=np.int8))


def packed_zeros(path):
    savemat(path, {"X": np.zeros((6_000, 6_000))}, do_compression=True)


def nested(path):
    """Arrays of cells in arrays of cells, each of them empty, a few bytes apiece when packed."""
    cell = np.empty((1, 40), dtype=object)
    for _ in range(4):
        inner, cell = cell, np.empty((1, 30), dtype=object)
        cell[0, :] = [inner] * 30
    savemat(path, {"X": np.eye(3), "c": cell}, do_compression=True)


def unread_chunks(path):
    anndata.AnnData(np.zeros((3, 3))).write_h5ad(path)
    with h5py.File(path, "r+") as stored:
        del stored["X"]
        stored.create_dataset("X", (30_000, 30_000), "f8", chunks=True, compression="gzip")


def one_word_of_arrow(path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ones = np.zeros(8_000_000, dtype=np.int8)
    if path.suffix == ".parquet":
        pq.write_table(pa.table({f"x{j}": ones for j in range(6)}), path)
    else:
        feather = pytest.importorskip("pyarrow.feather")
        feather.write_feather(pa.table({f"x{j}": ones for j in range(6)}), path, "zstd")


@pytest.mark.parametrize(
    ("write", "name"),
    [(far_cell, "t.xlsx"), (far_cell_elsewhere, "t.xlsx"), (many_openings, "t.xlsx")]
    + [(far_cell_of_libreoffice, "t.ods"), (values_without_size, "t.npy")]
    + [(texts_without_size, "t.npy"), (zeros, "t.npz"), (packed_zeros, "t.mat")]
    + [(unread_chunks, "t.h5ad"), (one_word_of_arrow, "t.parquet")]
    + [(one_word_of_arrow, "t.feather")],
)
def test_small_files_of_large_cost(tmp_path, monkeypatch, write, name):
    monkeypatch.setattr(locked_door, "ALWAYS", 2**28)
    write(tmp_path / name)
    with pytest.raises(FileProblem) as problem:
        read_file(tmp_path / name)
    assert str(problem.value).startswith(name)


def test_texts_that_unpack_into_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(locked_door, "ALWAYS", 2**22)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 2**20))
    with pytest.raises(FileProblem, match="more than its budget of 1 MB of text"):
        read_file(path)
    names = "".join(f"@attribute a{j} numeric\n" for j in range(200))
    (tmp_path / "t.arff").write_text(f"@relation r\n{names}@data\n" + "{}\n" * 20_000)
    with pytest.raises(FileProblem, match=r"t\.arff cannot be read within its budget"):
        read_file(tmp_path / "t.arff")


def test_standard_input_has_a_bound(monkeypatch):
    monkeypatch.setattr(read_module, "MAX_STREAM", 2**20)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1,2\n" * 2**19)))
    with pytest.raises(FileProblem, match="standard input has more than its budget of 1 MB"):
        read_file("-")


def test_a_fifo_is_said_to_be_one(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(FileProblem, match=r"t\.csv is a FIFO \(a named pipe\), not a file"):
        read_file(tmp_path / "t.csv")
    with pytest.raises(FileProblem, match="a device or a socket"):
        read_file("/dev/null")
