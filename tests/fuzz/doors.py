"""The front doors: what a mutant is written to, and who is asked to take it.

A door's `enter` returns normally for anything that the package may answer, and raises for what it
may not: that is a finding.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import random
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unsuprank.cli.app import run
from unsuprank.io import FileProblem, ReadOptions, open_large, read_file, read_scores
from unsuprank.registry import available
from unsuprank.study.engine.store import Store

from . import seeds
from .mutants import TOKENS, mutant

#: Where inputs are, inside of the worker's own directory: the only one that may be written to.
OUT = Path("out")


@dataclass(frozen=True)
class Door:
    """A way into the package."""

    name: str
    #: Valid inputs.
    valid: Callable[[], list[bytes]]
    enter: Callable[[bytes], object]
    text: bool = False
    mutate: Callable[[bytes, random.Random], bytes] | None = None

    def mutant(self, rng: random.Random, inputs: list[bytes]) -> bytes:
        """One mutant of one of the valid inputs."""
        content = rng.choice(inputs)
        if self.mutate is not None:
            return self.mutate(content, rng)
        return mutant(content, rng, text=self.text)


#: What readers are told of some files, true or not.
TOLD = (
    *(ReadOptions(header=True, sep=";", decimal=","), ReadOptions(header=False, na=("cat", "0"))),
    *(ReadOptions(sep="|"), ReadOptions(decimal=","), ReadOptions(na=("NA", ""))),
    *(ReadOptions(key="X"), ReadOptions(key="names"), ReadOptions(key="s"), ReadOptions(key="?")),
    *(ReadOptions(layer="twice"), ReadOptions(layer="?"), ReadOptions(raw=True)),
    *(ReadOptions(format=name) for name in ("csv", "arff", "npz", "mat", "parquet", "h5ad")),
)
#: What is asked for of a table that was read: columns to take as names, and a label.
NOMINAL, LABELS = ((), (), ("a",), ("kind",), ("x0", "x1"), ("?",)), (None, "kind", "y", "label")


def _file_door(name: str, ending: str, valid: Callable[[], list[bytes]], text: bool) -> Door:
    def enter(content: bytes) -> None:
        path = OUT / f"input{ending}"
        path.write_bytes(content)
        rng = random.Random(content)
        options = rng.choice((*(ReadOptions(),) * len(TOLD), *TOLD))
        nominal, label = rng.choice(NOMINAL), rng.choice(LABELS)
        with contextlib.suppress(FileProblem):
            data = read_file(path, options)
            data.table(sparse=True)
            data.identifiers()
            data.with_label(label).with_nominal(nominal).table()
        large = None
        with contextlib.suppress(FileProblem):
            large = open_large(path, options, memory=0, nominal=nominal)
        if large is not None:
            with contextlib.suppress(FileProblem):
                large.sample().table()
            with contextlib.suppress(FileProblem):
                sum(chunk.n_rows for chunk in large.rows.chunks(5))

    return Door(name, valid, enter, text)


def _scores_door(ending: str, valid: Callable[[], list[bytes]], text: bool) -> Door:
    def enter(content: bytes) -> None:
        path = OUT / f"scores{ending}"
        path.write_bytes(content)
        with contextlib.suppress(FileProblem):
            read_scores(path)

    return Door(f"scores{ending}", valid, enter, text)


IDENTITY = {"method": "variance", "fold": 3, "data": "colon"}
RESULT = {"seconds": 0.5, "values": [1.0, 2.0, 3.0]}


def _stored_result() -> list[bytes]:
    return [seeds.through_file(_store_one, "store")]


def _store_one(place: Path) -> None:
    """A store with one outcome, of which the file's content takes the place of its directory."""
    store = Store(place.with_suffix(".d"))
    store.put(IDENTITY, RESULT)
    place.write_bytes(store.path(IDENTITY).read_bytes())


def _enter_store(content: bytes) -> None:
    store = Store(OUT / "store")
    store.path(IDENTITY).write_bytes(content)
    found = store.get(IDENTITY)
    if found is not None and found != RESULT:
        raise AssertionError(f"a damaged outcome was taken for a good one: {found}")


