"""Outcomes on disk, one file per finished job, written whole or not at all.

The name of a file is the hash of all that the outcome of its job depends on. Its first line is the
SHA-256 of its second, so that a damaged file is known for one; it is deleted, and its job runs
again. Nothing is locked: two runs that share a store may do the same job twice, and both then
write the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...io.write import atomic_write

Identity = dict[str, Any]
#: What came of a job; its "status" is "done", "failed" or "limit".
Outcome = dict[str, Any]


def key_of(identity: Identity) -> str:
    """The name under which the outcome of a job is kept."""
    return hashlib.sha256(_json(identity)).hexdigest()


class Store:
    """A directory of outcomes; see the module's prose.

    Parameters
    ----------
    directory : Path
        Made if it does not exist.
    warn : callable, optional
        Told in one sentence of every file that was damaged.
    """

    def __init__(self, directory: Path, warn: Callable[[str], object] = lambda _: None) -> None:
        self.directory, self._warn = directory, warn
        directory.mkdir(parents=True, exist_ok=True)

    def get(self, identity: Identity) -> Outcome | None:
        """The outcome of a job, or None."""
        path = self.path(identity)
        try:
            checksum, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        if _sha256(body) == checksum:
            stored = json.loads(body)
            if key_of(stored["job"]) == path.stem:
                return stored["outcome"]
        path.unlink(missing_ok=True)
        self._warn(f"{path.name} was damaged and is deleted; its job runs again.")
        return None

    def put(self, identity: Identity, outcome: Outcome) -> None:
        """Keep the outcome of a job."""
        body = _json({"job": identity, "outcome": outcome})
        atomic_write(self.path(identity), _sha256(body) + b"\n" + body)

    def path(self, identity: Identity) -> Path:
        """Where the outcome of a job is, once there is one."""
        return self.directory / f"{key_of(identity)}.json"


def _json(value: Any) -> bytes:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
