"""HDF5 files are walked through in a process of their own before they are read.

The HDF5 library follows what a damaged file says: it may crash, go round in a circle for good, or
ask for any amount of memory, and none of that can be caught. A fork that comes to such an end costs
nothing but the file; what is wrong with others it hands over. It reads what lies scattered in the
file, attributes and texts, and no numbers, so that it takes little time. Where processes are not
forked, the walk is left out.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from .budget import check_cells
from .data_file import FileProblem

#: Seconds of processor time that the walk may take, and bytes for which it gets one more.
SECONDS, BYTES_A_SECOND = 3, 2_000_000
#: Bytes of memory that it may take, and more for each byte of the file.
MEMORY, MEMORY_A_BYTE = 2**29, 16


def check_hdf5(path: Path, source: str) -> None:
    """Refuse a file that cannot be walked through, or that takes more than its budget."""
    import h5py

    walk_through(path, source)
    shapes: list[tuple[int, ...]] = []

    def note_shape(_: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            shapes.append(item.shape or ())

    with h5py.File(path) as stored:
        stored.visititems(note_shape)
    check_cells(shapes, path, source)


def walk_through(path: Path, source: str) -> None:
    """Refuse a file that the library does not get through; what it says of others is raised."""
    if sys.platform != "linux":
        return
    said, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the fork takes no lock but h5py's
        child = os.fork()
    if child == 0:
        _walk_and_exit(path, into)
    os.close(into)
    try:
        with os.fdopen(said, encoding="utf-8", errors="replace") as pipe:
            error = pipe.read()
        status = os.waitpid(child, 0)[1]
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    if os.WIFSIGNALED(status):
        raise FileProblem(f"{source} is damaged: the HDF5 library does not get through it")
    if status:
        raise OSError(error)


def _walk_and_exit(path: Path, into: int) -> None:  # pragma: no cover (it leaves no trace)
    code = 1
    try:
        _limit_this_process(path.stat().st_size)
        _walk(path)
        code = 0
    except Exception as error:
        os.write(into, str(error).encode("utf-8", "replace")[:1000])
    finally:
        os._exit(code)


def _limit_this_process(size: int) -> None:  # pragma: no cover (it leaves no trace)
    """Let a process come to an end by what a file of some size does not call for."""
    if sys.platform != "linux":
        return
    import resource

    faulthandler.disable()  # this process is here to crash
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    seconds = SECONDS + size // BYTES_A_SECOND
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY + MEMORY_A_BYTE * size
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _walk(path: Path) -> None:
    """Open everything that is in a file, and read all attributes and texts."""
    import h5py

    def visit(_: str, item: Any) -> None:
        for name in item.attrs:
            item.attrs[name]
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "OV":
            item[()]

    with h5py.File(path) as stored:
        visit("", stored)
        stored.visititems(visit)