#: Command lines that work, in the directory of the worker.
COMMANDS = (
    "rank table.csv --method variance --top 3",
    "rank table.csv --drop when --method shared-variance --out out/scores.csv --jobs 1",
    "rank table.csv --method genie3 --trees 3 --seed 1 --label kind --top 2 --out out/s.json",
    "rank table.csv --nominal kind --na NA --sep , --decimal . --method urelief",
    "transform table.csv --scores scores.csv --top 2 --out out/small.csv",
    "compare table.csv --methods variance,random --drop when,kind",
    "curve table.csv --method variance --drop when,kind --out out/curve.csv",
    "explain table.csv --label kind --out out/markers.csv",
    "methods",
    "--version",
)
#: Words of command lines; what they write goes to `OUT`.
WORDS = (
    *("rank", "compare", "curve", "explain", "methods", "transform", "data", "--help", "--debug"),
    *("--quiet", "--method", "--methods", "--top", "--trees", "--seed", "--jobs", "--label"),
    *("--drop", "--nominal", "--na", "--sep", "--decimal", "--format", "--key", "--out"),
    *("--memory", "--no-header", "--header", "table.csv", "scores.csv", "nothing.csv", "out"),
    *("out/a.csv", "out/b.parquet", "out/no/such/place.csv", "out/x.html", "-1", "0", "1", "3"),
    *("2.5", "10", "csv", "npz", "1KB", "a,b", "a,a", "kind", "when"),
    *(method.name for method in available() if method.effort <= 1.0),
)
#: Tokens that name no other place: what is written there on purpose would be no finding.
_HARMLESS = tuple(token for token in TOKENS if "/" not in token)


def _commands() -> list[bytes]:
    return ["\0".join(line.split()).encode() for line in COMMANDS]


def _other_words(content: bytes, rng: random.Random) -> bytes:
    """A command line with some words changed, added, left out or swapped."""
    words = content.decode().split("\0")
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        at = rng.randrange(len(words) + 1)
        change = rng.randrange(4)
        if change == 0:
            words.insert(at, rng.choice(WORDS))
        elif change == 1:
            words[at : at + 1] = [rng.choice(WORDS)]
        elif change == 2:
            words[at : at + 1] = []
        else:
            words.insert(at, rng.choice(_HARMLESS).replace("\0", ""))
    return "\0".join(words).encode("utf-8", "surrogateescape")


def _enter_command(content: bytes) -> None:
    words = content.decode("utf-8", "surrogateescape").split("\0") if content else []
    if not Path("table.csv").exists():
        Path("table.csv").write_bytes(seeds.csv()[0])
        Path("scores.csv").write_text("feature,rank,score\na,1,2.0\nb,2,1.0\n")
    if any(word.lstrip("-").startswith(("install", "show-comp")) for word in words):
        return
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = run(words)
        except Exception:
            if "--debug" not in words:  # which asks for it
                raise
            return
    if code not in (0, 2, 3):
        raise AssertionError(f"exit code {code}: {said.getvalue()[-500:]}")


DOORS = {
    door.name: door
    for door in (
        _file_door("csv", ".csv", seeds.csv, True),
        _file_door("csv.gz", ".csv.gz", seeds.zipped_csv, False),
        _file_door("arff", ".arff", seeds.arff, True),
        _file_door("svmlight", ".svm", seeds.svmlight, True),
        _file_door("npy", ".npy", seeds.npy, False),
        _file_door("npz", ".npz", seeds.npz, False),
        _file_door("mat", ".mat", seeds.mat, False),
        _file_door("parquet", ".parquet", seeds.parquet, False),
        _file_door("feather", ".feather", seeds.feather, False),
        _file_door("xlsx", ".xlsx", seeds.excel, False),
        _file_door("h5ad", ".h5ad", seeds.h5ad, False),
        _file_door("unnamed", "", lambda: seeds.csv() + seeds.npy() + seeds.arff(), True),
        _scores_door(".csv", seeds.scores_csv, True),
        _scores_door(".json", seeds.scores_json, True),
        _scores_door(".parquet", seeds.scores_parquet, False),
        Door("store", _stored_result, _enter_store, text=True),
        Door("commands", _commands, _enter_command, mutate=_other_words),
    )
}


def _misbehave(content: bytes) -> None:
    """What a worker must notice; only for the test of the workers themselves."""
    if content == b"0":
        Path(tempfile.gettempdir(), "..", "..", f"outside-{os.getpid()}").write_text("")
        Path(tempfile.gettempdir(), "..", "..", f"outside-{os.getpid()}").unlink()
    elif content == b"1":
        pickle.loads(pickle.dumps(Path("x")))
    elif content == b"2":
        bytearray(2**33)
    elif content == b"3":
        os.abort()


#: What has no part in a campaign.
SELFTEST = Door(
    "selftest", lambda: [b""], _misbehave, mutate=lambda _, rng: str(rng.randrange(5)).encode()
)


def find_door(name: str) -> Door:
    """The door called so."""
    return SELFTEST if name == SELFTEST.name else DOORS[name]


def enter(door: Door, content: bytes) -> None:
    """Send one input through a door; warnings are no findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        door.enter(content)
    for path in OUT.iterdir():
        if path.is_file():
            os.unlink(path)
