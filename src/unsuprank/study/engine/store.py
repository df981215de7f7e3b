"""Results on disk, one file per cell, that survive anything.

A file is written in one step (:mod:`unsuprank.io.write`): it is either there and whole, or not
there. Its first line holds the SHA-256 of the second, which holds
the result and the identity of the cell; the file's name is the hash of that identity. A
file that fails any of this is set aside, reported, and computed again.

Several runs may share a store. A run claims a cell before it computes it, by a lock on one
byte of a common file; the system drops the lock when the process dies, however it dies.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...io.write import atomic_write
from .byte_lock import lock_byte, unlock_byte

_NAME = re.compile(r"[0-9a-f]{64}\.json")
#: What a writer leaves behind when it is killed, and the seconds after which it surely was.
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.json")
_LEFT_OVER_AFTER = 60.0

Identity = dict[str, Any]
Payload = dict[str, Any]


def canonical(value: Any) -> str:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(identity: Identity) -> str:
    """The name under which the result of a cell is kept."""
    return hashlib.sha256(canonical(identity).encode()).hexdigest()


class Store:
    """A directory of results; see the module's prose.

    Parameters
    ----------
    directory : Path
        Made if it does not exist.
    warn : callable, optional
        Told in one sentence of every file that was set aside.
    """

    def __init__(self, directory: Path, warn: Callable[[str], None] | None = None) -> None:
        self.directory = directory
        self._warn = warn or (lambda _message: None)
        directory.mkdir(parents=True, exist_ok=True)
        self._claims = (directory / ".claims").open("a+b")

    def close(self) -> None:
        """Give all claims back."""
        self._claims.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def tidy(self) -> None:
        """Set foreign files aside and remove what dead runs were writing."""
        for path in self._files():
            if _TEMPORARY.fullmatch(path.name):
                if _age(path) > _LEFT_OVER_AFTER:
                    path.unlink(missing_ok=True)
            elif not _NAME.fullmatch(path.name) or path != self._path(path.stem):
                self._set_aside(path, "it is not a result of this store")

    def get(self, identity: Identity) -> Payload | None:
        """The result of a cell, or None."""
        path = self._path(key_of(identity))
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._set_aside(path, str(error))
            return None
        payload, wrong = _unpack(content, identity)
        if wrong:
            self._set_aside(path, wrong)
            return None
        return payload

    def put(self, identity: Identity, payload: Payload) -> None:
        """Keep the result of a cell."""
        body = canonical({"cell": identity, "result": payload}).encode()
        head = canonical({"sha256": hashlib.sha256(body).hexdigest()}).encode()
        path = self._path(key_of(identity))
        path.parent.mkdir(exist_ok=True)
        atomic_write(path, head + b"\n" + body + b"\n")

    def claim(self, identity: Identity) -> bool:
        """Reserve a cell for this process; False if another process has it."""
        try:
            lock_byte(self._claims, _offset(identity))
        except OSError:
            return False
        return True

    def release(self, identity: Identity) -> None:
        """Give a claim back."""
        unlock_byte(self._claims, _offset(identity))

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / f"{key}.json"

    def _files(self) -> Iterator[Path]:
        for path in sorted(self.directory.rglob("*")):
            inside = path.relative_to(self.directory)
            if path.is_file() and inside.parts[0] not in (".claims", "aside"):
                yield path

    def _set_aside(self, path: Path, reason: str) -> None:
        aside = self.directory / "aside"
        aside.mkdir(exist_ok=True)
        number = 0
        while (target := aside / f"{path.name}.{number}").exists():
            number += 1
        try:
            os.replace(path, target)
        except FileNotFoundError:  # another run was faster
            return
        self._warn(f"{path.name} was set aside as aside/{target.name}: {reason}.")


def _unpack(content: bytes, identity: Identity) -> tuple[Payload | None, str | None]:
    head, _, rest = content.partition(b"\n")
    body = rest.removesuffix(b"\n")
    try:
        checksum = json.loads(head)["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, "it does not begin with a checksum"
    if hashlib.sha256(body).hexdigest() != checksum:
        return None, "its checksum does not match its content"
    try:
        stored = json.loads(body)
        cell, result = stored["cell"], stored["result"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, "it does not hold the result of a cell"
    if cell != json.loads(canonical(identity)):
        return None, "it holds the result of another cell"
    return result, None


def _offset(identity: Identity) -> int:
    return int(key_of(identity)[:15], 16)


def _age(path: Path) -> float:
    """Seconds since a file was changed; none for one that is no longer there."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
