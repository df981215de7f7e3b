"""A process that sends mutants through a door, with limits and under guard.

It is started with names of doors, a seed, and how many mutants each and from which on, in a
directory of its own, and says on standard output where it is: ``begin 17``, and ``finding 17
<what>``. A crash or a limit ends it; the last line then tells the input.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import traceback
from pathlib import Path

#: Bytes that inputs may take, and seconds of processor time each.
MEMORY, SECONDS = 2**30, 10
#: Bytes that may be asked for at all; allocators set more aside than they ever use.
ADDRESSES = 4 * 2**30

#: What no input may make us do.
FORBIDDEN = {"pickle.find_class", "os.system", "os.exec", "subprocess.Popen", "socket.connect"}
_WRITERS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.chmod", "os.link"}


class Guard:
    """Sees what the interpreter is asked to do, and keeps what it must not."""

    def __init__(self, home: Path) -> None:
        self._home = os.path.realpath(home)
        self.seen: list[str] = []
        self.on, self.index = False, 0
        # Readers are forks that have no output of their own: what they do is told at once.
        self._process, self._said = os.getpid(), os.dup(1)

    def __call__(self, event: str, arguments: tuple) -> None:
        if not self.on:
            return
        if event in FORBIDDEN:
            self._note(f"{event} {arguments[:2]}")
        elif self._writes(arguments) if event == "open" else self._moves(event, arguments):
            self._check_place(event, arguments[0])

    @staticmethod
    def _moves(event: str, arguments: tuple) -> bool:
        if event not in _WRITERS:
            return False
        # A name in a directory that is open: this is how trees of files are removed.
        return os.path.isabs(os.fsdecode(arguments[0])) or arguments[-1] in (-1, None)

    @staticmethod
    def _writes(arguments: tuple) -> bool:
        mode, flags = arguments[1], arguments[2]
        if isinstance(mode, str):
            return any(letter in mode for letter in "wax+")
        return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def _check_place(self, event: str, path: object) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        place = os.path.realpath(os.fsdecode(path))
        inside = place in (os.devnull, self._home) or place.startswith(self._home + os.sep)
        if not inside and "__pycache__" not in place:
            self._note(f"{event} outside of its own directory: {place}")

    def _note(self, what: str) -> None:
        if os.getpid() == self._process:
            self.seen.append(what)
        else:
            os.write(self._said, f"finding {self.index} {what!r}\n".encode())


def limit_addresses() -> None:
    """From now on, no more than `ADDRESSES` beyond what there is."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def peak_memory() -> int:
    """The most bytes that this process has held at any time."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def limit_time() -> None:
    """From now on, no more than `SECONDS` of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + SECONDS + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def main(names: list[str], seed: int, count: int, start: int) -> None:
    """Send mutants ``start .. len(names) * count - 1``, `count` for each door in turn."""
    from .doors import OUT, enter, find_door
    from .mutants import dice

    OUT.mkdir(exist_ok=True)
    tempfile.tempdir = os.path.realpath(OUT)
    guard = Guard(Path.cwd())
    inputs = {name: find_door(name).valid() for name in names[start // count :]}
    for name, valid in inputs.items():  # whatever is imported on the way is imported now
        for content in valid:
            enter(find_door(name), content)
    sys.addaudithook(guard)
    limit_addresses()
    before = peak = peak_memory()
    for index in range(start, len(names) * count):
        name = names[index // count]
        content = find_door(name).mutant(dice(seed, name, index % count), inputs[name])
        print("begin", index, flush=True)
        limit_time()
        guard.on, guard.index = True, index
        try:
            enter(find_door(name), content)
        except BaseException:
            guard.seen.append(traceback.format_exc(limit=-6))
        guard.on = False
        peak, last = peak_memory(), peak
        if peak > max(last, before + MEMORY):
            guard.seen.append(f"{(peak - before) / 2**30:.1f} GB of memory")
        for what in guard.seen:
            print("finding", index, repr(what), flush=True)
        guard.seen.clear()


if __name__ == "__main__":
    main(sys.argv[1].split(","), *map(int, sys.argv[2:5]))
