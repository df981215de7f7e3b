"""How long the runs over one store took, also those that were killed on the way."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from ...io.write import atomic_write

#: Seconds between two notes: what a kill takes from the sum.
NOTE_SECONDS = 5.0


class RunLog:
    """Notes of one run in a file that all runs share.

    Parameters
    ----------
    path : Path
        A JSON file: what each run was about, how many cells it computed, and its seconds.
    parts : sequence of str
        Parts of the study that this run is about.
    """

    def __init__(self, path: Path, parts: Sequence[str]) -> None:
        self._path, self._parts = path, ", ".join(parts)
        self._name = uuid.uuid4().hex
        self._started = time.monotonic()
        self._noted = float("-inf")

    def note(self, computed: int, *, last: bool = False) -> None:
        """Tell how far the run has come; written now and then, and at the end."""
        now = time.monotonic()
        if not computed or (now - self._noted < NOTE_SECONDS and not last):
            return
        self._noted = now
        runs = self.runs()
        runs[self._name] = {
            "parts": self._parts,
            "cells": computed,
            "seconds": round(now - self._started, 1),
        }
        atomic_write(self._path, json.dumps(runs, indent=1) + "\n")

    def runs(self) -> dict[str, dict]:
        """All runs so far, by name."""
        try:
            return dict(json.loads(self._path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return {}

    def seconds(self) -> dict[str, float]:
        """Wall time by the parts that runs were about."""
        total: dict[str, float] = {}
        for run in self.runs().values():
            total[run["parts"]] = total.get(run["parts"], 0.0) + run["seconds"]
        return total
