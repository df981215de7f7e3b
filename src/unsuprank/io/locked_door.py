"""Binary files are parsed in a process of its own, with limits on memory and time.

So no parser has to be trusted, and none has to be written here: whatever a damaged or crafted file
does to the library that reads it ends that process, and becomes a sentence. Where no other thread
is at work, the process is a fork, which starts at once; in a process with threads a fork could wait
for good for what one of them held, and a fresh interpreter runs :mod:`.parsers` by itself.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import multiprocessing.spawn
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._temporary import TemporaryDirectory
from . import parsers
from .data_file import FileProblem
from .file_column import shorten

#: Bytes of memory that reading any file may take, and those for each byte of a larger one.
ALWAYS, GROWTH = 2**30, 200
#: Seconds of processor time that reading any file may take, and bytes for which it gets one more.
SECONDS, BYTES_A_SECOND = 20, 500_000
#: Times as many seconds may pass on the clock.
WALL = 4
#: How threads are called that hold nothing now: one waits for Ctrl-C, the others for fits.
WAITING = ("interrupts", "unsuprank_")
#: Modules that parse a kind of file, which a fork need not import once more.
_PARSED_BY = {
    "mat": "scipy.io", "h5ad": "h5py", "hdf5": "h5py", "arrow": "pyarrow.parquet",
    "workbook": "python_calamine",
}  # fmt: skip
#: How a fresh interpreter starts: with our places of modules, and without the package.
_START = (
    "import json, runpy, sys; asked = json.load(sys.stdin); sys.path[:] = asked['paths']; "
    "runpy.run_path(asked['program'])['serve'](asked)"
)


def parse(reader: str, path: Path, source: str, **wanted: Any) -> Any:
    """Let a reader of :mod:`.parsers` read a file, and give what it hands over.

    Parameters
    ----------
    reader : str
        One of :data:`.parsers.READERS`.
    path : Path
    source : str
        What the file is called in messages.
    **wanted
        What the reader is to be told.

    Raises
    ------
    FileProblem
        If the file cannot be read, or not within the limits.
    """
    memory, seconds = memory_for(path), SECONDS + path.stat().st_size // BYTES_A_SECOND
    with TemporaryDirectory() as place:
        ended = _run(
            {
                "reader": reader,
                "path": str(path.absolute()),
                "wanted": wanted,
                "place": place,
                "memory": memory,
                "seconds": seconds,
            }
        )
        answer = Path(place, "answer.json")
        if ended or not answer.exists():
            raise too_large(source, memory, seconds, f" (it ended {ended})")
        said = json.loads(answer.read_text("utf-8"))
        if "found" in said:
            return _unpack(said["found"], Path(place))
        if "too_large" in said:
            raise too_large(source, memory, seconds)
    what = {"hdf5": ".h5ad", "workbook": "workbook"}.get(reader, f".{reader}")
    raise _problem(said, source, wanted.get("kind", what))


def memory_for(path: Path) -> int:
    """How many bytes of memory reading a file may take: half of what there is at most."""
    wanted = max(ALWAYS, GROWTH * path.stat().st_size)
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return wanted
    return min(wanted, max(ALWAYS // 4, 512 * free))


def too_large(source: str, memory: int, seconds: int = 0, how: str = "") -> FileProblem:
    """The one sentence on files that cost more than they may."""
    limits = f"{memory / 2**20:,.0f} MB of memory" + (f" and {seconds} s" if seconds else "")
    return FileProblem(
        f"{source} cannot be read within its budget of {limits}{how}; check that it is not "
        "damaged, or store the table without compression, or as a sparse .npz"
    )


def _problem(said: Mapping[str, Any], source: str, what: str) -> FileProblem:
    """What a reader has to say of a file, in a sentence."""
    if "refused" in said:
        return FileProblem(f"{source} {said['refused']}")
    if "needs" in said:
        return FileProblem(
            f"{source} needs {said['needs']}; pip install 'unsuprank[io]' to read it"
        )
    if "allow_pickle=False" in said["failed"] or "Python objects" in said["failed"]:
        return FileProblem(
            f"{source} holds Python objects, which are refused because unpickling can run any "
            "code; save plain numbers instead"
        )
    return FileProblem(f"{source} is not a readable {what} file: {shorten(said['failed'], 200)}")


def _run(request: dict[str, Any]) -> str:
    """Let a process answer a request; how it ended, if not well."""
    wall = WALL * request["seconds"]
    code = _fork(request, wall) if _can_fork() else _spawn(request, wall)
    if code is None:
        return f"after {wall} s"
    return "" if code == 0 else f"by {signal.Signals(-code).name}" if code < 0 else f"with {code}"


def _can_fork() -> bool:
    """Whether a fork is known here, and no thread is at work that could hold what it needs."""
    others = (t for t in threading.enumerate() if t is not threading.current_thread())
    alone = all(thread.name.startswith(WAITING) for thread in others)
    daemon = multiprocessing.current_process().daemon  # which may have no children of this kind
    return sys.platform == "linux" and alone and not daemon


def _fork(request: Mapping[str, Any], wall: float) -> int | None:
    with contextlib.suppress(ImportError):  # which the fork will say
        importlib.import_module(_PARSED_BY.get(request["reader"], "numpy"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which wait
        context: Any = multiprocessing.get_context("fork")
        process = context.Process(target=parsers.serve, args=(request,))
        process.start()
    try:
        process.join(wall)
        return process.exitcode
    finally:
        process.kill()
        process.join()
        process.close()


def _spawn(request: dict[str, Any], wall: float) -> int | None:
    command = [multiprocessing.spawn.get_executable(), "-I", "-S", "-c", _START]
    paths = [path for path in sys.path if path]
    asked = json.dumps({**request, "paths": paths, "program": parsers.__file__})
    silent = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, input=asked.encode(), stdout=silent, stderr=silent, timeout=wall, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


def _unpack(said: Mapping[str, Any], place: Path) -> Any:
    """What a :class:`.parsers.Parcel` has packed."""
    if "fields" in said:
        return {name: _unpack(item, place) for name, item in said["fields"].items()}
    if "array" in said:
        return np.load(place / said["array"], allow_pickle=False)
    if "sparse" in said:
        from scipy import sparse

        make = sparse.csr_array if said["sparse"] == "csr" else sparse.csc_array
        return make(tuple(_unpack(part, place) for part in said["parts"]), shape=said["shape"])
    if "table" in said:
        import pyarrow as pa

        with pa.OSFile(str(place / said["table"])) as file:
            return pa.ipc.open_stream(file).read_all()
    return said["plain"]
