"""The scikit-feature collection: names, shapes, sizes and checksums, and how it is downloaded.

The files are those of the GitHub repository jundongl/scikit-feature, commit
48cffad4e88ff4b9d2f1c7baffb314d1b3303792, directory ``skfeature/data``. Where no copy was at
hand, only the shape is known, and ``checksum`` is None: such a file is verified by its
shape alone, and only when that is asked for.

A download is resumed after a cut, verified, and never half there. Bytes go to a hidden file beside
the target. A connection that breaks is taken up again where it stopped, as long as every few
attempts make progress. Only a file that passed its check gets its name; whatever fails leaves
nothing behind.
"""

from __future__ import annotations

import csv
import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO

from ..._progress import Progress, progress
from ...io import FileProblem
from ...io.write import atomic_path
from .data_sets import file_checksum, load_data_set

#: Where the collection is published.
BASE_URL = "https://raw.githubusercontent.com/jundongl/scikit-feature/master/skfeature/data"


@dataclass(frozen=True)
class KnownFile:
    """One file of the collection."""

    name: str
    rows: int
    columns: int
    size: int | None = None
    checksum: str | None = None


def _read() -> dict[str, KnownFile]:
    text = (files(__package__) / "assets" / "collection.csv").read_text("utf-8")
    return {
        name: KnownFile(name, int(rows), int(columns), int(size or 0) or None, checksum or None)
        for name, rows, columns, size, checksum in list(csv.reader(text.splitlines()))[1:]
    }


#: The collection by name.
COLLECTION = _read()
#: Attempts in a row without a new byte before a download is given up.
ATTEMPTS = 4
_CHUNK = 1 << 16


def fetch(
    name: str,
    directory: Path,
    *,
    base_url: str = BASE_URL,
    verify: bool = True,
    verbose: int = 0,
    pause: float = 1.0,
) -> Path:
    """Download one data set into `directory`, unless it is there and right.

    Parameters
    ----------
    name : str
        Name of a data set of the collection.
    directory : Path
        Made if it does not exist.
    base_url : str
        Where the .mat files are published.
    verify : bool, default=True
        Whether the SHA-256 must match. Where none is known, only ``verify=False``
        downloads, and the shape of the matrix is checked instead.
    verbose : int
        1 shows progress.
    pause : float
        Seconds before a broken connection is tried again.
    """
    if name not in COLLECTION:
        raise ValueError(f"No data set is called {name!r}; there are: {', '.join(COLLECTION)}.")
    file = COLLECTION[name]
    if verify and file.checksum is None:
        raise FileProblem(
            f"No checksum of {name} is known, so the file cannot be verified; use --no-verify "
            f"(verify=False) to accept any file with {file.rows} x {file.columns} values."
        )
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{name}.mat"
    if target.exists() and problem(file, target) is None:
        return target
    with atomic_path(target) as part:
        _download(f"{base_url}/{name}.mat", part, verbose, pause)
        wrong = problem(file, part, verify)
        if wrong is not None:
            raise FileProblem(
                f"The download of {name} is not the file that is known: {wrong}. It was deleted; "
                "try again, or use another base URL."
            )
    return target


def problem(file: KnownFile, path: Path, verify: bool = True) -> str | None:
    """What is wrong with a file of the collection, or None; its shape alone unless `verify`."""
    if verify and file.checksum is not None:
        if path.stat().st_size != file.size:
            return f"it has {path.stat().st_size} bytes instead of {file.size}"
        return None if file_checksum(path) == file.checksum else "its SHA-256 does not match"
    try:
        shape = load_data_set(path).table.shape
    except ValueError as error:
        return str(error)
    wanted = (file.rows, file.columns)
    return None if shape == wanted else f"X has shape {shape} instead of {wanted}"


def _download(url: str, part: Path, verbose: int, pause: float) -> None:
    fruitless = 0
    label = f"fetching {url.rsplit('/', 1)[1]}"
    with part.open("wb") as stream, progress(label, 1, verbose) as bar:
        while fruitless < ATTEMPTS:
            before = stream.tell()
            try:
                if _receive(url, stream, bar):
                    return
                reason = "the connection was cut"
            except urllib.error.HTTPError as error:
                if error.code == 404:
                    raise FileProblem(f"There is no file at {url} (HTTP 404).") from None
                reason = f"HTTP {error.code}"
            except (OSError, http.client.HTTPException) as error:
                reason = str(error) or type(error).__name__
            fruitless = fruitless + 1 if stream.tell() == before else 0
            time.sleep(pause)
    raise FileProblem(f"{url} could not be downloaded: {reason}; try again later.")


def _receive(url: str, stream: IO[bytes], bar: Progress) -> bool:
    """Append what is missing; True once everything is there."""
    have = stream.tell()
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=30) as response:
        if have and response.status != 206:  # the server starts over, so do we
            stream.seek(0)
            stream.truncate()
            have = 0
        length = response.headers.get("Content-Length")
        total = None if length is None else have + int(length)
        while chunk := response.read1(_CHUNK):
            stream.write(chunk)
            if total:
                bar.advance(len(chunk) / total)
        return total is None or stream.tell() >= total
